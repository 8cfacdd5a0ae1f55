"""Rates for clustered observations: variants of the same golden are not independent."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wfgate.decide import Floats, Rate

Mask = NDArray[np.bool_]
Clusters = Sequence[str] | NDArray[np.integer]
"""The cluster of each observation, as names or numbers."""


def cluster_weights(clusters: Clusters) -> Floats:
    """Return one weight per observation. The members of a cluster have equal weights with the sum 1.

    Example:
        >>> cluster_weights(["a", "a", "b"]).tolist()
        [0.5, 0.5, 1.0]
    """
    _, inverse, counts = np.unique(np.asarray(clusters), return_inverse=True, return_counts=True)
    return np.asarray(1.0 / counts[inverse], dtype=np.float64)


def clustered_rate(hits: Sequence[bool] | Mask, clusters: Clusters) -> Rate | None:
    """Return the rate of hits with a 95 % Clopper-Pearson interval for n = number of goldens.

    The number of goldens is used instead of the number of variants. This is conservative: the interval is correct even
    if all variants of a golden give the same observation.

    Returns:
        The rate; None if there are no observations.

    Source:
        Clopper & Pearson (1934), Biometrika 26.
    """
    if not len(clusters):
        return None
    from scipy.stats import beta  # noqa: PLC0415 - slow to import

    weights = cluster_weights(clusters)
    n = round(float(weights.sum()))
    k = float((weights * np.asarray(hits, dtype=bool)).sum())
    low = float(beta.ppf(0.025, k, n - k + 1)) if k > 0 else 0.0
    high = float(beta.ppf(0.975, k + 1, n - k)) if k < n else 1.0
    return Rate(value=round(k / n, 9), low=low, high=high, goldens=n, variants=len(clusters))
