"""Scored variants as columns: a million of them need the memory of their numbers and no more."""

import hashlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wfgate.calibration.clustered import Clusters, Mask
from wfgate.calibration.plan import PlannedVariant
from wfgate.calibration.score_table import ScoreRow
from wfgate.evidence.features import Floats, feature_matrix
from wfgate.evidence.gather import EVIDENCE
from wfgate.perturb import PERTURBATIONS

FOLDS = 5
OPERATORS = tuple(PERTURBATIONS)
_BENIGN = np.array([perturbation.label == "benign" for perturbation in PERTURBATIONS.values()])

Setting = tuple[str, bool, float]
"""Operator, whether on top of a full rewording, share of steps asked for."""


@dataclass(frozen=True)
class Sample:
    """The variants that exist, n of them.

    Attributes:
        names: Ids of the goldens.
        golden: Index into `names` of each variant, shape (n,); likewise below.
        operator: Index into `OPERATORS`.
        asked: Share of steps asked for, in (0, 1].
        reworded: Whether every step was reworded first.
        repeat: Tells variants with equal settings apart.
        steps: Steps of the golden.
        evidence: Shape (n, n_evidence).
        metrics: By metric; NaN where undefined.
        rejected: How many variants an operator refused, by operator and reason.
    """

    names: tuple[str, ...]
    golden: NDArray[np.intc]
    operator: NDArray[np.intc]
    asked: Floats
    reworded: Mask
    repeat: NDArray[np.intc]
    steps: NDArray[np.intc]
    evidence: Floats
    metrics: Mapping[str, Floats]
    rejected: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, rows: Iterable[ScoreRow]) -> "Sample":
        """Read rows one by one."""
        place = {operator: at for at, operator in enumerate(OPERATORS)}
        known: dict[str, int] = {}
        columns = {name: array("i") for name in ("golden", "operator", "reworded", "repeat", "steps")}
        asked, evidence = array("d"), array("d")
        metrics: dict[str, array[float]] = {}
        rejected: Counter[tuple[str, str]] = Counter()
        for row in rows:
            if row.rejected is not None:
                rejected[row.operator, row.rejected] += 1
                continue
            values = (
                known.setdefault(row.golden, len(known)),
                place[row.operator],
                row.reworded,
                row.repeat,
                row.steps,
            )
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
            for metric, score in row.metrics.items():
                scores = metrics.setdefault(metric, array("d", [np.nan]) * len(asked))
                scores.append(np.nan if score is None else score)
            asked.append(row.severity)
            evidence.extend(row.evidence[piece.id] for piece in EVIDENCE)
        whole = {
            name: np.frombuffer(column, np.intc) if column else np.zeros(0, np.intc)
            for name, column in columns.items()
        }
        return cls(
            names=tuple(known),
            golden=whole["golden"],
            operator=whole["operator"],
            asked=np.array(asked),
            reworded=whole["reworded"] == 1,
            repeat=whole["repeat"],
            steps=whole["steps"],
            evidence=np.array(evidence).reshape(-1, len(EVIDENCE)),
            metrics={metric: np.array(scores) for metric, scores in metrics.items()},
            rejected=dict(rejected),
        )

    def __len__(self) -> int:
        return len(self.asked)

    def where(self, among: Mask) -> "Sample":
        """Return some of the variants; the goldens keep their numbers."""
        return replace(
            self,
            golden=self.golden[among],
            operator=self.operator[among],
            asked=self.asked[among],
            reworded=self.reworded[among],
            repeat=self.repeat[among],
            steps=self.steps[among],
            evidence=self.evidence[among],
            metrics={metric: scores[among] for metric, scores in self.metrics.items()},
        )

    @cached_property
    def features(self) -> Floats:
        """What models see, shape (n, n_evidence)."""
        return feature_matrix(self.evidence)

    @cached_property
    def folds(self) -> NDArray[np.int_]:
        """The fold of each variant; a golden's variants share one, decided by the hash of its id."""
        return np.array([fold_of(name) for name in self.names], dtype=np.int_)[self.golden]

    @cached_property
    def everything(self) -> Mask:
        """All variants."""
        return np.ones(len(self), dtype=bool)

    @cached_property
    def benign(self) -> Mask:
        """What a gate must stay quiet about."""
        return np.asarray(_BENIGN[self.operator], dtype=bool)

    @cached_property
    def damaged(self) -> Mask:
        """The regressions: intervals are stated for damage, benign zeros would flatter them."""
        return ~self.benign

    @cached_property
    def null(self) -> Mask:
        """The rewordings, from one step to all: what the false-block rate is promised for."""
        return self.made_by("description")

    @cached_property
    def severity(self) -> Floats:
        """True share of steps affected, k = ceil(p * n) of n; 0 for benign variants."""
        hit = np.ceil(np.round(self.asked * self.steps, 9))
        return np.where(self.benign, 0.0, np.minimum(1.0, hit / np.maximum(self.steps, 1)))

    def made_by(self, *operators: str) -> Mask:
        """Return which variants some operators made."""
        return np.isin(self.operator, [OPERATORS.index(operator) for operator in operators])

    def of_goldens(self, test: Callable[[str], bool]) -> Mask:
        """Return which variants are of goldens whose id passes a test."""
        return np.array([test(name) for name in self.names], dtype=bool)[self.golden]

    def clusters(self, among: Mask) -> Clusters:
        """Return the golden of each of some variants."""
        return self.golden[among]

    def settings(self) -> Iterator[tuple[Setting, Mask]]:
        """Yield each way in which variants were made, in the order of the registry, plain before reworded."""
        table = np.stack([self.operator, self.reworded, self.asked], axis=1)
        found, group = np.unique(table, axis=0, return_inverse=True)
        for place, (operator, reworded, asked) in enumerate(found.tolist()):
            yield (OPERATORS[int(operator)], bool(reworded), asked), np.asarray(group.ravel() == place, dtype=bool)

    def planned(self, place: int) -> PlannedVariant:
        """Return how one variant was made."""
        return PlannedVariant(
            OPERATORS[self.operator[place]],
            float(self.asked[place]),
            reworded=bool(self.reworded[place]),
            repeat=int(self.repeat[place]),
        )


def fold_of(golden: str) -> int:
    """Return the fold of a golden, by the hash of its id."""
    return int.from_bytes(hashlib.sha256(golden.encode("utf-8", "surrogatepass")).digest()[:8]) % FOLDS
