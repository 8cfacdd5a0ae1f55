"""From an assessment to a verdict with reasons.

Two questions are kept apart: *is it a regression?* (evidence against the benign null, a p-value) and *how bad is
it?* (severity with its interval).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from wfgate.alignment import Comparison
from wfgate.checks import RELATIVE, Finding, review
from wfgate.checks.base import Severity, listed, quoted
from wfgate.conditions.relations import load_solver
from wfgate.errors import ConfigError
from wfgate.evidence import Assessment, feature_vector, gather
from wfgate.gating.policy import ORDER, Policy, Verdict
from wfgate.gating.result import (
    AlignedPair,
    AlignedStep,
    AlignmentView,
    CaseResult,
    EvidenceValue,
    MergedSteps,
    SplitStep,
)
from wfgate.gating.waivers import Waivers
from wfgate.metrics import LlmJudge, MetricScore
from wfgate.model import Task, TaskGraph, Workflow, fingerprint
from wfgate.profile import Profile, SeverityEstimate

_LOSSES = frozenset({"WR101", "WR103", "WR104", "WR106"})
"""Checks whose finding says that a golden step is no longer there as it was."""
UNHARMED = SeverityEstimate(estimate=0.0, low=0.0, high=0.0)


class Decider:
    """Decides cases by one profile and one policy.

    Args:
        profile: Fitted with the metrics and the embedder that assess; the caller has checked that
            (`Profile.require`).
        policy: What the team decided.
        waivers: The findings that it accepts.

    Raises:
        ConfigError: If the policy asks for a false-block rate that no candidate could reach: nothing would ever block.
    """

    def __init__(self, profile: Profile, policy: Policy, waivers: Waivers | None = None) -> None:
        self.profile = profile
        self.policy = policy
        self.waivers = waivers or Waivers()
        self.alpha_block, self.alpha_review = policy.alphas(profile.promise)
        self._null = profile.null.build()
        least = self._null.least
        if self.alpha_block < least:
            raise ConfigError(
                f"alpha_block {self.alpha_block:g} would never block: the profile's {self._null.goldens} goldens "
                f"establish p-values down to {least:.2g}",
                fix=f"use at least {least:.2g}, or calibrate on more goldens",
            )
        self._relations = load_solver(policy.solver)
        self._nulls = {name: tail.build() for name, tail in profile.evidence_nulls.items()}

    def require_heard(self) -> None:
        """Refuse a judge whose calibration rests on so few goldens that it could never say anything.

        Raises:
            ConfigError: If that is so.
        """
        judge = self.profile.judge
        least = judge.null.build().least if judge else 0.0
        if judge and least > self.alpha_review:
            raise ConfigError(
                f"the judge would never be heard: its {judge.null.goldens} goldens establish p-values down to "
                f"{least:.2g}, and reviews are asked for at {self.alpha_review:g}",
                fix="calibrate it on more goldens, or raise alpha_review",
            )

    def decide(self, assessment: Assessment, *, case: str, golden: str, candidate: str) -> CaseResult:
        """Return the verdict on one pair.

        Args:
            assessment: The pair, compared and scored.
            case: Name of the case.
            golden: Where the golden came from.
            candidate: Where the candidate came from.
        """
        comparison = assessment.comparison
        findings = self._findings(case, comparison)
        identical = _content(comparison.golden) == _content(comparison.candidate)
        p_value = 1.0 if identical else self.p_value(assessment.evidence)
        suspicious = p_value <= self.alpha_review
        features = feature_vector(assessment.evidence)
        severity = UNHARMED if identical else self.profile.severity.estimate(features)
        decision = self._decided(assessment, findings, p_value, severity, identical=identical)
        if not identical:
            decision = decision.with_opinion(self._opinion(assessment.scores))
        return CaseResult(
            id=case,
            golden=golden,
            candidate=candidate,
            verdict=decision.verdict,
            reasons=tuple(dict.fromkeys(decision.reasons)),
            p_value=round(p_value, 6),
            severity=severity,
            degradation=self.profile.degradation.probabilities(features) if suspicious else (),
            evidence=tuple(
                EvidenceValue(id=name, value=round(value, 6), p_value=round(self._nulls[name].p_value(value), 6))
                for name, value in assessment.evidence.items()
            ),
            metrics=assessment.scores,
            findings=findings if suspicious or decision.verdict != "pass" else tuple(map(self._noted, findings)),
            alignment=_view(comparison),
        )

    def _findings(self, case: str, comparison: Comparison) -> tuple[Finding, ...]:
        found = review(replace(comparison, relations=self._relations), self.policy.checks)
        return self.waivers.applied(case, found)

    def p_value(self, evidence: dict[str, float]) -> float:
        """Return how often harmless rewordings look at least this bad."""
        return self._null.p_value(float(self.profile.block.score(feature_vector(evidence))))

    def _decided(
        self,
        assessment: Assessment,
        findings: tuple[Finding, ...],
        p_value: float,
        severity: SeverityEstimate,
        *,
        identical: bool,
    ) -> "_Decision":
        comparison = assessment.comparison
        waived = [finding for finding in findings if finding.waived]
        findings = tuple(finding for finding in findings if not finding.waived)
        broken = [finding.message for finding in findings if _needs_no_statistics(finding)]
        doubted = [finding.message for finding in findings if _needs_a_look(finding)]
        accepted = {name for finding in waived if finding.id in _LOSSES for name in finding.tasks}
        critical = {name: said for name, said in self._critical_losses(comparison) if name not in accepted}
        known = [finding for finding in findings if finding.id != "WR101" or finding.tasks[0] not in critical]
        changed = [*critical.values(), *broken, *self._explained(known)]
        if broken or critical:
            return _Decision("block", changed)
        undecided = None if identical else self._undecided(assessment)
        if undecided:
            return _Decision("inconclusive", [undecided, *changed])
        verdict = self._verdict(p_value, severity)
        if verdict == "pass":
            return _Decision("review" if doubted else "pass", doubted)
        if waived and not changed:
            ids = listed(sorted({finding.id for finding in waived}))
            return _Decision("review", [f"all that is named is waived ({ids}); look whether the rest is harmless"])
        return _Decision(verdict, changed or [*self._explained(known, "info"), _taken_together(comparison)])

    def _opinion(self, scores: Sequence[MetricScore]) -> "_Decision":
        """Return what a language model makes of it, a pass where none was asked.

        No answer is no pass: whoever can make a judge fall silent must not gain by it.
        """
        score = next((score for score in scores if score.metric == LlmJudge.id), None)
        if score is None:
            return _Decision("pass", [])
        calibrated = self.profile.judge
        if score.value is None or calibrated is None:
            why = score.undefined_because or "the profile knows no judge"
            return _Decision("inconclusive", [f"the language model did not judge: {why}"])
        p_value = calibrated.p_value(score.value)
        if p_value > self.alpha_review:
            return _Decision("pass", [])
        rare = f"{100 * p_value:.2g} % of harmless rewordings as low"
        said = f"the language model grades it {5 * score.value:.1f} of 5, and {rare}"
        blocks = self.policy.judge_blocks and p_value <= self.alpha_block
        return _Decision("block" if blocks else "review", [f"{said}: {score.comment}" if score.comment else said])

    def _verdict(self, p_value: float, severity: SeverityEstimate) -> Verdict:
        if p_value > self.alpha_review:
            return "pass"
        established = p_value <= self.alpha_block and severity.estimate >= self.policy.block_severity
        return "block" if established else "review"

    def _critical_losses(self, comparison: Comparison) -> Iterable[tuple[str, str]]:
        """Yield the critical steps that are gone, by name, and what happened to them.

        A critical step is believed to mean something else already at the false-review rate.
        """
        merged = {step: merge for merge in comparison.alignment.merges for step in merge.golden}
        doubted = {
            step.golden[0]: step
            for step in comparison.meanings
            if len(step.golden) == 1 and step.calibrated and step.adjusted <= self.alpha_review
        }
        for position in comparison.golden_order:
            task = comparison.golden.tasks[position]
            if not self.policy.is_critical(task):
                continue
            if position in merged:
                into = comparison.candidate.tasks[merged[position].candidate]
                yield task.name, f"the critical step {quoted(task)} was squeezed into {quoted(into)}"
            elif position not in comparison.candidate_of:
                yield task.name, f"the critical step {quoted(task)} is missing"
            elif position in doubted:
                now = " and ".join(quoted(comparison.candidate.tasks[part]) for part in doubted[position].candidate)
                yield task.name, f"the critical step {quoted(task)} was changed to {now}"

    def _noted(self, finding: Finding) -> Finding:
        """Mark a difference that harmless rewording shows as often: information, unless the team said otherwise."""
        doubtful = finding.id in RELATIVE and not RELATIVE[finding.id].proven
        relative = doubtful and finding.severity == "error" and finding.id not in self.policy.checks
        return finding.model_copy(update={"severity": "info"}) if relative else finding

    def _explained(self, findings: Sequence[Finding], *levels: Severity) -> list[str]:
        """Return what changed against the golden in words, errors first, changed meanings by how sure they are."""
        levels = levels or ("error", "warning")
        relative = [finding for finding in findings if finding.id.startswith("WR") and finding.severity in levels]
        return [finding.message for finding in sorted(relative, key=_gravity)]

    def _undecided(self, assessment: Assessment) -> str | None:
        """Return why statistics cannot tell, if they cannot."""
        steps = assessment.comparison.golden_graph.n
        if steps < self.policy.min_steps:
            return f"the golden has {steps} step{'s' * (steps != 1)}; statistics need {self.policy.min_steps}"
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


def _content(workflow: Workflow) -> str:
    """Return what tells workflows apart; what one is called as a whole is no evidence of anything."""
    return fingerprint(workflow.model_copy(update={"name": "", "description": ""}))


def _needs_no_statistics(finding: Finding) -> bool:
    """Return whether a finding blocks by itself: a new defect of the graph, or a proven change of what it does."""
    proven = finding.id not in RELATIVE or RELATIVE[finding.id].proven
    return finding.severity == "error" and not finding.pre_existing and proven


def _needs_a_look(finding: Finding) -> bool:
    """Return whether a finding asks for review by itself: a proven change that may well be meant."""
    proven = finding.id in RELATIVE and RELATIVE[finding.id].proven
    return finding.severity == "warning" and not finding.pre_existing and proven


@dataclass(frozen=True)
class _Decision:
    verdict: Verdict
    reasons: list[str]

    def with_opinion(self, opinion: "_Decision") -> "_Decision":
        """Return the stricter one of two verdicts, with the reasons of both, those of the stricter one first."""
        stricter = ORDER.index(opinion.verdict) > ORDER.index(self.verdict)
        first, second = (opinion, self) if stricter else (self, opinion)
        return _Decision(first.verdict, [*first.reasons, *second.reasons])


def _gravity(finding: Finding) -> tuple[bool, float]:
    """Sort errors before warnings, and of changed meanings the surest first."""
    p_value = finding.wording.p_value if finding.wording else None
    return finding.severity != "error", 0.0 if p_value is None else p_value


def _taken_together(comparison: Comparison) -> str:
    """Return a reason where no single difference is one: with the step that looks least like a rewording."""
    said = "taken together, the texts and the structure differ more than harmless rewording does"
    least = min(comparison.meanings, key=lambda step: step.score.logit, default=None)
    if least is None or least.score.logit > 0:
        return said
    golden, candidate = comparison.golden.tasks[least.golden[0]], comparison.candidate.tasks[least.candidate[0]]
    return f"{said}, most of all step {quoted(golden)} (now {quoted(candidate)})"


def _at(score: MetricScore, end: str) -> MetricScore:
    value = getattr(score, end)
    return score if score.proven or value is None else score.model_copy(update={"value": value})


def _view(comparison: Comparison) -> AlignmentView:
    golden, candidate = comparison.golden.tasks, comparison.candidate.tasks
    merged = {step for merge in comparison.alignment.merges for step in merge.golden}
    return AlignmentView(
        matched=tuple(
            AlignedPair(
                golden=_step(golden[g]),
                candidate=_step(candidate[c]),
                similarity=round(float(comparison.similarity[g, c]), 4),
            )
            for g, c in comparison.pairs
        ),
        missing=tuple(_step(golden[step]) for step in comparison.missing if step not in merged),
        extra=tuple(_step(candidate[step]) for step in comparison.extra),
        merged=tuple(
            MergedSteps(
                golden=tuple(_step(golden[g]) for g in merge.golden), candidate=_step(candidate[merge.candidate])
            )
            for merge in comparison.alignment.merges
        ),
        split=tuple(
            SplitStep(
                golden=_step(golden[split.golden]), candidate=tuple(_step(candidate[c]) for c in split.candidate)
            )
            for split in comparison.alignment.splits
        ),
        golden_links=_links(comparison.golden, comparison.golden_graph),
        candidate_links=_links(comparison.candidate, comparison.candidate_graph),
    )


def _links(workflow: Workflow, graph: TaskGraph) -> tuple[tuple[str, str], ...]:
    return tuple((workflow.tasks[source].id, workflow.tasks[target].id) for source, target in sorted(graph.edges))


def _step(task: Task) -> AlignedStep:
    return AlignedStep(id=task.id, name=task.name)
