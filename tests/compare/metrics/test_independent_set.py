from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.compare.metrics.independent_set import bits, largest_independent_set

from ...hypothesis_examples import examples

SEEDS = st.integers(0, 2**32 - 1)


def graph(n, edges):
    conflicts = [0] * n
    for a, b in edges:
        conflicts[a] |= 1 << b
        conflicts[b] |= 1 << a
    return conflicts


def random_graph(rng, n, density):
    return graph(n, [(a, b) for a, b in combinations(range(n), 2) if rng.random() < density])


def allowed(conflicts, members, forbidden=()):
    return all(not conflicts[v] & members for v in bits(members)) and all(cut & ~members for cut in forbidden)


def oracle(conflicts, forbidden=(), usable=None):
    masks = range(1 << len(conflicts))
    return max(
        m.bit_count() for m in masks if allowed(conflicts, m, forbidden) and (usable is None or not m & ~usable)
    )


@settings(max_examples=examples(150))
@given(SEEDS)
def test_against_enumeration(seed):
    rng = np.random.default_rng(seed)
    conflicts = random_graph(rng, int(rng.integers(1, 12)), rng.random())
    usable = int(rng.integers(0, 1 << len(conflicts)))
    found = largest_independent_set(conflicts, usable=usable)
    assert allowed(conflicts, found.members)
    assert not found.members & ~usable
    assert found.size == found.upper == oracle(conflicts, usable=usable)


@settings(max_examples=examples(150))
@given(SEEDS)
def test_forbidden_sets_against_enumeration(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 11))
    conflicts = random_graph(rng, n, 0.2)
    forbidden = [sum(1 << int(v) for v in rng.choice(n, 3, replace=False)) for _ in range(int(rng.integers(1, 5)))]
    found = largest_independent_set(conflicts, forbidden=forbidden)
    assert allowed(conflicts, found.members, forbidden)
    assert found.size == found.upper == oracle(conflicts, forbidden)


@pytest.mark.parametrize("seed", range(5))
def test_work_limit_gives_bounds(seed):
    conflicts = random_graph(np.random.default_rng(seed), 60, 0.12)
    exact = largest_independent_set(conflicts, node_limit=100_000)
    limited = largest_independent_set(conflicts, node_limit=0)
    assert exact.size == exact.upper
    assert limited.size <= exact.size <= limited.upper
    assert allowed(conflicts, limited.members)


def test_a_problem_too_large_for_the_solver_has_bounds():
    conflicts = random_graph(np.random.default_rng(1), 400, 0.12)
    found = largest_independent_set(conflicts)
    assert (found.nodes, allowed(conflicts, found.members)) == (0, True)
    assert 30 < found.size <= found.upper < 200


def test_branching_and_highs_agree(monkeypatch):
    graphs = [random_graph(np.random.default_rng(seed), 25, 0.2) for seed in range(15)]
    branched = [largest_independent_set(each).size for each in graphs]
    monkeypatch.setattr("wfgate.compare.metrics.independent_set._BRANCHES", 0)
    assert [largest_independent_set(each).size for each in graphs] == branched


def test_nothing():
    assert largest_independent_set([]).upper == 0
