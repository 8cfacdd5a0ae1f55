"""Reproduction of the public WorFEval evaluator and its quirks (odd behaviour), to compare with published scores.

For all other purposes use `chain-f1` and `graph-f1`. This module has the common parts of both metrics: the workflow as
a list of nodes, and the matching of nodes. Comments with the word "quirk" mark behaviour that exists only for
compatibility.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from wfgate.compare.assignment import assign
from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore
from wfgate.model import END, START, TaskGraph, Workflow, task_numbers

BETA = 0.6
"""Cosine above which nodes match, for any embedder, unless `beta` is set; WorFEval's value for all-mpnet-base-v2."""


@dataclass(frozen=True)
class Nodes:
    """A workflow as a list of nodes and edges.

    Attributes:
        texts: START, the step texts in listing order, END.
        edges: Pairs of positions in `texts`, in the order of the links; edges through gateways come last.
    """

    texts: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, workflow: Workflow, graph: TaskGraph) -> "Nodes":
        """Return the nodes in listing order: START is 0, END is n + 1."""
        end = graph.n + 1
        edges = [(a + 1, b + 1) for a, b in graph.edges]
        edges += [(0, task + 1) for task in graph.starts]
        edges += [(task + 1, end) for task in graph.ends]
        number = {START: 0, END: end} | {id_: at + 1 for id_, at in task_numbers(workflow).items()}
        listed = {(number.get(link.source), number.get(link.target)): at for at, link in enumerate(workflow.links)}
        edges.sort(key=lambda edge: (listed.get(edge, len(listed)), edge))
        return cls((START, *(task.text for task in workflow.tasks), END), tuple(edges))

    def steps(self) -> list[int]:
        """Return the positions without START and END. Quirk: a step with the text START or END is left out too."""
        return [position for position, text in enumerate(self.texts) if text not in {START, END}]


class Worfeval(Metric):
    """The base of both WorFEval metrics."""

    default = False
    order_free = False
    perfect_on_identity = False
    references: ClassVar = (
        "Qiao et al. 2024, Benchmarking Agentic Workflow Generation (WorFBench), arXiv:2410.07869",
        "The evaluator, github.com/zjunlp/WorFBench. We deviate: gateways are contracted, marked loops left out.",
    )

    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair."""
        if not comparison.golden.tasks or not comparison.candidate.tasks:
            return self.undefined(f"the {'golden' if not comparison.golden.tasks else 'candidate'} has no steps")
        if comparison.golden_graph.cycles:
            return self.undefined("the golden has a cycle, so it has no topological order")
        golden = Nodes.of(comparison.golden, comparison.golden_graph)
        candidate = Nodes.of(comparison.candidate, comparison.candidate_graph)
        a, b = (comparison.embedder.embed(nodes.texts).astype(np.float64) for nodes in (golden, candidate))
        requested = comparison.embedder.requested_beta
        similarity = np.clip(b @ a.T, 0, None)
        return self.score_nodes(golden, candidate, similarity, BETA if requested is None else requested)

    @abstractmethod
    def score_nodes(
        self, golden: Nodes, candidate: Nodes, similarity: NDArray[np.float64], beta: float = BETA
    ) -> MetricScore:
        """Return the score of two node lists; similarity has the shape (n_candidate + 2, n_golden + 2)."""

    def harmonic(self, precision: float, recall: float) -> MetricScore:
        """Return F1 = 2PR / (P + R), or 0 if both are 0."""
        both = precision + recall
        value = 2 * precision * recall / both if both else 0.0
        return self.defined(value, precision=precision, recall=recall)


def matching(similarity: NDArray[np.float64], beta: float = BETA) -> dict[int, int]:
    """Return the column matched with each row: a maximum-weight matching of the entries above `beta`."""
    weights = np.where(similarity > beta, similarity, 0.0)
    rows, columns = assign(weights)
    return {int(row): int(column) for row, column in zip(rows, columns, strict=True) if weights[row, column] > 0}
