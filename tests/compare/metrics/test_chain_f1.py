from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest

from wfgate.compare import aligned_orders
from wfgate.compare.metrics.chain_f1 import ChainF1
from wfgate.compare.metrics.partial_order import largest_consistent_set


def topological_orders(graph):
    directed = nx.DiGraph()
    directed.add_nodes_from(range(graph.n))
    directed.add_edges_from(graph.edges)
    return [tuple(order) for order in nx.all_topological_sorts(directed)]


def restricted(orders, places):
    return {tuple(places[task] for task in order if task in places) for order in orders}


def by_orders(pair):
    """The definition as the paper writes it: the best common subsequence over all orders of both sides."""
    golden = restricted(topological_orders(pair.golden_graph), {g: i for i, (g, _) in enumerate(pair.pairs)})
    candidate = restricted(topological_orders(pair.candidate_graph), {c: i for i, (_, c) in enumerate(pair.pairs)})
    return max(longest_common(a, b) for a in golden for b in candidate)


def longest_common(a, b):
    place = {step: i for i, step in enumerate(b)}
    longest = []
    for i, step in enumerate(a):
        longest.append(1 + max((longest[j] for j in range(i) if place[a[j]] < place[step]), default=0))
    return max(longest, default=0)


def by_subsets(pair):
    """Ours: the largest subset on which the union of both orders has no cycle."""
    golden, candidate = aligned_orders(pair)
    union = nx.DiGraph(list(zip(*np.nonzero(golden | candidate), strict=True)))
    union.add_nodes_from(range(len(golden)))
    return next(
        size
        for size in range(len(golden), -1, -1)
        if any(
            nx.is_directed_acyclic_graph(union.subgraph(chosen)) for chosen in combinations(range(len(golden)), size)
        )
    )


def kept(pair):
    result = ChainF1().compute(pair)
    assert result.proven
    return round(result.precision * pair.candidate_graph.n)


@pytest.mark.parametrize("density", [0.2, 0.4, 0.7])
def test_against_all_orders_of_both(make, density):
    rng = np.random.default_rng(int(density * 10))
    for _ in range(70):
        pair = make.random_dags(rng, 5, density)
        assert kept(pair) == by_orders(pair)


@pytest.mark.slow
@pytest.mark.parametrize("density", [0.15, 0.25, 0.4])
def test_against_all_orders_of_both_larger(make, density):
    rng = np.random.default_rng(int(density * 100))
    for _ in range(150):
        pair = make.random_dags(rng, 7, density + 0.1)
        assert kept(pair) == by_orders(pair)


def test_against_subsets(make):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        pair = make.graphs(8, make.dag(rng, 8, 0.2), 8, make.dag(rng, 8, 0.2))
        assert kept(pair) == by_subsets(pair)


def test_chains_against_all_orders(make):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        chain = [int(v) for v in rng.permutation(6)]
        pair = make.graphs(6, make.dag(rng, 6, 0.3), 6, list(pairwise(chain)))
        assert kept(pair) == by_orders(pair)


def test_cycle_without_pairwise_contradiction(make):
    pair = make.graphs(4, [(0, 1), (2, 3)], 4, [(1, 2), (3, 0)])
    assert kept(pair) == 3


def test_antichain_that_holds_a_cycle(make):
    """Two steps contradict each other beside the four of the cycle: both cuts are needed."""
    pair = make.graphs(6, [(0, 1), (2, 3), (4, 5)], 6, [(1, 2), (3, 0), (5, 4)])
    assert kept(pair) == 4 == by_subsets(pair)


def test_parallel_candidate_is_not_scored_by_its_listing(make):
    pair = make.graphs(4, [(0, 1), (1, 2), (2, 3)], 4, [(3, 0)])
    assert kept(pair) == 3
    assert ChainF1().compute(make.graphs(4, [(0, 1), (1, 2), (2, 3)], 4, [])).value == 1.0


def test_steps_on_a_cycle_are_not_ordered(make):
    cycle = [(0, 1), (1, 2), (2, 0), (2, 3)]
    assert ChainF1().compute(make.graphs(4, cycle, 4, [(2, 1), (1, 0), (0, 3)])).value == 1.0
    assert kept(make.graphs(4, cycle, 4, [(3, 0), (0, 1), (1, 2)])) == 3  # the cycle as a whole comes before 3


def test_unaligned_steps_count_in_precision_and_recall(make):
    result = ChainF1().compute(make.graphs(4, [], 2, [], [(0, 0)]))
    assert (result.precision, result.recall, result.value) == (0.5, 0.25, pytest.approx(1 / 3))
    assert ChainF1().compute(make.graphs(4, [], 2, [], [])).value == 0


def test_work_limit_gives_bounds(make):
    ended_early = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        pair = make.graphs(40, make.dag(rng, 40, 0.06), 40, make.dag(rng, 40, 0.06))
        exact = ChainF1().compute(pair)
        assert exact.proven
        for limited in (ChainF1(round_limit=0), ChainF1(round_limit=1), ChainF1(node_limit=0, round_limit=2)):
            result = limited.compute(pair)
            if result.proven:
                assert result.value == exact.value
            else:
                ended_early += 1
                assert result.value == result.low <= exact.value <= result.high
                assert result.low < result.high
    assert ended_early


def test_contradictory_totals():
    order = np.triu(np.ones((200, 200), dtype=bool), 1)
    assert largest_consistent_set(order, order.T).size == 1
    assert largest_consistent_set(order, order).size == 200
