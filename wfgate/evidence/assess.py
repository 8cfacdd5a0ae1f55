"""One pair of workflows, looked at in every way: the unit of work of calibration and gate alike."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from pydantic import ConfigDict, Field

from wfgate.alignment import ALIGNMENT_VERSION, Comparison, Embedder, MeaningModel, compare, compare_all
from wfgate.evidence.gather import EVIDENCE_SIGNATURE, gather
from wfgate.metrics import DEFAULT_METRICS, METRICS, LlmJudge, MetricScore, score
from wfgate.model import Workflow
from wfgate.model.workflow import Frozen

REQUIRED_METRICS = ("chain-f1", "graph-f1", "kendall-tau")
"""Metrics that evidence is made of."""


class Signature(Frozen):
    """What produced the numbers; numbers of different signatures are never compared."""

    model_config = ConfigDict(populate_by_name=True)

    embedder: str
    meaning_model: str = Field(alias="equivalence")
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
        meaning_model: Says whether a changed step still means the same.
        metrics: Ids of the metrics to compute; the ones that evidence needs are always among them.
        judge: A language model that grades, too; it is no part of the evidence.
    """

    embedder: Embedder
    meaning_model: MeaningModel
    metrics: tuple[str, ...] = field(default=tuple(DEFAULT_METRICS))
    judge: LlmJudge | None = None

    @property
    def metric_ids(self) -> tuple[str, ...]:
        """The metrics computed, without repetition."""
        return tuple(dict.fromkeys((*self.metrics, *REQUIRED_METRICS)))

    @property
    def signature(self) -> Signature:
        """What produces the numbers."""
        return Signature(
            embedder=self.embedder.signature,
            meaning_model=self.meaning_model.signature,
            metrics=tuple(sorted(METRICS.find(metric).signature for metric in self.metric_ids)),
        )

    @property
    def identity(self) -> str:
        """What produces the numbers, the judge's among them: rows of a score table are found by it."""
        return self.signature.model_dump_json(by_alias=True) + (self.judge.signature if self.judge else "")

    def assess(self, golden: Workflow, candidate: Workflow) -> Assessment:
        """Compare one pair."""
        return self._assessed([compare(golden, candidate, self.embedder, self.meaning_model)])[0]

    def assess_all(self, golden: Workflow, candidates: Iterable[Workflow]) -> list[Assessment]:
        """Compare a golden with many candidates: as one by one, and faster (see `compare_all`)."""
        found = compare_all(golden, candidates, self.embedder, self.meaning_model)
        return self._assessed(list(found))

    def _assessed(self, comparisons: list[Comparison]) -> list[Assessment]:
        graded = self.judge.compute_all(comparisons) if self.judge else None
        assessed = []
        for place, comparison in enumerate(comparisons):
            scores = score(comparison, self.metric_ids)
            evidence = gather(comparison, scores)
            assessed.append(Assessment(comparison, (*scores, graded[place]) if graded else scores, evidence))
        return assessed
