"""The result of a gate run (`wfgate.result/2`) as data; `wfgate.show` turns the data into reports."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal, Self, get_args

from pydantic import Field, model_validator

from wfgate.compare import Alignment, MetricScore, State
from wfgate.decide.acceptance import Acceptance
from wfgate.decide.alignment_view import AlignmentView
from wfgate.decide.base_info import BaseInfo
from wfgate.decide.evidence.assess import Signature
from wfgate.decide.evidence.demands import Demands
from wfgate.decide.evidence.steps import StepState
from wfgate.decide.policy import Policy, Verdict, worst
from wfgate.decide.problem import Problem
from wfgate.decide.profile.curves import Point
from wfgate.decide.profile.degradation import Degradation
from wfgate.decide.profile.judge import PassedExam
from wfgate.decide.profile.severity import SeverityEstimate
from wfgate.decide.reason import Reason
from wfgate.decide.release import Lost, Release
from wfgate.decide.run_record import Origin, RunRecord, counted
from wfgate.decide.samples import SampledCase, sampled_case
from wfgate.model import Frozen, Workflow
from wfgate.read import Diagnostic
from wfgate.rules import Finding

SCHEMA: Literal["wfgate.result/2"] = "wfgate.result/2"
_LOST: Mapping[State, Lost] = {state: state for state in get_args(Lost)}


class EvidenceValue(Frozen):
    """One evidence value, and its p-value under the null distribution of harmless rewordings."""

    id: str
    value: float = Field(ge=0)
    p_value: float


class ComparedPair(Frozen):
    """The compared workflows, for reports with pictures.

    Attributes:
        golden: The approved workflow. Each composite (call of a sub-workflow) is one step.
        candidate: The workflow under test. Each composite is one step.
        alignment: The alignment of the expanded workflows (each composite replaced by its sub-workflow), by positions
            of steps.
    """

    golden: Workflow
    candidate: Workflow
    alignment: Alignment


class CaseResult(Frozen):
    """The result for one candidate.

    Attributes:
        id: Name of the case.
        golden: File of the golden, or its name if it was given inline.
        candidate: File of the candidate, or its name if it was given inline.
        verdict: The verdict.
        reasons: The reasons for the verdict, the most serious first; empty for a pass without reasons.
        proven: The verdict that proven changes and lost critical steps give alone, without statistics. Other samples
            of the case cannot outvote it.
        p_value: P-value: share of harmless rewordings with the same or a higher nonconformity score. None if nothing
            was compared.
        outside: What of the pair is outside of the range of the profile's calibration, as phrases. The rates of the
            profile are not known for such a pair.
        parts: What was read as the steps of the golden and of the candidate, in words, if these are two kinds of list.
        demands: How many golden steps are gone, doubtful or altered, as the severity counts them; None if nothing was
            compared.
        steps: What became of each golden step (composites expanded); empty if nothing was compared.
        severity: Estimated share of the workflow that degraded, with its 90 % interval.
        degradation: Kinds of damage, the most probable first; empty if the p-value is above alpha_review.
        evidence: The evidence values of the comparison.
        metrics: The metrics.
        findings: All findings; a finding that the golden has too is marked `pre_existing`.
        alignment: The alignment of the steps.
        error: The error that prevented the comparison, with its fix; None if the workflows were compared.
        problem: The same error as a value.
        diagnostics: Diagnostics of the format readers about both files.
        content: Hash of the bytes of the candidate; None if they cannot be read.
        golden_content: Hashes of the bytes of the references, joined by "+"; None if one cannot be read.
        copied: Whether the candidate is byte for byte a golden.
        accepted: Who accepted the candidate in the pull request, so that its verdict does not fail the build.
    """

    id: str
    golden: str
    candidate: str
    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    proven: Verdict = "pass"
    p_value: float | None = None
    outside: tuple[str, ...] = ()
    parts: tuple[str, str] | None = None
    demands: Demands | None = None
    steps: tuple[StepState, ...] = ()
    severity: SeverityEstimate | None = None
    degradation: tuple[Degradation, ...] = ()
    evidence: tuple[EvidenceValue, ...] = ()
    metrics: tuple[MetricScore, ...] = ()
    findings: tuple[Finding, ...] = ()
    alignment: AlignmentView = AlignmentView()
    error: str | None = None
    problem: Problem | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    content: str | None = None
    golden_content: str | None = None
    copied: bool = False
    accepted: Acceptance | None = None
    # Set for reports that draw the workflows; not part of the JSON form and its schema.
    pair: ComparedPair | None = Field(default=None, exclude=True, repr=False)

    @property
    def why_not_compared(self) -> Problem | None:
        """The error that prevented the comparison; a result of version 0.1 has it only as a text."""
        return self.problem or (None if self.error is None else Problem(message=self.error))

    def finding_of(self, reason: Reason) -> Finding | None:
        """Return the finding that a reason was made from; None if the reason was made from no finding."""
        return next((finding for finding in self.findings if finding.fingerprint == reason.fingerprint), None)


class ToolInfo(Frozen):
    """The tool that produced a result.

    Attributes:
        name: Name of the tool.
        version: Version of wfgate.
        signature: Signature of the models and metrics.
        judge: Signature of the judge (a language model that grades); None if there is no judge.
        exam: The exam that the judge passed; None if the profile contains no exam.
        second_stage: Signature of the model that was asked for quotes; None if none was.
    """

    name: Literal["wfgate"] = "wfgate"
    version: str
    signature: Signature
    judge: str | None = None
    exam: PassedExam | None = None
    second_stage: str | None = None


class ProfileInfo(Frozen):
    """The profile that a result was decided with.

    Attributes:
        source: File of the profile, or "default".
        goldens: Number of goldens in the null distribution.
        variants: Number of variants that the profile was fitted on.
        least_p_value: The smallest p-value that is possible with the profile.
        corpus: Fingerprint of the corpus that the profile was fitted on.
        tool: Version of wfgate that fitted the profile.
        trajectories: Metric values by severity, for the charts of reports; not part of the JSON form.
    """

    source: str
    goldens: int
    variants: int
    least_p_value: float
    corpus: str
    tool: str
    trajectories: tuple[Point, ...] = Field(default=(), exclude=True, repr=False)


class PromiseInfo(Frozen):
    """The promised rates, and the measured false-block rates. All are averages over goldens.

    Attributes:
        alpha_block: Promised maximum share of harmless changes that are blocked.
        alpha_review: Promised maximum share of harmless changes that are reviewed or blocked.
        measured_false_block: Share of harmless changes that were blocked, measured out of sample. No step is critical.
        interval: 95 % confidence interval of the measured rate.
        measured_if_critical: The same if every step of the golden is critical; None if unknown.
        interval_if_critical: 95 % confidence interval of this rate.
    """

    alpha_block: float
    alpha_review: float
    measured_false_block: float
    interval: tuple[float, float]
    measured_if_critical: float | None = None
    interval_if_critical: tuple[float, float] | None = None


class GateResult(Frozen):
    """A gate run.

    A verdict that does not follow from the verdicts of the cases is a validation error, because a recorded result may
    be forged.

    Attributes:
        tool: The tool and its models.
        profile: The profile.
        policy: Rules of the gate.
        verdict: The worst verdict of the cases and of the comparison with a previous release.
        promise: The promised rates.
        cases: The result of each pair of golden and candidate; each sample is a pair.
        samples: The combined verdicts of cases with several samples.
        release: The comparison with a previous release, if requested.
        diagnostics: Diagnostics of the run.
        findings: Findings about the waivers: expired (WP001), unused (WP002).
        base: The git revision that references, configuration, profile and waivers were read from; None if from the
            disk.
        reference: The file or folder of references, as given; None if the cases name their references.
        previous: The run before this one, if known; it has no effect on the verdict.
        origin: Where and when the gate ran, for the page; not part of the JSON form.
        unchanged: Whether there is no case because no workflow file differs from the base revision (`--changed`).
        unchecked: New workflow files, which the base revision has nothing to compare with (`--changed`).
    """

    schema_: Literal["wfgate.result/2"] = Field(default=SCHEMA, alias="schema")
    tool: ToolInfo
    profile: ProfileInfo
    policy: Policy
    verdict: Verdict
    promise: PromiseInfo
    cases: tuple[CaseResult, ...]
    samples: tuple[SampledCase, ...] = ()
    release: Release | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    findings: tuple[Finding, ...] = ()
    base: BaseInfo | None = None
    reference: str | None = None
    previous: RunRecord | None = None
    origin: Origin | None = Field(default=None, exclude=True, repr=False)
    unchanged: bool = False
    unchecked: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _verdicts_follow(self) -> Self:
        """Refuse a result that contradicts itself."""
        cases = {case.id: case for case in self.cases}
        named = [one for group in self.samples for one in group.samples]
        unique = set(named)
        if sorted(named) != sorted(case.id for case in self.cases if case.id in unique):
            raise ValueError("not every sample is exactly one case")
        for case in self.cases:
            if case.error is not None and case.verdict != "inconclusive":
                raise ValueError(f"case {case.id!r} was not compared, but its verdict is {case.verdict!r}")
            if case.accepted is not None and (case.content is None or self.base is None):
                raise ValueError(f"case {case.id!r} is accepted without its content or a base revision")
            if worst((case.verdict, case.proven)) != case.verdict:
                raise ValueError(f"case {case.id!r} has a proven change, but its verdict is {case.verdict!r}")
        for group in self.samples:
            ours = [cases[one] for one in group.samples]
            proven, verdicts = worst(tuple(case.proven for case in ours)), [case.verdict for case in ours]
            combined = sampled_case(group.id, group.samples, verdicts, group.distinct, self.policy, proven=proven)
            if group != combined.model_copy(update={"rate": group.rate}):
                raise ValueError(f"the verdict on the samples of {group.id!r} does not follow from the samples")
        release = (self.release.verdict,) if self.release else ()
        if self.unchanged and (self.cases or self.base is None):
            raise ValueError("a run without changes has cases, or no base revision")
        if self.verdict != ("pass" if self.unchanged else worst((*self.decisions, *release))):
            raise ValueError(f"the verdict {self.verdict!r} does not follow from those of the cases")
        return self

    def group_of(self, case: str) -> SampledCase | None:
        """Return the combined case of a sample; None if the case is not a sample."""
        return self._groups.get(case)

    @cached_property
    def _groups(self) -> dict[str, SampledCase]:
        return {one: group for group in self.samples for one in group.samples}

    @property
    def decisions(self) -> tuple[Verdict, ...]:
        """The verdicts on all cases; several samples of one case count as one case."""
        return decisions(self.cases, self.samples)

    def count(self, verdict: Verdict) -> int:
        """Return the number of cases with this verdict; several samples of one case count as one case."""
        return self.decisions.count(verdict)

    @property
    def errors(self) -> tuple[CaseResult, ...]:
        """Cases in which nothing could be compared."""
        return tuple(case for case in self.cases if case.error is not None)

    @property
    def accepted(self) -> tuple[str, ...]:
        """Names of the cases that did not pass and were accepted; a case with samples if all of those were."""
        alone = (case.id for case in self.cases if case.accepted is not None and self.group_of(case.id) is None)
        return (*alone, *(group.id for group in self.samples if self.is_accepted(group)))

    def is_accepted(self, group: SampledCase) -> bool:
        """Return whether each sample of a case that did not pass was accepted, and there is one."""
        left = [case for case in self.cases if case.id in group.samples and case.verdict != "pass"]
        return bool(left) and all(case.accepted is not None for case in left)

    @property
    def exit_code(self) -> int:
        """The exit code: 0 pass, 1 regression, 3 nothing could be compared, 4 inconclusive, 5 a review that fails.

        The exit code does not depend on the report format. Accepted cases do not count.
        """
        if self.unchanged:
            return 0
        counted: set[Verdict] = {"pass"} if self.accepted else set()
        counted |= {case.verdict for case in self.cases if case.accepted is None and self.group_of(case.id) is None}
        counted |= {group.verdict for group in self.samples if not self.is_accepted(group)}
        counted |= {self.release.verdict} if self.release else set()
        errors = (case.id for case in self.errors if case.accepted is None)
        return exit_code(counted, self.policy, failed=unmeasured(errors, self.samples) or not self.cases)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form as a dictionary."""
        return self.model_dump(mode="json", by_alias=True)


def exit_code(verdicts: Collection[Verdict], policy: Policy, *, failed: bool) -> int:
    """Return the exit code of a run.

    0 pass, 1 regression, 3 nothing could be compared, 4 inconclusive, 5 a review that fails. The code is that of the
    worst verdict. In audit mode it is 0 if the run has cases.

    Args:
        verdicts: The verdicts that the run has, on cases and on the comparison with a previous release.
        policy: Rules of the gate.
        failed: Whether a case could not be compared.
    """
    if policy.is_audit:
        return 0 if verdicts else 3
    if "block" in verdicts:
        return 1
    if failed:
        return 3
    codes: tuple[tuple[Verdict, int], ...] = (("inconclusive", 4), ("review", 5))
    return next((code for verdict, code in codes if verdict in verdicts and policy.fails(verdict)), 0)


def unmeasured(errors: Iterable[str], samples: Iterable[SampledCase]) -> bool:
    """Return whether a case that could not be compared is no sample of a case that the other samples decide."""
    outvoted = {one for case in samples if case.verdict != "inconclusive" for one in case.samples}
    return any(case not in outvoted for case in errors)


def decisions(cases: Sequence[CaseResult], samples: Sequence[SampledCase] = ()) -> tuple[Verdict, ...]:
    """Return the verdict on each case; several samples of one case count as one case."""
    sampled = {one for case in samples for one in case.samples}
    alone = (case.verdict for case in cases if case.id not in sampled)
    return (*alone, *(case.verdict for case in samples))


def record_of(
    result: GateResult, origin: Origin | None = None, source: str = "", seconds: float | None = None
) -> RunRecord:
    """Return the record of a result.

    Args:
        result: The result.
        origin: Where and when the gate ran; None if unknown.
        source: The file of the result.
        seconds: How long the run took; None if unknown.
    """
    sampled = {one for group in result.samples for one in group.samples}
    cases = {case.id: case.verdict for case in result.cases if case.id not in sampled}
    cases |= {group.id: group.verdict for group in result.samples}
    return RunRecord(
        **(origin or Origin()).model_dump(),
        version=result.tool.version,
        profile=result.profile.source,
        corpus=result.profile.corpus,
        seconds=seconds,
        verdict=result.verdict,
        counts=counted(cases),
        cases=cases,
        source=source,
    )


def lost_steps(samples: Iterable[CaseResult]) -> Counter[tuple[str, str, Lost]]:
    """Return in how many measured samples of a case each golden step is missing or changed meaning.

    The keys are id and name of the step, and what became of it.
    """
    lost: Counter[tuple[str, str, Lost]] = Counter()
    for sample in samples:
        if sample.verdict != "inconclusive":
            names = {step.id: step.name for step in sample.alignment.golden}
            for step in sample.steps:
                if state := _LOST.get(step.state):
                    lost[step.id, names.get(step.id, step.id), state] += 1
    return lost
