"""Statistical power: how many samples per case are needed to detect a drop of the pass rate."""

from collections.abc import Iterator

from wfgate.gating.release import tests_of
from wfgate.model.workflow import Frozen

MAX_SAMPLES = 3000
"""Largest number of samples per case that is tried."""
_DENSE = 60
"""Every number of samples up to this one is tried, then steps of 4 %."""
_NEGLIGIBLE = 1e-12
"""Outcomes with a smaller probability are ignored."""


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
