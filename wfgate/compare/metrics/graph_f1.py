"""Graph F1: the largest set of steps with the same links between them."""

from typing import ClassVar

from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore
from wfgate.compare.metrics.independent_set import NODE_LIMIT, largest_independent_set


class GraphF1(Metric):
    """F1 of the largest set of aligned steps with the same links between them in both workflows.

    Definition:
        Two aligned pairs conflict if the edges between their steps differ: an edge or its direction is not the same in
        golden and candidate. k is the size of the largest set of aligned pairs without a conflict, that is, the
        largest common induced subgraph (a maximum independent set of the conflict graph). A pair is excluded if only
        one of its two steps has a link to itself. P = k / m and R = k / n with m candidate and n golden steps; F1 =
        2PR / (P + R). Edges are the edges of the task graph: gateways are contracted, duplicates and marked back edges
        of loops are left out.
    Range and direction:
        [0, 1], higher is better. The value is 1 if all steps are aligned and all edges are the same.
    Undefined when:
        Golden or candidate has no steps.
    Cost:
        O(edges) if the edges agree. Otherwise domination solves most cases, and a search with HiGHS (a solver for
        integer programs) within a node limit solves the rest, unless it is too large for it (about 2,000 differing
        edges between 200 steps). If the search is limited, the score has `low`, `high` and `proven=False`, and its
        value is `low`.

    Example:
        The middle step of three is removed, and its neighbours are linked. The golden does not have this link, so only
        one of the two remaining steps is in the common subgraph.

        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Link, Task, Workflow
        >>> a, b, c = (Task(id=name, name=name) for name in ("Fetch data", "Train model", "Send email"))
        >>> def chain(*tasks):
        ...     links = (Link(source=x.id, target=y.id) for x, y in zip(tasks, tasks[1:], strict=False))
        ...     return Workflow(tasks=tasks, links=tuple(links))
        >>> score = GraphF1().compute(compare(chain(a, b, c), chain(a, c), StaticEmbedder()))
        >>> score.value, score.precision
        (0.4, 0.5)
    """

    id = "graph-f1"
    symmetric = True
    references: ClassVar = (
        "WorkflowPerturb (Kanda et al.), appendix B.2. Exact over the aligned pairs; the alignment is given.",
        "Qiao et al. 2024, Benchmarking Agentic Workflow Generation (WorFBench), arXiv:2410.07869",
    )

    def __init__(self, node_limit: int = NODE_LIMIT) -> None:
        self.node_limit = node_limit

    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair."""
        pairs = comparison.pairs
        n, m = comparison.golden_graph.n, comparison.candidate_graph.n
        golden = {pair[0]: place for place, pair in enumerate(pairs)}
        candidate = {pair[1]: place for place, pair in enumerate(pairs)}
        differing = {
            (golden[a], golden[b]) for a, b in comparison.golden_graph.edges if a in golden and b in golden
        } ^ {
            (candidate[a], candidate[b])
            for a, b in comparison.candidate_graph.edges
            if a in candidate and b in candidate
        }
        if not differing:
            return self.f1(len(pairs), golden=n, candidate=m)
        conflicts = [0] * len(pairs)
        usable = (1 << len(pairs)) - 1
        for a, b in differing:
            if a == b:
                usable &= ~(1 << a)
            else:
                conflicts[a] |= 1 << b
                conflicts[b] |= 1 << a
        independent = largest_independent_set(conflicts, usable=usable, node_limit=self.node_limit)
        return self.f1(independent.size, golden=n, candidate=m, upper=independent.upper)
