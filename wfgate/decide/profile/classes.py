"""Cells: kinds of candidates with a block model and a null distribution of their own.

A candidate is compared with harmless candidates of its own kind (Mondrian conformal prediction: Vovk, Gammerman &
Shafer 2005, Algorithmic Learning in a Random World, chapter 4). Among candidates with the golden's structure, the
false-block rate holds in each cell. What matters:

- *Structure.* If each golden step has one candidate step and orders and links are kept, only the texts can be wrong.
  Harmless candidates with another structure are written anew, and their noise would hide a single changed step.
- *Style.* Most steps of an edited candidate are word for word those of the golden; a rewritten one has other words.
- *Length.* Names of a few words are reworded in other ways than sentences.

Style and length are smooth: between two cells the p-value is the mean of both, weighted by the distance. So one more
reworded step never moves a candidate into another null distribution at once. A candidate with another structure is
compared with those of its style that have another structure, too, counted among all: its p-value says which share of
all harmless candidates has another structure and looks at least this bad.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wfgate.decide.evidence.features import Floats
from wfgate.decide.evidence.gather import EVIDENCE
from wfgate.decide.profile.block_model import BlockModel
from wfgate.decide.profile.null import BenignNull, NullTail
from wfgate.model import Frozen

SHORT = "kept, short names"
CELLS = ("kept, edited", "kept, rewritten", SHORT, "recut, edited", "recut, rewritten")
"""Structure and style of a candidate, and the cell of goldens with short step names."""
RECUT = CELLS[3:]
"""The cells of candidates with another structure than the golden."""
EDITED, REWRITTEN = 0.3, 0.7
"""Up to the first share of reworded steps a candidate is edited, from the second one rewritten."""
RECUT_EDITED, RECUT_REWRITTEN = 0.1, 0.5
"""The same for candidates with another structure. Of the 219 accepted ones, 217 have more than half of their steps
reworded. If all other words are those of the golden, another structure is hardly ever accepted."""
RECUT_LEVELS = ((0.0, 0.005, 0.0225, 1.0), (0.0, 0.01, 0.05, 1.0))
"""P-values of rewritten candidates with another structure, and those reported for them, linear between: they may use
about half of the false-block and false-review rates. They are few among all harmless candidates, so that the whole
rates would block one in twelve of them and review half of them. Chosen on the part "dev" of the accepted and refused
workflows, by both rates: accepted ones that are blocked, and refused ones that pass."""
POOLED = 0.25
"""Weight of sentences in the cell of short names: the goldens with short names alone are too few for rates of 1 %."""
_SHORT = CELLS.index(SHORT)
_COLUMNS = {piece.id: place for place, piece in enumerate(EVIDENCE)}
_STRUCTURE = [
    _COLUMNS[name]
    for name in (
        *("missing-steps", "added-steps", "unmatched-steps", "extra-steps"),
        *("flipped-orders", "lost-orders", "gained-orders", "order-changes", "link-changes"),
    )
]


def memberships(features: Floats, *, short: bool) -> Floats:
    """Return how much each candidate belongs to each of `CELLS`, shape (n, 5); each row has the sum 1.

    Args:
        features: Features of the candidates, shape (n, n_evidence).
        short: Whether goldens with short names have a cell of their own; else they belong to the other cells.
    """
    return np.where(_is_recut(features)[:, None], _recut(features), _kept(features, short=short))


def references(features: Floats, *, short: bool) -> Floats:
    """Return the weight of each candidate in the fit and the null distribution of each of `CELLS`, shape (n, 5).

    These are the memberships, but candidates with the golden's structure count in the cells of another structure, too,
    and those with sentences a little in the cell of short names.
    """
    kept = _kept(features, short=short)
    if short:
        kept[:, _SHORT] += POOLED * (1 - kept[:, _SHORT])
    return _recut(features) + np.where(_is_recut(features)[:, None], 0.0, kept)


def _is_recut(features: Floats) -> NDArray[np.bool_]:
    """Return whether each candidate has another structure than the golden, shape (n,)."""
    return np.asarray((features[:, _STRUCTURE] > 0).any(axis=1), dtype=np.bool_)


def _kept(features: Floats, *, short: bool) -> Floats:
    names = features[:, _COLUMNS["short-names"]] if short else np.zeros(len(features))
    style, none = _style(features, EDITED, REWRITTEN), np.zeros(len(features))
    return np.stack([(1 - names) * (1 - style), (1 - names) * style, names, none, none], axis=1)


def _recut(features: Floats) -> Floats:
    style, none = _style(features, RECUT_EDITED, RECUT_REWRITTEN), np.zeros(len(features))
    return np.stack([none, none, none, 1 - style, style], axis=1)


def _style(features: Floats, edited: float, rewritten: float) -> Floats:
    """Return 0 for an edited candidate, 1 for a rewritten one, and between them a value in (0, 1), shape (n,)."""
    return np.clip((features[:, _COLUMNS["reworded-share"]] - edited) / (rewritten - edited), 0.0, 1.0)


class BlockModels(Frozen):
    """The block model of each cell, by its name."""

    cells: dict[str, BlockModel]

    def scores(self, features: Floats) -> Floats:
        """Return the nonconformity score of each row of features in each cell, shape (n, 5).

        Scores of two cells do not compare.
        """
        return np.stack([self.cells[name].score(features) for name in CELLS], axis=1)


@dataclass(frozen=True)
class BenignNulls:
    """The null distribution of each cell, in the order of `CELLS`; that of a cell that is not used has no mass."""

    cells: tuple[BenignNull, ...]

    @property
    def used(self) -> dict[str, BenignNull]:
        """The null distributions of the cells that are used, by name."""
        return {name: null for name, null in zip(CELLS, self.cells, strict=True) if null.mass}

    @property
    def smaller(self) -> BenignNull:
        """The null distribution with the least mass, which limits the p-values of the profile."""
        return min(self.used.values() or self.cells, key=lambda null: null.mass)

    def p_values(self, scores: Floats, features: Floats) -> Floats:
        """Return the p-value of each candidate, shape (n,): the mean over the cells that it belongs to.

        Args:
            scores: Nonconformity scores in each cell, shape (n, 5).
            features: Features of the candidates, shape (n, n_evidence).
        """
        weights = memberships(features, short=SHORT in self.used)
        each = [null.p_values(column) for null, column in zip(self.cells, scores.T, strict=True)]
        each[-1] = np.interp(each[-1], *RECUT_LEVELS)
        return np.asarray((weights * np.stack(each, axis=1)).sum(axis=1), dtype=np.float64)


class NullTails(Frozen):
    """The null distribution of each cell as stored in a profile, by its name."""

    cells: dict[str, NullTail]

    @classmethod
    def of(cls, nulls: BenignNulls) -> "NullTails":
        """Return the stored form."""
        return cls(cells={name: NullTail.of(null) for name, null in zip(CELLS, nulls.cells, strict=True)})

    def build(self) -> BenignNulls:
        """Return the null distributions in the form that computes p-values."""
        return BenignNulls(tuple(self.cells[name].build() for name in CELLS))


@dataclass(frozen=True)
class Scorer:
    """Computes p-values of pairs with the block models and null distributions of a profile."""

    block: BlockModels
    nulls: BenignNulls

    def p_values(self, features: Floats) -> Floats:
        """Return the p-value of each row of features: the share of harmless candidates of its cell like it."""
        return self.nulls.p_values(self.block.scores(features), features)

    def p_value(self, features: Floats) -> float:
        """Return the p-value of one feature vector."""
        return float(self.p_values(features[None])[0])

    def score(self, features: Floats) -> float:
        """Return the nonconformity score of one feature vector, which ranks candidates with equal p-values."""
        weights = memberships(features[None], short=SHORT in self.nulls.used)
        return float((weights * self.block.scores(features[None])).sum())
