"""The distance from a partial order, against all of its linear extensions."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from rapidfuzz.distance import DamerauLevenshtein

from wfgate.catalogue.facts.orders import nearest_order


def extensions(n, before):
    return [
        order
        for order in permutations(range(n))
        if all(order.index(first) < order.index(second) for first, second in before)
    ]


def edited(rng, order, n):
    """A list some edits away from an order; names that are none and names that come twice among them."""
    found = list(order)
    names = [*range(n), "x", "y"]
    for _ in range(rng.integers(6)):
        at = int(rng.integers(len(found) + 1))
        match rng.integers(4):
            case 0:
                found[at : at + 1] = []
            case 1:
                found.insert(at, names[rng.integers(len(names))])
            case 2:
                found[at : at + 2] = found[at : at + 2][::-1]
            case 3:
                found[at : at + 1] = [names[rng.integers(len(names))]]
    if rng.random() < 0.3:
        found = [found[place] for place in rng.permutation(len(found))]
    return found


def cases(seed, count):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(rng.integers(7))
        density, order = rng.random(), [int(each) for each in rng.permutation(n)]
        before = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n) if rng.random() < density]
        orders = extensions(n, before)
        yield n, before, orders, edited(rng, orders[rng.integers(len(orders))], n), int(rng.integers(8))


@pytest.mark.parametrize("seed", range(6))
def test_the_distance_is_the_smallest_over_all_linear_extensions(seed):
    for n, before, orders, given, budget in cases(seed, 500):
        smallest = min(DamerauLevenshtein.distance(order, given) for order in orders)
        found = nearest_order(range(n), before, given)
        assert (found.value, found.at_least, found.exact) == (smallest, smallest, True), (n, before, given)
        cut = nearest_order(range(n), before, given, budget=budget)
        assert cut.at_least <= smallest <= cut.value, (n, before, given, budget)
        assert not cut.exact or cut.value == smallest


def test_a_wide_order_is_graded_within_the_budget():
    names = [f"t{place}" for place in range(60)]
    given = names[::-1]
    found = nearest_order(names, [("t59", "t0"), ("t3", "t50")], given)
    assert found.at_least <= found.value <= 4
    assert nearest_order(names, [], given).value == 0
    chain = list(pairwise(names))
    assert nearest_order(names, chain, names) == nearest_order(names, chain, names, budget=70)


def test_an_order_that_is_far_off_gets_bounds():
    names = [f"{line}{place}" for line in "abcdefgh" for place in range(6)]
    before = [(f"{line}{place}", f"{line}{place + 1}") for line in "abcdefgh" for place in range(5)]
    found = nearest_order(names, before, names[::-1], budget=200)
    assert not found.exact
    assert 0 < found.at_least < found.value <= len(names)
