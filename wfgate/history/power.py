"""Statistical power: how many samples per case detect a drop of the pass rate, and what drop some samples detect."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from wfgate.decide import tests_of
from wfgate.history.release import Count, compare_releases, tests_on
from wfgate.model import Frozen

MAX_SAMPLES = 3000
"""Largest number of samples per case that is tried."""
_DENSE = 60
"""Every number of samples up to this one is tried, then steps of 4 %."""
_NEGLIGIBLE = 1e-12
"""Outcomes with a smaller probability are ignored."""
RUNS = 500
"""Simulated comparisons for each drop; fewer for suites of many cases."""
_WORK = 20_000
"""Simulated cases for each drop, unless these are less than 200 runs."""
_STEP = 0.05
"""The smallest drop that is found is searched in steps of this size."""


class Needed(Frozen):
    """The number of samples that are needed to detect one drop.

    Attributes:
        drop: Drop of the pass rate, in (0, 1].
        samples: Samples per case in each of the two releases; None if more than `MAX_SAMPLES` are needed.
        power: Probability that these samples detect the drop, in [0, 1].
    """

    drop: float
    samples: int | None
    power: float


def samples_needed(before: float, drop: float, *, alpha: float, cases: int, power: float) -> Needed:
    """Return the smallest number of samples that detects a drop of the pass rate with the given power.

    The test is the test of a single case in `compare_releases`, at the strictest level of Holm's procedure: alpha
    divided by the number of tests.

    Args:
        before: Pass rate of the previous release, in (0, 1].
        drop: Drop of the pass rate, in (0, before].
        alpha: Family-wise error rate over all cases, in (0, 1).
        cases: Number of compared cases, at least 1.
        power: Wanted probability of detection, in (0, 1).

    Cost: quadratic in the number of samples.
    """
    reached = 0.0
    for samples in _sizes():
        reached = power_of(samples, before, before - drop, alpha / tests_of(cases))
        if reached >= power:
            return Needed(drop=drop, samples=samples, power=round(reached, 4))
    return Needed(drop=drop, samples=None, power=round(reached, 4))


class Chance(Frozen):
    """The probability that a comparison with a previous release blocks.

    Attributes:
        drop: Drop of the pass rate, in [0, 1].
        one_case: Probability if this is the drop of one case, and the others do not change.
        all_cases: Probability if this is the drop of every case.
    """

    drop: float
    one_case: float
    all_cases: float


class Detectable(Frozen):
    """What a comparison with a previous release can find with a number of samples.

    Attributes:
        samples: Samples per case in each of the two releases.
        runs: Simulated comparisons for each probability.
        chances: The probabilities of some drops.
        found_one_case: Smallest drop of one case, in steps of 5 %, that is found with the wanted power; None if none
            is.
        found_all_cases: The same for a drop of every case.
        blocks_from: The most passed samples of a case that blocks if all its samples passed before, and the other
            cases do not change; None if not even a total failure of the case blocks.
        decides: Whether the comparison is ever conclusive: if not, not even a total failure of all cases is found.
    """

    samples: int
    runs: int
    chances: tuple[Chance, ...]
    found_one_case: float | None
    found_all_cases: float | None
    blocks_from: int | None
    decides: bool


def detectable(
    samples: int, before: float, drops: tuple[float, ...], *, alpha: float, cases: int, power: float
) -> Detectable:
    """Return what a comparison with a previous release finds with `samples` samples per case and release.

    The probabilities are simulated (seed 0) with the tests of `compare_releases`, because their number depends on the
    counts. A standard error is at most 2.3 % with 500 runs. The samples of a case are independent, with one pass rate.

    Args:
        samples: Samples per case in each release, at least 1.
        before: Pass rate of all cases in the previous release, in (0, 1].
        drops: Drops of the pass rate for `chances`, each in (0, before].
        alpha: Family-wise error rate, in (0, 1).
        cases: Number of compared cases, at least 1.
        power: Wanted probability of detection, in (0, 1).
    """
    simulated = _Simulation(samples, before, alpha, cases)
    grid = [*(step * _STEP for step in range(1, int(before / _STEP) + 1) if step * _STEP < before), before]
    one_case, all_cases = (simulated.smallest(grid, fallen, power) for fallen in (1, cases))
    whole = (samples, samples)
    others = [(whole, whole)] * (cases - 1)
    return Detectable(
        samples=samples,
        runs=simulated.runs,
        chances=tuple(
            Chance(drop=drop, one_case=simulated.chance(drop, 1), all_cases=simulated.chance(drop, cases))
            for drop in drops
        ),
        found_one_case=one_case,
        found_all_cases=all_cases,
        blocks_from=next(
            (now for now in reversed(range(samples)) if _blocks([(whole, (now, samples)), *others], alpha)), None
        ),
        decides=conclusive(samples, cases, alpha),
    )


def conclusive(samples: int, cases: int, alpha: float) -> bool:
    """Return whether a comparison with so many samples per case and release can find anything.

    Example:
        >>> conclusive(3, 1, 0.05), conclusive(4, 1, 0.05), conclusive(2, 2, 0.05)
        (False, True, True)
    """
    same = {str(case): (samples, samples) for case in range(cases)}
    return compare_releases(same, same, alpha=alpha, source="").verdict != "inconclusive"


def _blocks(pairs: list[tuple[Count, Count]], alpha: float) -> bool:
    return any(test.adjusted <= alpha for test in tests_on(pairs, alpha))


class _Simulation:
    """Comparisons of two releases with random samples."""

    def __init__(self, samples: int, before: float, alpha: float, cases: int) -> None:
        self._samples, self._before, self._alpha, self._cases = samples, before, alpha, cases
        self.runs = min(RUNS, max(200, _WORK // cases))
        self._known: dict[tuple[tuple[Count, Count], ...], bool] = {}

    def chance(self, drop: float, fallen: int) -> float:
        """Return how often a comparison blocks if the pass rate of `fallen` cases drops."""
        import numpy as np  # noqa: PLC0415 - `wfgate --help` stays instant

        rng, size = np.random.default_rng(0), (self.runs, self._cases)
        rates = np.full(self._cases, self._before)
        then = rng.binomial(self._samples, rates, size).tolist()
        rates[:fallen] = max(0.0, self._before - drop)
        now = rng.binomial(self._samples, rates, size).tolist()
        return sum(map(self._blocks, then, now)) / self.runs

    def smallest(self, drops: Sequence[float], fallen: int, power: float) -> float | None:
        """Return the smallest of these drops, in rising order, that is found with the given power; None if none is."""

        def chance(drop: float) -> float:
            return self.chance(drop, fallen)

        place = bisect_left(drops, power, key=chance)
        return round(drops[place], 4) if place < len(drops) else None

    def _blocks(self, then: list[int], now: list[int]) -> bool:
        """Return whether a run blocks; the order of the cases and those without a failure have no influence."""
        of = self._samples
        failing = sorted(((was, of), (has, of)) for was, has in zip(then, now, strict=True) if was + has < 2 * of)
        others = [((of, of), (of, of))] * min(2, self._cases)  # with two cases there is a test of all together
        pairs = (*failing, *others[len(failing) :])
        if pairs not in self._known:
            self._known[pairs] = _blocks(list(pairs), self._alpha)
        return self._known[pairs]


def power_of(samples: int, before: float, after: float, alpha: float) -> float:
    """Return the probability that a one-sided exact test at level `alpha` detects a drop from `before` to `after`.

    Example:
        >>> round(power_of(10, 1.0, 0.5, 0.05), 3)
        0.828
    """
    import numpy as np  # noqa: PLC0415 - `wfgate --help` stays instant
    from scipy.stats import binom, hypergeom  # noqa: PLC0415 - slow to import

    outcomes = np.arange(samples + 1)
    then, now = binom.pmf(outcomes, samples, before), binom.pmf(outcomes, samples, max(after, 0.0))
    kept_then, kept_now = outcomes[then > _NEGLIGIBLE], outcomes[now > _NEGLIGIBLE]
    passed_before, passed = kept_then[:, None], kept_now[None, :]
    noticed = hypergeom.cdf(passed, 2 * samples, passed_before + passed, samples) <= alpha
    return float(then[kept_then] @ noticed @ now[kept_now])


def _sizes() -> Iterator[int]:
    size = 1
    while size <= MAX_SAMPLES:
        yield size
        size = max(size + 1, int(size * 1.04)) if size >= _DENSE else size + 1
