from itertools import pairwise

import pytest
from scipy.stats import kendalltau

from wfgate.compare.metrics.kendall_tau import KendallTau


def tau(pair):
    return KendallTau().compute(pair).value


def chain(*steps):
    return list(pairwise(steps))


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (1, 0, 2, 4, 3), (2, 4, 0, 1, 3)])
def test_chains_as_scipy(make, order):
    ranks = [order.index(step) for step in range(5)]
    assert tau(make.graphs(5, chain(*range(5)), 5, chain(*order))) == pytest.approx(kendalltau(range(5), ranks)[0])


def test_missing_steps_leave_the_coverage(make):
    assert tau(make.graphs(5, chain(*range(5)), 3, chain(0, 1, 2), [(0, 0), (2, 1), (4, 2)])) == 3 / 5
    assert tau(make.graphs(5, chain(*range(5)), 1, [], [(2, 0)])) == 1 / 5
    assert tau(make.graphs(5, chain(*range(5)), 1, [], [])) == 0


def test_parallel_in_both_is_agreement(make):
    fork = [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert tau(make.graphs(4, fork, 4, fork, [(0, 0), (1, 2), (2, 1), (3, 3)])) == 1.0


def test_one_sided_tie_costs_nothing(make):
    fork = [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert tau(make.graphs(4, fork, 4, chain(0, 1, 2, 3))) == 1.0
    assert tau(make.graphs(3, chain(0, 1, 2), 3, [])) == 1  # all order lost, none reversed: graph-f1 sees that


def test_reversed_is_the_worst(make):
    assert tau(make.graphs(3, chain(0, 1, 2), 3, chain(2, 1, 0))) == -1.0


@pytest.mark.parametrize("steps", [0, 1])
def test_no_order_to_keep(make, steps):
    result = KendallTau().compute(make.graphs(steps, [], 2, []))
    assert result.value is None
    assert f"the golden has {steps} step" in result.undefined_because


def test_a_cycle_orders_nothing(make):
    assert tau(make.graphs(2, [(0, 1), (1, 0)], 2, [])) == 1.0
