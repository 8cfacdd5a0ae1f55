import networkx as nx
from hypothesis import given
from hypothesis import strategies as st

from wfgate.model import strongly_connected

NODES = st.integers(0, 7)


@given(st.lists(NODES, unique=True), st.lists(st.tuples(NODES, NODES), max_size=20))
def test_components_and_their_order_are_those_of_networkx(nodes, edges):
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    assert strongly_connected(nodes, edges) == list(nx.strongly_connected_components(graph))


def test_a_long_path_needs_no_recursion():
    path = [(node, node + 1) for node in range(20_000)]
    assert strongly_connected((), path)[0] == {20_000}
    assert strongly_connected((), [*path, (20_000, 0)]) == [set(range(20_001))]
