"""Builds the null distribution from harmless variants."""

import numpy as np
from numpy.typing import NDArray

from wfgate.calibration.clustered import Clusters, Mask, cluster_weights
from wfgate.evidence.features import Floats
from wfgate.profile.classes import BenignNulls
from wfgate.profile.null import BenignNull


def benign_null(scores: Floats, clusters: Clusters) -> BenignNull:
    """Return the null distribution of harmless variants.

    Args:
        scores: Nonconformity scores, shape (n,).
        clusters: The golden of each variant; goldens have equal weight.
    """
    order = np.argsort(-scores, kind="stable")
    weights = cluster_weights(clusters)
    goldens = round(float(weights.sum()))
    return BenignNull(scores[order], np.cumsum(weights[order]), goldens, float(goldens))


def benign_nulls(scores: Floats, clusters: NDArray[np.integer], rewritten: Mask) -> BenignNulls:
    """Return the null distribution of each class of candidates.

    Args:
        scores: Nonconformity scores, shape (n,).
        clusters: The golden of each variant; in each class, goldens have equal weight.
        rewritten: Whether the variant is rewritten, shape (n,).
    """
    edited, written = (benign_null(scores[one], clusters[one]) for one in (~rewritten, rewritten))
    return BenignNulls(edited, written)
