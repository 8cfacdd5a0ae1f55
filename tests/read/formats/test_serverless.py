"""Serverless workflows: every kind of task, when each runs, and what is refused and where."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.logic import Behaviour, parse
from wfgate.logic import words as said_by
from wfgate.model import END, START, Guard, Loop, TaskGraph, expand
from wfgate.read import read_data, read_file, read_text, write
from wfgate.read.formats.serverless.jq import expression
from wfgate.rules import lint

from ...hypothesis_examples import examples

DATA = Path(__file__).parent / "data" / "serverless"


def bare(workflow):
    """The workflow without positions."""
    strip = {"span": None}
    return workflow.model_copy(
        update={
            name: tuple(part.model_copy(update=strip) for part in getattr(workflow, name))
            for name in ("tasks", "gateways", "links", "data_links")
        }
        | {"subworkflows": tuple(bare(part) for part in workflow.subworkflows)}
    )


def reading(*items, **more):
    return read_data({"document": {"dsl": "1.0.0", "name": "w"}, "do": list(items), **more}, "x")


def workflow(*items, **more):
    return reading(*items, **more).workflow


def step(name, **more):
    return {name: {"set": {}, **more}}


def links(found):
    return [(link.source, link.target) for link in found.links]


def words(found):
    """When each task runs as long as nothing fails, by name, composites opened."""
    opened = expand(found)
    behaviour = Behaviour.of(opened)
    return {task.name: behaviour.words(place) for place, task in enumerate(opened.tasks)}


def order(found):
    opened = expand(found)
    graph = TaskGraph.of(opened)
    names = [task.name for task in opened.tasks]
    return {one + other for a, one in enumerate(names) for b, other in enumerate(names) if graph.precedes(a, b)}


def test_a_sequence():
    found = workflow(step("a"), step("b"), step("c"))
    assert (found.name, found.semantics) == ("w", "state-machine")
    assert links(found) == [(START, "a"), ("a", "b"), ("b", "c"), ("c", END)]


@pytest.mark.parametrize(
    ("task", "kind", "action", "params"),
    [
        ({"call": "http", "with": {"method": "get"}}, "task", "call http", {"method": "get"}),
        ({"set": {"x": 1}}, "task", "set", {"x": 1}),
        ({"set": "${ .x }"}, "task", "set", {"set": "${ .x }"}),
        ({"emit": {"event": {"with": {"type": "t"}}}}, "task", "emit", {"type": "t"}),
        (
            {"run": {"shell": {"command": "ls"}, "return": "code"}},
            "task",
            "run shell",
            {"command": "ls", "return": "code"},
        ),
        ({"wait": "PT30S"}, "event", "wait", {"wait": "PT30S"}),
        ({"wait": {"seconds": 30}}, "event", "wait", {"seconds": 30}),
        ({"listen": {"to": {"any": []}}}, "event", "listen", {"to": {"any": []}}),
        ({"raise": {"error": "e"}}, "task", "raise", {"error": "e"}),
        ({"run": {"workflow": {"name": "ship"}}}, "composite", "run workflow", {"name": "ship"}),
    ],
)
def test_tasks_and_events(task, kind, action, params):
    found = workflow({"a": task}).tasks[0]
    assert (found.name, found.kind, found.action, found.params) == ("a", kind, action, params)
    assert found.workflow == ("ship" if kind == "composite" else None)


def test_timeouts():
    named = {"timeouts": {"short": {"after": {"seconds": 5}}}}
    found = workflow(
        step("a", timeout={"after": {"minutes": 1, "seconds": 30}}), step("b", timeout="short"), use=named
    )
    assert [task.timeout for task in found.tasks] == ["1m 30s", "5s"]


def test_what_is_done_to_input_and_output_is_kept():
    found = workflow(step("a", input={"from": "${ .x }"}, export={"as": "${ .y }"}, metadata={"description": "Why"}))
    assert found.tasks[0].params == {"input": {"from": "${ .x }"}, "export": {"as": "${ .y }"}}
    assert found.tasks[0].description == "Why"


THEN = [
    ("continue", [("a", "b")]),
    ("exit", [("a", END)]),
    ("end", [("a", END)]),
    ("c", [("a", "c")]),
    ("a", [("a", "a")]),
    ("gone", [("a", "gone")]),
]


@pytest.mark.parametrize(("then", "expected"), THEN)
def test_then(then, expected):
    assert [link for link in links(workflow(step("a", then=then), step("b"), step("c"))) if link[0] == "a"] == expected


def test_a_task_with_a_condition_is_gone_around():
    found = workflow(step("a"), step("b", **{"if": ".x > 1"}), step("c", **{"if": "${ .y == 2 }"}), step("d"))
    assert words(found) == {"a": "always", "b": "x > 1", "c": "y == 2", "d": "always"}
    assert order(found) == {"ab", "ac", "ad", "bc", "bd", "cd"}
    assert not lint(found)


def test_what_follows_a_skipped_task_is_what_comes_next():
    found = workflow(step("a", **{"if": ".x == 1", "then": "c"}), step("b"), step("c"))
    assert words(found) == {"a": "x == 1", "b": "x != 1", "c": "always"}
    last = workflow(step("a"), step("b", **{"if": ".x == 1"}))
    assert words(last) == {"a": "always", "b": "x == 1"}
    assert not lint(last)


def test_a_jump_to_a_task_with_a_condition_asks_it():
    found = workflow(step("a", then="c"), step("b"), step("c", **{"if": ".x == 1"}), step("d"))
    assert words(found) == {"a": "always", "b": "never", "c": "x == 1", "d": "always"}


def cases(*entries):
    return [
        {name: {key: value for key, value in (("when", when), ("then", then)) if value}}
        for name, when, then in entries
    ]


def test_a_switch_takes_the_first_case_that_fits():
    found = workflow(
        {"a": {"switch": cases(("one", ".x == 1", "b"), ("two", ".y == 2", "c"), ("default", None, "d"))}},
        step("b", then="exit"),
        step("c", then="exit"),
        step("d"),
    )
    assert [link.guard for link in found.links if link.source == "a"] == [
        Guard(expr="x == 1", order=1),
        Guard(expr="y == 2", order=2),
        Guard(default=True),
    ]
    behaviour = Behaviour.of(found)
    for place, situation, runs in [
        (1, {"x": 1, "y": 2}, True),
        (2, {"x": 1, "y": 2}, False),
        (2, {"x": 0, "y": 2}, True),
        (3, {"x": 0, "y": 2}, False),
        (3, {"x": 0, "y": 0}, True),
    ]:
        assert behaviour.runs_in(place, situation).value is runs
    assert all(behaviour.exclusive(*pair).value for pair in [(1, 2), (1, 3), (2, 3)])


def test_a_switch_without_default_goes_on():
    read = reading({"a": {"switch": cases(("one", ".x == 1", "c"))}}, step("b"), step("c"))
    assert words(read.workflow) == {"a": "always", "b": "x != 1", "c": "always"}
    assert [note.severity for note in read.diagnostics] == ["info"]
    assert "if no case applies" in read.diagnostics[0].message


def test_a_switch_that_goes_back_is_a_loop():
    found = workflow(step("a"), {"b": {"switch": cases(("again", ".x == 1", "a"), ("done", None, "end"))}})
    assert words(found) == {"a": "always", "b": "always"}
    assert "aa" in order(found)


def test_do_is_a_sequence_of_its_own():
    found = workflow({"a": {"do": [step("b", then="exit"), step("c")]}}, step("d"))
    assert (found.tasks[0].kind, found.tasks[0].workflow) == ("composite", "a")
    assert words(found) == {"b": "always", "c": "never", "d": "always"}


def test_for_is_a_loop_over_its_items():
    read = workflow({"a": {"for": {"each": "pet", "in": "${ .pets }"}, "while": ".vet != null", "do": [step("b")]}})
    assert read.tasks[0].loop == Loop(mode="foreach", over=".pets", condition="vet != null")
    assert read.tasks[0].params == {"each": "pet"}
    assert [part.name for part in read.subworkflows] == ["a"]


def test_branches_of_a_fork_run_side_by_side():
    branches = [{"b": {"do": [step("c"), step("d")]}}, step("e", **{"if": ".x == 1"})]
    found = workflow({"a": {"fork": {"branches": branches}}}, step("f"))
    assert words(found) == {"c": "always", "d": "always", "e": "x == 1", "f": "always"}
    assert order(found) == {"cd", "cf", "df", "ef"}
    assert [gate.op for gate in found.subworkflows[0].gateways].count("AND") == 2


def test_branches_that_compete_are_not_waited_for():
    found = workflow({"a": {"fork": {"compete": True, "branches": [step("b"), step("c")]}}}, step("d"))
    part = found.subworkflows[0]
    assert [(gate.op, gate.role) for gate in part.gateways] == [("AND", "split")]
    assert links(part)[-1] == ("c", END)
    assert found.tasks[0].params == {"compete": True}
    assert set(words(found).values()) == {"always"}


def attempt(*items, **catch):
    return {"a": {"try": list(items), "catch": catch}}


def test_what_is_caught_is_handled_and_then_goes_on():
    errors = {"with": {"type": "https://x/y", "status": 404}}
    found = workflow(attempt(step("b"), errors=errors, do=[step("h")]), step("c"))
    guard = "`error of a`.type == 'https://x/y' and `error of a`.status == 404"
    assert [(link.target, link.guard) for link in found.links if link.outcome == "failure"] == [
        ("a catch", Guard(expr=guard))
    ]
    assert ("a catch", "c") in links(found)
    assert [part.name for part in found.subworkflows] == ["a", "catch of a"]
    assert words(found) == {"b": "always", "h": "never", "c": "always"}
    behaviour = Behaviour.of(found)
    failed = {"outcome of 'a'": "failure", "error of a.type": "https://x/y"}
    assert behaviour.runs_in(1, failed | {"error of a.status": 404}).value is True
    assert behaviour.runs_in(1, failed | {"error of a.status": 500}).value is False
    assert behaviour.runs_in(2, failed | {"error of a.status": 500}).value is False  # nobody caught it


def test_what_is_caught_without_a_handler_is_forgotten():
    found = workflow(attempt(step("b"), when=".x == 1", exceptWhen="${ .y == 2 }"), step("c"))
    caught = next(link for link in found.links if link.outcome == "failure")
    assert (caught.target, caught.guard) == ("c", Guard(expr="(x == 1) and not (y == 2)"))


@pytest.mark.parametrize(
    ("retry", "most"),
    [
        ({"limit": {"attempt": {"count": 5}}}, 6),
        ("often", 10),
        ("gone", None),
        ({"delay": {"seconds": 3}}, None),
    ],
)
def test_trying_again(retry, most):
    named = {"retries": {"often": {"limit": {"attempt": {"count": 9}}}}}
    found = workflow(attempt(step("b"), retry=retry), use=named).tasks[0]
    assert found.loop == Loop(mode="until", condition="it succeeds", max=most)
    assert found.params == {"retry": retry}


def test_an_error_ends_what_is_around_it():
    inner = [step("b", **{"if": ".x == 1", "then": "d"}), {"c": {"raise": {"error": "e"}}}, step("d")]
    found = workflow(attempt(*inner, do=[step("h")]), step("z"))
    assert words(found) == {"b": "x == 1", "c": "x != 1", "d": "x == 1", "h": "never", "z": "x == 1"}
    top = workflow({"c": {"raise": {"error": "e"}, "then": "d"}}, step("d"))
    assert links(top) == [(START, "c"), ("c", END), ("d", END)]


def test_tasks_for_each_event_or_message():
    each = {"foreach": {"item": "event", "do": [step("b")]}}
    found = workflow(
        {"a": {"listen": {"to": {"any": []}}, **each}},
        {"c": {"call": "asyncapi", "with": {"subscription": each}}},
    )
    assert [(task.kind, task.action, task.loop.over) for task in found.tasks] == [
        ("composite", "listen", "events"),
        ("composite", "call asyncapi", "messages"),
    ]


def test_the_schedule_comes_first():
    found = workflow(step("schedule"), schedule={"cron": "0 0 * * *"})
    assert [(task.id, task.kind) for task in found.tasks] == [("schedule (2)", "event"), ("schedule", "task")]
    assert links(found) == [(START, "schedule (2)"), ("schedule (2)", "schedule"), ("schedule", END)]


def test_what_is_not_expressed_is_said():
    read = reading(
        {"a": {"do": [step("b", then="end", iff=".x")]}},
        timeout={"after": "PT1H"},
        use={"extensions": [], "secrets": []},
    )
    assert [(note.severity, note.message.partition(":")[0]) for note in read.diagnostics] == [
        ("warning", "a task has no key 'iff'"),
        ("warning", "'end' ends the whole workflow, but it is read as the end of this list of tasks only"),
        ("info", "the key 'timeout' is not read"),
        ("warning", "extensions are not read, so the tasks that they run before and after other tasks are missing"),
        ("info", "the key 'secrets' under 'use' is not read"),
    ]
    assert read.diagnostics[0].fix == "did you mean 'if'?"


BAD = [
    ("- a", "an item of the list is not a task"),
    ("- {}", "has no names"),
    ("- {a: {set: {}}, b: {set: {}}}", "has 2 names"),
    ("- a: 5", "the task 'a' must be a mapping"),
    ("- a: {cal: http}", "has no known kind of work"),
    ("- a: {call: http, set: {}}", "both 'call' and 'set'"),
    ("- a: {set: {}, then: 5}", "`then` of the task 'a' must be a text"),
    ("- a: {set: {}, if: 5}", "`if` of the task 'a' must be a runtime expression"),
    ("- a: {switch: {}}", "`switch` of the task 'a' must be a list"),
    ("- a: {switch: [{x: 5}]}", "`switch.0.x` of the task 'a' must be a mapping"),
    ("- a: {fork: {}}", "`fork` of the task 'a' has no 'branches'"),
    ("- a: {fork: {branches: [5]}}", "an item of the list is not a task"),
    ("- a: {for: 5, do: []}", "`for` of the task 'a' must be a mapping"),
    ("- a: {try: []}", "has no 'catch'"),
    ("- a: {try: {}, catch: {}}", "`try` of the task 'a' must be a list"),
]


@pytest.mark.parametrize(("item", "said"), BAD)
def test_refused(item, said):
    text = f"document: {{dsl: 1.0.0, name: w}}\ndo:\n  {item}\n"
    with pytest.raises(FormatError) as problem:
        read_text(text, "x.yaml")
    assert said in problem.value.message
    assert problem.value.line == 3
    assert problem.value.fix


def test_other_versions():
    with pytest.raises(FormatError, match=r"version '0\.8' of the DSL"):
        read_data({"document": {"dsl": "0.8"}, "do": []}, "x")
    with pytest.raises(FormatError, match="no 'document'"):
        read_data({"do": []}, "x", "serverless")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (".customer.age < 18", "customer.age < 18"),
        ('${ .type == "a" and (.done | not) }', "type == 'a' and not done"),
        ("$context.error == null", "$context.error == null"),
        ('."foo-bar" == 1', "foo-bar == 1"),
        (".in.x == 1", "in.x == 1"),
        (".items[0].x != 2", "items[0].x != 2"),
        ("( . | length ) > 3", "«( . | length )» > 3"),
        (".list | length == 3", "«.list | length == 3»"),
        (".a // false", "«.a // false»"),
        ('.x == "\\(.y)"', '«.x == "\\(.y)"»'),
        (".vip", "vip != null and vip != false"),
        ("true", "true"),
        ("((", "«((»"),
    ],
)
def test_runtime_expressions(text, meant):
    assert said_by(parse(expression(text))) == said_by(parse(meant))


@settings(max_examples=examples(300))
@given(st.text(alphabet='.$"ab[](){}|<>=!&/ -1\\«»`', max_size=25))
def test_any_expression_is_read(text):
    found = expression(text)
    assert isinstance(found, str)


@pytest.mark.parametrize("path", sorted(DATA.glob("*.yaml")), ids=lambda path: path.name)
def test_the_way_through_the_native_format(path):
    read = read_file(path)
    assert read.format == "serverless"
    assert bare(read_text(write(read.workflow, "native"), "x").workflow) == bare(read.workflow)


@pytest.mark.slow
def test_long_workflows_are_read_in_linear_time():
    items = [step(f"s{at}", **({"if": f".x{at} == 1"} if at % 2 else {})) for at in range(3000)]
    assert len(workflow(*items).tasks) == 3000
    jumps = [step(f"s{at}", then=f"s{2999 - at}") for at in range(3000)]
    assert len(workflow(*jumps).links) == 3001
    same = [step("a", **{"if": ".x"}) for _ in range(3000)]
    assert len({gateway.id for gateway in workflow(*same).gateways}) == 5999  # a merge before each but the first


@pytest.mark.parametrize("text", ["(" * 500_000, "(|" * 100 + ".x" + ")" * 100, ".a" * 400_000, '"' * 500_000])
def test_what_is_too_much_to_look_into_is_one_thing(text):
    assert expression(text).startswith("«")


NAMES = st.sampled_from(["a", "b", "START", "END", "exit", ""])
SCALARS = st.none() | st.booleans() | st.integers(-1, 3) | NAMES | st.sampled_from([".x == 1", "${ .x }", "PT1S"])
KEYS = st.sampled_from(
    [
        *("call", "do", "emit", "for", "fork", "listen", "raise", "run", "set", "switch", "try", "wait", "catch"),
        *(
            "if",
            "then",
            "with",
            "branches",
            "compete",
            "when",
            "errors",
            "retry",
            "workflow",
            "foreach",
            "in",
            "while",
        ),
        *("timeout", "metadata", "subscription", "after", "name", "limit"),
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS | NAMES, inner, max_size=4),
    max_leaves=12,
)


@st.composite
def lists(draw, depth=2):
    found = []
    for name in draw(st.lists(NAMES.filter(bool), max_size=3)):
        kind = draw(st.sampled_from(["set", "switch", "do", "for", "fork", "try", "raise", "wait"]))
        task = {"set": {}} if not depth or kind in {"set", "wait"} else {}
        if kind == "switch" and depth:
            task = {"switch": [{"one": {"when": ".x == 1", "then": draw(NAMES)}}]}
        elif kind == "fork" and depth:
            task = {"fork": {"branches": draw(lists(depth - 1)), "compete": draw(st.booleans())}}
        elif kind == "try" and depth:
            task = {"try": draw(lists(depth - 1)), "catch": {"do": draw(lists(depth - 1))}}
        elif kind == "for" and depth:
            task = {"for": {"in": ".x"}, "do": draw(lists(depth - 1))}
        elif kind in {"do", "raise"} and depth:
            task = {kind: draw(lists(depth - 1)) if kind == "do" else {}}
        found.append({name: task | draw(st.dictionaries(KEYS, VALUES, max_size=2))})
    return found


@settings(max_examples=examples(300))
@given(lists(), st.dictionaries(st.sampled_from(["use", "schedule", "timeout", "input"]), VALUES, max_size=2))
def test_whatever_comes_in(items, more):
    try:
        found = workflow(*items, **more)
    except FormatError:
        return
    assert bare(read_text(write(found, "native"), "x").workflow) == bare(found)
    expand(found)


REAL = (DATA / "try-catch-then.yaml").read_text("utf-8")


@settings(max_examples=examples(200))
@given(st.integers(0, len(REAL)), st.integers(0, 40), st.text(max_size=5))
def test_a_real_file_with_something_else_in_it(at, length, text):
    try:
        read_text(REAL[:at] + text + REAL[at + length :], "x.yaml", "serverless")
    except FormatError:
        return
