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
    """One piece of evidence, and how often harmless rewordings show as much."""

    id: str
    value: float = Field(ge=0)
    p_value: float


class AlignedStep(Frozen):
    """A step as people know it."""

    id: str
    name: str


class AlignedPair(Frozen):
    """A golden step and the candidate step that it became."""

    golden: AlignedStep
    candidate: AlignedStep
    similarity: float


class MergedSteps(Frozen):
    """Golden steps that one candidate step covers."""

    golden: tuple[AlignedStep, ...]
    candidate: AlignedStep


class SplitStep(Frozen):
    """A golden step that several candidate steps cover."""

    golden: AlignedStep
    candidate: tuple[AlignedStep, ...]


class AlignmentView(Frozen):
    """The alignment, by name.

    Attributes:
        matched: Golden steps and the candidate steps they became.
        missing: Golden steps without a partner.
        extra: Candidate steps without a partner.
        merged: Golden steps that became one.
        split: Golden steps that became several.
        golden_links: Which golden step leads to which, by id; gateways are followed through.
        candidate_links: Likewise in the candidate.
    """

    matched: tuple[AlignedPair, ...] = ()
    missing: tuple[AlignedStep, ...] = ()
    extra: tuple[AlignedStep, ...] = ()
    merged: tuple[MergedSteps, ...] = ()
    split: tuple[SplitStep, ...] = ()
    golden_links: tuple[tuple[str, str], ...] = ()
    candidate_links: tuple[tuple[str, str], ...] = ()


class ComparedPair(Frozen):
    """What was compared, for reports that draw it.

    Attributes:
        golden: The approved workflow, as it is written.
        candidate: The workflow under test, likewise.
        alignment: Which step is which, by positions with composites opened.
    """

    golden: Workflow
    candidate: Workflow
    alignment: Alignment


class CaseResult(Frozen):
    """What the gate says about one candidate.

    Attributes:
        id: Name of the case.
        golden: Where the reference came from.
        candidate: Where the candidate came from.
        verdict: The decision.
        reasons: Why, the most serious first; empty for a clean pass.
        p_value: How often harmless rewordings look at least this bad; None where nothing was compared.
        severity: Share of the workflow that degraded, with its 90 % interval.
        degradation: Kinds of damage, the most probable first; empty where no damage is suspected.
        evidence: What the comparison showed.
        metrics: The metric bundle.
        findings: All findings; those an approved golden has already are marked `pre_existing`.
        alignment: Which step is which.
        error: Why nothing could be compared.
        diagnostics: What the readers had to say about either file.
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
    # Both workflows, where a report asked for them: no part of the JSON form, nor of its schema.
    pair: ComparedPair | None = Field(default=None, exclude=True, repr=False)

    def finding_of(self, reason: Reason) -> Finding | None:
        """Return the finding behind a reason; None for a reason without one."""
        return next((finding for finding in self.findings if finding.fingerprint == reason.fingerprint), None)


class ToolInfo(Frozen):
    """What produced a result.

    Attributes:
        name: Always the same.
        version: Of wfgate.
        signature: What compares and measures.
        judge: The language model that was asked, if one was.
        exam: The exam that it passed; None where nobody showed a certificate when it was calibrated.
    """

    name: Literal["wfgate"] = "wfgate"
    version: str
    signature: Signature
    judge: str | None = None
    exam: PassedExam | None = None


class ProfileInfo(Frozen):
    """The profile a result rests on.

    Attributes:
        source: Where it came from.
        goldens: Goldens whose rewordings the p-values rest on.
        variants: Variants it was fitted on.
        least_p_value: The smallest p-value that they can establish.
        corpus: Fingerprint of the corpus.
        tool: Version of wfgate that fitted it.
        trajectories: How metrics fall as damage grows, for reports that draw it; no part of the JSON form.
    """

    source: str
    goldens: int
    variants: int
    least_p_value: float
    corpus: str
    tool: str
    trajectories: tuple[Point, ...] = Field(default=(), exclude=True, repr=False)


class PromiseInfo(Frozen):
    """What was promised and measured for this profile.

    Attributes:
        alpha_block: At most this share of harmless rewordings is blocked.
        alpha_review: At most this share is reviewed or blocked; critical steps are guarded at this rate.
        measured_false_block: Share measured out of sample.
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
        measured_before: Samples of it that could be judged.
        passed: Samples of this release that pass.
        measured: Samples of it that could be judged.
        p_value: How often so few pass by chance, if nothing changed (Fisher's exact test, one-sided).
        adjusted: The same, corrected for the number of cases (Holm).
        verdict: "block" if it got worse, "inconclusive" if not even a total failure would be noticed.
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
        source: Where that is recorded.
        alpha: How often any case is called worse by mistake, at most.
        verdict: The worst of the cases'; a case that is gone is inconclusive.
        cases: Those that both releases have.
        gone: Cases that only the previous one has.
        new: Cases that only this one has; they are not compared.
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
        tool: What judged.
        profile: What it rests on.
        policy: The rules.
        verdict: The worst of all decisions and of the comparison with a previous release.
        promise: What is promised.
        cases: Every pair that was judged, each sample of a case by itself.
        samples: What the samples of a case say together, where there are several.
        release: The comparison with a previous release, where one was asked for.
        diagnostics: What is to be said about the run.
        findings: What is wrong with the waivers: expired (WP001), unused (WP002).
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
        """Return the case that a case is a sample of, if it is one."""
        return self._groups.get(case)

    @cached_property
    def _groups(self) -> dict[str, SampledCase]:
        return {one: group for group in self.samples for one in group.samples}

    @property
    def decisions(self) -> tuple[Verdict, ...]:
        """The verdict on each case, several samples of one counted together."""
        return decisions(self.cases, self.samples)

    def count(self, verdict: Verdict) -> int:
        """Return how many cases have this verdict, several samples of one counted together."""
        return self.decisions.count(verdict)

    @property
    def errors(self) -> tuple[CaseResult, ...]:
        """Cases in which nothing could be compared."""
        return tuple(case for case in self.cases if case.error is not None)

    @property
    def exit_code(self) -> int:
        """0 pass, 1 regression, 3 something could not be compared, 4 inconclusive. No report changes it."""
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
    """Return the verdict on each case, several samples of one counted together; the worst is the run's."""
    sampled = {one for case in samples for one in case.samples}
    alone = (case.verdict for case in cases if case.id not in sampled)
    return (*alone, *(case.verdict for case in samples))
