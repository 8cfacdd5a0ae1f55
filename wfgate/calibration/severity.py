"""How bad it is: from evidence to the share of the workflow that degraded, with an interval."""

from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from wfgate.calibration.clustered import Clusters, Floats, Mask, cluster_weights
from wfgate.calibration.evidence import EVIDENCE
from wfgate.model.workflow import Frozen

BINS = (0.0, 0.04, 0.15, 0.35, 0.55, 1.01)
"""Edges of the bins of estimated severity that have an interval width of their own."""
COVERAGE = 0.9
ROUNDING = 1e-4
"""Estimates are rounded to this: an interval that misses the truth by less covers it."""


class SeverityEstimate(Frozen):
    """Share of the workflow that degraded, in [0, 1], with its 90 % interval."""

    estimate: float
    low: float
    high: float


class SeverityModel(Frozen):
    """A weighted sum of evidence, mapped to severity by an isotonic curve, with split-conformal margins.

    Attributes:
        weights: One per piece of evidence, not negative.
        knots: Degradation scores of the curve, ascending.
        levels: Severity at each knot, not descending.
        margins: Half-width of the 90 % interval for each bin of the estimate.
    """

    weights: tuple[float, ...]
    knots: tuple[float, ...]
    levels: tuple[float, ...]
    margins: tuple[float, ...] = ()

    @model_validator(mode="after")
    def _is_a_curve(self) -> Self:
        if len(self.weights) != len(EVIDENCE):
            raise ValueError(f"{len(self.weights)} weights instead of {len(EVIDENCE)}")
        if not self.knots or len(self.knots) != len(self.levels):
            raise ValueError(f"{len(self.knots)} knots, {len(self.levels)} levels")
        if any(one > two for rising in (self.knots, self.levels) for one, two in pairwise(rising)):
            raise ValueError("knots and levels must not fall")
        if not 0 <= self.levels[0] <= self.levels[-1] <= 1:
            raise ValueError("levels must be in [0, 1]")
        if self.margins and len(self.margins) != len(BINS) - 1:
            raise ValueError(f"{len(self.margins)} margins instead of {len(BINS) - 1}")
        return self

    def point(self, features: Floats) -> Floats:
        """Return the estimate for each row of features, shape (n,)."""
        return np.asarray(np.interp(features @ np.array(self.weights), self.knots, self.levels), dtype=np.float64)

    def estimate(self, features: Floats) -> SeverityEstimate:
        """Return estimate and interval for one feature vector."""
        point = self.point(features[None, :])
        low, high = interval(point, self.margins)
        return SeverityEstimate(
            estimate=round(float(point[0]), 4), low=round(float(low[0]), 4), high=round(float(high[0]), 4)
        )


def interval(points: Floats, margins: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Return the ends of the interval around estimates, given its half-width for each bin; all of [0, 1] without."""
    margin = np.array(margins)[_bins(points)] if margins else np.ones(len(points))
    return np.maximum(0.0, points - margin), np.minimum(1.0, points + margin)


def covers(points: Floats, margins: tuple[float, ...], severity: Floats) -> Mask:
    """Return for each estimate whether its interval covers the true severity."""
    low, high = interval(points, margins)
    return np.asarray((low - ROUNDING <= severity) & (severity <= high + ROUNDING), dtype=bool)


def fit_severity(features: Floats, severity: Floats, clusters: Clusters) -> SeverityModel:
    """Fit weights by non-negative least squares and the curve by isotonic regression.

    Only evidence that is a share is used: counts and the noise of wording would say as much about five steps as
    about a hundred.

    Args:
        features: Shape (n, n_evidence).
        severity: True share of steps affected, shape (n,); 0 for benign variants.
        clusters: The golden of each row; goldens weigh the same.

    Source:
        Lawson & Hanson (1974); Robertson, Wright & Dykstra (1988).
    """
    from scipy.optimize import isotonic_regression, nnls  # noqa: PLC0415 - slow to import

    weights = cluster_weights(clusters)
    root = np.sqrt(weights)
    shares = np.array([not piece.absolute for piece in EVIDENCE])
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
    """Return the half-width of the interval per bin: the clustered (1 + 1/G) quantile of out-of-sample residuals.

    Args:
        estimated: Estimates of models that did not see the golden, shape (n,).
        severity: True severities, shape (n,).
        clusters: The golden of each row.
        fresh: 1 to cover a golden that is still to come; 0 to cover these alone.

    Source:
        Split conformal prediction (Papadopoulos et al. 2002), Mondrian by bin (Vovk et al. 2003). A bin with too
        few goldens for its quantile gets the width 1: honest, and visibly useless.
    """
    residuals = np.abs(estimated - severity)
    bins = _bins(estimated)
    margins = []
    for index in range(len(BINS) - 1):
        members = np.flatnonzero(bins == index)
        weights = cluster_weights(np.asarray(clusters)[members])
        order = np.argsort(residuals[members], kind="stable")
        needed = COVERAGE * (weights.sum() + fresh)
        place = int(np.searchsorted(np.cumsum(weights[order]), needed - 1e-12))
        margins.append(round(float(residuals[members][order][place]), 6) if place < len(order) else 1.0)
    return tuple(margins)


def _bins(estimates: Floats) -> NDArray[np.intp]:
    return np.searchsorted(BINS, estimates, side="right") - 1
