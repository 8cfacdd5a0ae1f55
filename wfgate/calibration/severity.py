"""Fits the severity model, which estimates the degraded share of the steps from the evidence, with an interval."""

import numpy as np

from wfgate.calibration.clustered import Clusters, Mask, cluster_weights
from wfgate.evidence.features import Floats
from wfgate.evidence.gather import EVIDENCE
from wfgate.profile.severity import BINS, SeverityModel, bins, interval

COVERAGE = 0.9
ROUNDING = 1e-4
"""Precision of estimates; an interval that misses the true severity by less counts as covering it."""


def covers(points: Floats, margins: tuple[float, ...], severity: Floats) -> Mask:
    """Return for each estimate whether its interval contains the true severity."""
    low, high = interval(points, margins)
    return np.asarray((low - ROUNDING <= severity) & (severity <= high + ROUNDING), dtype=bool)


def fit_severity(features: Floats, severity: Floats, clusters: Clusters) -> SeverityModel:
    """Fit the weights by non-negative least squares, and the curve by isotonic regression.

    Only evidence that is a share is used, because the severity is a share of the steps too.

    Args:
        features: Shape (n, n_evidence).
        severity: True share of affected steps, shape (n,); 0 for harmless variants.
        clusters: The golden of each row; goldens have equal weight.

    Source:
        Lawson & Hanson (1974); Robertson, Wright & Dykstra (1988).
    """
    from scipy.optimize import isotonic_regression, nnls  # noqa: PLC0415 - slow to import

    weights = cluster_weights(clusters)
    root = np.sqrt(weights)
    shares = np.array([not evidence.absolute for evidence in EVIDENCE])
    ridge = 1e-2 * np.sqrt(weights.sum()) * np.eye(int(shares.sum()))
    observed = np.vstack([features[:, shares] * root[:, None], ridge])
    solved = np.zeros(len(EVIDENCE))
    solved[shares], _ = nnls(observed, np.concatenate([severity * root, np.zeros(len(ridge))]))
    solved = np.round(solved, 6)
    score = features @ solved
    order = np.argsort(score, kind="stable")
    curve = isotonic_regression(severity[order], weights=weights[order]).x
    edges = np.flatnonzero(np.diff(curve, prepend=-1.0, append=2.0))
    keep = sorted({int(edge) for edge in edges[:-1]} | {int(edge) - 1 for edge in edges[1:]})
    knots, first = np.unique(np.round(score[order][keep], 6), return_index=True)
    levels = np.maximum.accumulate(np.round(curve[keep][first], 6))
    return SeverityModel(weights=tuple(solved.tolist()), knots=tuple(knots.tolist()), levels=tuple(levels.tolist()))


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
