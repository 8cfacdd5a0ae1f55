"""Metrics of the similarity of golden and candidate, one per file."""

from collections.abc import Iterable

from wfgate.base import Registry, table
from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore

METRICS: Registry[Metric] = Registry(
    "metric",
    table(
        __name__,
        {
            "chain-f1": (
                "chain_f1:ChainF1",
                "F1 of the largest set of aligned steps whose order is consistent in both workflows.",
            ),
            "graph-f1": (
                "graph_f1:GraphF1",
                "F1 of the largest set of aligned steps with the same links between them in both workflows.",
            ),
            "bleu": (
                "bleu:Bleu",
                "N-gram precision of the candidate's whole text against the golden's, with a brevity penalty.",
            ),
            "gleu": (
                "gleu:Gleu",
                "Shared n-grams of both whole texts, divided by the n-grams of the longer text (Google GLEU).",
            ),
            "kendall-tau": (
                "kendall_tau:KendallTau",
                (
                    "Rank correlation of the aligned steps under both partial orders, times the aligned share of the "
                    "golden."
                ),
            ),
            "bertscore-static": (
                "bertscore_static:BertScoreStatic",
                "Greedy token matching by cosine of static embeddings, averaged over the golden's steps.",
            ),
            "bertscore": (
                "bertscore:BertScore",
                "Greedy token matching by cosine of contextual embeddings, averaged over the golden's steps.",
            ),
            "worfeval-chain-f1": (
                "worfeval_chain_f1:WorfevalChainF1",
                "Chain F1 as the public WorFEval evaluator computes it.",
            ),
            "worfeval-graph-f1": (
                "worfeval_graph_f1:WorfevalGraphF1",
                "Graph F1 as the public WorFEval evaluator computes it.",
            ),
            "llm-judge": (
                "llm_judge:LlmJudge",
                "A language model's grade of the candidate, 0 to 5, averaged over several prompts and divided by 5.",
            ),
        },
    ),
    group="wfgate.metrics",
    added="wfgate.compare.metrics.plugins:added",
)
"""The metrics, in display order."""

DEFAULT_METRICS = ("chain-f1", "graph-f1", "bleu", "gleu", "kendall-tau", "bertscore-static")
"""Ids of the metrics that are computed by default (`Metric.default`)."""

__all__ = [
    "DEFAULT_METRICS",
    "METRICS",
    "Metric",
    "MetricScore",
    "find",
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
    return METRICS.find(metric_id)


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
