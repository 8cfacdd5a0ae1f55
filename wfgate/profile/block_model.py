"""The nonconformity score: evidence weighed so that regressions stand out from rewordings."""

from typing import Self

import numpy as np
from pydantic import model_validator

from wfgate.evidence.features import Floats
from wfgate.evidence.gather import EVIDENCE
from wfgate.model.workflow import Frozen


class BlockModel(Frozen):
    """A logistic regression whose weights cannot be negative: more damage never scores lower.

    Attributes:
        weights: One per piece of evidence, on the feature scale.
        intercept: Log-odds of a regression without any evidence.
    """

    weights: tuple[float, ...]
    intercept: float

    @model_validator(mode="after")
    def _weighs_all_evidence(self) -> Self:
        if len(self.weights) != len(EVIDENCE):
            raise ValueError(f"{len(self.weights)} weights instead of {len(EVIDENCE)}")
        return self

    def score(self, features: Floats) -> Floats:
        """Return the nonconformity score of each row of features, shape (n,): the log-odds of a regression."""
        return np.asarray(features @ np.array(self.weights) + self.intercept, dtype=np.float64)

    def contributions(self, features: Floats) -> dict[str, float]:
        """Return what each piece of evidence adds to the score of one feature vector."""
        return {piece.id: float(w * x) for piece, w, x in zip(EVIDENCE, self.weights, features, strict=True)}
