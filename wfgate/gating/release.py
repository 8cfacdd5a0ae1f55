"""Comparison with a previous release: does a case pass less often now?"""

from collections.abc import Mapping
from pathlib import Path

from wfgate.alignment.supports import holm
from wfgate.errors import ProfileMismatchError
from wfgate.gating.policy import Verdict, worst
from wfgate.gating.replay import read_result
from wfgate.gating.result import CaseChange, GateResult, Release
from wfgate.gating.samples import good

Counts = Mapping[str, tuple[int, int]]
"""Number of passed and of measured samples by case."""

_OWN = {"samples", "release_alpha", "inconclusive_blocks"}
"""Fields of the policy that do not change the verdict on a sample."""


def against(result: GateResult, previous: Path) -> GateResult:
    """Return a result with its comparison with a previous result.

    The verdict becomes that of the comparison if that is stricter.

    Raises:
        CalibrationError: If the file `previous` is not a result.
        ProfileMismatchError: If the previous result was made with another profile, policy, model or metric.
    """
    before = read_result(previous)
    _require_comparable(result, before, previous)
    release = compare_releases(
        _counts(before), _counts(result), alpha=result.policy.release_alpha, source=str(previous)
    )
    verdict = worst((result.verdict, release.verdict))
    return result.model_copy(update={"release": release, "verdict": verdict})


def compare_releases(before: Counts, after: Counts, *, alpha: float, source: str) -> Release:
    """Test for each case whether it passes less often than in the previous release.

    The tests are one-sided exact tests (Fisher). Their p-values are Holm-adjusted for the number of cases, so that the
    family-wise error rate is at most `alpha`. A case is inconclusive if it has so few samples that even a total
    failure would not be significant.

    Args:
        before: Counts of the previous release. A case of the previous release that this release does not have is
            inconclusive.
        after: Counts of this release.
        alpha: Family-wise error rate, in (0, 1).
        source: File of the previous result.

    Source:
        Fisher (1935), The Design of Experiments; Holm (1979), Scandinavian Journal of Statistics 6.
    """
    shared = [case for case in after if case in before]
    p_values = [drop_p_value(before[case], after[case]) for case in shared]
    adjusted = holm(p_values)
    cases = tuple(
        CaseChange(
            id=case,
            passed_before=before[case][0],
            measured_before=before[case][1],
            passed=after[case][0],
            measured=after[case][1],
            p_value=round(p_value, 6),
            adjusted=round(corrected, 6),
            verdict=_verdict(before[case], after[case], corrected, alpha, len(shared)),
        )
        for case, p_value, corrected in zip(shared, p_values, adjusted, strict=True)
    )
    gone = tuple(case for case in before if case not in after)
    verdicts = [case.verdict for case in cases] + ["inconclusive"] * bool(gone)
    return Release(
        source=source,
        alpha=alpha,
        verdict=worst(tuple(verdicts)),
        cases=cases,
        gone=gone,
        new=tuple(case for case in after if case not in before),
    )


def drop_p_value(before: tuple[int, int], after: tuple[int, int]) -> float:
    """Return the one-sided p-value of a drop of the pass rate; 1 if a release has no measured samples.

    Each argument is (passed samples, measured samples).

    Example:
        >>> drop_p_value((5, 5), (5, 5)), round(drop_p_value((5, 5), (1, 5)), 4)
        (1.0, 0.0238)
    """
    from scipy.stats import hypergeom  # noqa: PLC0415 - slow to import

    (passed_before, measured_before), (passed, measured) = before, after
    if not measured_before or not measured:
        return 1.0
    return float(hypergeom.cdf(passed, measured_before + measured, passed_before + passed, measured))


def _verdict(before: tuple[int, int], after: tuple[int, int], adjusted: float, alpha: float, cases: int) -> Verdict:
    if adjusted <= alpha:
        return "block"
    if before[0] == 0 < before[1] and after[1]:
        return "pass"  # it never passed: it cannot have become worse
    detectable = cases * drop_p_value(before, (0, after[1])) <= alpha
    return "pass" if detectable else "inconclusive"


def _counts(result: GateResult) -> dict[str, tuple[int, int]]:
    counts = {
        case.id: (int(good(case.verdict, result.policy)), int(case.verdict != "inconclusive"))
        for case in result.cases
        if result.group_of(case.id) is None
    }
    return {**counts, **{case.id: (case.passed, case.measured) for case in result.samples}}


def _require_comparable(result: GateResult, before: GateResult, path: Path) -> None:
    parts = {
        "signature": (before.tool.signature, result.tool.signature),
        "profile": (before.profile.corpus, result.profile.corpus),
        "policy": (before.policy.model_dump(exclude=_OWN), result.policy.model_dump(exclude=_OWN)),
        "rates": (
            (before.promise.alpha_block, before.promise.alpha_review),
            (result.promise.alpha_block, result.promise.alpha_review),
        ),
    }
    other = [name for name, (then, now) in parts.items() if then != now]
    if other:
        raise ProfileMismatchError(
            f"{path}: the result was decided with other settings ({', '.join(other)})",
            fix="run the gate on the samples of the previous release again with these settings",
        )
