"""Rates and p-values when observations come in clusters: one golden's variants are not independent."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wfgate.model.workflow import Frozen

Floats = NDArray[np.float64]


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


def cluster_weights(clusters: Sequence[str]) -> Floats:
    """Return one weight per observation: every cluster weighs 1, shared equally by its members.

    Example:
        >>> cluster_weights(["a", "a", "b"]).tolist()
        [0.5, 0.5, 1.0]
    """
    _, inverse, counts = np.unique(
        np.array(clusters, dtype=object).astype(str), return_inverse=True, return_counts=True
    )
    return np.asarray(1.0 / counts[inverse], dtype=np.float64)


def clustered_rate(hits: Sequence[bool] | NDArray[np.bool_], clusters: Sequence[str]) -> Rate | None:
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
        goldens: Number of goldens G; no p-value is below 1 / (G + 1).
    """

    scores: Floats
    tail: Floats
    goldens: int

    @classmethod
    def of(cls, scores: Floats, clusters: Sequence[str]) -> "BenignNull":
        """Build the null from benign variants and the goldens they belong to."""
        order = np.argsort(-scores, kind="stable")
        weights = cluster_weights(clusters)
        return cls(scores[order], np.cumsum(weights[order]), len(set(clusters)))

    def p_value(self, score: float) -> float:
        """Return the conformal p-value of a nonconformity score.

        p = (1 + sum over goldens of the share of their benign variants that score at least as high) / (G + 1).
        For a fresh golden exchangeable with the calibration goldens and a random benign variant of it,
        P(p <= alpha) <= alpha in finite samples: given the bag of G + 1 goldens the variant is a draw with
        exactly these weights, and the 1 bounds what its own golden contributes (Vovk, Gammerman & Shafer
        2005; clustered form after Dunn, Wasserman & Ramdas 2022).
        """
        place = int(np.searchsorted(-self.scores, -score, side="right"))
        above = float(self.tail[place - 1]) if place else 0.0
        return (1 + above) / (self.goldens + 1)

    def threshold(self, alpha: float) -> float | None:
        """Return the smallest known score above which p <= alpha, or None where too few goldens allow that."""
        allowed = alpha * (self.goldens + 1) - 1
        if allowed < 0:
            return None
        place = int(np.searchsorted(self.tail, allowed + 1e-12, side="right"))
        return float(self.scores[place]) if place < len(self.scores) else float("-inf")
