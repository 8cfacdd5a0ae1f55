"""The result of a gate run (`wfgate.result/2`): pure data, rendered by `wfgate.report`."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal

from pydantic import Field

from wfgate.alignment import Alignment
from wfgate.checks import Finding
from wfgate.evidence import Signature
from wfgate.formats import Diagnostic
from wfgate.gating.policy import Policy, Verdict
from wfgate.gating.reason import Reason
from wfgate.gating.revision import BaseInfo
from wfgate.gating.samples import SampledCase
from wfgate.metrics import MetricScore
from wfgate.model import Workflow
from wfgate.model.workflow import Frozen
from wfgate.profile import Degradation, SeverityEstimate
from wfgate.profile.curves import Point
from wfgate.profile.judge import PassedExam

SCHEMA: Literal["wfgate.result/2"] = "wfgate.result/2"


class EvidenceValue(Frozen):
    """One evidence value, and its p-value among harmless rewordings."""

    id: str
    value: float = Field(ge=0)
    p_value: float


class AlignedStep(Frozen):
    """A step: its id and its name."""

    id: str
    name: str


class AlignedPair(Frozen):
    """A golden step and the candidate step that it is aligned with."""

    golden: AlignedStep
    candidate: AlignedStep
    similarity: float


class MergedSteps(Frozen):
    """Golden steps that were merged into one candidate step."""

    golden: tuple[AlignedStep, ...]
    candidate: AlignedStep


class SplitStep(Frozen):
    """A golden step that was split into several candidate steps."""

    golden: AlignedStep
    candidate: tuple[AlignedStep, ...]


class AlignmentView(Frozen):
    """The alignment, by ids and names of steps.

    Attributes:
        matched: Aligned pairs of steps.
        missing: Golden steps without a partner.
        extra: Candidate steps without a partner.
        merged: Golden steps that were merged.
        split: Golden steps that were split.
        golden_links: Links between golden steps, by id; gateways are skipped.
        candidate_links: Links between candidate steps, likewise.
    """

    matched: tuple[AlignedPair, ...] = ()
    missing: tuple[AlignedStep, ...] = ()
    extra: tuple[AlignedStep, ...] = ()
    merged: tuple[MergedSteps, ...] = ()
    split: tuple[SplitStep, ...] = ()
    golden_links: tuple[tuple[str, str], ...] = ()
    candidate_links: tuple[tuple[str, str], ...] = ()


class ComparedPair(Frozen):
    """The compared workflows, for reports that draw them.

    Attributes:
        golden: The approved workflow, composites closed.
        candidate: The workflow under test, composites closed.
        alignment: The alignment, by positions of steps with composites opened.
    """

    golden: Workflow
    candidate: Workflow
    alignment: Alignment


class CaseResult(Frozen):
    """The result for one candidate.

    Attributes:
        id: Name of the case.
        golden: File of the golden, or its name if it was given inline.
        candidate: File of the candidate, or its name.
        verdict: The verdict.
        reasons: Why, the most serious first; empty for a clean pass.
        p_value: Share of harmless rewordings that score at least as high; None if nothing was compared.
        severity: Estimated share of the workflow that degraded, with its 90 % interval.
        degradation: Kinds of damage, the most probable first; empty if the p-value is above alpha_review.
        evidence: The evidence values of the comparison.
        metrics: The metrics.
        findings: All findings; those that the golden has too are marked `pre_existing`.
        alignment: The alignment of the steps.
        error: Why nothing could be compared.
        diagnostics: Diagnostics of the readers, of both files.
    """

    id: str
    golden: str
    candidate: str
    verdict: Verdict
    reasons: tuple[Reason, ...] = ()
    p_value: float | None = None
    severity: SeverityEstimate | None = None
    degradation: tuple[Degradation, ...] = ()
    evidence: tuple[EvidenceValue, ...] = ()
    metrics: tuple[MetricScore, ...] = ()
    findings: tuple[Finding, ...] = ()
    alignment: AlignmentView = AlignmentView()
    error: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    # Set for reports that draw the workflows; not part of the JSON form and its schema.
    pair: ComparedPair | None = Field(default=None, exclude=True, repr=False)

    def finding_of(self, reason: Reason) -> Finding | None:
        """Return the finding behind a reason; None for a reason without one."""
        return next((finding for finding in self.findings if finding.fingerprint == reason.fingerprint), None)


class ToolInfo(Frozen):
    """The tool that produced a result.

    Attributes:
        name: Name of the tool.
        version: Version of wfgate.
        signature: Signature of the models and metrics.
        judge: Signature of the language-model judge; None without one.
        exam: The exam that the judge passed; None if the profile records none.
    """

    name: Literal["wfgate"] = "wfgate"
    version: str
    signature: Signature
    judge: str | None = None
    exam: PassedExam | None = None


class ProfileInfo(Frozen):
    """The profile a result rests on.

    Attributes:
        source: File of the profile, or "default".
        goldens: Number of goldens behind the null distribution.
        variants: Number of variants that it was fitted on.
        least_p_value: The smallest p-value that the profile can state.
        corpus: Fingerprint of the corpus.
        tool: Version of wfgate that fitted it.
        trajectories: Metric values by severity, for reports that draw them; not part of the JSON form.
    """

    source: str
    goldens: int
    variants: int
    least_p_value: float
    corpus: str
    tool: str
    trajectories: tuple[Point, ...] = Field(default=(), exclude=True, repr=False)


class PromiseInfo(Frozen):
    """The promised rates and the measured one.

    Attributes:
        alpha_block: Largest share of harmless rewordings that is blocked.
        alpha_review: Largest share that is reviewed or blocked.
        measured_false_block: Share of blocked rewordings, measured out of sample.
        interval: Its 95 % interval.
    """

    alpha_block: float
    alpha_review: float
    measured_false_block: float
    interval: tuple[float, float]


class CaseChange(Frozen):
    """How often a case passes, compared with a previous release.

    Attributes:
        id: Name of the case.
        passed_before: Samples of the previous release that passed.
        measured_before: Samples of the previous release that were not inconclusive.
        passed: Samples of this release that pass.
        measured: Samples of this release that were not inconclusive.
        p_value: One-sided p-value of Fisher's exact test that the pass rate fell.
        adjusted: The p-value, Holm-adjusted for the number of cases.
        verdict: "block" if the pass rate fell, "inconclusive" if the samples could not show a total failure.
    """

    id: str
    passed_before: int
    measured_before: int
    passed: int
    measured: int
    p_value: float
    adjusted: float
    verdict: Verdict


class Release(Frozen):
    """The comparison with a previous release.

    Attributes:
        source: File of the previous result.
        alpha: Family-wise error rate of the comparison.
        verdict: The worst verdict of the cases; a case that is gone is inconclusive.
        cases: Cases of both releases.
        gone: Cases of the previous release only.
        new: Cases of this release only; they are not compared.
    """

    source: str
    alpha: float
    verdict: Verdict
    cases: tuple[CaseChange, ...]
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


class GateResult(Frozen):
    """A gate run.

    Attributes:
        tool: The tool and its models.
        profile: The profile.
        policy: Rules of the gate.
        verdict: The worst verdict of the cases and of the comparison with a previous release.
        promise: The promised rates.
        cases: The result of each pair; each sample is one.
        samples: The combined verdicts of cases with several samples.
        release: The comparison with a previous release, if requested.
        diagnostics: Diagnostics of the run.
        findings: Findings about the waivers: expired (WP001), unused (WP002).
        base: The revision that references, configuration, profile and waivers were read from; None for the disk.
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

    def group_of(self, case: str) -> SampledCase | None:
        """Return the combined case of a sample; None if the case is not a sample."""
        return self._groups.get(case)

    @cached_property
    def _groups(self) -> dict[str, SampledCase]:
        return {one: group for group in self.samples for one in group.samples}

    @property
    def decisions(self) -> tuple[Verdict, ...]:
        """The verdict on each case; the samples of a case count once."""
        return decisions(self.cases, self.samples)

    def count(self, verdict: Verdict) -> int:
        """Return the number of cases with this verdict; the samples of a case count once."""
        return self.decisions.count(verdict)

    @property
    def errors(self) -> tuple[CaseResult, ...]:
        """Cases in which nothing could be compared."""
        return tuple(case for case in self.cases if case.error is not None)

    @property
    def exit_code(self) -> int:
        """0 pass, 1 regression, 3 nothing could be compared, 4 inconclusive. The report format does not change it."""
        release = self.release.verdict if self.release else "pass"
        if self.count("block") or (self.policy.review_blocks and self.count("review")) or release == "block":
            return 1
        outvoted = {one for case in self.samples if case.verdict != "inconclusive" for one in case.samples}
        if any(case.id not in outvoted for case in self.errors) or not self.cases:
            return 3
        undecided = self.count("inconclusive") or release == "inconclusive"
        return 4 if self.policy.inconclusive_blocks and undecided else 0

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form as a dictionary."""
        return self.model_dump(mode="json", by_alias=True)


def decisions(cases: Sequence[CaseResult], samples: Sequence[SampledCase] = ()) -> tuple[Verdict, ...]:
    """Return the verdict on each case; the samples of a case count once."""
    sampled = {one for case in samples for one in case.samples}
    alone = (case.verdict for case in cases if case.id not in sampled)
    return (*alone, *(case.verdict for case in samples))
