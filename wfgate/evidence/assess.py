"""One pair of workflows, looked at in every way: the unit of work of calibration and gate alike."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from wfgate.alignment import ALIGNMENT_VERSION, Comparison, Embedder, Equivalence, compare, compare_all
from wfgate.alignment.meaning import MovedEquivalence
from wfgate.evidence.gather import EVIDENCE_SIGNATURE, gather, meaning_evidence
from wfgate.metrics import DEFAULT_METRICS, METRICS, LlmJudge, MetricScore, score
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
        judge: A language model that grades, too; it is no part of the evidence.
    """

    embedder: Embedder
    equivalence: Equivalence
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
            equivalence=self.equivalence.signature,
            metrics=tuple(sorted(METRICS.find(metric).signature for metric in self.metric_ids)),
        )

    @property
    def identity(self) -> str:
        """What produces the numbers, the judge's among them: rows of a score table are found by it."""
        return self.signature.model_dump_json() + (self.judge.signature if self.judge else "")

    def assess(self, golden: Workflow, candidate: Workflow) -> Assessment:
        """Compare one pair."""
        return self._assessed([compare(golden, candidate, self.embedder, self.equivalence)])[0]

    def assess_all(self, golden: Workflow, candidates: Iterable[Workflow]) -> list[Assessment]:
        """Compare a golden with many candidates: as one by one, and faster (see `compare_all`)."""
        found = compare_all(golden, candidates, self.embedder, self.equivalence)
        return self._assessed(list(found))

    def ends(self, assessment: Assessment) -> tuple[Assessment, ...]:
        """Return the pair as it would be assessed at either end of what the judge of meaning may say elsewhere.

        Processors round sums differently, and the judge's tolerance is how far apart their logits can be. All logits
        are moved together: evidence and rates never fall when a logit does, so whatever another processor says lies
        between the two. Where the alignment itself may hang on a logit, steps are aligned anew.

        Args:
            assessment: A pair that this assessor assessed.

        Returns:
            Two assessments; none where no step was changed, or the judge is exact. Cost: a few sums, but as much as
            two assessments where steps are aligned anew (the judge remembers what it said).
        """
        comparison, tolerance = assessment.comparison, self.equivalence.tolerance
        if not tolerance or not (comparison.meanings or comparison.leeway <= tolerance):
            return ()
        return tuple(self._moved(assessment, by) for by in (-tolerance, tolerance))

    def _moved(self, assessment: Assessment, by: float) -> Assessment:
        comparison = assessment.comparison
        if comparison.leeway > abs(by):
            comparison = comparison.moved(by)
            evidence = {**assessment.evidence, **meaning_evidence(comparison)}
            return replace(assessment, comparison=comparison, evidence=evidence)
        anew = replace(self, equivalence=MovedEquivalence(self.equivalence, by), judge=None)
        files = comparison.golden_file or comparison.golden, comparison.candidate_file or comparison.candidate
        graded = tuple(score for score in assessment.scores if score.metric == LlmJudge.id)
        found = anew.assess(*files)
        return replace(found, scores=(*found.scores, *graded))

    def _assessed(self, comparisons: list[Comparison]) -> list[Assessment]:
        graded = self.judge.compute_all(comparisons) if self.judge else None
        assessed = []
        for place, comparison in enumerate(comparisons):
            scores = score(comparison, self.metric_ids)
            evidence = gather(comparison, scores)
            assessed.append(Assessment(comparison, (*scores, graded[place]) if graded else scores, evidence))
        return assessed
