"""The metric scores of all pairs of two folders, and their means by scenario, by size and by number of links."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Literal

from wfgate.compare import MetricScore, compare
from wfgate.compare import score as score_comparison
from wfgate.decide import Assessor, Pair
from wfgate.errors import FormatError
from wfgate.model import Frozen, TaskGraph, Workflow
from wfgate.read import DETECTED, Formats
from wfgate.run.source import read_source

By = Literal["scenario", "steps", "edges"]
CHAIN_AND_GRAPH = (("chain-f1", "graph-f1"), ("worfeval-chain-f1", "worfeval-graph-f1"))
"""Metrics of which one compares the order of the steps and the other one their links."""
_BANDS = ((0, 3), (4, 6), (7, 9), (10, 14), (15, 24))
"""Bands of sizes, both ends included; larger sizes are in one band."""


class ScoredPair(Frozen):
    """The scores of one candidate.

    Attributes:
        id: Name of the pair.
        scenario: The collection that the golden comes from: `source` of a WorFBench record, else the folder of the
            golden, "." for the folder that was given.
        steps: Number of steps of the golden; None if it was not read.
        edges: Number of links between steps of the golden, with gateways contracted, without those from the start and
            to the end; None if it was not read.
        metrics: The scores; empty if the pair was not scored.
        problem: Why the pair was not scored.
    """

    id: str
    scenario: str | None = None
    steps: int | None = None
    edges: int | None = None
    metrics: tuple[MetricScore, ...] = ()
    problem: str | None = None


class MetricMean(Frozen):
    """The mean of one metric over the pairs for which it is defined.

    Attributes:
        metric: Id of the metric.
        pairs: Number of these pairs, at least 1.
        mean: Their mean.
        sd: Sample standard deviation; None for one pair.
    """

    metric: str
    pairs: int
    mean: float
    sd: float | None


class GroupMeans(Frozen):
    """The means of a group of pairs.

    Attributes:
        by: What the pairs of a group have in common.
        group: The scenario, or the band of sizes ("4-6").
        pairs: Number of pairs.
        means: The mean of each metric that is defined for a pair.
    """

    by: By
    group: str
    pairs: int
    means: tuple[MetricMean, ...]


class SuiteScores(Frozen):
    """The scores of a suite.

    Attributes:
        pairs: The pairs, also those that were not scored.
        means: Means over all scored pairs.
        groups: Means by scenario, by number of steps and by number of links of the golden.
    """

    pairs: tuple[ScoredPair, ...]
    means: tuple[MetricMean, ...]
    groups: tuple[GroupMeans, ...]


def score_pairs(
    pairs: Iterable[Pair],
    assessor: Assessor,
    metrics: Sequence[str],
    *,
    root: str = "",
    formats: Formats = DETECTED,
    progress: Callable[[int], None] = lambda _done: None,
) -> SuiteScores:
    """Return the scores of pairs, each against its first golden, and their means.

    A pair that cannot be read has no scores and is in no mean. (WorFBench's own evaluation counts it as 0.)

    Args:
        pairs: The pairs.
        assessor: Embedder, meaning model and judge.
        metrics: Ids of the metrics.
        root: Folder of the goldens; scenarios are named by folders below it.
        formats: Format ids by pattern of file names.
        progress: Called with the number of finished pairs.

    Raises:
        ConfigError: If a metric is unknown.
    """
    scored = []
    for pair in pairs:
        scored.append(_scored(pair, assessor, metrics, root, formats))
        progress(len(scored))
    done = [pair for pair in scored if pair.problem is None]
    return SuiteScores(pairs=tuple(scored), means=_means(done), groups=tuple(_groups(done)))


def _scored(pair: Pair, assessor: Assessor, metrics: Sequence[str], root: str, formats: Formats) -> ScoredPair:
    if pair.problem is not None or pair.candidate is None or not pair.goldens:
        return ScoredPair(id=pair.id, problem=pair.problem or "there is no candidate")
    try:
        approved = read_source(pair.goldens[0], f"{pair.id} (golden)", formats)
        golden = approved.workflow
        candidate = read_source(pair.candidate, f"{pair.id} (candidate)", formats, like=approved).workflow
    except FormatError as error:
        return ScoredPair(id=pair.id, problem=str(error).partition("\n")[0])
    comparison = compare(golden, candidate, assessor.embedder, assessor.meaning_model)
    scores = score_comparison(comparison, metrics)
    if assessor.judge is not None:
        scores = (*scores, assessor.judge.compute(comparison))
    graph = TaskGraph.of(golden)
    return ScoredPair(
        id=pair.id,
        scenario=_scenario(golden, pair, root),
        steps=graph.n,
        edges=len(graph.edges | graph.back_edges),
        metrics=scores,
    )


def _scenario(golden: Workflow, pair: Pair, root: str) -> str:
    source = golden.raw.get("source") if golden.format == "worfbench" and isinstance(golden.raw, dict) else None
    if isinstance(source, str) and source.strip():
        return source
    path = pair.goldens[0]
    folder = path.parent if isinstance(path, Path) else Path()
    return folder.relative_to(root).as_posix() if root and folder.is_relative_to(root) else folder.as_posix()


def _groups(pairs: Sequence[ScoredPair]) -> Iterable[GroupMeans]:
    for scenario in sorted({pair.scenario or "." for pair in pairs}):
        yield _group("scenario", scenario, [pair for pair in pairs if (pair.scenario or ".") == scenario])
    sizes: tuple[tuple[By, Callable[[ScoredPair], int]], ...] = (
        ("steps", lambda pair: pair.steps or 0),
        ("edges", lambda pair: pair.edges or 0),
    )
    for by, size in sizes:
        for low, high in (*_BANDS, (_BANDS[-1][1] + 1, None)):
            inside = [pair for pair in pairs if low <= size(pair) and (high is None or size(pair) <= high)]
            if inside:
                yield _group(by, f"{low}-{high}" if high is not None else f"{low} or more", inside)


def _group(by: By, name: str, pairs: Sequence[ScoredPair]) -> GroupMeans:
    return GroupMeans(by=by, group=name, pairs=len(pairs), means=_means(pairs))


def _means(pairs: Sequence[ScoredPair]) -> tuple[MetricMean, ...]:
    values: dict[str, list[float]] = {}
    for pair in pairs:
        for score in pair.metrics:
            if score.value is not None:
                values.setdefault(score.metric, []).append(score.value)
    return tuple(
        MetricMean(metric=metric, pairs=len(scores), mean=fmean(scores), sd=stdev(scores) if len(scores) > 1 else None)
        for metric, scores in values.items()
    )
