"""The null distribution: nonconformity scores of harmless changes, and p-values against it."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np
from pydantic import Field, model_validator

from wfgate.decide.evidence.features import Floats
from wfgate.model import Frozen

ROUNDING = 1e-6
"""Tolerance for tail weights above the mass; both are rounded sums."""


@dataclass(frozen=True)
class BenignNull:
    """The null distribution: nonconformity scores of benign variants, weighted by golden.

    Attributes:
        scores: Nonconformity scores, descending.
        tail: For each score, the total weight of scores at least as high.
        goldens: Number of goldens with variants in the distribution.
        mass: Total weight of the goldens, G: their number, or less if the goldens of a base profile have weights < 1.
    """

    scores: Floats
    tail: Floats
    goldens: int
    mass: float

    @property
    def least(self) -> float:
        """The smallest possible p-value, 1 / (G + 1)."""
        return 1 / (self.mass + 1)

    def p_values(self, scores: Floats) -> Floats:
        """Return the conformal p-value of each nonconformity score.

        p = (1 + sum over goldens of the share of their benign variants that score at least as high) / (G + 1).
        For a fresh golden exchangeable with the calibration goldens and a random benign variant of it,
        P(p <= alpha) <= alpha in finite samples: given the bag of G + 1 goldens the variant is a draw with
        exactly these weights, and the 1 bounds what its own golden contributes (Vovk, Gammerman & Shafer
        2005; clustered form after Dunn, Wasserman & Ramdas 2022).
        """
        index = np.searchsorted(-self.scores, -scores, side="right")
        at_or_above = np.concatenate([[0.0], self.tail])[index]
        return np.asarray((1 + at_or_above) / (self.mass + 1), dtype=np.float64)

    def p_value(self, score: float) -> float:
        """Return the p-value of one score."""
        return float(self.p_values(np.array([score]))[0])


class NullTail(Frozen):
    """The null distribution as stored in a profile: descending scores, and the total weight at or above each."""

    scores: tuple[float, ...]
    tail: tuple[float, ...]
    goldens: int
    mass: float = Field(ge=0)

    @model_validator(mode="after")
    def _is_a_tail(self) -> Self:
        if len(self.scores) != len(self.tail):
            raise ValueError(f"{len(self.scores)} scores need as many tail weights, not {len(self.tail)}")
        if any(one < two for one, two in pairwise(self.scores)) or any(one > two for one, two in pairwise(self.tail)):
            raise ValueError("scores must not increase, and tail weights must not decrease")
        if self.tail and not 0 <= self.tail[0] <= self.tail[-1] <= self.mass + ROUNDING:
            raise ValueError("tail weights must be between 0 and the mass")
        return self

    @classmethod
    def of(cls, null: BenignNull) -> "NullTail":
        """Return the stored form of a null distribution: scores with 6 decimals, weights with 9."""
        return cls(
            scores=tuple(np.round(null.scores, 6).tolist()),
            tail=tuple(np.round(null.tail, 9).tolist()),
            goldens=null.goldens,
            mass=null.mass,
        )

    def build(self) -> BenignNull:
        """Return the null distribution in the form that computes p-values."""
        return BenignNull(np.array(self.scores), np.array(self.tail), self.goldens, self.mass)
