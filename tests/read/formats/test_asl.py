"""State machines: every kind of state, when each state runs, what is refused and where."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wfgate.errors import FormatError
from wfgate.logic import Behaviour
from wfgate.model import END, START, Guard, Loop, TaskGraph, expand
from wfgate.read import read_data, read_file, read_text, write
from wfgate.rules import lint

from ...hypothesis_examples import examples

DATA = Path(__file__).parent / "data"
EXAMPLES = DATA / "asl-examples"
VALIDATOR = DATA / "asl-validator"


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


def task(following=None, **more):
    return {"Type": "Task", "Resource": "r", **({"Next": following} if following else {"End": True}), **more}


def choice(*rules, default=None):
    states = [{"Variable": variable, "NumericEquals": value, "Next": target} for variable, value, target in rules]
    return {"Type": "Choice", "Choices": states} | ({"Default": default} if default else {})


def machine(states, start="A", **more):
    return {"StartAt": start, "States": states, **more}


def workflow(states, start="A", **more):
    return read_data(machine(states, start, **more), "x").workflow


def links(found):
    return [(link.source, link.target, link.outcome) for link in found.links]


def words(found):
    """When each state runs as long as nothing fails, by name, composites opened."""
    opened = expand(found)
    behaviour = Behaviour.of(opened)
    return {step.name: behaviour.words(place) for place, step in enumerate(opened.tasks)}


def test_a_sequence():
    found = workflow({"A": task("B", Comment="First"), "B": {"Type": "Pass", "End": True}}, Comment="Two states")
    assert (found.description, found.semantics) == ("Two states", "state-machine")
    assert [(step.id, step.name, step.kind, step.action) for step in found.tasks] == [
        ("A", "A", "task", "r"),
        ("B", "B", "task", "Pass"),
    ]
    assert found.tasks[0].description == "First"
    assert links(found) == [(START, "A", "success"), ("A", "B", "success"), ("B", END, "success")]


def test_events():
    states = {
        "A": {"Type": "Wait", "Seconds": 30, "Next": "B"},
        "B": task("C", Resource="arn:aws:states:::sqs:sendMessage.waitForTaskToken"),
        "C": task(Resource="arn:aws:states:us-east-1:1:activity:approve"),
    }
    found = workflow(states)
    assert [step.kind for step in found.tasks] == ["event"] * 3
    assert found.tasks[0].params == {"Seconds": 30}


def test_arguments_timeouts_and_data():
    states = {
        "A": task(
            "B",
            Resource="arn:aws:states:::lambda:invoke",
            Parameters={"FunctionName": "pay", "Payload.$": "$.order"},
            TimeoutSeconds=65,
            HeartbeatSeconds=5,
            ResultPath="$.receipt.id",
        ),
        "B": task(Parameters={"n.$": "States.Format('{}', $.receipt.id)"}, ResultPath=None, TimeoutSecondsPath="$.t"),
    }
    first, second = workflow(states).tasks
    assert first.params == {"FunctionName": "pay", "Payload.$": "$.order", "HeartbeatSeconds": 5}
    assert (first.timeout, first.outputs, first.inputs) == ("65s", ("receipt.id",), ())
    assert (second.timeout, second.outputs, second.inputs) == ("$.t", (), ("receipt.id",))
    assert second.params["ResultPath"] is None


def test_variables():
    states = {
        "A": {"Type": "Pass", "Assign": {"total": "{% $states.input.x %}"}, "Next": "B"},
        "B": task(Arguments={"sum": "{% $total + 1 %}"}),
    }
    first, second = workflow(states, QueryLanguage="JSONata").tasks
    assert (first.outputs, second.inputs) == (("total",), ("total",))
    assert second.params == {"sum": "{% $total + 1 %}"}


def test_a_choice_keeps_its_name_and_its_order():
    found = workflow(
        {"A": choice(("$.x", 1, "B"), ("$.y", 2, "C"), default="D"), "B": task(), "C": task(), "D": task()}
    )
    assert (found.tasks[0].name, found.tasks[0].action, found.tasks[0].kind) == ("A", "Choice", "task")
    assert [link.guard for link in found.links if link.source == "A"] == [
        Guard(expr='{"Variable": "$.x", "NumericEquals": 1}', language="asl", order=1),
        Guard(expr='{"Variable": "$.y", "NumericEquals": 2}', language="asl", order=2),
        Guard(language="asl", default=True),
    ]
    assert words(found) == {"A": "always", "B": "x == 1", "C": "x != 1 and y == 2", "D": "x != 1 and y != 2"}
    behaviour = Behaviour.of(found)
    for place, situation, runs in [
        (1, {"x": 1, "y": 2}, True),
        (2, {"x": 1, "y": 2}, False),
        (2, {"x": 0, "y": 2}, True),
        (3, {"x": 0, "y": 0}, True),
        (3, {"x": 0, "y": 2}, False),
    ]:
        assert behaviour.runs_in(place, situation).value is runs
    assert all(behaviour.exclusive(a, b).value for a, b in [(1, 2), (1, 3), (2, 3)])


def test_a_rule_in_jsonata():
    rules = [{"Condition": "{% $states.input.total > 5 %}", "Next": "B", "Comment": "big"}]
    found = workflow({"A": {"Type": "Choice", "Choices": rules, "Default": "C"}, "B": task(), "C": task()})
    assert found.links[1].guard == Guard(expr="{% $states.input.total > 5 %}", language="asl", order=1)
    assert words(found) == {"A": "always", "B": "total > 5", "C": "total <= 5"}


def test_catchers_are_links_on_failure_in_their_order():
    caught = [
        {"ErrorEquals": ["Declined", "Expired"], "Next": "B"},
        {"ErrorEquals": ["States.Timeout"], "Next": "C"},
        {"ErrorEquals": ["States.ALL"], "Next": "D"},
    ]
    found = workflow({"A": task(Catch=caught), "B": task(), "C": task(), "D": task()})
    assert [(link.target, link.outcome, link.guard) for link in found.links if link.outcome != "success"] == [
        ("B", "failure", Guard(expr="{% `error of A` in ['Declined', 'Expired'] %}", language="asl", order=1)),
        ("D", "failure", Guard(language="asl", default=True)),
        ("C", "timeout", None),
    ]
    behaviour = Behaviour.of(found)
    failed = {"outcome of 'A'": "failure"}
    assert behaviour.words(0) == "always"
    assert [behaviour.words(place) for place in (1, 2, 3)] == ["never"] * 3
    assert behaviour.runs_in(1, failed | {"error of A": "Expired"}).value is True
    assert behaviour.runs_in(3, failed | {"error of A": "Expired"}).value is False
    assert behaviour.runs_in(3, failed | {"error of A": "Other"}).value is True
    assert behaviour.runs_in(2, {"outcome of 'A'": "timeout"}).value is True
    assert all(behaviour.exclusive(a, b).value for a, b in [(1, 2), (1, 3), (2, 3)])


def test_errors_of_two_states_are_two_values():
    def caught(error, target):
        return [{"ErrorEquals": [error], "Next": target}]

    states = {"A": task("B", Catch=caught("X", "H")), "B": task(Catch=caught("Y", "I")), "H": task("B"), "I": task()}
    assert Behaviour.of(workflow(states)).exclusive(2, 3).value is False


def test_retriers_repeat_a_state():
    retry = [{"ErrorEquals": ["E"], "MaxAttempts": 0}, {"ErrorEquals": ["States.ALL"]}]
    step = workflow({"A": task(Retry=retry)}).tasks[0]
    assert step.loop == Loop(mode="until", condition="it succeeds", max=4)
    assert step.params == {"Retry": retry}
    assert workflow({"A": task(Retry=retry[:1])}).tasks[0].loop is None


def test_fail_and_succeed_stay_and_lead_to_the_end():
    found = workflow(
        {"A": choice(("$.x", 1, "B"), default="C"), "B": {"Type": "Fail", "Error": "No"}, "C": {"Type": "Succeed"}}
    )
    assert [(step.action, step.params) for step in found.tasks[1:]] == [("Fail", {"Error": "No"}), ("Succeed", {})]
    assert links(found)[-2:] == [("B", END, "success"), ("C", END, "success")]


def parallel(*branches, following="Z", **more):
    return {"Type": "Parallel", "Branches": list(branches), "Next": following, **more}


def test_branches_run_side_by_side():
    branches = [machine({"B": task("C"), "C": task()}, "B"), machine({"D": task()}, "D")]
    found = workflow({"A": parallel(*branches), "Z": task()})
    assert (found.tasks[0].kind, found.tasks[0].workflow) == ("composite", "A")
    assert [(gate.id, gate.op, gate.role) for gate in found.subworkflows[0].gateways] == [
        ("split", "AND", "split"),
        ("join", "AND", "join"),
    ]
    assert set(words(found).values()) == {"always"}
    opened = expand(found)
    graph, place = TaskGraph.of(opened), {step.name: at for at, step in enumerate(opened.tasks)}
    before = {(one, other) for one in "BCDZ" for other in "BCDZ" if graph.precedes(place[one], place[other])}
    assert before == {("B", "C"), ("B", "Z"), ("C", "Z"), ("D", "Z")}


def test_one_branch_needs_no_gateways():
    found = workflow({"A": parallel(machine({"B": task()}, "B")), "Z": task()})
    assert found.subworkflows[0].gateways == ()
    assert words(found) == {"B": "always", "Z": "always"}


def test_branches_with_several_ends_are_merged_before_they_are_joined():
    first = machine({"B": choice(("$.x", 1, "C"), default="D"), "C": task(), "D": task()}, "B")
    found = workflow({"A": parallel(first, machine({"E": task()}, "E")), "Z": task()})
    assert [gate.op for gate in found.subworkflows[0].gateways] == ["AND", "AND", "XOR"]
    assert words(found) == {"B": "always", "C": "x == 1", "D": "x != 1", "E": "always", "Z": "always"}
    assert not [found for found in lint(found) if found.severity == "error"]


def test_a_failure_inside_ends_what_is_around_it():
    first = machine({"B": choice(("$.x", 1, "F"), default="C"), "C": task(), "F": {"Type": "Fail"}}, "B")
    caught = [{"ErrorEquals": ["States.ALL"], "Next": "H"}]
    found = workflow({"A": parallel(first, machine({"E": task()}, "E"), Catch=caught), "Z": task(), "H": task()})
    assert words(found) == {
        "B": "always",
        "C": "x != 1",
        "F": "x == 1",
        "E": "always",
        "Z": "x != 1",
        "H": "never",
    }
    assert not [found for found in lint(found) if found.severity == "error"]


@pytest.mark.parametrize("key", ["ItemProcessor", "Iterator"])
def test_a_map_is_a_loop_over_its_items(key):
    inner = machine({"B": task()}, "B", ProcessorConfig={"Mode": "INLINE"})
    found = workflow({"A": {"Type": "Map", "ItemsPath": "$.rows", "MaxConcurrency": 3, key: inner, "End": True}})
    step = found.tasks[0]
    assert (step.kind, step.action, step.workflow) == ("composite", "Map", "A")
    assert step.loop == Loop(mode="foreach", over="$.rows")
    assert step.params == {"MaxConcurrency": 3, "ProcessorConfig": {"Mode": "INLINE"}}
    assert [part.tasks[0].name for part in found.subworkflows] == ["B"]


@pytest.mark.parametrize(
    ("fields", "over"),
    [
        ({}, "$"),
        ({"InputPath": "$.all"}, "$.all"),
        ({"Items": "{% $states.input.x %}", "QueryLanguage": "JSONata"}, "{% $states.input.x %}"),
        ({"Items": [1, 2], "QueryLanguage": "JSONata"}, "[1, 2]"),
        ({"QueryLanguage": "JSONata"}, "$states.input"),
        ({"ItemReader": {"Resource": "arn:aws:states:::s3:getObject"}}, "items of arn:aws:states:::s3:getObject"),
    ],
)
def test_what_a_map_runs_over(fields, over):
    inner = machine({"B": task()}, "B")
    step = workflow({"A": {"Type": "Map", "ItemProcessor": inner, "End": True, **fields}}).tasks[0]
    assert step.loop == Loop(mode="foreach", over=over)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"StateMachineArn": "arn:aws:states:eu-west-1:1:stateMachine:ship:3"}, "ship"),
        ({"StateMachineArn": "${Ship}"}, "Ship"),
        ({"StateMachineArn.$": "$$.StateMachine.Id"}, "$$.StateMachine.Id"),
        ({"StateMachineArn": {"Ref": "Ship"}}, '{"Ref": "Ship"}'),
        ({}, "a state machine"),
    ],
)
def test_another_machine_is_a_sub_workflow_of_another_file(arguments, name):
    resource = "arn:aws:states:::states:startExecution.sync:2"
    step = workflow({"A": task(Resource=resource, Parameters=arguments)}).tasks[0]
    assert (step.kind, step.workflow, step.action) == ("composite", name, resource)
    assert workflow({"A": task(Resource=resource, Arguments=arguments)}).tasks[0].workflow == name


def test_names_of_sub_workflows_are_free():
    call = task("M", Resource="arn:aws:states:::states:startExecution", Parameters={"StateMachineArn": "${M}"})
    inner = machine({"B": task()}, "B")
    found = workflow({"A": call, "M": {"Type": "Map", "ItemProcessor": inner, "End": True}})
    assert [step.workflow for step in found.tasks] == ["M", "M (2)"]
    assert [part.name for part in found.subworkflows] == ["M (2)"]


def test_loops_are_normal():
    states = {
        "A": task("W"),
        "W": {"Type": "Wait", "Seconds": 5, "Next": "S"},
        "S": task("C"),
        "C": choice(("$.done", 1, "Z"), default="W"),
        "Z": task(),
    }
    found = workflow(states)
    assert set(words(found).values()) == {"always"}
    assert not lint(found)


def test_broken_graphs_are_read():
    found = workflow({"A": task("gone"), "B": {"Type": "Pass"}})
    assert links(found) == [(START, "A", "success"), ("A", "gone", "success")]
    assert {finding.id for finding in lint(found)} >= {"WF003"}
    assert links(workflow({"A": task()}, "gone"))[0] == (START, "gone", "success")


def test_another_branch_is_not_to_be_had():
    branches = [machine({"B": task("D")}, "B"), machine({"D": task("Z")}, "D")]
    found = workflow({"A": parallel(*branches), "Z": task()}).subworkflows[0]
    assert [link.target for link in found.links if "not in" in link.target] == [
        "D (not in this branch)",
        "Z (not in this branch)",
    ]


def test_states_called_like_the_virtual_nodes():
    found = workflow({"START": task("END"), "END": task()}, "START")
    assert [(step.id, step.name) for step in found.tasks] == [("START (2)", "START"), ("END (2)", "END")]
    assert links(found) == [
        (START, "START (2)", "success"),
        ("START (2)", "END (2)", "success"),
        ("END (2)", END, "success"),
    ]


TEMPLATE = """\
Resources:
  Role: {Type: AWS::IAM::Role}
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      Name: !Sub "${Stage}-orders"
      Definition:
        StartAt: Pay
        States:
          Pay:
            Type: Task
            Resource: !GetAtt Payment.Arn
            Catch: [{ErrorEquals: [States.ALL], Next: Gone}]
            End: true
"""


def test_a_template_with_one_machine():
    reading = read_text(TEMPLATE, "x.yaml")
    found = reading.workflow
    assert (reading.format, found.name) == ("asl", "Orders")
    assert (found.tasks[0].name, found.tasks[0].action) == ("Pay", "Payment.Arn")
    assert (found.tasks[0].span.line, found.tasks[0].span.column) == (10, 11)
    assert [(note.severity, note.line) for note in reading.diagnostics] == [("info", 1)]
    assert found.links[-1].span.line == 13


@pytest.mark.parametrize(
    "wrap", [lambda text: text, lambda text: {"Fn::Sub": text}, lambda text: {"Fn::Sub": [text, {}]}]
)
def test_a_definition_as_a_text(wrap):
    text = json.dumps(machine({"A": task()}))
    resource = {"Type": "AWS::StepFunctions::StateMachine", "Properties": {"DefinitionString": wrap(text)}}
    found = read_data({"Resources": {"M": resource}}, "x").workflow
    assert (found.name, found.tasks[0].name) == ("M", "A")


def test_several_machines_or_none():
    resource = {"Type": "AWS::Serverless::StateMachine", "Properties": {"Definition": machine({"A": task()})}}
    with pytest.raises(FormatError, match="2 state machines: M, N"):
        read_data({"Resources": {"M": resource, "N": resource}}, "x")
    with pytest.raises(FormatError, match="no state machine in the template has its definition"):
        read_data({"Resources": {"R": {"Type": "AWS::IAM::Role"}}}, "x", "asl")
    broken = {"Type": "AWS::Serverless::StateMachine", "Properties": {"Definition": "{"}}
    with pytest.raises(FormatError, match="the definition cannot be read"):
        read_data({"Resources": {"M": broken}}, "x")


BAD = [
    ({}, "has no 'Type'"),
    ({"Type": "Tsk"}, "not 'Tsk'"),
    ({"Type": "Pass", "Next": "A", "End": True}, "both 'Next' and 'End'"),
    ({"Type": "Pass", "End": False}, "'End' must be true"),
    ({"Type": "Wait", "Seconds": 1, "Timestamp": "x", "End": True}, "both 'Seconds' and 'Timestamp'"),
    ({"Type": "Fail", "Error": "a", "ErrorPath": "$.a"}, "both 'Error' and 'ErrorPath'"),
    ({"Type": "Pass", "Next": 5}, "`Next` of the state 'A' must be a text, not a number"),
    ({"Type": "Pass", "Next": ""}, "`Next` of the state 'A' must not be empty"),
    ({"Type": "Choice"}, "has no 'Choices'"),
    ({"Type": "Choice", "Choices": {}}, "`Choices` of the state 'A' must be a list"),
    ({"Type": "Choice", "Choices": [1]}, "`Choices.0` of the state 'A' must be a mapping"),
    (
        {"Type": "Choice", "Choices": [{"Variable": "$.x", "IsNull": True}]},
        "`Choices.0` of the state 'A' has no 'Next'",
    ),
    ({"Type": "Task", "End": True, "Catch": [{}]}, "`Catch.0` of the state 'A' has no 'ErrorEquals'"),
    (
        {"Type": "Task", "End": True, "Catch": [{"ErrorEquals": [1]}]},
        "must be a text, not a number",
    ),
    ({"Type": "Task", "End": True, "Catch": [{"ErrorEquals": ["E"]}]}, "`Catch.0` of the state 'A' has no 'Next'"),
    ({"Type": "Task", "End": True, "Retry": {}}, "`Retry` of the state 'A' must be a list"),
    ({"Type": "Parallel", "End": True}, "has no 'Branches'"),
    ({"Type": "Parallel", "End": True, "Branches": [[]]}, "a branch must be a mapping, not a list"),
    ({"Type": "Parallel", "End": True, "Branches": [{}]}, "a branch has no 'StartAt'"),
    ({"Type": "Map", "End": True}, "has no 'ItemProcessor'"),
    ({"Type": "Map", "End": True, "ItemProcessor": {"StartAt": "B"}}, "an item processor has no 'States'"),
]


@pytest.mark.parametrize(("state", "said"), BAD)
def test_refused(state, said):
    text = json.dumps({"StartAt": "A", "States": {"A": state}}, indent=1)
    with pytest.raises(FormatError) as problem:
        read_text(text, "x.json")
    assert said in problem.value.message
    assert problem.value.line >= 4
    assert problem.value.fix


def test_no_machine():
    for data, said in [({"States": {}}, "no 'StartAt'"), ({"StartAt": "A"}, "no 'States'"), ({}, "no 'StartAt'")]:
        with pytest.raises(FormatError, match=said):
            read_data(data, "x", "asl")


def test_what_is_odd_is_said_with_its_place():
    states = {
        "A": task("B", Nxt="B", Arguments={}),
        "B": {"Type": "Map", "ItemProcessor": machine({"A": task()}), "End": True},
        "c" * 81: {"Type": "Succeed", "QueryLanguage": "JSONata", "InputPath": "$"},
    }
    text = json.dumps(machine(states, Retries=1), indent=1)
    said = read_text(text, "x.json").diagnostics
    assert [(note.severity, note.message.partition(":")[0][:40]) for note in said] == [
        ("warning", "a state has no key 'Nxt'"),
        ("warning", "'Arguments' has no effect in the query l"),
        ("warning", "there are two states 'A' (line 4); each "),
        ("warning", "the name of the state is longer than 80 "),
        ("warning", "'InputPath' has no effect in the query l"),
        ("info", "the key 'Retries' is not read"),
    ]
    assert all(note.line and note.column for note in said)


FILES = [
    path for folder in (EXAMPLES, VALIDATOR) for path in sorted(folder.glob("*.[jy]*")) if "next" not in path.name
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_way_through_the_native_format(path):
    reading = read_file(path)
    assert reading.format == "asl"
    assert bare(read_text(write(reading.workflow, "native"), "x").workflow) == bare(reading.workflow)


def test_a_lock_that_is_waited_for():
    found = read_file(EXAMPLES / "aquire-lock.asl.yaml").workflow
    behaviour = Behaviour.of(found)
    place = {step.name: at for at, step in enumerate(found.tasks)}
    lock, refused = place["Acquire Lock"], place["Insufficient Input"]
    assert behaviour.exclusive(lock, refused).value is True
    assert behaviour.can_run(place["Initialize Lock Item"]).value is not False
    assert behaviour.words(place["Initialize Lock Item"]) == "never"  # as long as nothing fails
    assert found.tasks[lock].loop == Loop(mode="until", condition="it succeeds", max=7)


def test_long_machines_are_read_in_linear_time():
    states = {
        f"s{at}": task(
            f"s{at + 1}", ResultPath=f"$.d.r{at}", Parameters={"a.$": "$.d", "b.$": f"$.d.r{at - 1}"}, Retry=[{}]
        )
        for at in range(4000)
    }
    found = workflow(states | {"s4000": {"Type": "Succeed"}}, "s0")
    assert len(found.tasks) == 4000  # the last state does nothing
    assert found.tasks[7].inputs == ("d.r6",)
    deep = task(ResultPath="$" + ".a" * 100_000, Parameters={"x.$": "$" + ".a" * 100_000})
    assert len(workflow({"A": deep}).tasks) == 1


SCALARS = st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(["A", "B", "", "$.x", "{% $x %}", "END"])
FIELDS = st.sampled_from(
    [
        *("Type", "Next", "End", "Choices", "Default", "Catch", "Retry", "Resource", "Parameters", "ResultPath"),
        *("Branches", "ItemProcessor", "Iterator", "StartAt", "States", "ErrorEquals", "Variable", "Condition"),
        *("And", "Not", "Assign", "InputPath", "ItemsPath", "Items", "QueryLanguage", "Comment", "Seconds"),
    ]
)
KINDS = st.sampled_from(["Task", "Pass", "Choice", "Wait", "Succeed", "Fail", "Parallel", "Map"])
VALUES = st.recursive(
    SCALARS | KINDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | st.sampled_from("AB"), inner, max_size=4),
    max_leaves=15,
)


@st.composite
def states(draw, depth=2):
    found = {}
    for name in draw(st.lists(st.sampled_from(["A", "B", "C", "END"]), unique=True, max_size=3)):
        state = {"Type": draw(KINDS), "Next": draw(st.sampled_from(["A", "B", "C", "gone"]))}
        if state["Type"] == "Choice":
            state["Choices"] = [{"Variable": "$.x", "IsNull": True, "Next": "B"}]
        if depth and state["Type"] == "Map":
            state["ItemProcessor"] = draw(states(depth - 1))
        if depth and state["Type"] == "Parallel":
            state["Branches"] = [draw(states(depth - 1)), draw(states(depth - 1))]
        found[name] = state | draw(st.dictionaries(FIELDS, VALUES, max_size=2))
    return {"StartAt": draw(st.sampled_from(["A", "B"])), "States": found}


@settings(max_examples=examples(300))
@given(states())
def test_whatever_comes_in(data):
    try:
        found = read_data(data, "x", "asl").workflow
    except FormatError:
        return
    assert bare(read_text(write(found, "native"), "x").workflow) == bare(found)
    expand(found)


REAL = (EXAMPLES / "dynamodb-semaphore.asl.json").read_text("utf-8")


@settings(max_examples=examples(200))
@given(st.integers(0, len(REAL)), st.integers(0, 40), st.text(max_size=5))
def test_a_real_file_with_something_else_in_it(at, length, text):
    try:
        found = read_text(REAL[:at] + text + REAL[at + length :], "x.json", "asl").workflow
    except FormatError as error:
        assert error.fix  # noqa: PT017 - most are refused, and each with a way out
    else:
        assert bare(read_text(write(found, "native"), "x").workflow) == bare(found)
