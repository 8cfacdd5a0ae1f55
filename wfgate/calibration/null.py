"""Builds the null distribution from harmless variants."""

import numpy as np

from wfgate.calibration.clustered import Clusters, Mask
from wfgate.decide import CELLS, RECUT, BenignNull, BenignNulls, Floats


def benign_null(
    scores: Floats, clusters: Clusters, weights: Floats | None = None, alike: Mask | None = None
) -> BenignNull:
    """Return the null distribution of harmless variants.

    Args:
        scores: Nonconformity scores, shape (n,).
        clusters: The golden of each variant. A golden counts as much as the variant of it with the largest weight.
        weights: How much each variant belongs to the distribution, in [0, 1], shape (n,); None for 1.
        alike: Which variants a candidate is compared with, shape (n,); None for all. The others count as variants that
            never score as high.
    """
    weights = np.ones(len(scores)) if weights is None else weights
    members = weights > 0
    alike = np.ones(len(scores), dtype=bool) if alike is None else alike
    scores, weights, alike = scores[members], weights[members], alike[members]
    _, places = np.unique(np.asarray(clusters)[members], return_inverse=True)
    total, largest = np.bincount(places, weights), np.zeros(places.max(initial=-1) + 1)
    np.maximum.at(largest, places, weights)
    shares = weights * (largest / np.where(total > 0, total, 1))[places] if len(places) else weights
    scores, shares = scores[alike], shares[alike]
    order = np.argsort(-scores, kind="stable")
    return BenignNull(scores[order], np.cumsum(shares[order]), len(largest), round(float(largest.sum()), 9))


def benign_nulls(scores: Floats, clusters: Clusters, weights: Floats, members: Floats) -> BenignNulls:
    """Return the null distribution of each cell.

    Args:
        scores: Nonconformity scores in each cell, shape (n, n_cells).
        clusters: The golden of each variant.
        weights: How much each variant counts in each null distribution, shape (n, n_cells).
        members: How much each variant belongs to each cell, shape (n, n_cells). In a cell of another structure, a
            variant with the golden's structure only counts.
    """
    recut = [name in RECUT for name in CELLS]
    return BenignNulls(
        tuple(
            benign_null(column, clusters, weight, member > 0 if other else None)
            for column, weight, member, other in zip(scores.T, weights.T, members.T, recut, strict=True)
        )
    )
