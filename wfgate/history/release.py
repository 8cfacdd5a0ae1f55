"""Comparison with a previous release: does a case pass less often now?"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wfgate.compare import holm
from wfgate.decide import (
    CaseChange,
    CaseResult,
    GateResult,
    Policy,
    PooledChange,
    Release,
    StepChange,
    Verdict,
    good,
    lost_steps,
    worst,
)
from wfgate.errors import ProfileMismatchError
from wfgate.history.results import read_result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Count = tuple[int, int]
"""Number of passed and of measured samples."""
Counts = Mapping[str, Count]
"""The same by case."""

_OWN = {"samples", "release_alpha", "inconclusive_blocks", "fail_on"}
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
        _counts(before),
        _counts(result),
        alpha=result.policy.release_alpha,
        source=str(previous),
        same=_same(before, result),
    )
    then, now = _by_case(before), _by_case(result)
    cases = tuple(
        case.model_copy(
            update={
                "unmeasured_before": len(then[case.id]) - case.measured_before,
                "unmeasured": len(now[case.id]) - case.measured,
                "steps": _step_changes(then[case.id], now[case.id]),
                "other_references": _other_references(then[case.id], now[case.id]),
            }
        )
        for case in release.cases
    )
    verdict = worst((result.verdict, release.verdict))
    return result.model_copy(update={"release": release.model_copy(update={"cases": cases}), "verdict": verdict})


def compare_releases(
    before: Counts, after: Counts, *, alpha: float, source: str, same: Mapping[str, int] | None = None
) -> Release:
    """Test whether the cases pass less often than in the previous release: each case, and all cases together.

    A case is tested with the one-sided exact test of Fisher. All cases together are tested with the exact form of the
    Mantel-Haenszel test, whose strata are the cases (see `pooled_p_value`): with three samples per case, no case alone
    can show a drop. The p-values are Holm-adjusted, so that the family-wise error rate is at most `alpha`. Only tests
    count that could be significant with the passed samples of both releases together, however they were distributed
    (Tarone); the others are not made. The comparison is inconclusive if it has so few samples that even a total
    failure of all cases would not be significant. A total failure of a single case needs no test: the verdict on its
    samples says it. If both releases have the same samples, there is no difference, however few they are.

    Args:
        before: Counts of the previous release. A case of the previous release that this release does not have is
            inconclusive.
        after: Counts of this release.
        alpha: Family-wise error rate, in (0, 1).
        source: File of the previous result.
        same: Number of samples by case that are byte for byte a sample of the previous release.

    Source:
        Fisher (1935), The Design of Experiments; Holm (1979), Scandinavian Journal of Statistics 6; Tarone (1990),
        Biometrics 46.
    """
    same = same or {}
    shared = [case for case in after if case in before]
    pairs = [(before[case], after[case]) for case in shared]
    tested = tests_on(pairs, alpha)
    level = alpha / max(1, sum(test.made for test in tested))
    cases = tuple(
        CaseChange(
            id=case,
            passed_before=before[case][0],
            measured_before=before[case][1],
            passed=after[case][0],
            measured=after[case][1],
            same=same.get(case, 0),
            p_value=round(test.p_value, 6),
            adjusted=round(test.adjusted, 6),
            tested=test.made,
            detectable=drop_p_value(before[case], (0, after[case][1])) <= level,
            verdict=_verdict(before[case], after[case], test.adjusted, alpha, same.get(case, 0)),
        )
        for case, test in zip(shared, tested, strict=False)
    )
    gone = tuple(case for case in before if case not in after)
    unchanged = bool(cases) and all(_unchanged(before[case.id], after[case.id], case.same) for case in cases)
    whole = tested[-1] if tested else ReleaseTest(1.0, 1.0, made=False)
    together = _pooled(pairs, whole.p_value, whole.adjusted, alpha, unchanged=unchanged)
    verdicts = [together.verdict, *(case.verdict for case in cases)]
    if gone:
        verdicts.append("inconclusive")
    return Release(
        source=source,
        alpha=alpha,
        verdict=worst(tuple(verdicts)),
        cases=cases,
        pooled=together,
        gone=gone,
        new=tuple(case for case in after if case not in before),
    )


class ReleaseTest(NamedTuple):
    """One test of a comparison of releases.

    Attributes:
        p_value: The p-value.
        adjusted: The p-value, Holm-adjusted for the number of made tests; 1 if the test is not made.
        made: Whether the test is made.
    """

    p_value: float
    adjusted: float
    made: bool


def tests_on(pairs: Sequence[tuple[Count, Count]], alpha: float) -> list[ReleaseTest]:
    """Return the tests of `compare_releases`: one per case, then that of all cases together if there are several.

    Args:
        pairs: Counts of the previous and of the present release, by case.
        alpha: Family-wise error rate, in (0, 1).

    Example:
        >>> [(round(test.adjusted, 3), test.made) for test in tests_on([((5, 5), (1, 5)), ((5, 5), (5, 5))], 0.05)]
        [(0.048, True), (1.0, False), (0.048, True)]
    """
    tests = [*([pair] for pair in pairs), *([pairs] if len(pairs) > 1 else [])]
    p_values, made = [_p_value(test) for test in tests], possible_tests(tests, alpha)
    corrected = dict(zip(made, holm([p_values[test] for test in made]), strict=True))
    return [
        ReleaseTest(p_value, corrected.get(test, 1.0), made=test in corrected) for test, p_value in enumerate(p_values)
    ]


def possible_tests(tests: Sequence[Sequence[tuple[Count, Count]]], alpha: float) -> list[int]:
    """Return the numbers of the tests that could be significant at `alpha` together.

    The smallest p-value that a test can have depends on the totals of both releases only, not on the drop. So leaving
    out tests that can never be significant does not change the family-wise error rate.

    Source:
        Tarone (1990), Biometrics 46.

    Example:
        >>> drops = [((3, 3), (1, 3)), ((20, 20), (12, 20))]
        >>> possible_tests([[drop] for drop in drops] + [drops], 0.05)
        [1, 2]
    """
    least = [_least_p_value(test) for test in tests]
    for number in range(1, len(tests) + 1):
        possible = [place for place, p_value in enumerate(least) if p_value <= alpha / number]
        if len(possible) <= number:
            return possible
    return list(range(len(tests)))


def _least_p_value(pairs: Sequence[tuple[Count, Count]]) -> float:
    """Return the smallest p-value with these totals: as few samples as possible passed in the present release."""
    measured = [(then, now) for then, now in pairs if then[1] and now[1]]
    extreme = []
    for then, now in measured:
        passed = max(0, then[0] + now[0] - then[1])
        extreme.append(((then[0] + now[0] - passed, then[1]), (passed, now[1])))
    return _p_value(extreme) if extreme else 1.0


def _p_value(pairs: Sequence[tuple[Count, Count]]) -> float:
    return drop_p_value(*pairs[0]) if len(pairs) == 1 else pooled_p_value(pairs)


@lru_cache(maxsize=4096)  # in a suite most cases have the same few counts
def drop_p_value(before: Count, after: Count) -> float:
    """Return the one-sided p-value of a drop of the pass rate; 1 if a release has no measured samples.

    Example:
        >>> drop_p_value((5, 5), (5, 5)), round(drop_p_value((5, 5), (1, 5)), 4)
        (1.0, 0.0238)
    """
    return pooled_p_value([(before, after)])


def pooled_p_value(pairs: Sequence[tuple[Count, Count]]) -> float:
    """Return the one-sided p-value of a common drop of the pass rate in several cases.

    It is the probability of at most as many passed samples in the present release, if in each case the samples of both
    releases are assigned to the releases at random. It is exact for any number of samples per case. Cases may have
    different pass rates. A case in which all samples of both releases pass, or none, says nothing about a drop, and
    does not change the p-value.

    Args:
        pairs: Counts of the previous and of the present release, by case. A case that one of the releases did not
            measure is ignored.

    Cost: quadratic in the number of samples.

    Source:
        Mantel and Haenszel (1959), Journal of the National Cancer Institute 22; the exact form: Mehta, Patel and Gray
        (1985), Journal of the American Statistical Association 80.

    Example:
        >>> round(pooled_p_value([((3, 3), (2, 3))] * 8), 4)
        0.0039
    """
    import numpy as np  # noqa: PLC0415 - `wfgate --help` stays instant

    probabilities, observed = np.ones(1), 0
    for (passed_before, measured_before), (passed, measured) in pairs:
        if measured_before and measured:
            one = _outcomes(measured_before + measured, passed_before + passed, measured)
            probabilities = np.convolve(probabilities, one)
            observed += passed
    return min(1.0, float(probabilities[: observed + 1].sum()))


@lru_cache(maxsize=4096)
def _outcomes(total: int, passed: int, measured: int) -> "NDArray[np.float64]":
    """Return the probabilities of 0, 1, ... passed samples among `measured` of `total` samples, drawn at random."""
    import numpy as np  # noqa: PLC0415 - `wfgate --help` stays instant
    from scipy.stats import hypergeom  # noqa: PLC0415 - slow to import

    probabilities: NDArray[np.float64] = hypergeom.pmf(np.arange(measured + 1), total, passed, measured)
    return probabilities


def _verdict(before: Count, after: Count, adjusted: float, alpha: float, same: int) -> Verdict:
    if adjusted <= alpha:
        return "block"
    return "pass" if (before[1] and after[1]) or _unchanged(before, after, same) else "inconclusive"


def _unchanged(before: Count, after: Count, same: int) -> bool:
    """Return whether both releases have the same samples with the same verdicts."""
    return before == after and same >= max(1, after[1])


def _pooled(
    pairs: Sequence[tuple[Count, Count]], p_value: float, adjusted: float, alpha: float, *, unchanged: bool
) -> PooledChange:
    measured = [(then, now) for then, now in pairs if then[1] and now[1]]
    passed_before, measured_before, passed, of = (
        sum(pair[release][which] for pair in measured) for release in (0, 1) for which in (0, 1)
    )
    failure = [(then, (0, now[1])) for then, now in measured]
    tests = possible_tests([*([pair] for pair in failure), failure], alpha) if len(failure) > 1 else [0]
    detectable = pooled_p_value(failure) * max(1, len(tests)) <= alpha
    verdict: Verdict = "pass"
    if adjusted <= alpha:
        verdict = "block"
    elif not unchanged and (not measured or (passed_before and not detectable)):
        verdict = "inconclusive"
    return PooledChange(
        passed_before=passed_before,
        measured_before=measured_before,
        passed=passed,
        measured=of,
        p_value=round(p_value, 6),
        adjusted=round(adjusted, 6),
        verdict=verdict,
    )


def _same(before: GateResult, result: GateResult) -> dict[str, int]:
    """Return how many samples of each case are byte for byte a sample of the previous release."""
    then, now = _contents(before), _contents(result)
    return {case: (contents & then.get(case, Counter())).total() for case, contents in now.items()}


def _contents(result: GateResult) -> dict[str, Counter[str]]:
    return {
        name: Counter(sample.content for sample in samples if sample.content is not None)
        for name, samples in _by_case(result).items()
    }


def _step_changes(before: Sequence[CaseResult], now: Sequence[CaseResult]) -> tuple[StepChange, ...]:
    """Return the lost steps of both releases; a golden step is the same one if id and name are."""
    then, today = lost_steps(before), lost_steps(now)
    known, present = (
        {(one.id, one.name) for case in cases if case.steps for one in case.alignment.golden}
        for cases in (before, now)
    )
    return tuple(
        StepChange(
            name=name, state=state, before=then[step, name, state] if (step, name) in known else None, now=number
        )
        for (step, name, state), number in ({key: today[key] for key in (*today, *then)}).items()
        if (step, name) in present
    )


def _other_references(before: Sequence[CaseResult], now: Sequence[CaseResult]) -> bool:
    """Return whether the samples of both releases were compared with other references: with other bytes.

    Of a result of an earlier version only the steps of the golden are known.
    """
    for known in (lambda one: one.golden_content, lambda one: frozenset(one.alignment.golden)):
        then, today = ({known(one) for one in samples} - {None, frozenset()} for samples in (before, now))
        if then and today:
            return then.isdisjoint(today)
    return False


def _by_case(result: GateResult) -> dict[str, list[CaseResult]]:
    """Return the samples of each case; a case without several samples is its own sample."""
    by_case: defaultdict[str, list[CaseResult]] = defaultdict(list)
    for case in result.cases:
        group = result.group_of(case.id)
        by_case[group.id if group else case.id].append(case)
    return by_case


def _counts(result: GateResult) -> dict[str, Count]:
    counts = {
        case.id: (int(good(case.verdict, result.policy)), int(case.verdict != "inconclusive"))
        for case in result.cases
        if result.group_of(case.id) is None
    }
    return {**counts, **{case.id: (case.passed, case.measured) for case in result.samples}}


def _of_samples(policy: Policy) -> dict[str, Any]:
    """Return what of a policy changes whether a sample passes."""
    return {**policy.model_dump(exclude=_OWN), "reviews_fail": policy.reviews_fail}


def _require_comparable(result: GateResult, before: GateResult, path: Path) -> None:
    parts = {
        "signature": (before.tool.signature, result.tool.signature),
        "profile": (before.profile.corpus, result.profile.corpus),
        "policy": (_of_samples(before.policy), _of_samples(result.policy)),
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
