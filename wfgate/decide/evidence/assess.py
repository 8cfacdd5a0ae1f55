"""Assessment of a pair of workflows: comparison, metric scores and evidence."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pydantic import ConfigDict, Field

from wfgate.base import stage
from wfgate.compare import (
    ALIGNMENT_VERSION,
    DEFAULT_METRICS,
    Comparison,
    Contract,
    MetricScore,
    compare,
    compare_all,
    score,
)
from wfgate.compare import find as find_metric
from wfgate.decide.evidence.contract import freedoms
from wfgate.decide.evidence.gather import EVIDENCE_SIGNATURE, gather
from wfgate.language import Embedder, MeaningModel
from wfgate.model import Frozen, Task, Workflow

if TYPE_CHECKING:  # a judge is rare, and needs the modules of language models
    from wfgate.compare import LlmJudge

REQUIRED_METRICS = ("chain-f1", "graph-f1", "kendall-tau")
"""Metrics that the evidence uses."""


class Signature(Frozen):
    """The versions that determine scores and evidence. Only numbers with equal signatures are comparable."""

    model_config = ConfigDict(populate_by_name=True)

    embedder: str
    meaning_model: str = Field(alias="equivalence")
    metrics: tuple[str, ...]
    alignment: int = ALIGNMENT_VERSION
    evidence: str = EVIDENCE_SIGNATURE


@dataclass(frozen=True)
class Assessment:
    """A comparison with its metric scores and its evidence."""

    comparison: Comparison
    scores: tuple[MetricScore, ...]
    evidence: dict[str, float]


@dataclass(frozen=True)
class Assessor:
    """Compares pairs of workflows with one embedder, one meaning model and one set of metrics.

    Attributes:
        embedder: Embeds the step texts.
        meaning_model: Scores whether a changed step still means the same.
        metrics: Ids of the metrics to compute; `REQUIRED_METRICS` are always added.
        judge: A language model that grades the pair as well, or None. Its grade is not part of the evidence.
    """

    embedder: Embedder
    meaning_model: MeaningModel
    metrics: tuple[str, ...] = field(default=tuple(DEFAULT_METRICS))
    judge: "LlmJudge | None" = None

    @property
    def metric_ids(self) -> tuple[str, ...]:
        """The metrics to compute, without duplicates."""
        return tuple(dict.fromkeys((*self.metrics, *REQUIRED_METRICS)))

    @property
    def signature(self) -> Signature:
        """The signature of embedder, meaning model, metrics, alignment and evidence."""
        return Signature(
            embedder=self.embedder.signature,
            meaning_model=self.meaning_model.signature,
            metrics=tuple(sorted(find_metric(metric).signature for metric in self.metric_ids)),
        )

    @property
    def identity(self) -> str:
        """The signature and the signature of the judge: the key of rows in a score table."""
        return self.signature.model_dump_json(by_alias=True) + (self.judge.signature if self.judge else "")

    def assess(
        self, golden: Workflow, candidate: Workflow, contract: Contract | None = None, brief: str = ""
    ) -> Assessment:
        """Return the assessment of one pair.

        Args:
            golden: The approved workflow.
            candidate: The workflow under test.
            contract: What the golden and further references leave free (`contract`); None for the marks of the golden.
            brief: The text from which workflows of this case are generated, for the judge; empty if unknown.
        """
        with stage("alignment"):
            comparison = compare(golden, candidate, self.embedder, self.meaning_model, contract, brief)
        return self._assessed([comparison])[0]

    def freedoms(self, golden: Workflow, reference: Workflow, is_critical: Callable[[Task], bool]) -> Contract:
        """Return what an approved reference leaves free (see `wfgate.decide.evidence.contract`).

        Args:
            golden: The first reference.
            reference: The further reference.
            is_critical: Returns whether the loss of a golden step always blocks.
        """
        return freedoms(compare(golden, reference, self.embedder, self.meaning_model), is_critical)

    def assess_all(self, golden: Workflow, candidates: Iterable[Workflow]) -> list[Assessment]:
        """Return the assessments of many candidates: the same results as `assess`, but faster (see `compare_all`)."""
        with stage("alignment"):
            comparisons = compare_all(golden, candidates, self.embedder, self.meaning_model)
        return self._assessed(comparisons)

    def _assessed(self, comparisons: list[Comparison]) -> list[Assessment]:
        graded = self.judge.compute_all(comparisons) if self.judge else None
        assessed = []
        for place, comparison in enumerate(comparisons):
            with stage("metrics"):
                scores = score(comparison, self.metric_ids)
            with stage("evidence"):
                evidence = gather(comparison, scores)
            assessed.append(Assessment(comparison, (*scores, graded[place]) if graded else scores, evidence))
        return assessed
