"""Decides: turns an assessment (compared and scored pair) into a verdict with reasons.

Two questions are separate. Is the candidate a regression? The answer is a p-value under the null distribution of
harmless rewordings. How severe is the regression? The answer is an estimate with an interval.
"""

import glob
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass

from wfgate.compare import JUDGE, Comparison, Levels, MetricScore
from wfgate.decide.alignment_view import view_of
from wfgate.decide.claims import unclaimed
from wfgate.decide.evidence.assess import Assessment
from wfgate.decide.evidence.demands import Demands
from wfgate.decide.evidence.features import feature_vector
from wfgate.decide.evidence.gather import gather
from wfgate.decide.evidence.steps import step_states
from wfgate.decide.pair import Called
from wfgate.decide.policy import ORDER, Policy, Verdict, worst
from wfgate.decide.profile.profile import Profile
from wfgate.decide.profile.severity import SeverityEstimate
from wfgate.decide.reason import Reason
from wfgate.decide.result import CaseResult, EvidenceValue
from wfgate.decide.unseen import changed_calls, languages, unread, warned
from wfgate.decide.waivers import Waivers
from wfgate.errors import ConfigError
from wfgate.language import exchange
from wfgate.model import Task, Workflow, fingerprint, listed, named, place_in, rewording
from wfgate.read import Diagnostic
from wfgate.rules import (
    NAME,
    Finding,
    MeaningChanged,
    TaskMissing,
    TasksCompressed,
    called,
    have_lists,
    is_relative,
    quoted,
    review,
)

MERGED = 0.25
"""Largest share of golden steps whose merging alone leads to a review instead of a block."""
REWRITTEN = 0.5
"""Share of reworded steps from which a list is rewritten, not edited."""
ORDER_EVIDENCE = ("flipped-orders", "lost-orders", "gained-orders", "order-changes", "link-changes")
"""The evidence that the order of the steps alone causes."""
_LINKS = ("link-changes", "chain-loss", "graph-loss")
"""The evidence that a link causes that is new or lost beside a longer path."""
_LOSSES = (TaskMissing.id, TasksCompressed.id)
UNHARMED = SeverityEstimate(estimate=0.0, low=0.0, high=0.0)


class Decider:
    """Decides cases with one profile and one policy.

    Args:
        profile: A profile that was fitted with the metrics and models of the assessments. The caller has to check this
            first (`Profile.require`).
        policy: Rules of the gate.
        waivers: Findings that are accepted until a date.
        cases: Number of cases of the run, for rates per run.

    Raises:
        ConfigError: If the profile has too few goldens to reach the policy's false-block rate.
    """

    def __init__(self, profile: Profile, policy: Policy, waivers: Waivers | None = None, cases: int = 1) -> None:
        self.profile = profile
        self.policy = policy
        self.waivers = waivers or Waivers()
        self.alpha_block, self.alpha_review = policy.alphas(profile.promise, cases)
        self._scorer = profile.scorer
        null = self._scorer.nulls.smaller
        smallest = null.least
        if self.alpha_block < smallest:
            per_run = f" per case, of {cases} cases," if policy.alpha_per == "run" else ""
            needed = smallest * cases if per_run else smallest
            raise ConfigError(
                f"alpha_block {self.alpha_block:.2g}{per_run} would never block: with {null.goldens} goldens "
                f"the smallest p-value of the profile is {smallest:.2g}",
                fix=f"set alpha_block to at least {needed:.2g}, or calibrate on more goldens",
            )
        self._nulls = {name: tail.build() for name, tail in profile.evidence_nulls.items()}

    def with_critical(self, steps: Iterable[str]) -> "Decider":
        """Return the same with further critical steps, by their ids in the golden."""
        other = copy(self)
        other.policy = self.policy.model_copy(update={"critical": (*self.policy.critical, *map(glob.escape, steps))})
        return other

    def require_judge_power(self) -> None:
        """Raise an error if the judge (a language model that grades) has too few goldens to reach alpha_review.

        Raises:
            ConfigError: If the smallest p-value that the judge's calibration allows is above alpha_review.
        """
        judge = self.profile.judge
        smallest = judge.null.build().least if judge else 0.0
        if judge and smallest > self.alpha_review:
            raise ConfigError(
                f"alpha_review {self.alpha_review:g} can never be reached: with {judge.null.goldens} goldens "
                f"the smallest p-value of the judge is {smallest:.2g}",
                fix="calibrate the judge on more goldens, or raise alpha_review",
            )

    def decide(
        self,
        assessment: Assessment,
        *,
        case: str,
        golden: str,
        candidate: str,
        warnings: Iterable[tuple[Diagnostic, int]] = (),
        called: Sequence[Called] = (),
        own: Sequence[Finding] = (),
    ) -> CaseResult:
        """Return the result for one pair.

        Args:
            assessment: The compared and scored pair.
            case: Name of the case.
            golden: Name of the golden, usually its file.
            candidate: Name of the candidate, usually its file.
            warnings: Warnings of the reader that only the candidate has, each with the number of those like it.
            called: The changed local files that the candidate calls.
            own: The findings of own rules.
        """
        comparison = assessment.comparison
        findings = review(
            comparison,
            self.policy.checks,
            critical={task.id for task in comparison.golden.tasks if self.policy.is_critical(task)},
            small=self._is_small(comparison),
            waived=self.waivers.of(case),
        )
        findings = (*own, *findings)
        identical = _content(comparison.golden) == _content(comparison.candidate)
        p_value = 1.0 if identical else self.p_value(assessment.evidence)
        suspicious = p_value <= self.alpha_review
        features = feature_vector(assessment.evidence)
        bounds = self.profile.corpus.range
        severity = UNHARMED if identical else self.profile.severity.estimate(features)
        named = _Named(findings, golden, candidate)
        decision = self._decision(assessment, named, p_value, severity, identical=identical)
        if not identical:
            decision = decision.stricter(self._judged(assessment.scores))
        foreign = languages(comparison)
        for unseen in (warned(warnings), changed_calls(called, candidate), unread(comparison, foreign)):
            if reasons := [*unseen]:
                decision = decision.stricter(_Decision("review", reasons, proven="review"))
        levels = self._levels(decision.verdict, p_value)
        return CaseResult(
            id=case,
            golden=golden,
            candidate=candidate,
            verdict=decision.verdict,
            reasons=tuple(dict.fromkeys(_worded(decision.reasons, findings, levels))),
            proven=decision.proven,
            p_value=round(p_value, 6),
            outside=()
            if identical
            else (*foreign, *(bounds.outside(comparison.golden, comparison.candidate) if bounds else ())),
            demands=Demands.of(comparison),
            steps=step_states(comparison, levels),
            severity=severity,
            degradation=self.profile.degradation.probabilities(features) if suspicious else (),
            evidence=tuple(
                EvidenceValue(id=name, value=round(value, 6), p_value=round(self._nulls[name].p_value(value), 6))
                for name, value in assessment.evidence.items()
            ),
            metrics=assessment.scores,
            findings=tuple(self._settled(findings, levels)),
            alignment=view_of(comparison),
        )

    def p_value(self, evidence: dict[str, float]) -> float:
        """Return the p-value: the share of harmless candidates of the same cell with at least this score."""
        return self._scorer.p_value(feature_vector(evidence))

    def _decision(
        self, assessment: Assessment, named: "_Named", p_value: float, severity: SeverityEstimate, *, identical: bool
    ) -> "_Decision":
        comparison = assessment.comparison
        waived = [finding for finding in named.findings if finding.waived]
        critical = [reason for reason in self._critical_losses(comparison, named) if reason.waiver is None]
        repeated = {reason.fingerprint for reason in critical}
        lost = [finding for finding in named.findings if finding.fingerprint in repeated and not finding.waived]
        others = [finding for finding in named.findings if finding.fingerprint not in repeated]
        weights = {finding.weight for finding in others}
        grave = [finding for finding in others if finding.weight != "note"]
        changed = [*critical, *map(named.reason, unclaimed(grave, lost))]
        if critical or "proof" in weights:
            return _Decision("block", changed, proven="block")
        unsure = list(self._unsure_critical(comparison, named))
        proven: Verdict = "review" if unsure or "contradiction" in weights else "pass"
        undecided = None if identical else self._undecided(assessment)
        if undecided:
            return _Decision("inconclusive", [Reason.by_rule("undecided", undecided), *changed], proven)
        small = self._is_small(comparison)
        verdict = "pass" if small else self._verdict(p_value, severity)
        if verdict == "block" and (
            _is_only_merged(comparison)
            or self._rests_on_listed_order(assessment)
            or self._rests_on_redundant_links(assessment)
        ):
            verdict = "review"
        if verdict == "pass":  # without statistics, every change leads to a review
            unsettled = [finding for finding in grave if small or finding.weight == "contradiction"]
            if small and any(fate.lacks_own_step for fate in comparison.fates):  # also if no word is lost
                unsettled += [one for one in others if one.id in _LOSSES and one not in grave and not one.waived]
            reasons = [*map(named.reason, unclaimed(unsettled)), *unsure]
            return _Decision("review" if reasons else "pass", reasons, proven)
        if waived and not changed:
            ids = listed(sorted({finding.id for finding in waived}))
            message = f"every finding is waived ({ids}), but the statistics show a change: check the other differences"
            return _Decision("review", [Reason.by_rule("statistics", message), *map(named.reason, waived)])
        overall = Reason.by_rule("statistics", _overall(comparison))
        remarks = [one for one in others if is_relative(one.id) and one.weight == "note" and not one.waived]
        return _Decision(verdict, [*changed, *unsure] or [*map(named.reason, unclaimed(remarks)), overall], proven)

    def _is_small(self, comparison: Comparison) -> bool:
        """Return whether the golden has too few steps for statistics, so that only findings decide."""
        return comparison.golden_graph.n < self.policy.min_steps

    def _judged(self, scores: Sequence[MetricScore]) -> "_Decision":
        """Return the decision of the judge.

        It is a pass if there is no judge, and inconclusive if the judge gave no grade.
        """
        score = next((score for score in scores if score.metric == JUDGE), None)
        if score is None:
            return _Decision("pass", [])
        calibrated = self.profile.judge
        if score.value is None or calibrated is None:
            why = score.undefined_because or "the profile is not calibrated for this judge"
            return _Decision("inconclusive", [Reason.by_rule("judge", f"the judge gave no grade: {why}")])
        p_value = calibrated.p_value(score.value)
        if p_value > self.alpha_review:
            return _Decision("pass", [])
        message = (
            f"the judge grades it {5 * score.value:.1f} of 5; {100 * p_value:.2g} % of harmless rewordings get "
            "a grade as low as this"
        )
        blocks = self.policy.judge_blocks and p_value <= self.alpha_block
        message = f"{message}: {score.comment}" if score.comment else message
        return _Decision("block" if blocks else "review", [Reason.by_rule("judge", message)])

    def _verdict(self, p_value: float, severity: SeverityEstimate) -> Verdict:
        if p_value > self.alpha_review:
            return "pass"
        established = p_value <= self.alpha_block and severity.estimate >= self.policy.block_severity
        return "block" if established else "review"

    def _critical_losses(self, comparison: Comparison, named: "_Named") -> Iterator[Reason]:
        """Yield a reason for each lost critical step in the order of the golden, with those that have a waiver."""
        golden, candidate = comparison.golden.tasks, comparison.candidate.tasks
        for fate in comparison.fates_in_order:
            task = fate.task
            demanded = self.policy.is_critical(task) and not fate.is_optional
            if not demanded or (fate.loss_p_value > self.alpha_block and not fate.is_missing):
                continue
            if fate.merge is not None:
                steps = [golden[step] for step in fate.merge.golden]
                kept = [quoted(step) for step in steps if not self.policy.is_critical(step)]
                lost = [quoted(step) for step in steps if self.policy.is_critical(step)]
                were = "steps {} were" if len(lost) > 1 else "step {} was"
                others = f" with {listed(kept, 5)}" if kept else ""
                into = quoted(candidate[fate.merge.candidate])
                message = f"the critical {were.format(listed(lost, 5))} merged{others} into {into}"
                yield named.loss(TasksCompressed.id, steps, message)
            elif fate.is_unmatched:
                yield named.loss(TaskMissing.id, [task], f"the critical step {quoted(task)} is missing")
            else:
                now = _now(comparison, task, fate.shown_carriers)
                message = f"the critical step {quoted(task)} changed meaning: now {now}"
                yield named.loss(MeaningChanged.id, [task], message)

    def _levels(self, verdict: Verdict, p_value: float) -> Levels:
        """Return the significance levels of the words about steps: never more than the verdict says."""
        blocked = verdict == "block" and p_value <= self.alpha_block
        return Levels(self.alpha_block if blocked else 0.0, 0.0 if verdict == "pass" else self.alpha_review)

    def _unsure_critical(self, comparison: Comparison, named: "_Named") -> Iterator[Reason]:
        """Yield a reason for each critical step that the candidate has, but may not do as approved: a review."""
        for fate in comparison.fates_in_order:
            if self.policy.is_critical(fate.task) and not fate.is_optional and not fate.is_kept:
                now = _now(comparison, fate.task, fate.done_by)
                what = "shares a step with others" if fate.lacks_sole_step else "may have another meaning"
                reason = Reason.by_rule("critical-unsure", f"the critical step {quoted(fate.task)} {what}: now {now}")
                at = comparison.candidate.tasks[fate.done_by[0]].span if fate.done_by else None
                places = {"golden": place_in(named.golden, fate.task.span), "candidate": place_in(named.candidate, at)}
                yield reason.model_copy(update=places)

    def _settled(self, findings: Iterable[Finding], levels: Levels) -> Iterator[Finding]:
        """Yield the findings as reported, in words that follow from the verdict.

        In a case that passes, estimates are notes: an error of an unproven rule gets the level "info", unless the
        policy sets the level of the rule. Estimates about the meaning of a step are no finding there.
        """
        for finding in findings:
            relative = is_relative(finding.id) and not finding.proven
            if levels.probably or not relative or finding.severity == "info":
                yield _established(finding, levels).model_copy(update={"established": None})
            elif not _is_estimate(finding):
                kept = finding.severity != "error" or finding.id in self.policy.checks
                level = finding.severity if kept else "info"
                yield finding.model_copy(update={"severity": level, "weight": "note"})

    def _rests_on_listed_order(self, assessment: Assessment) -> bool:
        """Return whether a rewritten candidate would not be blocked if its order were that of the golden.

        Only for lists of texts, which do not say which steps depend on each other: who writes a list anew orders
        independent steps as he likes, and nothing but the places of the steps tells these from dependent ones. Who
        edits a list moves a step on purpose.
        """
        comparison, evidence = assessment.comparison, assessment.evidence
        if not have_lists(comparison) or evidence["reworded-share"] < REWRITTEN:
            return False
        return self._passes_without(ORDER_EVIDENCE, evidence)

    def _rests_on_redundant_links(self, assessment: Assessment) -> bool:
        """Return whether a candidate would not be blocked without the links that change no order of steps."""
        evidence = assessment.evidence
        if any(evidence[name] for name in ORDER_EVIDENCE if name not in _LINKS):
            return False
        return self._passes_without(_LINKS, evidence)

    def _passes_without(self, names: Iterable[str], evidence: Mapping[str, float]) -> bool:
        """Return whether evidence would not block without some of its values."""
        return self.p_value({**evidence, **dict.fromkeys(names, 0.0)}) > self.alpha_block

    def _undecided(self, assessment: Assessment) -> str | None:
        """Return why the statistics cannot decide; None if they can."""
        if self._is_small(assessment.comparison):
            return None
        open_scores = [score for score in assessment.scores if not score.proven]
        if not open_scores:
            return None
        verdicts = set()
        for end in ("low", "high"):
            evidence = gather(assessment.comparison, [_at(score, end) for score in assessment.scores])
            severity = self.profile.severity.estimate(feature_vector(evidence))
            verdicts.add(self._verdict(self.p_value(evidence), severity))
        if len(verdicts) == 1:
            return None
        names = ", ".join(score.metric for score in open_scores)
        return f"{names} could not be proven within the work limit, and the verdict depends on it"


def _now(comparison: Comparison, task: Task, steps: Iterable[int]) -> str:
    """Return the candidate steps that do a golden step; a step may have no words that do it.

    A step of the same name is shown with its description, in which it differs.
    """
    parts = [comparison.candidate.tasks[step] for step in steps]
    if len(parts) == 1 and called(parts[0]).casefold() == called(task).casefold():
        whole = " ".join(parts[0].statement.split())
        return named(exchange(" ".join(task.statement.split()), whole, NAME)[1], whole)
    return listed([quoted(part) for part in parts], 5) or "(no text)"


class _Named:
    """The findings of a case, and the reasons made from them."""

    def __init__(self, findings: tuple[Finding, ...], golden: str, candidate: str) -> None:
        self.findings = findings
        self.golden = golden
        self.candidate = candidate
        self._losses: defaultdict[tuple[str, frozenset[str]], list[Finding]] = defaultdict(list)
        for finding in findings:
            if finding.wording is not None or finding.id != MeaningChanged.id:  # WR106 reports arguments, too
                self._losses[finding.id, frozenset(finding.golden_steps)].append(finding)

    def reason(self, finding: Finding) -> Reason:
        return Reason.of(finding, self.golden, self.candidate)

    def loss(self, rule: str, steps: Sequence[Task], message: str) -> Reason:
        """Return the reason that these golden steps are lost: the finding of the rule with `message`."""
        findings = self._losses[rule, frozenset(step.id for step in steps)]
        if not findings:  # the check is switched off, or stricter than alpha_review
            return Reason.by_rule("critical", message)
        finding = findings.pop(0) if len(findings) > 1 else findings[0]  # several: steps with the same id
        return Reason.of(finding, self.golden, self.candidate, message, lost_critical=True)


def _is_only_merged(comparison: Comparison) -> bool:
    """Return whether nothing speaks against a candidate but merged steps: all are done, and a few share a step.

    Then no work is lost, but the steps cannot be run, repeated or approved alone: a person has to decide. Of steps
    that were joined word for word it is known that nothing is lost, whatever the meaning model says.
    """
    fates = comparison.fates
    merged = sum(fate.lacks_own_step for fate in fates)
    return (
        0 < merged <= MERGED * len(fates)
        and all(fate.is_joined or (fate.is_done and not fate.is_reordered) for fate in fates)
        and not any(step.is_extra for step in comparison.additions)
    )


def _is_estimate(finding: Finding) -> bool:
    """Return whether a finding is an estimate about the meaning of a step."""
    return finding.id == MeaningChanged.id and finding.wording is not None and not finding.exact


def _established(finding: Finding, levels: Levels) -> Finding:
    """Return an estimate with the words of its p-value: "changed" at the block rate, else "probably changed"."""
    p_value = finding.wording.p_value if finding.wording else None
    if finding.established is None or finding.exact or p_value is None or p_value > levels.changed:
        return finding
    text, mentions = finding.established
    return finding.model_copy(update={"message": text, "mentions": mentions})


def _worded(reasons: Iterable[Reason], findings: Iterable[Finding], levels: Levels) -> Iterator[Reason]:
    """Yield the reasons, each in the words of its finding."""
    known: dict[str | None, Finding] = {finding.fingerprint: finding for finding in findings}
    for reason in reasons:
        finding = known.get(reason.fingerprint)
        if finding is None or finding.message != reason.message:
            yield reason
        else:
            said = _established(finding, levels)
            yield reason.model_copy(update={"message": said.message, "mentions": said.mentions})


def _content(workflow: Workflow) -> str:
    """Return the fingerprint of a workflow without its own name and description."""
    return fingerprint(workflow.model_copy(update={"name": "", "description": ""}))


@dataclass(frozen=True)
class _Decision:
    """A verdict with its reasons; `proven`: the verdict that findings give alone, without statistics."""

    verdict: Verdict
    reasons: list[Reason]
    proven: Verdict = "pass"

    def stricter(self, other: "_Decision") -> "_Decision":
        """Return the stricter of two decisions, with the reasons of both; those of the stricter one come first."""
        first, second = (other, self) if ORDER.index(other.verdict) > ORDER.index(self.verdict) else (self, other)
        return _Decision(first.verdict, [*first.reasons, *second.reasons], worst((self.proven, other.proven)))


def _overall(comparison: Comparison) -> str:
    """Return the reason for a verdict that rests on all differences together, with the step in doubt, if one is."""
    message = "taken together, texts and structure differ more than harmless rewordings do"
    doubted = [fate.support for fate in comparison.fates if fate.support is not None and fate.is_doubted]
    worst = min(doubted, key=lambda step: step.score.logit, default=None)
    if worst is None:
        return message
    now = rewording(quoted(comparison.candidate.tasks[worst.candidate[0]])) if worst.candidate else ""
    return f"{message}; the most doubtful step is {quoted(comparison.golden.tasks[worst.golden])}{now}"


def _at(score: MetricScore, end: str) -> MetricScore:
    value = getattr(score, end)
    return score if score.proven or value is None else score.model_copy(update={"value": value})
