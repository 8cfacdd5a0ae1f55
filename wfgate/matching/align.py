"""From two workflows to their alignment."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from wfgate.matching.alignment import Alignment, Comparison, Match
from wfgate.matching.embedders import Embedder
from wfgate.model import TaskGraph, Workflow, expand


def compare(golden: Workflow, candidate: Workflow, embedder: Embedder) -> Comparison:
    """Open composites, build the graphs, align the steps."""
    golden, candidate = expand(golden), expand(candidate)
    golden_graph, candidate_graph = TaskGraph.of(golden), TaskGraph.of(candidate)
    a = embedder.embed([t.text for t in golden.tasks])
    b = embedder.embed([t.text for t in candidate.tasks])
    similarity = np.clip(a @ b.T, 0, 1).astype(np.float64)
    depth = np.abs(np.subtract.outer(np.array(golden_graph.depth), np.array(candidate_graph.depth)))
    rows, columns = linear_sum_assignment(similarity - 0.01 * depth, maximize=True)
    matches = tuple(
        Match(golden=int(g), candidate=int(c), similarity=float(similarity[g, c]))
        for g, c in zip(rows, columns, strict=True)
        if similarity[g, c] >= embedder.parameters.beta
    )
    return Comparison(
        golden, candidate, golden_graph, candidate_graph, similarity, Alignment(matches=matches), embedder
    )
