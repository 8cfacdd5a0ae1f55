"""One pair of workflows, looked at in every way: the unit of work of calibration and gate alike."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from wfgate.calibration.evidence import EVIDENCE_SIGNATURE, gather
from wfgate.matching import ALIGNMENT_VERSION, Comparison, Embedder, Equivalence, compare, compare_all
from wfgate.metrics import DEFAULT_METRICS, METRICS, MetricScore, score
from wfgate.model import Workflow
from wfgate.model.workflow import Frozen

REQUIRED_METRICS = ("chain-f1", "graph-f1", "kendall-tau")
"""Metrics that evidence is made of."""


class Signature(Frozen):
    """What produced the numbers; numbers of different signatures are never compared."""

    embedder: str
    equivalence: str
    metrics: tuple[str, ...]
    alignment: int = ALIGNMENT_VERSION
    evidence: str = EVIDENCE_SIGNATURE


@dataclass(frozen=True)
class Assessment:
    """A comparison with its scores and evidence."""

    comparison: Comparison
    scores: tuple[MetricScore, ...]
    evidence: dict[str, float]


@dataclass(frozen=True)
class Assessor:
    """Compares pairs with one embedder, one judge of meaning and one set of metrics.

    Attributes:
        embedder: Turns step texts into vectors.
        equivalence: Says whether a changed step still means the same.
        metrics: Ids of the metrics to compute; the ones that evidence needs are always among them.
    """

    embedder: Embedder
    equivalence: Equivalence
    metrics: tuple[str, ...] = field(default=tuple(DEFAULT_METRICS))

    @property
    def metric_ids(self) -> tuple[str, ...]:
        """The metrics computed, without repetition."""
        return tuple(dict.fromkeys((*self.metrics, *REQUIRED_METRICS)))

    @property
    def signature(self) -> Signature:
        """What produces the numbers."""
        return Signature(
            embedder=self.embedder.signature,
            equivalence=self.equivalence.signature,
            metrics=tuple(sorted(METRICS.find(metric).signature for metric in self.metric_ids)),
        )

    def assess(self, golden: Workflow, candidate: Workflow) -> Assessment:
        """Compare one pair."""
        return self._assessed(compare(golden, candidate, self.embedder, self.equivalence))

    def assess_all(self, golden: Workflow, candidates: Iterable[Workflow]) -> list[Assessment]:
        """Compare a golden with many candidates: as one by one, and faster (see `compare_all`)."""
        found = compare_all(golden, candidates, self.embedder, self.equivalence)
        return [self._assessed(comparison) for comparison in found]

    def _assessed(self, comparison: Comparison) -> Assessment:
        scores = score(comparison, self.metric_ids)
        return Assessment(comparison, scores, gather(comparison, scores))
