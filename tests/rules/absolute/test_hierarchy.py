"""Calls between the workflows of a file."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.model import END, START, Guard, Link, Task, Workflow
from wfgate.rules import lint, review

from ...hypothesis_examples import examples


def called(name, *calls, guard=None, **more):
    """A workflow that calls others one after the other, the first after a condition if there is one."""
    tasks = [Task(id="first", name=f"First of {name}")]
    tasks += [
        Task(id=f"c{place}", name=f"{name} calls {call}", kind="composite", workflow=call, **more)
        for place, call in enumerate(calls)
    ]
    nodes = [START, *(task.id for task in tasks), END]
    links = [Link(source=a, target=b) for a, b in itertools.pairwise(nodes)]
    if guard:
        links[1] = links[1].model_copy(update={"guard": Guard(expr=guard)})
        links.append(Link(source="first", target=END, guard=Guard(default=True)))
    return Workflow(name=name, tasks=tuple(tasks), links=tuple(links))


def file(main, *parts):
    return main.model_copy(update={"subworkflows": parts})


def said(workflow, *ids):
    return [(f.id, f.severity, f.witness) for f in lint(workflow) if f.id in ids]


def test_the_shortest_certain_cycle_is_named():
    workflow = file(called("main", "a"), called("a", "b"), called("b", "c", "a"), called("c", "a"))
    assert said(workflow, "WF502") == [("WF502", "error", ("'a'", "'b'", "'a'"))]


def test_one_condition_on_the_cycle_makes_it_a_warning():
    workflow = file(called("main", "a"), called("a", "b"), called("b", "a", guard="again"))
    (finding,) = (f for f in lint(workflow) if f.id == "WF502")
    assert (finding.severity, finding.witness) == ("warning", ("'a'", "'b'", "'a'"))
    assert finding.message.endswith("when again")


def test_a_certain_cycle_counts_more_than_a_shorter_one_with_a_condition():
    workflow = file(called("main", "a"), called("a", "a", "b", guard="again"), called("b", "a"))
    certain = workflow.subworkflows[0].model_copy(update={"links": called("a", "a", "b").links[:1]})
    direct = (*certain.links, Link(source="first", target="c1"), Link(source="first", target="c0"))
    guarded = (*direct[:-1], direct[-1].model_copy(update={"guard": Guard(expr="again")}))
    workflow = file(called("main", "a"), certain.model_copy(update={"links": guarded}), called("b", "a"))
    assert said(workflow, "WF502") == [("WF502", "error", ("'a'", "'b'", "'a'"))]


def test_the_main_workflow_can_be_on_the_cycle():
    workflow = file(called("main", "a"), called("a", "main"))
    assert said(workflow, "WF502") == [("WF502", "error", ("'a'", "'main'", "'a'"))]


def test_two_cycles_are_two_findings():
    workflow = file(called("main", "a", "b"), called("a", "a"), called("b", "b"))
    assert [witness for _, _, witness in said(workflow, "WF502")] == [("'a'", "'a'"), ("'b'", "'b'")]


@settings(max_examples=examples(80))
@given(st.lists(st.lists(st.integers(0, 4), max_size=3), min_size=5, max_size=5))
def test_recursion_is_found_where_and_only_where_there_is_a_cycle(calls):
    names = [f"w{place}" for place in range(5)]
    parts = [called(names[place], *(names[call] for call in some)) for place, some in enumerate(calls)]
    workflow = file(parts[0], *parts[1:])
    reach = [set(some) for some in calls]
    for _ in range(5):
        reach = [near | {far for place in near for far in reach[place]} for near in reach]
    circles = {frozenset(b for b in range(5) if b in reach[a] and a in reach[b]) for a in range(5) if a in reach[a]}
    found = said(workflow, "WF502")
    assert len(found) == len(circles)
    assert all(severity == "error" and witness[0] == witness[-1] for _, severity, witness in found)
    assert found == said(file(parts[0], *reversed(parts[1:])), "WF502")


def test_lint_and_review_say_the_same_of_recursion_and_interfaces():
    inner = called("a", "a").model_copy(
        update={"tasks": (*called("a", "a").tasks, Task(id="x", name="X", outputs=("other",)))}
    )
    main = called("main", "a", outputs=("report",))
    workflow = file(main, inner)
    alone = {f.fingerprint for f in lint(workflow) if f.id in {"WF502", "WF503"}}
    together = [f for f in review(compare(workflow, workflow, StaticEmbedder())) if f.id in {"WF502", "WF503"}]
    assert {f.fingerprint for f in together} == alone
    assert len(alone) == 2
    assert all(finding.pre_existing for finding in together)


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (Task(id="x", name="X", inputs=("image",), outputs=("report",)), []),
        (Task(id="x", name="X", inputs=("image",)), ["error"]),
        (Task(id="x", name="X", outputs=("report",), inputs=("url",)), ["error", "warning"]),
        (Task(id="x", name="X", outputs=("report",), inputs=("url",), params={"url": "u"}), ["warning"]),
        (Task(id="x", name="X", outputs=("report",), params={"with": "${image}"}), []),
        (Task(id="x", name="X"), []),
        (Task(id="x", name="X", kind="composite", workflow="org/elsewhere", inputs=("image",)), []),
    ],
)
def test_the_interface_of_a_composite(inner, expected):
    part = Workflow(name="a", tasks=(inner,), links=(Link(source=START, target="x"), Link(source="x", target=END)))
    main = called("main", "a", inputs=("image",), outputs=("report",))
    first = main.tasks[0].model_copy(update={"outputs": ("image", "url")})
    workflow = file(main.model_copy(update={"tasks": (first, *main.tasks[1:])}), part)
    assert [f.severity for f in lint(workflow) if f.id == "WF503"] == expected


def test_what_nothing_produces_is_said_once_whether_opened_or_not():
    inner = Task(id="x", name="X", inputs=("image", "nothing"), outputs=("report",))
    part = Workflow(name="a", tasks=(inner,), links=(Link(source=START, target="x"), Link(source="x", target=END)))
    main = called("main", "a", inputs=("image",), outputs=("report",))
    first = main.tasks[0].model_copy(update={"outputs": ("image",)})
    workflow = file(main.model_copy(update={"tasks": (first, *main.tasks[1:])}), part)
    ids = ("WF401", "WF503")
    assert [f.id for f in lint(workflow) if f.id in ids] == ["WF401"]
    assert [f.id for f in review(compare(workflow, workflow, StaticEmbedder())) if f.id in ids] == ["WF401"]


def test_a_sub_workflow_that_nothing_calls_may_be_given_anything():
    part = Workflow(
        name="a",
        tasks=(Task(id="x", name="X", inputs=("image",), outputs=("report",)),),
        links=(Link(source=START, target="x"), Link(source="x", target=END)),
    )
    assert said(file(called("main"), part), "WF401", "WF503") == []
