"""What kind of damage it is: the operator whose traces the evidence resembles most."""

from typing import Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from wfgate.calibration.clustered import Clusters, Floats, cluster_weights
from wfgate.calibration.evidence import EVIDENCE
from wfgate.model.workflow import Frozen

DEGRADATIONS: dict[str, tuple[str, ...]] = {
    "missing steps": ("missing", "missing-bridged"),
    "compressed steps": ("compressed",),
    "reordered steps": ("reordered",),
    "rewired dependencies": ("rewired", "serialised", "parallelised"),
    "changed conditions": ("guard-changed",),
    "lost data": ("data-unlinked",),
    "added steps": ("extra",),
    "substituted steps": ("substituted",),
    "changed meaning": ("drift", "vague"),
}
"""Kinds as people read them, and the operators that stand for each."""
PENALTY = 1e-3


class Degradation(Frozen):
    """One kind of damage and its probability, given that there is damage."""

    type: str
    probability: float


class DegradationModel(Frozen):
    """Softmax regression over kinds of damage.

    Attributes:
        weights: One row per kind, one column per piece of evidence.
        intercepts: One per kind.
    """

    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]

    @model_validator(mode="after")
    def _knows_every_kind(self) -> Self:
        if not len(self.weights) == len(self.intercepts) == len(DEGRADATIONS):
            raise ValueError(f"{len(self.weights)} kinds of damage instead of {len(DEGRADATIONS)}")
        if any(len(row) != len(EVIDENCE) for row in self.weights):
            raise ValueError(f"a kind of damage has not {len(EVIDENCE)} weights")
        return self

    def probabilities(self, features: Floats) -> tuple[Degradation, ...]:
        """Return the kinds for one feature vector, the most probable first."""
        ranked = sorted(
            zip(DEGRADATIONS, self.shares(features[None, :])[0].tolist(), strict=True), key=lambda k: -k[1]
        )
        return tuple(Degradation(type=kind, probability=round(share, 4)) for kind, share in ranked)

    def shares(self, features: Floats) -> Floats:
        """Return the probability of each kind for each row of features, shape (n, n_kinds)."""
        logits = features @ np.array(self.weights).T + np.array(self.intercepts)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float64)


def kind_of(operator: str) -> int | None:
    """Return the index of the kind an operator stands for; None for those that do no damage."""
    return next((index for index, operators in enumerate(DEGRADATIONS.values()) if operator in operators), None)


def fit_degradation(features: Floats, kinds: NDArray[np.intp], clusters: Clusters) -> DegradationModel:
    """Fit by penalised maximum likelihood (L-BFGS).

    Args:
        features: Shape (n, n_evidence), degraded variants only.
        kinds: Index into `DEGRADATIONS` of each row; kinds weigh the same.
        clusters: The golden of each row.
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

    found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B").x.reshape(shape)
    return DegradationModel(
        weights=tuple(tuple(round(float(w), 6) for w in row) for row in found[:, 1:] / scale),
        intercepts=tuple(round(float(b), 6) for b in found[:, 0]),
    )
