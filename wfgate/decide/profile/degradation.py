"""The model for the kind of damage: computes the probability of each kind from the evidence."""

from typing import Self

import numpy as np
from pydantic import model_validator

from wfgate.decide.evidence.features import Floats
from wfgate.decide.evidence.gather import EVIDENCE
from wfgate.model import Frozen

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
"""The kinds of damage as shown in reports, and the perturbation operators of each."""


class Degradation(Frozen):
    """A kind of damage, and its probability under the assumption that there is damage."""

    type: str
    probability: float


class DegradationModel(Frozen):
    """Softmax regression over kinds of damage.

    Attributes:
        weights: One row per kind of damage, one column per kind of evidence.
        intercepts: One intercept per kind of damage.
    """

    weights: tuple[tuple[float, ...], ...]
    intercepts: tuple[float, ...]

    @model_validator(mode="after")
    def _knows_every_kind(self) -> Self:
        if not len(self.weights) == len(self.intercepts) == len(DEGRADATIONS):
            raise ValueError(f"{len(self.weights)} kinds of damage instead of {len(DEGRADATIONS)}")
        if any(len(row) != len(EVIDENCE) for row in self.weights):
            raise ValueError(f"each kind of damage needs {len(EVIDENCE)} weights")
        return self

    def probabilities(self, features: Floats) -> tuple[Degradation, ...]:
        """Return the kinds of damage for one feature vector, the most probable first."""
        ranked = sorted(
            zip(DEGRADATIONS, self.shares(features[None, :])[0].tolist(), strict=True), key=lambda k: -k[1]
        )
        return tuple(Degradation(type=kind, probability=round(share, 4)) for kind, share in ranked)

    def shares(self, features: Floats) -> Floats:
        """Return the probability of each kind of damage for each row of features, shape (n, n_kinds)."""
        logits = features @ np.array(self.weights).T + np.array(self.intercepts)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float64)


def kind_of(operator: str) -> int | None:
    """Return the index of the kind of damage that an operator makes; None if its damage belongs to no kind."""
    return next((index for index, operators in enumerate(DEGRADATIONS.values()) if operator in operators), None)
