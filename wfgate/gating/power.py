"""How many samples notice how large a drop of the pass rate."""

from collections.abc import Iterator

from wfgate.model.workflow import Frozen

MOST = 3000
"""Samples of one case beyond which nothing is planned."""
_DENSE = 60
"""Up to this number of samples every one is tried, then steps of 4 %."""
_NEVER = 1e-12
"""Outcomes rarer than this are left out."""


class Needed(Frozen):
    """What one drop needs.

    Attributes:
        drop: How much the pass rate falls, in (0, 1].
        samples: Samples per case, in the previous release and in this one; None where even `MOST` are too few.
        power: How often they notice it, in [0, 1].
    """

    drop: float
    samples: int | None
    power: float


def samples_needed(before: float, drop: float, *, alpha: float, cases: int, power: float) -> Needed:
    """Return the least number of samples that notice a drop as often as wanted.

    The test is that of `compare_releases`; the first of Holm's levels, alpha / cases, is assumed: the worst case.

    Args:
        before: Pass rate of the previous release, in (0, 1].
        drop: How much it falls, in (0, before].
        alpha: Rate of false alarms over all cases, in (0, 1).
        cases: How many are compared, at least 1.
        power: How often the drop is to be noticed, in (0, 1).

    Cost: quadratic in the number of samples, for few outcomes.
    """
    reached = 0.0
    for samples in _sizes():
        reached = power_of(samples, before, before - drop, alpha / cases)
        if reached >= power:
            return Needed(drop=drop, samples=samples, power=round(reached, 4))
    return Needed(drop=drop, samples=None, power=round(reached, 4))


def power_of(samples: int, before: float, after: float, alpha: float) -> float:
    """Return how often a one-sided exact test at `alpha` calls the second of two rates the lower one.

    Example:
        >>> round(power_of(10, 1.0, 0.5, 0.05), 3)
        0.828
    """
    import numpy as np  # noqa: PLC0415 - `wfgate --help` stays instant
    from scipy.stats import binom, hypergeom  # noqa: PLC0415 - slow to import

    outcomes = np.arange(samples + 1)
    then, now = binom.pmf(outcomes, samples, before), binom.pmf(outcomes, samples, max(after, 0.0))
    kept_then, kept_now = outcomes[then > _NEVER], outcomes[now > _NEVER]
    passed_before, passed = kept_then[:, None], kept_now[None, :]
    noticed = hypergeom.cdf(passed, 2 * samples, passed_before + passed, samples) <= alpha
    return float(then[kept_then] @ noticed @ now[kept_now])


def _sizes() -> Iterator[int]:
    size = 1
    while size <= MOST:
        yield size
        size = max(size + 1, int(size * 1.04)) if size >= _DENSE else size + 1
