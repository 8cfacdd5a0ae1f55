from itertools import combinations

import numpy as np
import pytest

from wfgate.compare.metrics.graph_f1 import GraphF1


def by_subsets(pair):
    """The largest subset of the pairs that induces the same edges on both sides."""
    golden, candidate = pair.golden_graph.edges, pair.candidate_graph.edges
    for size in range(len(pair.pairs), -1, -1):
        for chosen in combinations(pair.pairs, size):
            if all(((a, b) in golden) == ((c, d) in candidate) for a, c in chosen for b, d in chosen):
                return size
    return 0


def kept(pair):
    result = GraphF1().compute(pair)
    assert result.proven
    return round(result.precision * pair.candidate_graph.n)


@pytest.mark.parametrize("density", [0.1, 0.3, 0.6])
def test_against_subsets(make, density):
    rng = np.random.default_rng(int(density * 10))
    for _ in range(60):
        pair = make.random_dags(rng, 9, density)
        assert kept(pair) == by_subsets(pair)


def test_cycles_and_self_loops_against_subsets(make):
    for seed in range(40):
        rng = np.random.default_rng(seed)
        golden, candidate = (list(zip(*np.nonzero(rng.random((7, 7)) < 0.2), strict=True)) for _ in range(2))
        pair = make.graphs(7, golden, 7, candidate)
        assert kept(pair) == by_subsets(pair)


def test_missing_with_and_without_a_bridge(make):
    golden = [(0, 1), (1, 2), (2, 3)]
    pairs = [(0, 0), (1, 1), (3, 2)]
    without = GraphF1().compute(make.graphs(4, golden, 3, [(0, 1)], pairs))
    bridged = GraphF1().compute(make.graphs(4, golden, 3, [(0, 1), (1, 2)], pairs))
    assert (without.precision, without.recall) == (1.0, 0.75)
    assert (bridged.precision, bridged.recall) == (pytest.approx(2 / 3), 0.5)


def test_a_reversed_edge_differs(make):
    assert kept(make.graphs(2, [(0, 1)], 2, [(1, 0)])) == 1
    assert kept(make.graphs(2, [(0, 0), (0, 1)], 2, [(0, 1)])) == 1


def test_four_hundred_tasks(make):
    chain = [(i, i + 1) for i in range(399)]
    cut = [edge for edge in chain if edge[0] % 40]
    assert kept(make.graphs(400, chain, 400, cut)) == 390


def test_work_limit_gives_bounds(make):
    rng = np.random.default_rng(3)
    pair = make.graphs(60, make.dag(rng, 60, 0.06), 60, make.dag(rng, 60, 0.06))
    exact, limited = GraphF1(node_limit=100_000).compute(pair), GraphF1(node_limit=0).compute(pair)
    assert exact.proven
    assert not limited.proven
    assert limited.value == limited.low <= exact.value <= limited.high
    assert limited.low < limited.high
