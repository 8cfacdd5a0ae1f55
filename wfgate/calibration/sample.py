"""Scored variants as numeric columns, so that a million variants fit in memory."""

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wfgate.calibration.clustered import Clusters, Mask
from wfgate.calibration.null import benign_nulls
from wfgate.calibration.perturb import PERTURBATIONS
from wfgate.calibration.plan import PlannedVariant
from wfgate.calibration.score_table import ScoreRow
from wfgate.decide import CELLS, EVIDENCE, SHORT, BenignNulls, Floats, feature_matrix, memberships, references

FOLDS = 5
LEAST_SHORT = 100
"""Goldens with short names from which they have a null distribution of their own; fewer are pooled with the others."""
OPERATORS = tuple(PERTURBATIONS)
_BENIGN = np.array([perturbation.label == "benign" for perturbation in PERTURBATIONS.values()])

Setting = tuple[str, bool, float]
"""Operator, whether all steps are reworded too, nominal severity."""


@dataclass(frozen=True)
class ScoredVariants:
    """Scored variants. Rejected variants are only counted.

    Columns have shape (n,) unless stated otherwise.

    Attributes:
        names: Ids of the goldens.
        golden: Golden of each variant, as an index into `names`.
        operator: Operator of each variant, as an index into `OPERATORS`.
        nominal: Nominal severity: the share of steps that the operator should affect, in (0, 1].
        reworded: Whether every step was reworded first.
        repeat: Number of the variant among variants with equal settings.
        steps: Number of steps of the golden.
        evidence: Evidence values, shape (n, n_evidence).
        rules: P-values of the rules that block without the nonconformity score, shape (n, 2): with no critical step,
            and if all steps are critical.
        metrics: Metric values, one column per metric; NaN if undefined.
        rejected: Number of rejected variants by operator and reason.
    """

    names: tuple[str, ...]
    golden: NDArray[np.intc]
    operator: NDArray[np.intc]
    nominal: Floats
    reworded: Mask
    repeat: NDArray[np.intc]
    steps: NDArray[np.intc]
    evidence: Floats
    rules: Floats
    metrics: Mapping[str, Floats]
    rejected: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, rows: Iterable[ScoreRow]) -> "ScoredVariants":
        """Return the sample with these rows; the rows are read one after the other."""
        index = {operator: position for position, operator in enumerate(OPERATORS)}
        goldens: dict[str, int] = {}
        columns = {name: array("i") for name in ("golden", "operator", "reworded", "repeat", "steps")}
        nominal, evidence, rules = array("d"), array("d"), array("d")
        metrics: dict[str, array[float]] = {}
        rejected: Counter[tuple[str, str]] = Counter()
        for row in rows:
            if row.rejected is not None:
                rejected[row.operator, row.rejected] += 1
                continue
            values = (
                goldens.setdefault(row.golden, len(goldens)),
                index[row.operator],
                row.reworded,
                row.repeat,
                row.steps,
            )
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
            for metric, score in row.metrics.items():
                scores = metrics.setdefault(metric, array("d", [np.nan]) * len(nominal))
                scores.append(np.nan if score is None else score)
            nominal.append(row.severity)
            evidence.extend(row.evidence[each.id] for each in EVIDENCE)
            rules.extend(row.rules)
        whole = {
            name: np.frombuffer(column, np.intc) if column else np.zeros(0, np.intc)
            for name, column in columns.items()
        }
        return cls(
            names=tuple(goldens),
            golden=whole["golden"],
            operator=whole["operator"],
            nominal=np.array(nominal),
            reworded=whole["reworded"] == 1,
            repeat=whole["repeat"],
            steps=whole["steps"],
            evidence=np.array(evidence).reshape(-1, len(EVIDENCE)),
            rules=np.array(rules).reshape(-1, 2),
            metrics={metric: np.array(scores) for metric, scores in metrics.items()},
            rejected=dict(rejected),
        )

    def __len__(self) -> int:
        return len(self.nominal)

    def where(self, among: Mask) -> "ScoredVariants":
        """Return a sample with the variants in the mask; `names` stays the same."""
        return replace(
            self,
            golden=self.golden[among],
            operator=self.operator[among],
            nominal=self.nominal[among],
            reworded=self.reworded[among],
            repeat=self.repeat[among],
            steps=self.steps[among],
            evidence=self.evidence[among],
            rules=self.rules[among],
            metrics={metric: scores[among] for metric, scores in self.metrics.items()},
        )

    @cached_property
    def features(self) -> Floats:
        """Features of each variant, the input of the models, shape (n, n_evidence)."""
        return feature_matrix(self.evidence)

    @cached_property
    def has_short(self) -> bool:
        """Whether there are enough goldens with short names for a cell of their own (`decide/profile/classes.py`)."""
        goldens = self.golden[self.null & (memberships(self.features, short=True)[:, CELLS.index(SHORT)] > 0)]
        return len(np.unique(goldens)) >= LEAST_SHORT

    @cached_property
    def memberships(self) -> Floats:
        """How much each variant belongs to each cell, shape (n, n_cells)."""
        return memberships(self.features, short=self.has_short)

    @cached_property
    def references(self) -> Floats:
        """How much each variant counts in the fit and the null distribution of each cell, shape (n, n_cells)."""
        return references(self.features, short=self.has_short)

    def nulls(self, scores: Floats, among: Mask) -> BenignNulls:
        """Return the null distributions of the scores of harmless variants, for those in the mask.

        Args:
            scores: Nonconformity scores of each variant, shape (n, n_cells).
            among: The variants to use; damaged ones are left out.
        """
        members = self.null & among
        return benign_nulls(scores[members], self.golden[members], self.references[members], self.memberships[members])

    @cached_property
    def folds(self) -> NDArray[np.int_]:
        """The fold of each variant, chosen by the hash of the golden's id.

        All variants of a golden are in the same fold.
        """
        return np.array([fold_of(name) for name in self.names], dtype=np.int_)[self.golden]

    @cached_property
    def everything(self) -> Mask:
        """Mask of all variants."""
        return np.ones(len(self), dtype=bool)

    @cached_property
    def benign(self) -> Mask:
        """Mask of the harmless variants."""
        return np.asarray(_BENIGN[self.operator], dtype=bool)

    @cached_property
    def damaged(self) -> Mask:
        """Mask of the damaged variants.

        Severity intervals are fitted on these variants only. Harmless variants would make the intervals too narrow.
        """
        return ~self.benign

    @cached_property
    def null(self) -> Mask:
        """Mask of the harmless variants that the promised false-block rate is about.

        These are rewordings (of one step up to all steps), and workflows written anew that reviewers accepted. Edits
        by hand are measured only: a merge with nothing lost looks like one with a loss, so that with accepted ones in
        the null distribution hardly any merge or added step in an otherwise verbatim file would block.
        """
        return self.made_by("description", "rewritten")

    @cached_property
    def severity(self) -> Floats:
        """True severity: the share k / n of affected steps, with k = ceil(p * n); 0 for harmless variants."""
        affected = np.ceil(np.round(self.nominal * self.steps, 9))
        return np.where(self.benign, 0.0, np.minimum(1.0, affected / np.maximum(self.steps, 1)))

    def made_by(self, *operators: str) -> Mask:
        """Return the mask of the variants that these operators made."""
        return np.isin(self.operator, [OPERATORS.index(operator) for operator in operators])

    def of_goldens(self, test: Callable[[str], bool]) -> Mask:
        """Return the mask of the variants of goldens whose id passes `test`."""
        return np.array([test(name) for name in self.names], dtype=bool)[self.golden]

    def clusters(self, among: Mask) -> Clusters:
        """Return the golden of each variant in a mask."""
        return self.golden[among]

    def settings(self) -> Iterator[tuple[Setting, Mask]]:
        """Yield each combination of settings with the mask of its variants.

        The order is that of the registry of operators. Variants without rewording come before variants with rewording.
        """
        table = np.stack([self.operator, self.reworded, self.nominal], axis=1)
        rows, group = np.unique(table, axis=0, return_inverse=True)
        for index, (operator, reworded, nominal) in enumerate(rows.tolist()):
            yield (OPERATORS[int(operator)], bool(reworded), nominal), np.asarray(group.ravel() == index, dtype=bool)

    def planned(self, row: int) -> PlannedVariant:
        """Return the settings of one variant."""
        return PlannedVariant(
            OPERATORS[self.operator[row]],
            float(self.nominal[row]),
            reworded=bool(self.reworded[row]),
            repeat=int(self.repeat[row]),
        )


def fold_of(golden: str) -> int:
    """Return the fold of a golden, chosen by the hash of its id."""
    return int.from_bytes(hashlib.sha256(golden.encode("utf-8", "surrogatepass")).digest()[:8]) % FOLDS
