"""The graph kernel against networkx and definitions: random graphs with cycles, loops and parallel links."""

from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.model import (
    cycle_through,
    cyclic,
    depth_first,
    dominators,
    linear_extension,
    path_to,
    reach,
    strongly_connected,
    topological,
)

NODES = st.integers(0, 7)
EDGES = st.lists(st.tuples(NODES, NODES), max_size=20)
LONG = 20_000


def graph_of(edges):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(8))
    graph.add_edges_from(edges)
    return graph


def following(edges):
    return {node: [target for source, target in edges if source == node] for node in range(8)}.__getitem__


@given(st.lists(NODES, unique=True, max_size=3), EDGES)
def test_reach_is_breadth_first_and_has_shortest_paths(starts, edges):
    came = reach(starts, following(edges))
    distance = nx.multi_source_dijkstra_path_length(graph_of(edges), set(starts), weight=None) if starts else {}
    assert came.keys() == distance.keys()
    lengths = []
    for node in came:
        path = path_to(node, came)
        assert path[0] in starts
        assert path[-1] == node
        assert set(pairwise(path)) <= set(edges)
        lengths.append(len(path) - 1)
        assert lengths[-1] == distance[node]
    assert lengths == sorted(lengths)


@given(EDGES)
def test_cycles(edges):
    graph = graph_of(edges)
    on = set()
    for node in range(8):
        back = [
            1 + nx.shortest_path_length(graph, near, node) for near in graph[node] if nx.has_path(graph, near, node)
        ]
        cycle = cycle_through(node, following(edges))
        assert (cycle is None) == (not back)
        if cycle:
            on.add(node)
            assert cycle[0] == node
            assert len(cycle) == min(back)
            assert set(zip(cycle, [*cycle[1:], node], strict=True)) <= set(edges)
    assert cyclic(edges) == on
    assert (not on) == nx.is_directed_acyclic_graph(graph)


@given(st.lists(NODES, max_size=8), EDGES)
def test_a_depth_first_search_finds_the_links_that_close_cycles(roots, edges):
    trees, closing = depth_first(roots, following(edges))
    assert [node for tree in trees for node in tree] == postorder(graph_of(edges), roots)
    place = {node: rank for rank, node in enumerate(node for tree in trees for node in tree)}
    within = {(a, b) for a, b in edges if a in place}
    assert all(place[b] < place[a] for a, b in within - closing)  # without them no cycle is left
    assert all(place[b] >= place[a] for a, b in closing)
    assert all(tree[-1] in roots for tree in trees)


def postorder(graph, roots):
    """Recursive, by definition."""
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for near in graph[node]:
                visit(near)
            order.append(node)

    for root in roots:
        visit(root)
    return order


@given(st.lists(NODES, unique=True), EDGES)
def test_components_and_their_order_are_those_of_networkx(nodes, edges):
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(edges)
    assert strongly_connected(nodes, edges) == list(nx.strongly_connected_components(graph))


@given(EDGES)
def test_the_topological_order_leaves_out_cycles_and_what_is_after_them(edges):
    order = topological(range(8), following(edges))
    graph = graph_of(edges)
    behind = cyclic(edges).union(*(nx.descendants(graph, node) for node in cyclic(edges)))
    assert sorted(order) == sorted(set(range(8)) - behind)
    if not behind:
        assert order == list(nx.topological_sort(graph))
        parts = [(node,) for node in order]
        successors = [sorted(graph[node]) for node in range(8)]
        assert linear_extension(parts, successors, range(8)) == list(nx.lexicographical_topological_sort(graph))


@given(EDGES)
def test_a_dominator_is_on_every_path(edges):
    graph = graph_of(edges)
    above = dominators(0, following(edges))
    reached = nx.descendants(graph, 0)
    assert above.keys() == reached
    for node in reached:
        without = {each: graph.subgraph(set(graph) - {each}) for each in reached - {node}}
        on_every_path = {each for each, rest in without.items() if not nx.has_path(rest, 0, node)}
        assert set(path_to(node, above)) == {0, node} | on_every_path


@pytest.mark.parametrize("closed", [False, True])
def test_long_paths_need_no_recursion_and_no_quadratic_time(closed):
    after = {node: [node + 1, LONG] for node in range(LONG)} | {LONG: [0] * closed}  # each node has a way to the end
    assert set(dominators(0, after.__getitem__).values()) == set(range(LONG - 1))
    trees, closing = depth_first([0], after.__getitem__)
    assert (len(trees[0]), closing) == (LONG + 1, {(LONG, 0)} if closed else set())
    edges = [(node, near) for node, targets in after.items() for near in targets]
    assert len(strongly_connected((), edges)) == (1 if closed else LONG + 1)
    assert len(reach([0], after.__getitem__)) == LONG + 1
    assert len(topological(after, after.__getitem__)) == (0 if closed else LONG + 1)
