"""The severity model: estimates the degraded share of the steps of a workflow, with a prediction interval."""

from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from wfgate.evidence.features import Floats
from wfgate.evidence.gather import EVIDENCE
from wfgate.model.workflow import Frozen

BINS = (0.0, 0.04, 0.15, 0.35, 0.55, 1.01)
"""Edges of the bins of estimated severity; each bin has its own interval width."""


class SeverityEstimate(Frozen):
    """Estimated degraded share of the steps, in [0, 1], with its 90 % prediction interval."""

    estimate: float
    low: float
    high: float


class SeverityModel(Frozen):
    """Maps a weighted sum of the evidence to a severity by an isotonic curve. The interval is split-conformal.

    Attributes:
        weights: One weight per kind of evidence, not negative.
        knots: Weighted sums at the knots of the curve, ascending.
        levels: Severity at each knot, not descending.
        margins: Half-width of the 90 % interval, for each bin of estimates.
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
            raise ValueError("knots and levels must not decrease")
        if not 0 <= self.levels[0] <= self.levels[-1] <= 1:
            raise ValueError("levels must be in [0, 1]")
        if self.margins and len(self.margins) != len(BINS) - 1:
            raise ValueError(f"{len(self.margins)} margins instead of {len(BINS) - 1}")
        return self

    def point(self, features: Floats) -> Floats:
        """Return the estimated severity for each row of features, shape (n,)."""
        return np.asarray(np.interp(features @ np.array(self.weights), self.knots, self.levels), dtype=np.float64)

    def estimate(self, features: Floats) -> SeverityEstimate:
        """Return the estimated severity and its interval for one feature vector."""
        point = self.point(features[None, :])
        low, high = interval(point, self.margins)
        return SeverityEstimate(
            estimate=round(float(point[0]), 4), low=round(float(low[0]), 4), high=round(float(high[0]), 4)
        )


def interval(points: Floats, margins: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Return the bounds of the interval around each estimate.

    The half-width of the interval is the margin of the estimate's bin. Without margins the interval is [0, 1].
    """
    margin = np.array(margins)[bins(points)] if margins else np.ones(len(points))
    return np.maximum(0.0, points - margin), np.minimum(1.0, points + margin)


def bins(estimates: Floats) -> NDArray[np.intp]:
    """Return the bin of each estimate, shape (n,): an index into the margins."""
    return np.searchsorted(BINS, estimates, side="right") - 1
