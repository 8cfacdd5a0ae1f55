"""The task view against networkx, cycles and chains of gateways included."""

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.model import END, START, Gateway, Link, Task, TaskGraph, Workflow

from ..hypothesis_examples import examples

SEEDS = st.integers(0, 2**32 - 1)


def random_graph(seed, most=14):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, most))
    density = rng.uniform(0, 0.4)
    edges = {(a, b) for a in range(n) for b in range(n) if rng.random() < density and (rng.random() < 0.3 or a < b)}
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n))
    graph.add_edges_from(edges)
    return TaskGraph(n, frozenset(edges), frozenset(), (), ()), graph


def bits(members):
    return sum(1 << member for member in members)


def after_itself(graph, task):
    return any(task == near or nx.has_path(graph, near, task) for near in graph.successors(task))


@settings(max_examples=examples(150))
@given(SEEDS)
def test_closures_cycles_depth_and_orders(seed):
    view, graph = random_graph(seed)
    for task in range(view.n):
        loop = {task} if after_itself(graph, task) else set()
        assert view.descendants[task] == bits(nx.descendants(graph, task) | loop)
        assert view.ancestors[task] == bits(nx.ancestors(graph, task) | loop)
        assert list(view.successors[task]) == sorted(graph.successors(task))
        assert list(view.predecessors[task]) == sorted(graph.predecessors(task))
    components = [frozenset(part) for part in nx.strongly_connected_components(graph)]
    cyclic = {part for part in components if len(part) > 1 or graph.has_edge(*(2 * tuple(part))[:2])}
    assert {frozenset(cycle) for cycle in view.cycles} == cyclic
    assert len(view.cycles) == len(cyclic)
    check_depth(view, graph)
    check_order(view, view.topological_order())
    backwards = view.topological_order(key=lambda task: -task)
    check_order(view, backwards)
    assert view.topological_order(key=lambda task: (-task, "x")) == backwards


def check_depth(view, graph):
    condensed = nx.condensation(graph)
    where = condensed.graph["mapping"]
    down = dict.fromkeys(condensed, 0)
    up = dict.fromkeys(condensed, 0)
    for part in nx.topological_sort(condensed):
        down[part] = max((down[before] + 1 for before in condensed.predecessors(part)), default=0)
    for part in reversed(list(nx.topological_sort(condensed))):
        up[part] = max((up[behind] + 1 for behind in condensed.successors(part)), default=0)
    for task, depth in enumerate(view.depth):
        d, u = down[where[task]], up[where[task]]
        assert depth == (d / (d + u) if d + u else 0.5)


def check_order(view, order):
    assert sorted(order) == list(range(view.n))
    place = {task: rank for rank, task in enumerate(order)}
    for first in range(view.n):
        for second in range(view.n):
            if view.precedes(first, second) and not view.precedes(second, first):
                assert place[first] < place[second]


def test_a_cycle_does_not_let_later_tasks_overtake():
    view = TaskGraph(4, frozenset({(2, 3), (3, 2), (3, 1), (1, 0)}), frozenset(), (), ())
    assert view.topological_order() == [2, 3, 1, 0]


def test_an_acyclic_order_is_the_lexicographically_smallest():
    for seed in range(40):
        view, graph = random_graph(seed, 8)
        if nx.is_directed_acyclic_graph(graph):
            assert view.topological_order() == list(nx.lexicographical_topological_sort(graph))


@settings(max_examples=examples(150))
@given(SEEDS)
def test_gateways_are_contracted(seed):
    rng = np.random.default_rng(seed)
    tasks = [f"t{i}" for i in range(int(rng.integers(1, 6)))]
    gateways = [f"g{i}" for i in range(int(rng.integers(0, 6)))]
    nodes = [*tasks, *gateways]
    pairs = {(a, b) for a in [START, *nodes] for b in [*nodes, END] if rng.random() < 0.25}  # gateway cycles included
    workflow = Workflow(
        tasks=tuple(Task(id=name, name=name) for name in tasks),
        gateways=tuple(Gateway(id=name, op="XOR") for name in gateways),
        links=tuple(Link(source=a, target=b) for a, b in sorted(pairs)),
    )
    view = TaskGraph.of(workflow)

    def following(node):
        seen, pending = set(), [node]
        while pending:
            here = pending.pop()
            for a, b in pairs:
                if a == here and b not in seen:
                    seen.add(b)
                    pending += [b] * (b in gateways)
        return seen - set(gateways)

    number = {name: place for place, name in enumerate(tasks)}
    expected = {(number[a], number[b]) for a in tasks for b in following(a) if b in number}
    assert view.edges == expected
    assert view.starts == tuple(sorted(number[b] for b in following(START) if b in number))
    assert view.ends == tuple(number[a] for a in tasks if END in following(a))


def test_a_returning_link_does_not_order_but_a_plain_one_beside_it_does(make):
    view = TaskGraph.of(make("AB", {(0, 1)}, backs={(1, 0)}))
    assert (view.edges, view.back_edges, view.cycles) == ({(0, 1)}, {(1, 0)}, ())
    both = TaskGraph.of(make("AB", {(0, 1), (1, 0)}, backs={(1, 0)}))
    assert (both.back_edges, both.cycles) == (frozenset(), ((0, 1),))


def test_a_returning_link_stays_one_through_a_gateway():
    links = [("a", "g", True), ("g", "b", False), ("b", "a", False)]
    view = TaskGraph.of(
        Workflow(
            tasks=(Task(id="a", name="A"), Task(id="b", name="B")),
            gateways=(Gateway(id="g", op="XOR"),),
            links=tuple(Link(source=a, target=b, back=back) for a, b, back in links),
        )
    )
    assert (view.edges, view.back_edges) == ({(1, 0)}, {(0, 1)})


def test_broken_graphs_are_held():
    view = TaskGraph.of(
        Workflow(
            tasks=(Task(id="a", name="A"), Task(id="a", name="B")),
            links=(Link(source="a", target="nowhere"), Link(source="a", target=END), Link(source=END, target="a")),
        )
    )
    assert (view.n, view.edges, view.starts, view.ends) == (2, frozenset(), (), (0,))
    empty = TaskGraph.of(Workflow())
    assert (empty.topological_order(), empty.depth, empty.cycles) == ([], (), ())
