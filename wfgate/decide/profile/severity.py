"""The severity: the affected share of the steps of a workflow, with a prediction interval."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from wfgate.decide.evidence.features import Floats
from wfgate.decide.evidence.gather import EVIDENCE
from wfgate.model import Frozen

_AFFECTED = next(place for place, piece in enumerate(EVIDENCE) if piece.id == "affected-share")
BINS = (0.0, 0.04, 0.15, 0.35, 0.55, 1.01)
"""Edges of the bins of estimated severity; each bin has its own interval width."""


class SeverityEstimate(Frozen):
    """Estimated degraded share of the steps, in [0, 1], with its 90 % prediction interval."""

    estimate: float
    low: float
    high: float


class SeverityModel(Frozen):
    """The estimate is the share of affected steps (`Demands.share`), a count. Its interval is split-conformal.

    Attributes:
        margins: Half-width of the 90 % interval, for each bin of estimates; without margins the interval is [0, 1].
    """

    margins: tuple[float, ...] = ()

    @model_validator(mode="after")
    def _has_a_margin_per_bin(self) -> Self:
        if self.margins and len(self.margins) != len(BINS) - 1:
            raise ValueError(f"{len(self.margins)} margins instead of {len(BINS) - 1}")
        return self

    def estimate(self, features: Floats) -> SeverityEstimate:
        """Return the estimated severity and its interval for one feature vector."""
        point = estimates(features[None, :])
        low, high = interval(point, self.margins)
        return SeverityEstimate(
            estimate=round(float(point[0]), 4), low=round(float(low[0]), 4), high=round(float(high[0]), 4)
        )


def estimates(features: Floats) -> Floats:
    """Return the estimated severity for each row of features, shape (n,)."""
    return features[:, _AFFECTED]


def interval(points: Floats, margins: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Return the bounds of the interval around each estimate.

    The half-width of the interval is the margin of the estimate's bin. Without margins the interval is [0, 1].
    """
    margin = np.array(margins)[bins(points)] if margins else np.ones(len(points))
    return np.maximum(0.0, points - margin), np.minimum(1.0, points + margin)


def bins(estimates: Floats) -> NDArray[np.intp]:
    """Return the bin of each estimate, shape (n,): an index into the margins."""
    return np.searchsorted(BINS, estimates, side="right") - 1
