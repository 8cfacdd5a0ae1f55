"""What all reports say of a case and of a run, as values: derived here once; a reporter lays it out and escapes it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from wfgate.decide import ORDER, CaseResult, GateResult, Reason, SampledCase, Verdict, claimants
from wfgate.language import windows
from wfgate.model import Place
from wfgate.read import Diagnostic
from wfgate.rules import SEVERITIES, Finding
from wfgate.show import advice, brief, comparison, wording
from wfgate.show.advice import Advice, Command
from wfgate.show.brief import Pieces
from wfgate.show.samples import against_words, judged_words, sample_words
from wfgate.show.steps import KEPT, STATES, ShownStep, Steps, texts_of, unnamed_steps
from wfgate.show.wording import count, percent, percent_range

FEW = 3
"""Most plain rewordings of a passed case that are shown."""
_REMARKS = re.compile(r"(?:no longer has|now has|has other) remarks: ")
"""How WR502 names the sentences around the steps that differ."""


@dataclass(frozen=True)
class ReasonView:
    """A reason, or a finding that is none, as reports say it. The texts are not escaped yet.

    Attributes:
        reason: The reason; of a finding that is none, what it would be as a reason.
        finding: Its finding; None if it was made from none.
        case: The case that it is about.
    """

    reason: Reason
    finding: Finding | None
    case: CaseResult = field(repr=False)

    @property
    def opening(self) -> str:
        """The word "step" if the message starts with the name of a step, so that it becomes a sentence; else empty."""
        return wording.opening(self.reason)

    @property
    def sentence(self) -> str:
        """The message as a complete sentence."""
        return wording.sentence(self.reason)

    @property
    def whole(self) -> str:
        """The message with the whole names of the steps."""
        return brief.with_whole_names(self.reason)

    @property
    def severity(self) -> str:
        """The severity of the finding; empty if there is none."""
        return self.finding.severity if self.finding else ""

    @property
    def about(self) -> str:
        """What the finding is about; empty if there is none."""
        return self.finding.about if self.finding else ""

    @property
    def is_old(self) -> bool:
        """Whether the golden has it, too."""
        return self.finding is not None and self.finding.pre_existing

    @property
    def place(self) -> Place | None:
        """Its position: in the candidate, else in the golden."""
        return self.reason.place

    @property
    def waiver(self) -> str | None:
        """Who accepts it, until when and why; None if there is no waiver."""
        return wording.waiver_words(self.reason.waiver)

    @cached_property
    def texts(self) -> tuple[str, str] | None:
        """The texts of golden and candidate that it is about; None if it is not about a text."""
        return texts_of(self.case, self.finding)

    @cached_property
    def pieces(self) -> Pieces:
        """The message in one short line with the changed words marked, old before new."""
        return self._line[0]

    @property
    def short(self) -> str:
        """The same without marks, as a sentence."""
        pieces, starts_with_name = self._line
        return "step " * starts_with_name + brief.plain(pieces)

    @cached_property
    def _line(self) -> tuple[Pieces, bool]:
        return brief.reason_line(self.case, self.reason, self.finding, self.texts)

    def sides(self, limit: int = wording.TEXT) -> wording.Sides:
        """Yield both texts with the changed words marked; see `wording.exchanged`. Nothing if it is about no text."""
        if self.texts is not None:
            shown = windows(*self.texts, limit)
            yield "golden", shown[0] if self.texts[0].strip() else ((wording.NO_TEXT, False),)
            yield "candidate", shown[1] if self.texts[1].strip() else ((wording.NO_TEXT, False),)


@dataclass(frozen=True)
class CaseView:
    """What reports say of a case, apart from its run.

    Attributes:
        case: The case.
    """

    case: CaseResult

    @property
    def verdict(self) -> str:
        """The name of the verdict."""
        return wording.VERDICTS[self.case.verdict]

    @property
    def accepted(self) -> str:
        """Who accepted the case, to follow its name; empty if nobody did."""
        return f", accepted by {self.case.accepted.by}" if self.case.accepted else ""

    @property
    def corpus(self) -> str:
        """Its group: the part of its name, or of its golden, before the last slash."""
        name = self.case.id if "/" in self.case.id else self.case.golden.split(", ")[0]
        return name.rpartition("/")[0] or "-"

    @cached_property
    def steps(self) -> Steps:
        """What became of the steps."""
        return Steps.of(self.case)

    @cached_property
    def unnamed(self) -> list[ShownStep]:
        """The steps that are not plainly kept and that no reason names, the worst first and added steps last."""
        return unnamed_steps(self.case, self.steps)

    @property
    def changed(self) -> list[ShownStep]:
        """The `unnamed` steps, and the plainly reworded ones of a passed case, if these are few.

        A rewritten workflow is compared with `wfgate diff`.
        """
        plainly = [step for step in self.steps.golden if step.is_plain and step.state != "same"]
        return [*self.unnamed, *(plainly if self.case.verdict == "pass" and len(plainly) <= FEW else [])]

    @cached_property
    def reasons(self) -> tuple[ReasonView, ...]:
        """The reasons for the verdict."""
        findings = {finding.fingerprint: finding for finding in reversed(self.case.findings)}
        return tuple(ReasonView(one, findings.get(one.fingerprint or ""), self.case) for one in self.case.reasons)

    @property
    def why(self) -> tuple[ReasonView, ...]:
        """The reasons to list; none if nothing was compared, because the title says it."""
        return self.reasons if self.case.error is None else ()

    @cached_property
    def others(self) -> list[ReasonView]:
        """The findings that are not reasons for the verdict, the most severe first."""
        reasons = {reason.fingerprint for reason in self.case.reasons}
        left = [finding for finding in self.case.findings if finding.fingerprint not in reasons]
        return self._said(sorted(left, key=lambda one: (one.pre_existing, SEVERITIES.index(one.severity))))

    @property
    def grave(self) -> list[ReasonView]:
        """Those of `others` that a reader should see: new ones above "info", and waived ones."""
        return [one for one in self.others if one.finding and (one.finding.waived or one.finding.is_open)]

    @property
    def to_check(self) -> list[ReasonView]:
        """Those of `grave`, without those about a step that is listed as changed."""
        listed = {step.id for step in self.unnamed}
        return [
            one
            for one in self.grave
            if one.finding is not None
            and (
                one.reason.waiver
                or one.finding.about not in {"step", "merge", "split"}
                or listed.isdisjoint(one.finding.golden_steps + one.finding.candidate_steps)
            )
        ]

    @property
    def remarks(self) -> list[ReasonView]:
        """The notes on a passed case that nothing else shows.

        All if no step differs; else those on sentences around the steps, although none of them demands anything.
        """
        notes = [
            one for one in self.case.findings if one.severity == "info" and not one.pre_existing and not one.waived
        ]
        if not self.steps.all_same:
            notes = [one for one in notes if one.id == "WR502" and _REMARKS.search(one.message)]
        return self._said(notes)

    @property
    def waived(self) -> list[ReasonView]:
        """The waived findings."""
        return self._said([finding for finding in self.case.findings if finding.waived is not None])

    @property
    def claimed(self) -> frozenset[str]:
        """Fingerprints of the findings that others claim: values of a missing or new step."""
        return frozenset(claimants(self.case.findings))

    def _said(self, findings: Sequence[Finding]) -> list[ReasonView]:
        golden, candidate = self.case.golden, self.case.candidate
        return [ReasonView(Reason.of(one, golden, candidate), one, self.case) for one in findings]

    @cached_property
    def title(self) -> str:
        """What broke in a few words; the reasons say it in full."""
        return brief.title(self.case)

    @property
    def headline(self) -> str:
        """The result in one sentence, without its verdict and its name."""
        case = self.case
        if case.verdict == "pass":
            return "; ".join(self._passed())
        if case.why_not_compared is not None:
            return self.title
        first = self.reasons[0].sentence if self.reasons else "no reason is recorded"
        if case.verdict == "inconclusive":
            return f"undecided: {first}"
        return "; ".join([first + self._more, *filter(None, [self.severity, self.outside])])

    @property
    def first_reason(self) -> str:
        """The first reason in short, and the number of the others; the title if there is none."""
        return self.why[0].short + self._more if self.why else self.title

    @property
    def one_line(self) -> str:
        """The same, and the counts."""
        return "; ".join(filter(None, [self.first_reason, self.severity])) if self.why else self.title

    @property
    def _more(self) -> str:
        return f" (and {len(self.reasons) - 1} more)" if len(self.reasons) > 1 else ""

    @cached_property
    def severity(self) -> str | None:
        """The severity as people count it: the golden steps that are not done as approved, and the added ones.

        None if no step is concerned, or nothing was compared.
        """
        steps = self.steps.golden
        if self.case.verdict == "inconclusive" or not steps:
            return None
        harmed, new = sum(step.is_harmed for step in steps), len(self.steps.added)
        parts = [f"{number} {name}" for number, name in self.steps.counts((*KEPT, "left-out")) if name != "added"]
        total, share = count(len(steps), "step"), f"({percent(harmed / len(steps))})"
        words = f"{harmed} of {total} {share}: {', '.join(parts)}" if harmed else ""
        if len(parts) == 1:
            words = f"{harmed} of {total} {parts[0].partition(' ')[2]} {share}"
        words += self._twice()
        return "; ".join(filter(None, [words, f"{count(new, 'step')} added" * bool(new)])) or None

    @property
    def estimate(self) -> str | None:
        """The same, then the calibrated estimate with its interval."""
        case = self.case
        if case.severity is None or not case.degradation or case.verdict == "inconclusive":
            return self.severity
        interval = percent_range(case.severity.low, case.severity.high)
        share = f"estimate {percent(case.severity.estimate)}, 90 % interval {interval}"
        return "; ".join(filter(None, [self.severity, share]))

    @property
    def kinds(self) -> str | None:
        """The kinds of damage with a probability of 5 % or more."""
        return wording.kinds_words(self.case)

    @property
    def outside(self) -> str | None:
        """Why no rate is known for the case; None if the pair is within the range of the calibration."""
        return wording.outside_words(self.case)

    @property
    def parts(self) -> str | None:
        """Which lists were read as the steps, if golden and candidate have another kind of list; None otherwise."""
        return wording.parts_words(self.case.parts)

    @property
    def metrics(self) -> list[tuple[str, str]]:
        """Each metric with its value in words."""
        return [(score.metric, wording.metric_words(score)) for score in self.case.metrics]

    @property
    def messages(self) -> list[tuple[str, Diagnostic]]:
        """The messages of the readers, each once, with all places that it is about."""
        return wording.merged_diagnostics(self.case.diagnostics)

    @property
    def own_messages(self) -> tuple[Diagnostic, ...]:
        """The messages of the readers that they do not give for golden and candidate alike."""
        return wording.differing_diagnostics(self.case)

    def _passed(self) -> list[str]:
        waived, grave = len(self.waived), sum(one.reason.waiver is None for one in self.to_check)
        steps = self.steps.golden
        parts = [] if waived or grave else [words for words in [self._equal()] if words]
        if not parts:
            done = sum(step.state not in {"missing", "left-out"} for step in steps)
            named = [f"{number} {name}{self._usual(name)}" for number, name in self.steps.counts(("same", "missing"))]
            whole = f"{done} of {count(len(steps), 'step')} found"
            if done == len(steps) > 1:
                whole = f"all {count(done, 'step')} {'found' if named else 'the same'}"
            parts.append(", ".join([whole, *named]) + self._twice())
            parts += filter(None, [self.outside])
        parts += [f"{count(grave, 'finding')} to check"] if grave else []
        return [*parts, *([f"{count(waived, 'finding')} waived"] if waived else [])]

    def _twice(self) -> str:
        """Return how many of the counted steps are also something else, so that the numbers before add up."""
        more = " and ".join(f"{number} {name}" for number, name in self.steps.counted_twice)
        return f" (of these {more}, too)" if more else ""

    def _usual(self, name: str) -> str:
        """Return why doubtful steps pass, where a rate is known."""
        known = name == STATES["doubtful"] and self.case.p_value is not None and not self.case.outside
        return " (not unusual for a rewrite)" * known

    def _equal(self) -> str | None:
        """Return how equal the files of a passed case are; None if a step differs, or no rate is known."""
        case, number = self.case, count(len(self.steps.golden), "step")
        if not self.steps.all_same:
            return "the same bytes as a further reference" if case.copied else None
        if case.copied:
            return f"the same bytes: {number}"
        differs = any(piece.value for piece in case.evidence)
        others = sum(not finding.pre_existing for finding in case.findings)
        if not differs and not others:
            return f"the same content: {number}"
        measured = differs and (case.outside or (case.p_value or 0.0) < 1.0)  # then the rate is shown instead
        if measured:
            return None
        rest = count(others, "other difference") if others else "only harmless differences"
        return f"{number} the same, {rest}"


@dataclass(frozen=True)
class RunCase(CaseView):
    """What reports say of a case in its run.

    Attributes:
        case: The case.
        result: The run.
    """

    result: GateResult = field(repr=False)

    @property
    def fails(self) -> bool:
        """Whether it fails the build."""
        return wording.fails(self.case, self.result)

    @property
    def evidence(self) -> str | None:
        """The words for the p-value, and how it led to the verdict."""
        return wording.evidence_words(self.case, self.result)

    @cached_property
    def next(self) -> list[Advice]:
        """How to accept the change, or to fix what cannot be read, and why an approval has no effect yet."""
        return advice.next_words(self.case, self.result)

    @cached_property
    def todo(self) -> list[Advice]:
        """Everything that can be done next."""
        return advice.todo_words(self.case, self.result)

    @cached_property
    def accept(self) -> Command | None:
        """The command that makes the candidate the reference; None if there is none or it is not needed."""
        return advice.accept_command(self.case, self.result)

    @cached_property
    def commands(self) -> list[tuple[str, Command]]:
        """Commands that can be run next, each with its purpose."""
        return advice.commands(self.case, self.result)


@dataclass(frozen=True)
class Folded:
    """A case with several samples, which reports show in one line.

    Attributes:
        group: The combined case.
        words: How many samples pass, and what is wrong in how many.
        example: A sample that shows it; None if the case passes.
        failed: The samples that do not pass, the worst first.
    """

    group: SampledCase
    words: str
    example: RunCase | None
    failed: tuple[RunCase, ...]


@dataclass(frozen=True)
class RunView:
    """What reports say of a run.

    Attributes:
        result: The run.
    """

    result: GateResult

    @property
    def verdict(self) -> str:
        """The name of the verdict."""
        return wording.VERDICTS[self.result.verdict]

    @property
    def summary(self) -> str:
        """The number of cases by verdict, and the result of the comparison with a previous release."""
        return wording.summary(self.result)

    @property
    def promise(self) -> str:
        """The promised and the measured false-block rate."""
        return wording.promise_words(self.result)

    @property
    def is_empty(self) -> bool:
        """Whether there are no cases where there should be."""
        return not self.result.cases and not self.result.unchanged

    @cached_property
    def given(self) -> tuple[RunCase, ...]:
        """The cases, in their order in the run."""
        return tuple(RunCase(case, self.result) for case in self.result.cases)

    @cached_property
    def cases(self) -> tuple[RunCase, ...]:
        """The cases, the most severe verdict first."""
        return tuple(sorted(self.given, key=lambda view: -ORDER.index(view.case.verdict)))

    def alone(self, *, failed: bool) -> list[RunCase]:
        """Return the cases that are not `folded`: those that do not pass, or those that pass."""
        folded = comparison.folded(self.result)
        return [one for one in self.cases if one.case.id not in folded and (one.case.verdict != "pass") is failed]

    @cached_property
    def folded(self) -> list[Folded]:
        """The cases with several samples in which something is to be said, the worst first."""
        views = {one.case.id: one for one in self.cases}
        known = {case.id: case for case in self.result.cases}
        lines = []
        for group, words in comparison.folded_lines(self.result):
            example = comparison.example_of(group, known)
            failed = tuple(one for one in self.cases if one.case.id in group.samples and one.case.verdict != "pass")
            lines.append(Folded(group, words, None if example is None else views[example.id], failed))
        return lines

    @cached_property
    def samples(self) -> list[tuple[Verdict, str]]:
        """The verdict on each case with several samples, and a summary of its samples."""
        return [(case.verdict, f"{case.id}: {words}") for case, words in sample_words(self.result)]

    @property
    def judged(self) -> list[tuple[Verdict, str, bool]]:
        """The same and the comparison with a previous release: verdict, sentence, whether it fails the build."""
        return list(judged_words(self.result))

    @cached_property
    def table(self) -> list[comparison.ReleaseRow]:
        """The table of the comparison with a previous release."""
        return comparison.table(self.result)

    def release_notes(self, *, verbose: bool = False) -> list[str]:
        """Return what the table leaves out, and what its p-values are."""
        return list(comparison.notes(self.result, self.table, verbose=verbose))

    @property
    def against(self) -> str | None:
        """What was compared with a previous release; None without one."""
        return None if self.result.release is None else against_words(self.result.release, self.result.policy)

    @cached_property
    def lost(self) -> list[comparison.LostStep]:
        """The golden steps that samples lose, the worst first."""
        return comparison.lost(self.result)

    @property
    def lost_title(self) -> str:
        """The title of the list of lost steps."""
        return comparison.lost_title(self.result)

    @property
    def to_do(self) -> list[Advice]:
        """What can be done about a generator whose samples do not pass, besides accepting a change."""
        return comparison.to_do(self.result)

    @property
    def together(self) -> list[Advice]:
        """How to accept all cases at once."""
        return advice.together_words(self.result)

    @property
    def refused(self) -> list[str]:
        """Which acceptances do not count, and why; also among the notes."""
        return wording.refused_words(self.result)

    def notes(self, limit: int | None = None) -> list[str]:
        """Return notes about the run, with at most so many changed files of each kind."""
        return wording.run_words(self.result, limit)
