"""WorFEval's chain F1."""

from collections.abc import Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from wfgate.compare.metrics.base import MetricScore
from wfgate.compare.metrics.worfeval import BETA, Nodes, Worfeval, matching

_MAX_ORDERS = 20
"""Quirk: only the first topological orders of the golden are tried."""
_LISTED_FROM = 10
"""Quirk: a golden with at least this many nodes, START and END included, is taken in listing order."""


class WorfevalChainF1(Worfeval):
    """Chain F1 as the public WorFEval evaluator computes it.

    Definition:
        The candidate steps in listing order are compared with up to 20 topological orders of the golden. Nodes are
        matched by a maximum-weight matching of cosines above 0.6 (or above `beta`, if it is set). l is the length of
        the longest increasing subsequence of matched positions, P = l / (candidate steps), R = l / (steps of the
        golden order). The value is the best F1. Quirks of the evaluator: only the first 20 orders are tried. With ten
        or more golden nodes (START and END included) only the listing order is used, and START and END are not
        removed; a workflow compared with itself then scores less than 1. The candidate's listing order is used even if
        it contradicts the links. A candidate without any match has l = 1.
    Range and direction:
        [0, 1], higher is better. Identical workflows need not score 1.
    Undefined when:
        Golden or candidate has no steps, or the golden has a cycle.
    Cost:
        One assignment in O((n + m)^3) and one longest increasing subsequence in O(m^2), per order.

    Example:
        Eight equal steps, listed in order: l = 8, but with START and END the golden has ten nodes.

        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Link, Task, Workflow
        >>> names = ["Boil water", "Grind coffee", "Call mother", "Lock door", "Drive home", "Read book", "Pay tax"]
        >>> tasks = tuple(Task(id=name, name=name) for name in [*names, "Mow lawn"])
        >>> golden = Workflow(tasks=tasks)
        >>> score = WorfevalChainF1().compute(compare(golden, golden, StaticEmbedder()))
        >>> score.precision, score.recall
        (1.0, 0.8)
    """

    id = "worfeval-chain-f1"

    def score_nodes(
        self, golden: Nodes, candidate: Nodes, similarity: NDArray[np.float64], beta: float = BETA
    ) -> MetricScore:
        """Return the score of two node lists; similarity has the shape (n_candidate + 2, n_golden + 2)."""
        rows = candidate.steps()  # quirk: listing order, not a topological order
        if not rows:
            return self.undefined("the candidate has no steps")
        best: tuple[float, float, float] | None = None
        for order in _golden_orders(golden):
            partner = matching(similarity[np.ix_(rows, order)], beta)
            kept = _longest_increasing([partner.get(row) for row in range(len(rows))])
            precision, recall = kept / len(rows), kept / len(order)
            best = max(best or (0.0, 0.0, 0.0), (2 * kept / (len(rows) + len(order)), precision, recall))
        if best is None:
            return self.undefined("the golden has no steps")
        return self.harmonic(best[1], best[2])


def _golden_orders(golden: Nodes) -> list[list[int]]:
    if len(golden.texts) >= _LISTED_FROM:
        return [list(range(len(golden.texts)))]  # quirk: START and END stay in
    import networkx as nx  # noqa: PLC0415 - loaded when this metric is computed

    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(len(golden.texts)))
    graph.add_edges_from(golden.edges)
    steps = set(golden.steps())
    orders = islice(nx.all_topological_sorts(graph), _MAX_ORDERS)
    return [steps_only for order in orders if (steps_only := [node for node in order if node in steps])]


def _longest_increasing(positions: Sequence[int | None]) -> int:
    """Return the length of the longest increasing subsequence of the matched positions.

    Quirk: every entry starts at 1, even an unmatched entry, so the result is at least 1.
    """
    longest = [1] * len(positions)
    for here, position in enumerate(positions):
        if position is None:
            continue
        for earlier, other in enumerate(positions[:here]):
            if other is not None and other < position:
                longest[here] = max(longest[here], longest[earlier] + 1)
    return max(longest)
