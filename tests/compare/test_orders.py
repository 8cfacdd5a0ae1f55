"""Changes of order, against the definition: every pair of steps looked at."""

from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from wfgate.compare import CHANGES
from wfgate.compare.orders import ChangedOrders
from wfgate.model import TaskGraph


@st.composite
def comparisons(draw):
    n, m = draw(st.integers(1, 7)), draw(st.integers(0, 7))
    graphs = []
    for size in (n, m):
        node = st.integers(0, max(size - 1, 0))
        edges = draw(st.frozensets(st.tuples(node, node), max_size=10)) if size else frozenset()
        graphs.append(TaskGraph(size, edges, frozenset(), (), ()))
    carriers = st.frozensets(st.integers(0, m - 1), max_size=3) if m else st.just(frozenset())
    places = tuple(SimpleNamespace(carriers=draw(carriers)) for _ in range(n))
    return SimpleNamespace(golden_graph=graphs[0], candidate_graph=graphs[1], golden_places=places)


def by_definition(comparison):
    golden, candidate = comparison.golden_graph, comparison.candidate_graph
    carriers = [place.carriers for place in comparison.golden_places]

    def leads(first, second):
        return any(candidate.precedes(a, b) for a in carriers[first] for b in carriers[second])

    for first in range(golden.n):
        for second in range(golden.n):
            if first == second or not carriers[first] or not carriers[second] or carriers[first] & carriers[second]:
                continue
            before, after = golden.precedes(first, second), golden.precedes(second, first)
            forth, back = leads(first, second), leads(second, first)
            if before and not after and not forth:
                yield first, second, "flipped" if back else "lost"
            elif first < second and not before and not after and forth != back:
                yield first, second, "gained"


@given(comparisons())
def test_changed_orders_are_those_of_the_definition(comparison):
    found = ChangedOrders.of(comparison.golden_graph, comparison.candidate_graph, comparison.golden_places)
    pairs = [(*pair, change) for change in CHANGES for pair in found.pairs(change)]
    assert sorted(pairs) == sorted(by_definition(comparison))
