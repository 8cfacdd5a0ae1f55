"""The canonical order against brute force over all permutations."""

from itertools import permutations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.model import (
    END,
    START,
    DataLink,
    Gateway,
    Guard,
    Link,
    SourceSpan,
    Task,
    TaskGraph,
    Workflow,
    canonical_form,
    fingerprint,
)

from ..hypothesis_examples import examples


@settings(max_examples=examples(400))
@given(st.data())
def test_ids_and_listing_do_not_matter_and_equal_orders_correspond(make, graphs, data):
    labels, edges = data.draw(graphs())
    order = data.draw(st.permutations(range(len(labels))))
    check_corresponding(make, labels, edges, order)


def check_corresponding(make, labels, edges, order):
    one, two = make(labels, edges), make(labels, edges, order=order)
    first, second = canonical_form(one), canonical_form(two)
    assert (first.certificate, first.exact) == (second.certificate, second.exact)
    assert fingerprint(one) == fingerprint(two)
    assert sorted(first.order) == list(range(len(labels)))
    if first.exact:
        partner = dict(zip(first.order, second.order, strict=True))
        assert all(one.tasks[a].name == two.tasks[b].name for a, b in partner.items())
        moved = {(partner[a], partner[b]) for a, b in TaskGraph.of(one).edges}
        assert moved == TaskGraph.of(two).edges


SYMMETRIC = {
    "ring": ("AAAAAA", {(i, (i + 1) % 6) for i in range(6)}),
    "two rings": ("AAAAAA", {(i, i - i % 3 + (i + 1) % 3) for i in range(6)}),
    "antichain": ("AAAAAA", set()),
    "parallel chains": ("ABABAB", {(0, 1), (2, 3), (4, 5)}),
    "complete bipartite": ("AAABBB", {(a, b) for a in range(3) for b in range(3, 6)}),
    "cube": ("A" * 8, {(a, a ^ bit) for a in range(8) for bit in (1, 2, 4)}),
    "petersen": ("A" * 10, {edge for a, b in nx.petersen_graph().edges for edge in ((a, b), (b, a))}),
    "loops": ("AAAA", {(0, 0), (1, 1), (2, 3), (3, 2)}),
}


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_graphs(make, name):
    labels, edges = SYMMETRIC[name]
    for turn in range(4):
        order = sorted(range(len(labels)), key=lambda task: (task * (2 * turn + 1) + turn) % 7)
        check_corresponding(make, labels, edges, order)


def test_refinement_alone_cannot_tell_a_ring_of_six_from_two_of_three(make):
    ring, rings = (canonical_form(make(*SYMMETRIC[name])) for name in ("ring", "two rings"))
    assert ring.exact
    assert rings.exact
    assert ring.certificate != rings.certificate


def all_classes(make, n):
    """Certificates of all digraphs on n equal tasks, each with the brute-force forms it stands for."""
    pairs = [(a, b) for a in range(n) for b in range(n)]
    found = {}
    for mask in range(1 << len(pairs)):
        edges = {pair for bit, pair in enumerate(pairs) if mask >> bit & 1}
        brute = min(sorted((p[a], p[b]) for a, b in edges) for p in permutations(range(n)))
        found.setdefault(canonical_form(make("A" * n, edges)).certificate, set()).add(tuple(brute))
    return found


@pytest.mark.parametrize(("n", "classes"), [(1, 2), (2, 10), (3, 104)])
def test_equal_certificates_mean_isomorphic(make, n, classes):
    found = all_classes(make, n)
    assert len(found) == classes
    assert all(len(forms) == 1 for forms in found.values())


@pytest.mark.slow
def test_equal_certificates_mean_isomorphic_for_four(make):
    pairs = [(a, b) for a in range(4) for b in range(4)]
    seen, certificates = set(), []
    for mask in range(1 << len(pairs)):
        if mask in seen:
            continue
        edges = {pair for bit, pair in enumerate(pairs) if mask >> bit & 1}
        turned = [{(p[a], p[b]) for a, b in edges} for p in permutations(range(4))]
        seen |= {sum(1 << pairs.index(pair) for pair in one) for one in turned}
        (certificate,) = {canonical_form(make("AAAA", one)).certificate for one in (edges, turned[9], turned[-1])}
        certificates.append(certificate)
    assert len(certificates) == len(set(certificates)) == 3044


@settings(max_examples=examples(150))
@given(st.data())
def test_random_pairs_of_five_against_brute_force(make, graphs, data):
    def brute(labels, edges):
        return min(
            (sorted((p[a], p[b]) for a, b in edges), [labels[p.index(place)] for place in range(len(labels))])
            for p in permutations(range(len(labels)))
        )

    one, two = data.draw(graphs(5)), data.draw(graphs(5))
    same = fingerprint(make(*one)) == fingerprint(make(*two))
    assert same == (brute(*one) == brute(*two))


def test_every_content_counts_and_no_position_does(make):
    base = make("ABC", {(-1, 0), (0, 1), (1, 2), (2, -1)})
    task, link = base.tasks[1], base.links[1]
    changed_tasks = [
        {"name": "X"}, {"description": "x"}, {"kind": "event"}, {"action": "x"}, {"workflow": "x"},
        {"inputs": ("x",)}, {"outputs": ("x",)}, {"params": {"x": 1}}, {"critical": True}, {"tags": ("x",)},
        {"timeout": "1h"}, {"join": "any"}, {"optional": True}, {"any_order": True},
    ]  # fmt: skip
    changed_links = [
        {"guard": Guard(expr="x")}, {"guard": Guard(default=True)}, {"outcome": "failure"}, {"back": True},
        {"target": "nowhere"}, {"source": "START"},
    ]  # fmt: skip
    others = [
        base.model_copy(update={"tasks": (base.tasks[0], task.model_copy(update=change), base.tasks[2])})
        for change in changed_tasks
    ]
    links = list(base.links)
    others += [
        base.model_copy(update={"links": (*(x for x in links if x is not link), link.model_copy(update=change))})
        for change in changed_links
    ]
    others += [
        base.model_copy(update=change)
        for change in (
            {"name": "x"}, {"description": "x"}, {"semantics": "token"}, {"params": {"x": 1}},
            {"data_links": (DataLink(source=base.tasks[0].id, target=base.tasks[2].id, data="d"),)},
            {"subworkflows": (base,)},
        )
    ]  # fmt: skip
    assert len({fingerprint(workflow) for workflow in (base, *others)}) == len(others) + 1
    spans = tuple(step.model_copy(update={"span": SourceSpan(line=9, column=9)}) for step in base.tasks)
    assert fingerprint(base.model_copy(update={"tasks": spans})) == fingerprint(base)


def test_conditions_at_the_start_and_at_the_end_count():
    def flow(*links):
        return Workflow(tasks=(Task(id="a", name="Build"),), gateways=(Gateway(id="g", op="XOR"),), links=links)

    def guarded(source, target, expr):
        return Link(source=source, target=target, guard=Guard(expr=expr))

    end = Link(source="a", target=END)
    direct = [flow(guarded(START, "a", expr), end) for expr in ("x > 1", "x > 2")]
    by_gateway = [flow(Link(source=START, target="g"), guarded("g", "a", expr), end) for expr in ("x > 1", "x > 2")]
    to_end = [flow(Link(source=START, target="a"), guarded("a", END, expr)) for expr in ("x > 1", "x > 2")]
    past = [flow(Link(source=START, target="a"), end, guarded(START, END, expr)) for expr in ("x > 1", "x > 2")]
    found = [fingerprint(workflow) for workflow in (*direct, *by_gateway, *to_end, *past)]
    assert len(set(found)) == len(found)


def test_operators_count():
    def split(op):
        return Workflow(
            tasks=tuple(Task(id=i, name=i) for i in "abc"),
            gateways=(Gateway(id="g", op=op),),
            links=tuple(Link(source=a, target=b) for a, b in [("a", "g"), ("g", "b"), ("g", "c")]),
        )

    assert len({fingerprint(split(op)) for op in ("AND", "OR", "XOR")}) == 3


def test_large_regular_structures_stay_cheap_and_exact_where_twins_are_interchangeable(make):
    n = 2000
    chain = canonical_form(make("A" * n, {(i, i + 1) for i in range(n - 1)}))
    assert chain.exact
    assert sorted(chain.order) == list(range(n))
    assert canonical_form(make("A" * n, set())).exact
    assert canonical_form(make("A" * n, {(0, i) for i in range(1, n)})).exact
    assert not canonical_form(make("A" * 300, {(i, (i + 1) % 300) for i in range(300)})).exact


def test_what_is_too_symmetric_is_called_inexact_and_stays_invariant(make):
    edges = {(2 * i, 2 * i + 1) for i in range(40)}
    one, two = make("A" * 80, edges), make("A" * 80, edges, order=range(79, -1, -1))
    first, second = canonical_form(one), canonical_form(two)
    assert not first.exact
    assert first.certificate == second.certificate
    assert canonical_form(make("A" * 80, edges | {(0, 2)})).certificate != first.certificate
