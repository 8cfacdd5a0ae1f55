"""Fits the nonconformity score: a logistic regression that separates damaged variants from rewordings."""

import numpy as np

from wfgate.calibration.clustered import Clusters, Mask, cluster_weights
from wfgate.decide import EVIDENCE, BlockModel, Floats

PENALTY = 1e-4
"""L2 penalty on standardised weights; without it the weights diverge on separable data."""


def fit_block_model(
    features: Floats,
    degraded: Floats,
    clusters: Clusters,
    written_anew: Mask | None = None,
    memberships: Floats | None = None,
) -> BlockModel:
    """Fit the weights by penalised maximum likelihood (L-BFGS-B, bounds at zero).

    Only absolute evidence is used; all other evidence gets weight zero. So the decision does not depend on the number
    of steps.

    Args:
        features: Shape (n, n_evidence).
        degraded: 1 for a damaged variant, 0 for a harmless variant, shape (n,).
        clusters: The golden of each row.
        written_anew: Whether the variant was written anew and judged by reviewers, shape (n,). Others were computed.
        memberships: How much each variant counts, in [0, 1], shape (n,); None for 1.

    Both classes (damaged, harmless) have equal weight; within a class, variants that were written anew and computed
    ones; among these, all goldens.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    weights = np.zeros(len(degraded))
    anew = np.zeros(len(degraded), dtype=bool) if written_anew is None else written_anew
    for label in (0.0, 1.0):
        members = degraded == label
        parts = [part for part in (members & anew, members & ~anew) if part.any()]
        for part in parts:
            share = cluster_weights(np.asarray(clusters)[part])
            share *= 1.0 if memberships is None else memberships[part]
            weights[part] = share / share.sum() / len(parts)
    scale = features.std(axis=0)
    scale[scale == 0] = 1
    x = features / scale
    sign = 2 * degraded - 1

    def loss(parameters: Floats) -> tuple[float, Floats]:
        margin = sign * (x @ parameters[1:] + parameters[0])
        slope = -weights * sign / (1 + np.exp(np.clip(margin, -500, 500)))
        value = float((weights * np.logaddexp(0, -margin)).sum() + PENALTY * (parameters[1:] ** 2).sum())
        return value, np.concatenate([[slope.sum()], x.T @ slope + 2 * PENALTY * parameters[1:]])

    bounds = [(None, None), *((0, None if evidence.absolute else 0) for evidence in EVIDENCE)]
    fitted = minimize(loss, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", bounds=bounds).x
    return BlockModel(
        weights=tuple(round(float(w), 6) for w in fitted[1:] / scale), intercept=round(float(fitted[0]), 6)
    )
