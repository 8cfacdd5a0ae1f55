"""From two workflows to their alignment.

1. Workflows with the same content are aligned by their canonical orders and the alignment is verified edge by
   edge: identical and relisted workflows are exact whatever the embedder thinks.
2. Otherwise the steps are assigned one to one at maximum total weight (Kuhn-Munkres, as implemented by
   `scipy.optimize.linear_sum_assignment`). The weight is text similarity plus two small structural terms that
   tell repeated or nearly equal texts apart: relative topological depth, and how many neighbours agree under the
   assignment so far. Listing order and ids never enter.
3. Pairs below the embedder's beta are dropped; what is left over is explained by merges and splits where a
   neighbour's text says so.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wfgate.matching.alignment import Alignment, Comparison, Match, Merge, Split
from wfgate.matching.coverage import Coverage
from wfgate.matching.embedders import Embedder
from wfgate.matching.similarity import text_similarity
from wfgate.model import TaskGraph, Workflow, canonical_form, expand

Matrix = NDArray[np.float64]

DEPTH_WEIGHT = 0.05
"""What a step at the other end of the workflow costs, in units of similarity."""
NEIGHBOUR_WEIGHT = 0.05
"""What full agreement of all neighbours is worth, in units of similarity.

With both weights at 0.05, 2 of 708 full rewordings are misaligned somewhere (11 with depth 0.01 alone) while 98 % of
swapped pairs still show; heavier structure hides swaps.
"""
ROUNDS = 3
"""Reassignments with neighbour agreement; real workflows settle in one or two."""


def compare(golden: Workflow, candidate: Workflow, embedder: Embedder) -> Comparison:
    """Open composites, build the graphs, align the steps.

    Args:
        golden: The approved workflow.
        candidate: The workflow under test.
        embedder: Turns step texts into vectors.

    Returns:
        The comparison that checks and metrics share. Cost: O((n + m)^3) for the assignment, in practice
        0.3 ms at 10 steps and 20 ms at 400.
    """
    golden, candidate = expand(golden), expand(candidate)
    graphs = TaskGraph.of(golden), TaskGraph.of(candidate)
    golden_texts = [task.text for task in golden.tasks]
    candidate_texts = [task.text for task in candidate.tasks]
    similarity = text_similarity(golden_texts, candidate_texts, embedder)
    isomorphism = _isomorphism(golden, candidate, *graphs)
    if isomorphism is not None:
        matches = [Match(golden=g, candidate=c, similarity=1.0) for g, c in isomorphism]
        alignment = Alignment(matches=tuple(matches))
    else:
        alignment = _aligned(similarity, graphs, (golden_texts, candidate_texts), embedder)
    return Comparison(golden, candidate, *graphs, similarity, alignment, embedder)


def _isomorphism(
    golden: Workflow, candidate: Workflow, golden_graph: TaskGraph, candidate_graph: TaskGraph
) -> list[tuple[int, int]] | None:
    """Return the pairs of a proven content- and edge-preserving bijection, or None."""
    if golden_graph.n != candidate_graph.n or len(golden_graph.edges) != len(candidate_graph.edges):
        return None
    if sorted(task.text for task in golden.tasks) != sorted(task.text for task in candidate.tasks):
        return None
    one, two = canonical_form(golden, golden_graph), canonical_form(candidate, candidate_graph)
    if one.certificate != two.certificate:
        return None
    image = dict(zip(one.order, two.order, strict=True))
    if any(golden.tasks[g].text != candidate.tasks[c].text for g, c in image.items()):
        return None
    if {(image[a], image[b]) for a, b in golden_graph.edges} != candidate_graph.edges:
        return None
    return sorted(image.items())


def _aligned(
    similarity: Matrix,
    graphs: tuple[TaskGraph, TaskGraph],
    texts: tuple[Sequence[str], Sequence[str]],
    embedder: Embedder,
) -> Alignment:
    pairs = [pair for pair in _assigned(similarity, *graphs) if similarity[pair] >= embedder.parameters.beta]
    matches = tuple(Match(golden=g, candidate=c, similarity=float(similarity[g, c])) for g, c in pairs)
    fit = Coverage(embedder)
    merges = fit.groups(dict(pairs), graphs[0], texts[0], texts[1], kind="merge")
    splits = fit.groups({c: g for g, c in pairs}, graphs[1], texts[1], texts[0], kind="split")
    return Alignment(
        matches=matches,
        merges=tuple(Merge(golden=steps, candidate=owner) for owner, steps in merges),
        splits=tuple(Split(golden=owner, candidate=steps) for owner, steps in splits),
    )


def _assigned(similarity: Matrix, golden: TaskGraph, candidate: TaskGraph) -> list[tuple[int, int]]:
    """Assign steps one to one by text, relative depth and the agreement of neighbours."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - slow to import, not needed for `--help`

    if not similarity.size:
        return []
    depth = np.abs(np.subtract.outer(np.array(golden.depth), np.array(candidate.depth)))
    weight = similarity - DEPTH_WEIGHT * depth
    links = _adjacency(golden), _adjacency(candidate)
    degree = np.maximum.outer(*(matrix.sum(axis=0) + matrix.sum(axis=1) for matrix in links))
    degree[degree == 0] = 1
    pairs: list[tuple[int, int]] = []
    chosen = np.zeros_like(similarity)
    for _ in range(ROUNDS):
        agreement = (links[0].T @ chosen @ links[1] + links[0] @ chosen @ links[1].T) / degree
        rows, columns = linear_sum_assignment(weight + NEIGHBOUR_WEIGHT * agreement, maximize=True)
        found = [(int(g), int(c)) for g, c in zip(rows, columns, strict=True)]
        if found == pairs:
            break
        pairs = found
        chosen = np.zeros_like(similarity)
        chosen[rows, columns] = 1
    return pairs


def _adjacency(graph: TaskGraph) -> Matrix:
    matrix = np.zeros((graph.n, graph.n))
    for source, target in graph.edges:
        matrix[source, target] = 1
    return matrix
