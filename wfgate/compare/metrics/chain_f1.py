"""Chain F1: the largest set of steps whose order agrees in both workflows."""

from typing import ClassVar

from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore
from wfgate.compare.metrics.independent_set import NODE_LIMIT
from wfgate.compare.metrics.partial_order import ROUND_LIMIT, aligned_orders, largest_consistent_set


class ChainF1(Metric):
    """F1 of the largest set of aligned steps whose order is consistent in both workflows.

    Definition:
        For a set of aligned pairs, take the union of both precedence relations (the transitive closures of golden and
        candidate, mapped through the alignment). The set is consistent if this union has no cycle. l is the size of
        the largest consistent set. P = l / m and R = l / n with m candidate and n golden steps; F1 = 2PR / (P + R) =
        2l / (m + n). If the candidate is a chain, l is the length of its longest subsequence that is consistent with a
        topological order of the golden, as in the paper. Parallel steps are unordered; their listing order does not
        count. Steps on a common cycle are unordered too.
    Range and direction:
        [0, 1], higher is better. The value is 1 if every step is aligned and the two orders do not contradict each
        other.
    Undefined when:
        Golden or candidate has no steps.
    Cost:
        O(k^2) for k aligned steps without contradictions; O(k^2.5) for chains; otherwise a search with HiGHS (a solver
        for integer programs) within a node limit. If the limit ends the search, the score has `low`, `high` and
        `proven=False`, and its value is `low`.

    Example:
        Three steps in a row, of which two are exchanged: the largest consistent set has two steps.

        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Link, Task, Workflow
        >>> a, b, c = (Task(id=name, name=name) for name in ("Fetch data", "Train model", "Send email"))
        >>> def chain(*tasks):
        ...     links = (Link(source=x.id, target=y.id) for x, y in zip(tasks, tasks[1:], strict=False))
        ...     return Workflow(tasks=tasks, links=tuple(links))
        >>> score = ChainF1().compute(compare(chain(a, b, c), chain(a, c, b), StaticEmbedder()))
        >>> round(score.value, 3), score.proven
        (0.667, True)
    """

    id = "chain-f1"
    symmetric = True
    references: ClassVar = (
        "WorkflowPerturb (Kanda et al.), appendix B.1. We deviate: l is exact, and parallel branches have no order.",
        "Qiao et al. 2024, Benchmarking Agentic Workflow Generation (WorFBench), arXiv:2410.07869",
        "Dilworth 1950, A decomposition theorem for partially ordered sets, doi:10.2307/1969503",
    )

    def __init__(self, node_limit: int = NODE_LIMIT, round_limit: int = ROUND_LIMIT) -> None:
        self.node_limit = node_limit
        self.round_limit = round_limit

    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair."""
        n, m = comparison.golden_graph.n, comparison.candidate_graph.n
        if not comparison.pairs:
            return self.f1(0, golden=n, candidate=m)
        orders = comparison.derived(aligned_orders)
        kept = largest_consistent_set(*orders, node_limit=self.node_limit, round_limit=self.round_limit)
        return self.f1(kept.size, golden=n, candidate=m, upper=kept.upper)
