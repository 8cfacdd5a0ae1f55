"""Metrics of the similarity of golden and candidate, one per file."""

from collections.abc import Iterable

from wfgate.base import Registry
from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore
from wfgate.compare.metrics.bertscore import BertScore
from wfgate.compare.metrics.bertscore_static import BertScoreStatic
from wfgate.compare.metrics.bleu import Bleu
from wfgate.compare.metrics.chain_f1 import ChainF1
from wfgate.compare.metrics.gleu import Gleu
from wfgate.compare.metrics.graph_f1 import GraphF1
from wfgate.compare.metrics.judge_bias import JudgeBias, judge_bias
from wfgate.compare.metrics.kendall_tau import KendallTau
from wfgate.compare.metrics.llm_judge import LlmJudge
from wfgate.compare.metrics.plugins import MetricPlugins
from wfgate.compare.metrics.worfeval_chain_f1 import WorfevalChainF1
from wfgate.compare.metrics.worfeval_graph_f1 import WorfevalGraphF1

METRICS: Registry[Metric] = Registry(
    "metric",
    (
        ChainF1(),
        GraphF1(),
        Bleu(),
        Gleu(),
        KendallTau(),
        BertScoreStatic(),
        BertScore(),
        WorfevalChainF1(),
        WorfevalGraphF1(),
        LlmJudge(),
    ),
)
"""wfgate's own metrics, in display order."""

METRIC_PLUGINS = MetricPlugins(METRICS)
"""Metrics of other packages, listed after wfgate's own."""

DEFAULT_METRICS: tuple[str, ...] = tuple(metric.id for metric in METRICS.values() if metric.default)
"""Ids of the metrics that are computed by default."""

__all__ = [
    "DEFAULT_METRICS",
    "METRICS",
    "METRIC_PLUGINS",
    "JudgeBias",
    "LlmJudge",
    "Metric",
    "MetricScore",
    "find",
    "judge_bias",
    "score",
]


def find(metric_id: str) -> Metric:
    """Return the metric with this id, from wfgate or from an installed package.

    Raises:
        ConfigError: If there is no such metric, or its package cannot be loaded.

    Example:
        >>> find("bleu").signature
        'bleu/1'
    """
    return METRIC_PLUGINS.metric(metric_id)


def score(comparison: Comparison, metric_ids: Iterable[str] | None = None) -> tuple[MetricScore, ...]:
    """Return one score per metric, in the given order.

    Args:
        comparison: The aligned pair.
        metric_ids: The metrics to compute; None for the default metrics.

    Raises:
        ConfigError: If a metric is unknown.

    Example:
        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Task, Workflow
        >>> golden = Workflow(tasks=(Task(id="a", name="Send the report"),))
        >>> [(each.metric, each.value) for each in score(compare(golden, golden, StaticEmbedder()), ["bleu"])]
        [('bleu', 1.0)]
    """
    chosen = [find(metric_id) for metric_id in (DEFAULT_METRICS if metric_ids is None else metric_ids)]
    return tuple(metric.compute(comparison) for metric in chosen)
