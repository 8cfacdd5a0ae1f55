"""Fits the intervals of the severity, which is the degraded share of the steps."""

import numpy as np

from wfgate.calibration.clustered import Clusters, Mask, cluster_weights
from wfgate.decide import BINS, Floats, bins, interval

COVERAGE = 0.9
CLOSE = 0.1
"""An estimate counts as close if it is at most this far from the true severity."""
ROUNDING = 1e-4
"""Precision of estimates; an interval that misses the true severity by less counts as covering it."""


def covers(points: Floats, margins: tuple[float, ...], severity: Floats) -> Mask:
    """Return for each estimate whether its interval contains the true severity."""
    low, high = interval(points, margins)
    return np.asarray((low - ROUNDING <= severity) & (severity <= high + ROUNDING), dtype=bool)


def is_close(points: Floats, severity: Floats) -> Mask:
    """Return for each estimate whether it is at most `CLOSE` away from the true severity."""
    return np.asarray(np.abs(points - severity) <= CLOSE + ROUNDING, dtype=bool)


def conformal_margins(estimated: Floats, severity: Floats, clusters: Clusters, *, fresh: int = 1) -> tuple[float, ...]:
    """Return the half-width of the interval per bin: a clustered quantile of out-of-sample residuals.

    The quantile is `COVERAGE` * (G + fresh) / G for G goldens in the bin.

    Args:
        estimated: Estimated severities, from models that were not fitted on the variant's golden, shape (n,).
        severity: True severities, shape (n,).
        clusters: The golden of each row.
        fresh: 1 if the interval is for a new golden; 0 if it is for these goldens only.

    Source:
        Split conformal prediction (Papadopoulos et al. 2002), Mondrian by bin (Vovk et al. 2003). A bin with too
        few goldens for its quantile gets half-width 1, so its interval is [0, 1].
    """
    residuals = np.abs(estimated - severity)
    bin_of = bins(estimated)
    margins = []
    for index in range(len(BINS) - 1):
        members = np.flatnonzero(bin_of == index)
        weights = cluster_weights(np.asarray(clusters)[members])
        order = np.argsort(residuals[members], kind="stable")
        needed = COVERAGE * (weights.sum() + fresh)
        rank = int(np.searchsorted(np.cumsum(weights[order]), needed - 1e-12))
        margins.append(round(float(residuals[members][order][rank]), 6) if rank < len(order) else 1.0)
    return tuple(margins)
