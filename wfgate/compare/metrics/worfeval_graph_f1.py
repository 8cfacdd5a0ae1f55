"""WorFEval's graph F1."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wfgate.compare.metrics.base import MetricScore
from wfgate.compare.metrics.worfeval import BETA, Nodes, Worfeval, matching
from wfgate.model import strongly_connected


class WorfevalGraphF1(Worfeval):
    """Graph F1 as the public WorFEval evaluator computes it.

    Definition:
        Nodes, including START and END, are matched by a maximum-weight matching of cosines above 0.6 (or above `beta`,
        if it is set). An edge is shared if both workflows have an edge between the same list positions. Take the graph
        of the matched candidate nodes with the shared edges: P is the size of its largest connected component, divided
        by the number of all candidate nodes. R is the same for the golden's nodes. Quirk of the evaluator: positions
        are not mapped through the matching. So if a step is listed at another position, or a step is added near the
        front, no later edge is shared.
    Range and direction:
        [0, 1], higher is better. Identical workflows score 1 only if the graph is connected and every node is matched
        with itself.
    Undefined when:
        Golden or candidate has no steps, or the golden has a cycle.
    Cost:
        One assignment in O((n + m)^3).

    Example:
        Two linked steps, START and END: four nodes and three edges. The second candidate lists the steps in the other
        order.

        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Link, Task, Workflow
        >>> a, b = Task(id="a", name="Boil water"), Task(id="b", name="Call mother")
        >>> ends = (("START", "a"), ("a", "b"), ("b", "END"))
        >>> links = tuple(Link(source=source, target=target) for source, target in ends)
        >>> golden, relisted = Workflow(tasks=(a, b), links=links), Workflow(tasks=(b, a), links=links)
        >>> WorfevalGraphF1().compute(compare(golden, golden, StaticEmbedder())).value
        1.0
        >>> WorfevalGraphF1().compute(compare(golden, relisted, StaticEmbedder())).value
        0.25
    """

    id = "worfeval-graph-f1"

    def score_nodes(
        self, golden: Nodes, candidate: Nodes, similarity: NDArray[np.float64], beta: float = BETA
    ) -> MetricScore:
        """Return the score of two node lists; similarity has the shape (n_candidate + 2, n_golden + 2)."""
        partner = matching(similarity, beta)
        golden_matched, candidate_matched = set(partner.values()), set(partner)
        kept = {edge for edge in golden.edges if golden_matched.issuperset(edge)}
        # Quirk: edges are compared by list position, not mapped through the matching.
        shared = [edge for edge in candidate.edges if candidate_matched.issuperset(edge) and edge in kept]
        return self.harmonic(
            _largest_component(candidate_matched, shared) / len(candidate.texts),
            _largest_component(golden_matched, shared) / len(golden.texts),
        )


def _largest_component(nodes: set[int], edges: Sequence[tuple[int, int]]) -> int:
    both = [*edges, *((target, source) for source, target in edges)]
    return max(map(len, strongly_connected(nodes, both)), default=0)
