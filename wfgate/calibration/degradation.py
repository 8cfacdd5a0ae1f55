"""Fits the model for the kind of damage: a softmax regression on the evidence."""

import numpy as np
from numpy.typing import NDArray

from wfgate.calibration.clustered import Clusters, cluster_weights
from wfgate.decide import DEGRADATIONS, DegradationModel, Floats

PENALTY = 1e-3


def fit_degradation(features: Floats, kinds: NDArray[np.intp], clusters: Clusters) -> DegradationModel:
    """Fit by penalised maximum likelihood (L-BFGS).

    Args:
        features: Evidence of damaged variants, shape (n, n_evidence).
        kinds: Kind of damage of each row, as an index into `DEGRADATIONS`. All kinds have equal weight.
        clusters: The golden of each row. Within a kind, goldens have equal weight.
    """
    from scipy.optimize import minimize  # noqa: PLC0415 - slow to import

    truth = np.eye(len(DEGRADATIONS))[kinds]
    weights = cluster_weights(clusters)
    weights /= np.maximum((truth * weights[:, None]).sum(axis=0), 1e-12)[kinds] * len(DEGRADATIONS)
    scale = features.std(axis=0)
    scale[scale == 0] = 1
    x = np.hstack([np.ones((len(features), 1)), features / scale])
    shape = (len(DEGRADATIONS), x.shape[1])

    def loss(flat: Floats) -> tuple[float, Floats]:
        matrix = flat.reshape(shape)
        logits = x @ matrix.T
        top = logits.max(axis=1, keepdims=True)
        log_sum = top[:, 0] + np.log(np.exp(logits - top).sum(axis=1))
        gradient = ((np.exp(logits - log_sum[:, None]) - truth) * weights[:, None]).T @ x
        penalised = matrix.copy()
        penalised[:, 0] = 0
        value = float((weights * (log_sum - (logits * truth).sum(axis=1))).sum() + PENALTY * (penalised**2).sum())
        return value, (gradient + 2 * PENALTY * penalised).ravel()

    fitted = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B").x.reshape(shape)
    return DegradationModel(
        weights=tuple(tuple(round(float(w), 6) for w in row) for row in fitted[:, 1:] / scale),
        intercepts=tuple(round(float(b), 6) for b in fitted[:, 0]),
    )
