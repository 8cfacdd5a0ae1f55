"""The comparison with a previous release in a result."""

from typing import Literal

from wfgate.decide.policy import Verdict
from wfgate.model import Frozen

Lost = Literal["missing", "changed", "probably-changed"]
"""States of a golden step that the candidate does not do as approved."""


class StepChange(Frozen):
    """In how many samples of a case a golden step is missing, or changed meaning, now and in a previous release.

    Attributes:
        name: Name of the golden step.
        state: What became of the step in these samples.
        before: Number of these samples among the measured ones of the previous release; None if the golden had no such
            step.
        now: Their number among the measured samples of this release.
    """

    name: str
    state: Lost
    before: int | None
    now: int


class CaseChange(Frozen):
    """How often a case passes now, and how often it passed in a previous release.

    Attributes:
        id: Name of the case.
        passed_before: Samples of the previous release that passed.
        measured_before: Samples of the previous release that were not inconclusive.
        passed: Samples of this release that pass.
        measured: Samples of this release that were not inconclusive.
        unmeasured_before: Inconclusive samples of the previous release.
        unmeasured: Inconclusive samples of this release.
        same: Samples of this release that are byte for byte a sample of the previous release.
        other_references: Whether the samples of the previous release were compared with other references.
        p_value: One-sided p-value of Fisher's exact test that the pass rate fell.
        adjusted: The p-value, Holm-adjusted for the number of tests; 1 if the test was not made.
        tested: Whether the test was made. It is not if it could not be significant with so few failed samples.
        detectable: Whether this test alone could detect a total failure of the case.
        verdict: "block" if the pass rate fell. "inconclusive" if one of the releases has no measured sample.
        steps: Steps that are missing or changed meaning in a sample of one of the releases.
    """

    id: str
    passed_before: int
    measured_before: int
    passed: int
    measured: int
    unmeasured_before: int = 0
    unmeasured: int = 0
    same: int = 0
    other_references: bool = False
    p_value: float
    adjusted: float
    tested: bool = True
    detectable: bool
    verdict: Verdict
    steps: tuple[StepChange, ...] = ()


class PooledChange(Frozen):
    """How often all compared cases together pass now, and how often they passed in a previous release.

    Attributes:
        passed_before: Samples of the previous release that passed.
        measured_before: Samples of the previous release that were not inconclusive.
        passed: Samples of this release that pass.
        measured: Samples of this release that were not inconclusive.
        p_value: One-sided p-value of the exact stratified test that the pass rate fell; a stratum is a case.
        adjusted: The p-value, Holm-adjusted for the number of tests.
        verdict: "block" if the pass rate fell. "inconclusive" if there are so few samples that even a total failure
            of all cases would not be significant.
    """

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
        verdict: The worst verdict of the cases and of all cases together; a case in `gone` counts as inconclusive.
        cases: Cases that both releases have.
        pooled: All these cases together.
        gone: Cases that only the previous release has.
        new: Cases that only this release has; they are not compared.
    """

    source: str
    alpha: float
    verdict: Verdict
    cases: tuple[CaseChange, ...]
    pooled: PooledChange
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


def tests_of(cases: int) -> int:
    """Return the number of tests: one per case, and one of all cases together if there are several.

    Example:
        >>> tests_of(1), tests_of(8)
        (1, 9)
    """
    return max(1, cases + (cases > 1))
