"""Data checks: a brute-force oracle on small workflows, invariance, and the cases that pairs do not show."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.model import END, START, DataItem, DataLink, Gateway, Guard, Link, Task, Workflow
from wfgate.rules import lint, review

from ...hypothesis_examples import examples

DATA = ("image", "report")


def flow(tasks, edges, semantics="dag", **more):
    """Tasks by what they read and write; edges by position, with an optional guard; -1 is START or END."""

    def node(position, virtual):
        return virtual if position == -1 else f"t{position}"

    links = []
    for first, second, *guard in edges:
        said = Guard(expr=guard[0]) if guard else None
        links.append(Link(source=node(first, START), target=node(second, END), guard=said))
    return Workflow(
        semantics=semantics,
        tasks=tuple(
            Task(id=f"t{place}", name=f"Step {place}", inputs=tuple(reads), outputs=tuple(writes))
            for place, (reads, writes) in enumerate(tasks)
        ),
        links=tuple(links),
        **more,
    )


def found(workflow, *ids):
    return [(f.id, *f.tasks) for f in lint(workflow) if f.id in ids]


@st.composite
def workflows(draw):
    n = draw(st.integers(2, 5))
    names = st.lists(st.sampled_from(DATA), max_size=2, unique=True)
    tasks = [(draw(names), draw(names)) for _ in range(n)]
    edges = [(a, b) for a, b in itertools.combinations(range(n), 2) if draw(st.booleans())]
    heads = [t for t in range(n) if t not in {b for _, b in edges}]
    tails = [t for t in range(n) if t not in {a for a, _ in edges}]
    return flow(tasks, [*((-1, t) for t in heads), *edges, *((t, -1) for t in tails)])


def runs(workflow):
    """Every order in which the steps of an unconditional workflow can run, one after the other."""
    before = {(link.source, link.target) for link in workflow.links if link.source != START and link.target != END}
    ids = [task.id for task in workflow.tasks]
    for order in itertools.permutations(ids):
        place = {task: rank for rank, task in enumerate(order)}
        if all(place[a] < place[b] for a, b in before):
            yield [int(task[1:]) for task in order]


@settings(max_examples=examples(120))
@given(workflows())
def test_races_and_lost_values_are_those_of_all_runs(workflow):
    orders = list(runs(workflow))
    tasks = workflow.tasks

    def both_orders(a, b):
        return len({order.index(a) < order.index(b) for order in orders}) == 2

    for datum in DATA:
        writers = [p for p, task in enumerate(tasks) if datum in task.outputs]
        readers = [p for p, task in enumerate(tasks) if datum in task.inputs]
        racing = {f"Step {w}" for w in writers if any(v != w and both_orders(v, w) for v in writers)}
        said = [f for f in lint(workflow) if f.id == "WF404" and f"'{datum}'" in f.message]
        assert {name for f in said for name in f.tasks} == racing
        pairs = {(r, w) for r in readers for w in writers if r not in writers and both_orders(r, w)}
        said = [f for f in lint(workflow) if f.id == "WF405" and f"'{datum}'" in f.message]
        assert {name for f in said for name in f.tasks} == {f"Step {p}" for pair in pairs for p in pair}
        late = {
            f"Step {r}"
            for r in readers
            if writers
            and r not in writers
            and all(order.index(r) < order.index(w) for order in orders for w in writers)
        }
        said = [f for f in lint(workflow) if f.id == "WF402" and f"'{datum}'" in f.message]
        assert {name for f in said for name in f.tasks} == (late | {f"Step {w}" for w in writers} if late else set())
        for lost in (f for f in lint(workflow) if f.id == "WF406" and f"'{datum}'" in f.message):
            first = int(lost.tasks[0].split()[1])
            for order in orders:
                later = order[order.index(first) + 1 :]
                uses = [p for p in later if p in readers or p in writers]
                assert uses
                assert uses[0] not in readers


@settings(max_examples=examples(80))
@given(workflows(), st.data())
def test_findings_depend_neither_on_ids_nor_on_listing(workflow, data):
    order = data.draw(st.permutations(range(len(workflow.tasks))))
    ids = {task.id: f"x{place}" for place, task in zip(order, workflow.tasks, strict=True)}
    tasks = [task.model_copy(update={"id": ids[task.id]}) for task in workflow.tasks]
    links = [
        link.model_copy(
            update={"source": ids.get(link.source, link.source), "target": ids.get(link.target, link.target)}
        )
        for link in workflow.links
    ]
    other = workflow.model_copy(
        update={"tasks": tuple(tasks[place] for place in order), "links": tuple(reversed(links))}
    )
    assert [(f.id, f.message, f.fingerprint) for f in lint(workflow)] == [
        (f.id, f.message, f.fingerprint) for f in lint(other)
    ]


@settings(max_examples=examples(80))
@given(workflows(), st.permutations(["image", "report", "artefact", "results"]))
def test_renaming_all_data_is_no_change(compare_by_name, workflow, names):
    fresh = dict(zip(DATA, (f"new {name}" for name in names), strict=False))
    tasks = [
        task.model_copy(
            update={"inputs": tuple(map(fresh.get, task.inputs)), "outputs": tuple(map(fresh.get, task.outputs))}
        )
        for task in workflow.tasks
    ]
    other = workflow.model_copy(update={"tasks": tuple(tasks)})
    assert not [f for f in review(compare_by_name(workflow, other)) if f.id.startswith("WR4")]


@settings(max_examples=examples(100))
@given(workflows(), workflows())
def test_every_lost_use_of_data_is_said_once_and_of_the_right_step(compare_by_name, golden, candidate):
    findings = [f for f in review(compare_by_name(golden, candidate)) if f.id.startswith("WR4")]
    assert len({f.fingerprint for f in findings}) == len(findings)
    for finding in findings:
        assert not finding.pre_existing
        if finding.id == "WR401":
            reads = {datum for task in candidate.tasks for datum in task.inputs}
            writes = {datum for task in candidate.tasks for datum in task.outputs}
            assert reads - writes


CHOICE = [(-1, 0), (0, 1, "size > 10"), (0, 2, "size <= 10"), (1, 3), (2, 3), (3, -1)]


def test_two_conditions_that_contradict_each_other_are_alternatives():
    tasks = [([], []), ([], ["image"]), ([], ["image"]), (["image"], [])]
    every = ("WF404", "WF405", "WF406", "WF407")
    assert found(flow(tasks, CHOICE, "token"), *every) == []
    overlapping = [(*edge[:2], "size < 20") if edge[2:] == ("size <= 10",) else edge for edge in CHOICE]
    ids = {finding[0] for finding in found(flow(tasks, overlapping, "token"), *every)}
    assert ids == {"WF404"}


def test_a_condition_that_holds_for_both_keeps_the_data_together():
    tasks = [([], []), ([], ["image"]), ([], []), (["image"], []), ([], [])]
    edges = [(-1, 0), (0, 1, "size > 10"), (0, 2), (1, 2), (2, 3, "size > 10"), (2, 4), (3, 4), (4, -1)]
    assert found(flow(tasks, edges, "token"), "WF407") == []
    loose = [(*edge[:2], "price > 10") if edge == (2, 3, "size > 10") else edge for edge in edges]
    assert found(flow(tasks, loose, "token"), "WF407") == [("WF407", "Step 3")]


def test_parallel_branches_are_no_alternatives():
    gateways = (Gateway(id="split", op="AND"), Gateway(id="join", op="AND", role="join"))
    tasks = [([], ["image"]), ([], []), (["image"], [])]
    base = flow(tasks, [], "token")
    ends = [(START, "split"), ("split", "t0"), ("split", "t1"), ("t0", "join"), ("t1", "join"), ("join", "t2")]
    links = [Link(source=a, target=b) for a, b in [*ends, ("t2", END)]]
    workflow = base.model_copy(update={"gateways": gateways, "links": tuple(links)})
    assert found(workflow, "WF402", "WF404", "WF405", "WF407") == []


def test_a_handler_of_failures_is_not_expected_to_have_everything():
    workflow = flow([([], ["image"]), (["image"], []), (["image"], [])], [(-1, 0), (0, 1), (1, -1), (2, -1)])
    handler = Link(source="t0", target="t2", outcome="failure")
    workflow = workflow.model_copy(update={"links": (*workflow.links, handler)})
    assert found(workflow, "WF407") == []


def test_a_data_link_tells_the_writers_apart():
    tasks = [([], ["image"]), ([], ["image"]), (["image"], [])]
    workflow = flow(tasks, [(-1, 0), (-1, 1), (0, 2), (2, -1), (1, -1)])
    assert found(workflow, "WF404", "WF405") == [("WF404", "Step 0", "Step 1"), ("WF405", "Step 2", "Step 1")]
    linked = workflow.model_copy(update={"data_links": (DataLink(source="t0", target="t2", data="image"),)})
    assert found(linked, "WF404", "WF405") == [("WF404", "Step 0", "Step 1")]
    wrong = workflow.model_copy(update={"data_links": (DataLink(source="t1", target="t2", data="image"),)})
    assert found(wrong, "WF405") == [("WF405", "Step 2", "Step 1")]
    assert [f.severity for f in lint(workflow) if f.id == "WF405"] == ["warning"]
    assert [f.severity for f in lint(wrong) if f.id == "WF405"] == ["info"]


@pytest.mark.parametrize(
    ("reads", "offered", "silent"),
    [
        ("order.total", "order", True),
        ("order", "order.total", True),
        ("orders", "order", False),
        ("IMAGE", "image", False),
    ],
)
def test_parts_of_a_datum_are_produced_with_it(reads, offered, silent):
    workflow = flow([([], [offered]), ([reads], [])], [(-1, 0), (0, 1), (1, -1)])
    assert (found(workflow, "WF401") == []) == silent


def test_an_old_defect_stays_known_when_fewer_steps_have_it(compare_by_name):
    edges = [(-1, 0), (0, 1), (1, 2), (2, -1)]
    golden = flow([([], ["report"]), (["image"], []), (["image", "report"], [])], edges)
    candidate = flow([([], ["report"]), (["image"], []), (["report"], [])], edges)
    known = [f.pre_existing for f in review(compare_by_name(golden, candidate)) if f.id == "WF401"]
    assert known == [True]
    assert [f.pre_existing for f in review(compare_by_name(candidate, golden)) if f.id == "WF401"] == [False]


def test_a_datum_that_is_only_declared_now_is_a_warning_only_as_a_parameter(compare_by_name):
    edges = [(-1, 0), (0, 1), (1, -1)]
    golden = flow([([], ["image"]), (["image"], [])], edges)
    candidate = flow([([], []), (["image"], [])], edges)
    for more, severity in (
        (({"params": {"image": "x"}}), "warning"),
        ({"data_items": (DataItem(id="image"),)}, "error"),
    ):
        findings = review(compare_by_name(golden, candidate.model_copy(update=more)))
        assert [(f.id, f.severity) for f in findings if f.id.startswith("WR4")] == [("WR401", severity)]


def test_hundreds_of_data_are_checked_completely():
    n = 300
    tasks = [([f"d{place - 1}"] if place else [], [f"d{place}"]) for place in range(n)]
    edges = [(-1, 0), *((place, place + 1) for place in range(n - 1)), (n - 1, -1)]
    assert lint(flow(tasks, edges)) == ()
    backwards = [([f"d{place + 1}"], [f"d{place}"]) for place in range(n - 1)] + [([], [f"d{n - 1}"])]
    assert len(found(flow(backwards, edges), "WF402")) == n - 1
