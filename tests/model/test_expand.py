"""Composites opened in place."""

import re
import tracemalloc

import pytest

from wfgate.logic import Behaviour
from wfgate.model import (
    END,
    START,
    DataLink,
    Gateway,
    Guard,
    Link,
    Loop,
    SourceSpan,
    Task,
    TaskGraph,
    Workflow,
    expand,
    fingerprint,
)
from wfgate.model.expansion import MAX_DEPTH, MAX_TASKS
from wfgate.read import read_text


def sequence(name, *tasks, parts=()):
    ids = [task.id for task in tasks]
    links = tuple(Link(source=a, target=b) for a, b in zip([START, *ids], [*ids, END], strict=True))
    return Workflow(name=name, tasks=tasks, links=links, subworkflows=tuple(parts))


def step(name):
    return Task(id=name, name=name)


def call(name, **more):
    return Task(id=f"call-{name}", name=name, kind="composite", workflow=name, **more)


def edges(workflow):
    return {(link.source, link.target) for link in workflow.links}


def test_nested_composites_become_paths():
    inner = sequence("inner", step("x"), step("y"))
    middle = sequence("middle", call("inner"), step("m"))
    opened = expand(sequence("main", step("a"), call("middle"), step("b"), parts=(middle, inner)))
    assert [task.id for task in opened.tasks] == [
        "a", "call-middle/call-inner/x", "call-middle/call-inner/y", "call-middle/m", "b",
    ]  # fmt: skip
    assert TaskGraph.of(opened).edges == {(0, 1), (1, 2), (2, 3), (3, 4)}
    flat = sequence("main", *(step(name) for name in ("a", "x", "y", "m", "b")), parts=(middle, inner))
    assert fingerprint(opened) == fingerprint(flat)


@pytest.mark.parametrize("mark", ["critical", "optional", "any_order"])
def test_marks_are_inherited_through_all_levels(mark):
    inner = sequence("inner", step("x"))
    middle = sequence("middle", call("inner"), step("m"))
    opened = expand(sequence("main", call("middle", **{mark: True}), step("b"), parts=(middle, inner)))
    assert [getattr(task, mark) for task in opened.tasks] == [True, True, False]


def test_recursion_stays_a_composite():
    direct = sequence("loop", step("x"), call("loop"))
    opened = expand(sequence("main", call("loop"), parts=(direct,)))
    assert [task.id for task in opened.tasks] == ["call-loop/x", "call-loop/call-loop"]
    ping, pong = sequence("ping", call("pong")), sequence("pong", step("x"), call("ping"))
    opened = expand(sequence("main", call("ping"), parts=(ping, pong)))
    assert [task.name for task in opened.tasks] == ["x", "ping"]
    main = sequence("main", step("a"), call("main"))
    assert expand(main.model_copy(update={"subworkflows": (sequence("other", step("x")),)})).tasks == main.tasks


def test_what_cannot_be_opened_stays():
    main = sequence("main", call("gone"), call("empty"), parts=(Workflow(name="empty"),))
    assert expand(main) is main


def test_an_empty_way_through_a_composite_skips_it():
    inner = sequence("inner", step("x"))
    inner = inner.model_copy(update={"links": (*inner.links, Link(source=START, target=END))})
    other = inner.model_copy(update={"name": "other"})
    opened = expand(sequence("main", step("a"), call("inner"), call("other"), step("b"), parts=(inner, other)))
    x, y = "call-inner/x", "call-other/x"
    assert edges(opened) == {(START, "a"), ("a", x), ("a", y), ("a", "b"), (x, y), (x, "b"), (y, "b"), ("b", END)}


def test_composites_that_can_be_skipped_in_a_circle_end():
    skip = Workflow(name="skip", tasks=(step("x"),), links=(Link(source=START, target=END),))
    main = Workflow(
        tasks=(step("a"), call("skip"), Task(id="again", name="again", kind="composite", workflow="skip")),
        links=tuple(
            Link(source=a, target=b) for a, b in [("a", "call-skip"), ("call-skip", "again"), ("again", "call-skip")]
        ),
        subworkflows=(skip,),
    )
    assert edges(expand(main)) == set()


def test_guards_and_outcomes_of_both_sides_are_kept():
    inner = Workflow(
        name="inner",
        tasks=(step("x"), step("y")),
        links=(
            Link(source=START, target="x", guard=Guard(expr="fresh")),
            Link(source="x", target="y"),
            Link(source="y", target=END, outcome="failure"),
            Link(source="x", target=END, guard=Guard(default=True)),
        ),
    )
    main = Workflow(
        tasks=(step("a"), call("inner"), step("b")),
        links=(
            Link(source="a", target="call-inner", guard=Guard(expr="prod", order=1), back=True),
            Link(source="call-inner", target="b", span=SourceSpan(line=3, column=1)),
        ),
        subworkflows=(inner,),
    )
    links = {(link.source, link.target): link for link in expand(main).links}
    into = links["a", "call-inner/start"]
    assert into.guard == Guard(expr="prod", order=1)
    assert into.back
    assert links["call-inner/start", "call-inner/x"].guard == Guard(expr="fresh")
    assert links["call-inner/y", "call-inner/end"].outcome == "failure"
    assert links["call-inner/x", "call-inner/end"].guard == Guard(default=True)
    assert links["call-inner/end", "b"].span == SourceSpan(line=3, column=1)


def test_conditions_on_both_sides_of_an_exit_keep_their_own_siblings():
    inner = Workflow(
        name="inner",
        tasks=(step("start"), step("y")),
        links=(
            Link(source=START, target="start"),
            Link(source="start", target="y", guard=Guard(expr="deep")),
            Link(source="start", target=END, guard=Guard(default=True)),
            Link(source="y", target=END),
        ),
    )
    main = Workflow(
        tasks=(call("inner"), step("b")),
        links=(
            Link(source="call-inner", target="b", guard=Guard(expr="prod")),
            Link(source="call-inner", target=END, guard=Guard(default=True)),
        ),
        subworkflows=(inner,),
    )
    opened = expand(main)
    assert [(gateway.id, gateway.op) for gateway in opened.gateways] == [("call-inner/end", "OR")]
    guards = {(link.source, link.target): link.guard for link in opened.links}
    assert guards["call-inner/start", "call-inner/end"] == Guard(default=True)
    assert guards["call-inner/end", "b"] == Guard(expr="prod")
    assert TaskGraph.of(opened).edges == {(0, 1), (0, 2), (1, 2)}


def test_the_step_after_a_composite_waits_for_the_last_steps_that_run():
    inner = Workflow(
        name="inner",
        tasks=(step("x"), step("y")),
        links=(
            Link(source=START, target="x"),
            Link(source="x", target="y", guard=Guard(expr="the usage stays high")),
            Link(source="x", target=END, guard=Guard(default=True)),
            Link(source="y", target=END),
        ),
    )
    main = sequence("main", call("inner"), step("b"), parts=[inner])
    opened = expand(main)
    assert [(gateway.id, gateway.op) for gateway in opened.gateways] == [("call-inner/end", "OR")]
    place = {task.id: number for number, task in enumerate(opened.tasks)}
    behaviour = Behaviour.of(opened)
    assert behaviour.must_run(place["b"]).value is True
    assert behaviour.must_run(place["call-inner/y"]).value is not True


@pytest.mark.parametrize(("join", "op"), [("any", "XOR"), ("all", "AND")])
def test_the_join_of_a_composite_stands_before_its_first_steps(join, op):
    inner = sequence("inner", step("x"))
    composite = call("inner").model_copy(update={"join": join})
    main = Workflow(
        tasks=(step("a"), step("b"), composite),
        links=(Link(source="a", target="call-inner"), Link(source="b", target="call-inner")),
        subworkflows=(inner,),
    )
    opened = expand(main)
    assert [(gateway.id, gateway.op, gateway.role) for gateway in opened.gateways] == [
        ("call-inner/start", op, "join")
    ]


def test_steps_inside_keep_what_their_own_semantics_say_of_joins():
    inner = Workflow(
        name="inner",
        semantics="token",
        tasks=(step("x"), step("y")),
        links=(
            Link(source=START, target="x", guard=Guard(expr="p")),
            Link(source=START, target="y", guard=Guard(expr="not p")),
            Link(source="x", target=END),
            Link(source="y", target=END),
        ),
    )
    opened = expand(sequence("main", step("a"), call("inner"), step("b"), parts=(inner,)))
    assert [task.join for task in opened.tasks] == [None, "any", "any", None]
    assert [(gateway.id, gateway.op) for gateway in opened.gateways] == [("call-inner/end", "OR")]
    opened = expand(sequence("main", call("other"), parts=(sequence("other", step("x")),)))
    assert [task.join for task in opened.tasks] == [None]


def test_data_links_follow_into_the_composite():
    inner = sequence("inner", step("x"), Task(id="y", name="y", inputs=("d",)), step("z"))
    inner = inner.model_copy(update={"data_links": (DataLink(source="x", target="z", data="e"),)})
    main = sequence("main", step("a"), call("inner"), step("b"), parts=(inner,))
    main = main.model_copy(
        update={
            "data_links": (
                DataLink(source="a", target="call-inner", data="d"),
                DataLink(source="a", target="call-inner", data="unnamed"),
                DataLink(source="call-inner", target="b", data="d"),
            )
        }
    )
    assert [(link.source, link.target, link.data) for link in expand(main).data_links] == [
        ("a", "call-inner/y", "d"),
        ("a", "call-inner/x", "unnamed"),
        ("call-inner/z", "b", "d"),
        ("call-inner/x", "call-inner/z", "e"),
    ]


def test_gateways_inside_keep_their_place():
    inner = Workflow(
        name="inner",
        tasks=(step("x"), step("y")),
        gateways=(Gateway(id="g", op="AND"),),
        links=tuple(
            Link(source=a, target=b) for a, b in [(START, "g"), ("g", "x"), ("g", "y"), ("x", END), ("y", END)]
        ),
    )
    opened = expand(sequence("main", step("a"), call("inner"), step("b"), parts=(inner,)))
    assert [gate.id for gate in opened.gateways] == ["call-inner/g"]
    assert TaskGraph.of(opened).edges == {(0, 1), (0, 2), (1, 3), (2, 3)}


def test_paths_do_not_collide_with_ids():
    inner = sequence("inner", step("x"))
    opened = expand(sequence("main", step("call-inner/x"), call("inner"), parts=(inner,)))
    assert [task.id for task in opened.tasks] == ["call-inner/x", "call-inner//x"]


def bomb(depth, width=2):
    def level(number):
        calls = (Task(id=f"c{k}", name=f"c{k}", kind="composite", workflow=f"l{number + 1}") for k in range(width))
        return sequence(f"l{number}", *(calls if number < depth else [step("x"), step("y")]))

    return level(0).model_copy(update={"subworkflows": tuple(level(number) for number in range(1, depth + 1))})


def test_a_small_bomb_opens_completely():
    assert len(expand(bomb(6)).tasks) == 2**7


def test_doubling_is_opened_only_as_deep_as_fits_whatever_the_listing():
    tracemalloc.start()
    shallow = bomb(3, 30)
    opened = expand(shallow)
    assert len(opened.tasks) == 900
    assert all(task.workflow == "l2" for task in opened.tasks)
    assert len(expand(bomb(500, 40)).tasks) == 1600
    assert tracemalloc.get_traced_memory()[1] < 60_000_000
    tracemalloc.stop()
    assert MAX_TASKS < 40**3


def test_deep_nesting_is_opened_to_a_limit_and_no_recursion_error():
    opened = expand(bomb(3000, 1))
    assert len(opened.tasks) == 1
    assert opened.tasks[0].id.count("/") == MAX_DEPTH


def test_json_round_trip_keeps_everything():
    full = Workflow(
        name="näme", description="d\n\u2028", semantics="token", params={"a": [1, None, {"b": 1.5, "c": True}]},
        tasks=(
            Task(
                id="a", name="A", description="x", kind="event", action="act", workflow="w", inputs=("i",),
                outputs=("o",), params={"p": "q"}, critical=True, tags=("t",), timeout="2h",
                loop=Loop(mode="until", condition="c", over="o", max=3), join="any", span=SourceSpan(line=1, column=2),
            ),
            Task(id="a", name=""),
        ),
        gateways=(Gateway(id="g", op="OR", role="join"),),
        links=(Link(source="a", target="nowhere", guard=Guard(expr="x", order=0, default=True), outcome="timeout"),),
        data_links=(DataLink(source="a", target="b", data="d"),),
        subworkflows=(sequence("inner", step("x")),),
    )  # fmt: skip
    for workflow in (full, Workflow()):
        text = workflow.to_json()
        assert Workflow.from_json(text) == workflow
        assert Workflow.from_json(text).to_json() == text
        assert Workflow.from_json(text).content_hash() == workflow.content_hash()
        assert text.endswith("}\n")


JOBS = """\
on: push
jobs:
  a: {runs-on: x, steps: [{name: build, run: a}]}
  b: {runs-on: x, steps: [{name: s1, run: a}, {name: s2, if: failure(), run: b}, {name: s3, if: always(), run: c}]}
  c: {needs: [a, b], if: "!failure()", runs-on: x, steps: [{name: c, if: always() && x.y, run: c}]}
  d: {needs: [a, b], if: failure(), runs-on: x, steps: [{name: d, run: d}]}
"""


def test_a_join_names_what_stands_for_an_opened_composite():
    opened = expand(read_text(JOBS, "x").workflow)
    ids = {task.id for task in opened.tasks} | {gateway.id for gateway in opened.gateways}
    joins = [node.join for node in (*opened.tasks, *opened.gateways) if node.join not in {None, "all", "any"}]
    assert joins
    named = {word.rpartition(".")[0] or word for join in joins for word in re.findall(r"[^\s()!]+", join)}
    assert named - {"and", "or", "not"} <= ids
    behaviour = Behaviour.of(opened)
    assert not behaviour.broken_joins
    when = {task.name: behaviour.words(place) for place, task in enumerate(opened.tasks)}
    assert when["build"] == "always"
    assert when["c"] == "x.y"
    assert behaviour.can_run([task.name for task in opened.tasks].index("d")).situation is not None
    assert when["d"] == "never"
