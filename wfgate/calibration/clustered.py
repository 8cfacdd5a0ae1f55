"""Rates and p-values when observations come in clusters: one golden's variants are not independent."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wfgate.model.workflow import Frozen

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Clusters = Sequence[str] | NDArray[np.integer]
"""Which cluster each observation belongs to: names, or numbers."""


class Rate(Frozen):
    """A share with its interval.

    Attributes:
        value: The share: mean over goldens of the share among the golden's variants, in [0, 1].
        low: Lower end of the 95 % interval.
        high: Upper end.
        goldens: Goldens it rests on.
        variants: Variants it rests on.
    """

    value: float
    low: float
    high: float
    goldens: int
    variants: int


def cluster_weights(clusters: Clusters) -> Floats:
    """Return one weight per observation: every cluster weighs 1, shared equally by its members.

    Example:
        >>> cluster_weights(["a", "a", "b"]).tolist()
        [0.5, 0.5, 1.0]
    """
    _, inverse, counts = np.unique(np.asarray(clusters), return_inverse=True, return_counts=True)
    return np.asarray(1.0 / counts[inverse], dtype=np.float64)


def clustered_rate(hits: Sequence[bool] | Mask, clusters: Clusters) -> Rate | None:
    """Return the rate of hits with a Clopper-Pearson interval in which each golden counts once.

    Counting goldens, not variants, is conservative: the interval is the one for fully dependent variants.

    Returns:
        None where there is nothing to count.

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
    return Rate(value=k / n, low=low, high=high, goldens=n, variants=len(clusters))


@dataclass(frozen=True)
class BenignNull:
    """What benign variants score, every golden weighing the same.

    Attributes:
        scores: Nonconformity scores, descending.
        tail: For each score, the summed weight of scores at least as high.
        goldens: Number of goldens.
        mass: What they weigh together, G: their number, less where some count for less than one.
    """

    scores: Floats
    tail: Floats
    goldens: int
    mass: float

    @classmethod
    def of(cls, scores: Floats, clusters: Clusters) -> "BenignNull":
        """Build the null from benign variants and the goldens they belong to."""
        order = np.argsort(-scores, kind="stable")
        weights = cluster_weights(clusters)
        goldens = round(float(weights.sum()))
        return cls(scores[order], np.cumsum(weights[order]), goldens, float(goldens))

    @property
    def least(self) -> float:
        """The smallest p-value that these goldens can establish."""
        return 1 / (self.mass + 1)

    def p_values(self, scores: Floats) -> Floats:
        """Return the conformal p-value of each nonconformity score.

        p = (1 + sum over goldens of the share of their benign variants that score at least as high) / (G + 1).
        For a fresh golden exchangeable with the calibration goldens and a random benign variant of it,
        P(p <= alpha) <= alpha in finite samples: given the bag of G + 1 goldens the variant is a draw with
        exactly these weights, and the 1 bounds what its own golden contributes (Vovk, Gammerman & Shafer
        2005; clustered form after Dunn, Wasserman & Ramdas 2022).
        """
        place = np.searchsorted(-self.scores, -scores, side="right")
        above = np.concatenate([[0.0], self.tail])[place]
        return np.asarray((1 + above) / (self.mass + 1), dtype=np.float64)

    def p_value(self, score: float) -> float:
        """Return the p-value of one score."""
        return float(self.p_values(np.array([score]))[0])
