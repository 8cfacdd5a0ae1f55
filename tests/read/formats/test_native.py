"""The native format: both forms, every refusal with its position, and the way back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.model import END, START, DataItem, DataLink, Gateway, Guard, Link, Loop, Task, Workflow
from wfgate.read import read_data, read_text, write

FULL = """\
wfgate: "1"
main: deploy
workflows:
  deploy:
    name: Deploy the service
    description: Roll out, then look.
    semantics: token
    params: {environment: staging, replicas: 3}
    tasks:
      - {id: provision, name: Provision, action: terraform.apply, outputs: [cluster], tags: [infra]}
      - {id: harden, name: Harden access, workflow: access, critical: true}
      - {id: approve, name: Change approval, kind: event, timeout: 2h}
      - {id: smoke, name: Smoke test, inputs: [cluster], loop: {mode: until, condition: ok, max: 10}, join: any}
    gateways:
      - {id: gate, op: XOR}
    flow:
      - {from: START, to: provision}
      - {from: provision, to: gate}
      - {from: gate, to: approve, guard: {expr: "x == 1", order: 1}}
      - {from: gate, to: harden, guard: {default: true}}
      - {from: approve, to: harden, guard: later, outcome: failure}
      - {from: harden, to: smoke}
      - {from: smoke, to: provision, back: true}
      - {from: smoke, to: END}
    data: [cluster, {id: log, description: The log}]
    dataflow:
      - {from: provision, to: smoke, data: cluster}
  access: {name: Access hardening, tasks: [{id: keys}], flow: [{from: START, to: keys}, {from: keys, to: END}]}
"""


def links(workflow):
    return [(link.source, link.target) for link in workflow.links]


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


def test_full_form():
    reading = read_text(FULL, "x.yaml")
    workflow = reading.workflow
    assert (reading.format, reading.diagnostics) == ("native", ())
    assert (workflow.name, workflow.semantics, workflow.params["replicas"]) == ("Deploy the service", "token", 3)
    harden, approve, smoke = workflow.tasks[1:]
    assert (harden.kind, harden.workflow, harden.critical) == ("composite", "Access hardening", True)
    assert (approve.kind, approve.timeout) == ("event", "2h")
    assert smoke.loop == Loop(mode="until", condition="ok", max=10)
    assert smoke.join == "any"
    assert workflow.gateways[0].op == "XOR"
    assert [link.guard for link in workflow.links if link.guard] == [
        Guard(expr="x == 1", order=1),
        Guard(default=True),
        Guard(expr="later"),
    ]
    assert [(link.outcome, link.back) for link in workflow.links[4:7:2]] == [("failure", False), ("success", True)]
    assert workflow.data_items == (DataItem(id="cluster"), DataItem(id="log", description="The log"))
    assert workflow.data_links[0].data == "cluster"
    assert [part.name for part in workflow.subworkflows] == ["Access hardening"]
    assert (workflow.tasks[1].span.line, workflow.tasks[1].span.column) == (11, 9)
    assert (workflow.links[0].span.line, workflow.links[0].span.column) == (17, 9)
    assert bare(read_text(write(workflow, "native"), "x").workflow) == bare(workflow)


def short(*steps):
    return read_data({"wfgate": "1", "steps": list(steps)}, "x")


def test_when_guards_every_link_into_a_step():
    data = {
        "wfgate": "1",
        "steps": [
            {"id": "a", "name": "Build", "when": {"expr": "inputs.full", "language": "github"}},
            {"id": "b", "name": "Scan", "needs": ["a"], "when": "environment == 'production'"},
            {"id": "c", "name": "Ship", "needs": ["a", "b"], "when": "approved"},
        ],
    }
    links = {(link.source, link.target): link.guard for link in read_data(data, "example").workflow.links}
    assert links["START", "a"] == Guard(expr="inputs.full", language="github")
    assert links["a", "b"] == Guard(expr="environment == 'production'")
    assert links["a", "c"] == links["b", "c"] == Guard(expr="approved")
    assert links["c", "END"] is None


def test_steps_without_needs_are_a_sequence():
    workflow = short("Build it", "Test it!", {"id": "x", "name": "Ship"}).workflow
    assert [(task.id, task.name) for task in workflow.tasks] == [
        ("build-it", "Build it"),
        ("test-it", "Test it!"),
        ("x", "Ship"),
    ]
    assert links(workflow) == [(START, "build-it"), ("build-it", "test-it"), ("test-it", "x"), ("x", END)]


def test_needs_alone_order_the_steps():
    reading = short({"id": "b", "needs": ["Start here", 7]}, "Start here", {"id": 7, "name": "Seven"}, "Alone")
    assert links(reading.workflow) == [
        (START, "start-here"),
        (START, "7"),
        (START, "alone"),
        ("start-here", "b"),
        ("7", "b"),
        ("b", END),
        ("alone", END),
    ]
    assert not reading.diagnostics


def test_an_id_goes_before_a_name_and_a_repeated_name_is_said():
    reading = short({"id": "a", "name": "b"}, {"id": "b", "name": "a"}, {"id": "c", "needs": "b"})
    assert ("b", "c") in links(reading.workflow)
    reading = short("Go", "Go", {"id": "c", "needs": ["Go"]})
    assert [task.id for task in reading.workflow.tasks] == ["go", "go-2", "c"]
    assert ("go", "c") in links(reading.workflow)
    assert "the first is used" in reading.diagnostics[0].message


def test_broken_graphs_are_read():
    steps = [{"id": "a", "needs": ["a", "gone"]}, {"id": "b", "needs": ["c"]}, {"id": "c", "needs": ["b"]}]
    assert links(short(*steps).workflow) == [
        ("a", "a"),
        ("gone", "a"),
        ("c", "b"),
        ("b", "c"),
    ]
    twins = short({"id": "a", "name": "A"}, {"id": "a", "name": "B"}).workflow
    assert [task.name for task in twins.tasks] == ["A", "B"]
    assert short().workflow == Workflow()


def test_missing_ends_are_added_and_said():
    data = {
        "wfgate": "1",
        "workflows": {"w": {"tasks": [{"id": "a"}, {"id": "b"}], "flow": [{"from": "a", "to": "b"}]}},
    }
    reading = read_data(data, "x")
    assert links(reading.workflow) == [(START, "a"), ("a", "b"), ("b", END)]
    assert [note.severity for note in reading.diagnostics] == ["info", "info"]
    data["workflows"]["w"]["flow_complete"] = True
    assert links(read_data(data, "x").workflow) == [("a", "b")]


def full(tasks="[{id: a}]", rest=""):
    return f'wfgate: "1"\nworkflows:\n  w:\n    tasks: {tasks}\n{rest}'


def steps(step, rest=""):
    return f'wfgate: "1"\nsteps:\n  - {step}\n{rest}'


BAD = [
    ('wfgate: "2"\nsteps: []', 1, 1, "must be \"1\", not '2'", 'wfgate: "1"'),
    ("steps: []", 1, 1, 'must be "1", not missing', 'wfgate: "1"'),
    ("- a", 1, 1, "top level must be a mapping", "key: value"),
    ('wfgate: "1"', 1, 1, "no workflows", "steps:"),
    ('wfgate: "1"\nworkflows: {}', 2, 1, "no workflows", "steps:"),
    ('wfgate: "1"\nworkflows: [a]', 2, 1, "`workflows` of the file must be a mapping, not a list", "key: value"),
    ('wfgate: "1"\nsteps: go', 2, 1, "`steps` of the file must be a list, not 'go'", "write a list"),
    ('wfgate: "1"\nstpes: [a]', 2, 1, "no key 'stpes'", "did you mean 'steps'?"),
    ('wfgate: "1"\nname: 5\nsteps: []', 2, 1, "`name` of the file must be a text, not a number", "in quotes"),
    ('wfgate: "1"\nsemantics: dga\nsteps: []', 2, 1, "not 'dga'", "did you mean 'dag'?"),
    (steps("5"), 3, 5, "`steps.0` of the file must be a mapping, not a number", "key: value"),
    (steps("{nme: a}"), 3, 6, "no key 'nme'", "did you mean 'name'?"),
    (steps("{name: a, need: [b]}"), 3, 15, "no key 'need'", "did you mean 'needs'?"),
    (steps("{action: a}"), 3, 5, "neither a name nor an id", "add `name"),
    (steps('""'), 3, 5, "neither a name nor an id", "add `name"),
    (
        steps("{id: true}"),
        3,
        6,
        "id` of the file must be a text or a whole number, not true or false",
        "write the id",
    ),
    (steps("{id: START}"), 3, 6, "START is reserved for a virtual node", "another id"),
    (
        steps("{id: a, needs: [[b]]}"),
        3,
        21,
        "needs.0` of the file must be a text or a whole number",
        "write the id",
    ),
    (
        steps("{id: a, critical: 'yes'}"),
        3,
        13,
        "critical` of the file must be true or false, not 'yes'",
        "without quotes",
    ),
    (steps("{id: a, kind: tsk}"), 3, 13, "not 'tsk'", "did you mean 'task'?"),
    (steps("{id: a, timeout: 30}"), 3, 13, "timeout` of the file must be a text, not a number", "in quotes"),
    (steps("{id: a, tags: [1]}"), 3, 20, "`steps.0.tags.0` of the file must be a text, not a number", "in quotes"),
    (steps("{id: a, params: [1]}"), 3, 13, "params` of the file must be a mapping, not a list", "key: value"),
    (steps("{id: a, loop: {}}"), 3, 13, "`steps.0.loop` of the file has no 'mode'", "add 'mode'"),
    (
        steps("{id: a, loop: {mode: while, max: '1'}}"),
        3,
        33,
        "max` of the file must be a whole number",
        "without quotes",
    ),
    (full(rest="  v:\n    tasks: []"), 1, 1, "several workflows, but no `main`", "add `main:`"),
    (full(rest="main: v"), 5, 1, "no workflow 'v'", "use one of: w"),
    (full(rest="  v: {name: w}\nmain: w"), 5, 7, "the workflows 'w' and 'v' have the same name", "of its own"),
    (full(rest='  v: {name: ""}\nmain: w'), 5, 7, "must not have an empty name", "leave `name` out"),
    (full("[{name: a}]"), 4, 13, "`workflows.w.tasks.0` of the file has no 'id'", "add 'id'"),
    (full("[{id: ''}]"), 4, 14, "id` of the file must not be empty", "write the id"),
    (full(rest="    flow: [{from: a}]"), 5, 12, "flow.0` of the file has no 'to'", "add 'to'"),
    (full(rest="    flow: [[a, b]]"), 5, 12, "flow.0` of the file must be a mapping, not a list", "key: value"),
    (full(rest="    flow: [{from: a, to: a, guard: 1}]"), 5, 29, "guard` of the file must be a mapping", "key: value"),
    (full(rest="    flow: [{from: a, to: a, outcome: fail}]"), 5, 29, "not 'fail'", "did you mean 'failure'?"),
    (full(rest="    gateways: [{id: g}]"), 5, 16, "gateways.0` of the file has no 'op'", "add 'op'"),
    (full(rest="    gateways: [{id: END, op: AND}]"), 5, 17, "END is reserved for a virtual node", "another id"),
    (full(rest="    dataflow: [{from: a, to: a}]"), 5, 16, "dataflow.0` of the file has no 'data'", "add 'data'"),
    (full(rest="    data: [5]"), 5, 12, "data.0` of the file must be a mapping", "key: value"),
]


@pytest.mark.parametrize(("text", "line", "column", "message", "fix"), BAD)
def test_refused(text, line, column, message, fix):
    with pytest.raises(FormatError) as caught:
        read_text(text, "bad.yaml", "native")
    error = caught.value
    assert message in error.message
    assert (error.path, error.line, error.column) == ("bad.yaml", line, column)
    assert fix in (error.fix or "")


def test_too_many_tasks():
    with pytest.raises(FormatError, match="20,001 tasks; the limit is 20,000"):
        short(*["x"] * 20_001)


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)
SOME = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=5)
IDS = SOME.filter(lambda own: own not in {START, END})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
TASKS = st.builds(
    Task,
    id=IDS,
    name=TEXTS,
    description=TEXTS,
    kind=st.sampled_from(["task", "event", "composite"]),
    action=st.none() | TEXTS,
    workflow=st.none() | TEXTS,
    inputs=st.lists(TEXTS, max_size=2).map(tuple),
    outputs=st.just(()),
    params=st.dictionaries(TEXTS, VALUES, max_size=2),
    critical=st.booleans(),
    optional=st.booleans(),
    any_order=st.booleans(),
    tags=st.just(()),
    timeout=st.none() | TEXTS,
    loop=st.none() | st.builds(Loop, mode=st.sampled_from(["until", "while"]), max=st.none() | st.integers(1, 9)),
    join=TEXTS,
)
LINKS = st.builds(
    Link,
    source=IDS | st.just(START),
    target=IDS | st.just(END),
    guard=st.none() | st.builds(Guard, expr=st.none() | TEXTS, order=st.none() | st.integers(), default=st.booleans()),
    outcome=st.sampled_from(["success", "failure", "always"]),
    back=st.booleans(),
)


def workflows(name):
    return st.builds(
        Workflow,
        name=st.just(name),
        description=TEXTS,
        semantics=st.sampled_from(["dag", "token", "state-machine"]),
        params=st.dictionaries(TEXTS, VALUES, max_size=2),
        tasks=st.lists(TASKS, max_size=2).map(tuple),
        gateways=st.lists(st.builds(Gateway, id=IDS, op=st.sampled_from(["AND", "OR"])), max_size=1).map(tuple),
        links=st.lists(LINKS, max_size=2).map(tuple),
        data_items=st.lists(st.builds(DataItem, id=SOME, description=TEXTS), max_size=1).map(tuple),
        data_links=st.lists(st.builds(DataLink, source=IDS, target=IDS, data=TEXTS), max_size=1).map(tuple),
        subworkflows=st.just(()),
    )


@given(st.data())
def test_round_trip(data):
    names = data.draw(st.lists(TEXTS, min_size=1, max_size=2, unique=True).filter(lambda names: all(names[1:])))
    main, *others = [data.draw(workflows(name)) for name in names]
    workflow = main.model_copy(update={"subworkflows": tuple(others)})
    text = write(workflow, "native")
    reading = read_text(text, "x")
    assert bare(reading.workflow) == workflow
    assert not reading.diagnostics
    assert write(workflow, "native") == text


@pytest.mark.parametrize(
    ("workflow", "message"),
    [
        (Workflow(name="w", subworkflows=(Workflow(name="w"),)), "two workflows have the name 'w'"),
        (Workflow(name="w", subworkflows=(Workflow(),)), "a sub-workflow has no name"),
        (Workflow(tasks=(Task(id="", name="x"),)), "cannot be the id"),
        (Workflow(tasks=(Task(id=END, name="x"),)), "cannot be the id"),
    ],
)
def test_not_writable(workflow, message):
    with pytest.raises(FormatError, match=message):
        write(workflow, "native")


def test_an_id_is_no_text_where_there_is_a_description():
    steps = [{"id": "a", "description": "Build"}, {"id": "b", "name": "", "description": "Test"}, {"id": "c"}]
    tasks = read_data({"wfgate": "1", "steps": steps}, "x").workflow.tasks
    assert [(task.name, task.description) for task in tasks] == [("Build", ""), ("", "Test"), ("c", "")]
