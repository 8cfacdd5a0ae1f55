"""The nonconformity score: a weighted sum of the evidence (measured differences between candidate and golden)."""

from typing import Self

import numpy as np
from pydantic import model_validator

from wfgate.decide.evidence.features import Floats
from wfgate.decide.evidence.gather import EVIDENCE
from wfgate.model import Frozen


class BlockModel(Frozen):
    """A logistic regression with non-negative weights, so that more evidence never lowers the score.

    Attributes:
        weights: One weight per kind of evidence, for values scaled as features.
        intercept: Log-odds of a regression if all evidence values are 0.
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
