"""Builds the null distribution from harmless variants."""

import numpy as np

from wfgate.calibration.clustered import Clusters, cluster_weights
from wfgate.evidence.features import Floats
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
