"""Two classes of candidates: edited and rewritten ones. Each has its own block model and null distribution.

Most steps of an edited candidate are word for word those of the golden. A rewritten candidate was written anew.
Reviewers accept other links, splits and details in rewritten candidates that nobody writes into an edited one.
Therefore a candidate is compared with harmless candidates of its own class only, and the false-block rate holds in
each class (Mondrian conformal prediction: Vovk, Gammerman & Shafer 2005, Algorithmic Learning in a Random World,
chapter 4).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wfgate.evidence.features import Floats
from wfgate.evidence.gather import EVIDENCE
from wfgate.model.workflow import Frozen
from wfgate.profile.block_model import BlockModel
from wfgate.profile.null import BenignNull, NullTail

MOST = 0.5
"""A candidate is rewritten if more than this share of its steps is in new words."""
_COLUMN = next(place for place, piece in enumerate(EVIDENCE) if piece.id == "new-words-share")


def is_rewritten(features: Floats) -> NDArray[np.bool_]:
    """Return whether each candidate is rewritten, shape (n,) for features of shape (n, n_evidence)."""
    return np.asarray(features[..., _COLUMN] > MOST, dtype=np.bool_)


class BlockModels(Frozen):
    """The block model of each class."""

    edited: BlockModel
    rewritten: BlockModel

    def score(self, features: Floats) -> Floats:
        """Return the nonconformity score of each row of features, shape (n,). Scores of two classes do not compare."""
        return np.where(is_rewritten(features), self.rewritten.score(features), self.edited.score(features))


@dataclass(frozen=True)
class BenignNulls:
    """The null distribution of each class."""

    edited: BenignNull
    rewritten: BenignNull

    @property
    def both(self) -> tuple[BenignNull, BenignNull]:
        """The null distributions of both classes."""
        return self.edited, self.rewritten

    @property
    def smaller(self) -> BenignNull:
        """The null distribution with less mass, which limits the p-values of the profile."""
        return min(self.both, key=lambda null: null.mass)

    def p_values(self, scores: Floats, rewritten: NDArray[np.bool_]) -> Floats:
        """Return the p-value of each score.

        Args:
            scores: Nonconformity scores, shape (n,).
            rewritten: Whether the candidate is rewritten, shape (n,).
        """
        return np.where(rewritten, self.rewritten.p_values(scores), self.edited.p_values(scores))


class NullTails(Frozen):
    """The null distribution of each class as stored in a profile."""

    edited: NullTail
    rewritten: NullTail

    @classmethod
    def of(cls, nulls: BenignNulls) -> "NullTails":
        """Return the stored form."""
        return cls(edited=NullTail.of(nulls.edited), rewritten=NullTail.of(nulls.rewritten))

    def build(self) -> BenignNulls:
        """Return the null distributions in the form that computes p-values."""
        return BenignNulls(self.edited.build(), self.rewritten.build())


@dataclass(frozen=True)
class Scorer:
    """Computes p-values of pairs with the block models and null distributions of a profile."""

    block: BlockModels
    nulls: BenignNulls

    def p_values(self, features: Floats) -> Floats:
        """Return the p-value of each row of features: the share of harmless candidates of its class like it."""
        return self.nulls.p_values(self.block.score(features), is_rewritten(features))

    def p_value(self, features: Floats) -> float:
        """Return the p-value of one feature vector."""
        return float(self.p_values(features[None])[0])
