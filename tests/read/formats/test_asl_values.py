"""Values of state machines: each belongs to one element and one class; a change is found, a harmless edit is not."""

import copy
import json

import pytest

from tests.read.formats.format_values import (
    corpus,
    findings,
    of_the_document,
    of_the_elements,
    put,
    reversed_keys,
    scalars,
    severities,
)
from wfgate.compare import compare
from wfgate.language import StaticEmbedder
from wfgate.read import consequences_of, read_data, read_text
from wfgate.read.formats.asl.ends import ended
from wfgate.rules import review

FILES = list(corpus("asl", "asl-examples", "asl-validator"))
TABLE = consequences_of("asl")


def test_every_path_has_one_class():
    paths = {path for _, data, _ in FILES for path, _ in scalars(data)}
    classes = {path: {TABLE.classes[pattern] for pattern in TABLE.matching(path)} for path in paths}
    assert all(len(found) == 1 for path, found in classes.items() if path[-1] != "bugInputPath")


def test_every_value_belongs_to_an_element():
    for name, data, workflow in FILES:
        assert of_the_elements(workflow) == of_the_document(ended(data)), name


def machine(**changes):
    """A machine; a change is given by its path, with double underscores between keys. None removes a value."""
    invoke = {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke"}
    data = {
        "QueryLanguage": "JSONPath",
        "TimeoutSeconds": 900,
        "StartAt": "Check order",
        "States": {
            "Check order": {
                **invoke,
                "Comment": "Looks whether the order is complete",
                "Parameters": {"FunctionName": "check", "Payload": {"order.$": "$.order", "limit": 8}},
                "Credentials": {"RoleArn": "arn:aws:iam::1:role/check"},
                "InputPath": "$.in",
                "ResultSelector": {"ok.$": "$.Payload.ok"},
                "ResultPath": "$.checked",
                "OutputPath": "$.out",
                "Assign": {"total.$": "$.total"},
                "TimeoutSeconds": 60,
                "HeartbeatSeconds": 10,
                "Retry": [{"ErrorEquals": ["E.One", "E.Two"], "IntervalSeconds": 2, "MaxAttempts": 3}],
                "Catch": [{"ErrorEquals": ["States.ALL"], "ResultPath": "$.error", "Next": "Refuse order"}],
                "Next": "Large order?",
            },
            "Large order?": {
                "Type": "Choice",
                "Choices": [
                    {"Not": {"Variable": "$.total", "NumericLessThan": 100}, "Next": "Wait for approval"},
                    {"Variable": "States.ArrayContains($.ids, 'x')", "BooleanEquals": True, "Next": "Refuse order"},
                ],
                "Default": "Ship items",
            },
            "Wait for approval": {"Type": "Wait", "Seconds": 3600, "Next": "Wait for opening"},
            "Wait for opening": {"Type": "Wait", "Timestamp": "2026-01-01T08:00:00Z", "Next": "Ship items"},
            "Ship items": {
                "Type": "Map",
                "MaxConcurrency": 1,
                "ToleratedFailurePercentage": 0,
                "ItemReader": {"Resource": "arn:aws:states:::s3:getObject", "Parameters": {"Bucket": "orders"}},
                "ResultWriter": {"Resource": "arn:aws:states:::s3:putObject", "Parameters": {"Bucket": "shipped"}},
                "ItemProcessor": {
                    "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
                    "StartAt": "Pack item",
                    "States": {"Pack item": {**invoke, "Parameters": {"FunctionName": "pack"}, "End": True}},
                },
                "Next": "Tell everybody",
            },
            "Tell everybody": {
                "Type": "Parallel",
                "Branches": [
                    {"StartAt": "Send mail", "States": {"Send mail": {**invoke, "End": True}}},
                    {"StartAt": "Book revenue", "States": {"Book revenue": {**invoke, "End": True}}},
                ],
                "End": True,
            },
            "Refuse order": {"Type": "Fail", "Error": "Refused", "Cause": "The order is not complete"},
        },
    }
    data = copy.deepcopy(data)
    for path, value in changes.items():
        put(data, [int(key) if key.isdigit() else key.replace("_", " ") for key in path.split("__")], value)
    return data


CHECK, MAP = "States__Check_order__", "States__Ship_items__"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("QueryLanguage", "JSONata"),
        ("TimeoutSeconds", 9000),
        (CHECK + "Resource", "arn:aws:states:::lambda:invoke.waitForTaskToken"),
        (CHECK + "Parameters__FunctionName", "true"),
        (CHECK + "Parameters__Payload__limit", "8"),
        (CHECK + "Arguments", {"FunctionName": "check"}),
        (CHECK + "Credentials__RoleArn", "arn:aws:iam::1:role/admin"),
        (CHECK + "Credentials", None),
        (CHECK + "InputPath", "$.other"),
        (CHECK + "ResultSelector__ok.$", "$.Payload.skipped"),
        (CHECK + "ResultPath", "$.order"),
        (CHECK + "OutputPath", None),
        (CHECK + "Assign__total.$", "$.subtotal"),
        (CHECK + "TimeoutSeconds", 6000),
        (CHECK + "HeartbeatSeconds", None),
        (CHECK + "Retry", None),
        (CHECK + "Retry__0__MaxAttempts", 0),
        (CHECK + "Retry__0__ErrorEquals", ["E.One"]),
        (CHECK + "Catch", None),
        (CHECK + "Catch__0__ErrorEquals", ["States.TaskFailed"]),
        (CHECK + "Catch__0__ResultPath", "$"),
        (CHECK + "Catch__0__Next", "Ship items"),
        (CHECK + "Next", "Ship items"),
        (CHECK + "Next", "Gone"),
        ("StartAt", "Ship items"),
        ("States__Large_order?__Choices__0__Not__NumericLessThan", 1000),
        ("States__Large_order?__Choices__0__Next", "Ship items"),
        ("States__Large_order?__Choices__1__Variable", "States.ArrayContains($.ids, 'y')"),
        ("States__Large_order?__Default", "Refuse order"),
        ("States__Wait_for_approval__Seconds", 3601),
        ("States__Wait_for_opening__Timestamp", "2026-01-01T09:00:00Z"),
        (MAP + "MaxConcurrency", 40),
        (MAP + "ToleratedFailurePercentage", 100),
        (MAP + "ItemReader__Parameters__Bucket", "all"),
        (MAP + "ResultWriter", None),
        (MAP + "ItemProcessor__ProcessorConfig__ExecutionType", "EXPRESS"),
        (MAP + "ItemProcessor__QueryLanguage", "JSONata"),
        ("States__Refuse_order__Error", "Accepted"),
        ("States__Refuse_order__Cause", "The order is complete"),
    ],
)
def test_what_has_an_effect_is_an_error(path, value):
    assert severities(machine(), machine(**{path: value}), "asl")[:1] == ["error"]


def test_the_order_of_branches_is_the_order_of_results():
    candidate = machine()
    candidate["States"]["Tell everybody"]["Branches"].reverse()
    assert severities(machine(), candidate, "asl") == ["error"]


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (CHECK + "Parameters__Payload", {"limit": 8.0, "order.$": "$.order"}, []),
        (CHECK + "Retry__0__ErrorEquals", ["E.Two", "E.One"], []),
        (CHECK + "Retry__0__Comment", "The service is slow", ["info"]),
        (CHECK + "Catch__0__Comment", "All errors", ["info"]),
        (CHECK + "Parameters__Comment", "an argument", ["error"]),
        ("States__Large_order?__Choices__0__Comment", "Large", ["info"]),
        (MAP + "ItemProcessor__Comment", "One item", ["info"]),
        (CHECK + "Speed", "fast", ["warning"]),
        ("Comment", "Orders", ["info"]),
    ],
)
def test_what_has_no_effect_and_what_is_unknown(path, value, expected):
    assert severities(machine(), machine(**{path: value}), "asl") == expected


def renamed(value, names):
    """Return a machine with other names of its states, where they are defined and where they are referred to."""
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, inner in value.items():
        if key == "States" and isinstance(inner, dict):
            found[key] = {names(name): renamed(state, names) for name, state in inner.items()}
        elif key in {"Next", "Default", "StartAt"} and isinstance(inner, str):
            found[key] = names(inner)
        else:
            found[key] = renamed(inner, names)
    return found


def test_a_renamed_state_with_its_references_is_no_change():
    names = {"Refuse order": "Reject order", "Pack item": "Pack the item", "Send mail": "Send the mail"}
    assert severities(machine(), renamed(machine(), lambda name: names.get(name, name)), "asl") == []


def test_a_state_between_two_others_is_a_new_step_and_no_other_reference():
    candidate = machine(**{CHECK + "Next": "Count stock"})
    candidate["States"]["Count stock"] = {"Type": "Task", "Resource": "arn:stock", "Next": "Large order?"}
    added = {finding.tasks for finding in findings(machine(), candidate, "asl") if finding.id == "WR107"}
    assert added == {("Count stock",)}
    assert "WR102" in {finding.id for finding in findings(machine(), candidate, "asl")}


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_harmless_edits_of_real_machines(every):
    for name, data, _ in FILES[::every]:
        states = {path[-2] for path, _ in scalars(data) if path[-1] == "Type"}
        other = renamed(data, lambda state, states=states: f"{state}." if state in states else state)
        assert severities(data, reversed_keys(other), "asl") == [], name


TEMPLATE = """\
Resources:
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      Role: !GetAtt Role.Arn
      DefinitionString: !Sub |
        {"StartAt": "Pay", "States": {"Pay": {"Type": "Task", "Resource": "${Pay}", "TimeoutSeconds": 5, "End": true}}}
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('"End": true', '"End":  true', []),
        ('"Pay"', '"Pay now"', []),
        ("!GetAtt Role.Arn", '{"Fn::GetAtt": Role.Arn}', []),
        ('"TimeoutSeconds": 5', '"TimeoutSeconds": 50', ["error"]),
        ("Role.Arn", "Admin.Arn", ["error"]),
        ("!GetAtt", "!Sub", ["error", "error"]),
        ("!Sub |", "|", ["error"]),
    ],
)
def test_a_template_is_compared_as_written_with_its_machine(old, new, expected):
    assert old in TEMPLATE
    read = [read_text(text, "x.yaml").workflow for text in (TEMPLATE, TEMPLATE.replace(old, new))]
    found = [finding for finding in review(compare(*read, StaticEmbedder())) if finding.id in {"WR107", "WR502"}]
    assert [finding.severity for finding in found] == expected


@pytest.mark.parametrize(
    "around",
    [
        lambda text: text,
        lambda text: {"Fn::Sub": text},
        lambda text: {"Fn::Sub": [text, {"X": 1}]},
        lambda text: {"Fn::Join": ["", [text.removesuffix("}"), ', "Comment": "', {"Ref": "Y"}, '"}']]},
    ],
)
def test_a_machine_in_a_text_of_a_template_has_its_values(around):
    def template(resource):
        states = {"A": {"Type": "Task", "Resource": resource, "End": True}}
        text = json.dumps({"StartAt": "A", "States": states})
        properties = {"RoleArn": "r", "DefinitionString": around(text)}
        return {"Resources": {"M": {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties}}}

    assert read_data(template("r"), "x").workflow.tasks[0].raw == {"Type": "Task", "Resource": "r", "End": True}
    (finding,) = [found for found in findings(template("r"), template("s"), "asl") if found.id in {"WR107", "WR502"}]
    assert finding.message == "'A' has another Resource: `s` instead of `r`"


def choice(choices, default):
    """A machine with one choice between "Approve" and "Charge"."""
    task = {"Type": "Task", "Resource": "arn:aws:lambda:eu:1:function:f"}
    states = {"Amount": {"Type": "Choice", "Choices": choices, "Default": default}}
    states |= {"Approve": task | {"Next": "Charge"}, "Charge": task | {"Resource": "arn:aws:lambda:eu:1:function:g"}}
    return {"StartAt": "Amount", "States": states | {"Charge": states["Charge"] | {"End": True}}}


LARGE = {"Variable": "$.total", "NumericGreaterThan": 1000}
VIP = {"Variable": "$.vip", "BooleanEquals": True}


@pytest.mark.parametrize(
    ("choices", "default", "same"),
    [
        ([{"And": [LARGE], "Next": "Approve"}], "Charge", True),
        ([{"Variable": "$.total", "NumericLessThanEquals": 1000, "Next": "Charge"}], "Approve", True),
        ([{"Not": LARGE, "Next": "Charge"}], "Approve", True),
        (
            [LARGE | {"Next": "Approve"}, {"Not": LARGE, "Next": "Charge"}],
            "Approve",
            False,
        ),  # too careful: never taken
        ([{"Variable": "$.total", "NumericLessThan": 1000, "Next": "Charge"}], "Approve", False),
        ([LARGE | {"Next": "Charge"}], "Approve", False),
        ([{"And": [LARGE, VIP], "Next": "Approve"}], "Charge", False),
        ([{"And": [LARGE], "Next": "Approve", "Assign": {"a": 1}}], "Charge", False),
        ([{"Variable": "$.amount", "NumericLessThanEquals": 1000, "Next": "Charge"}], "Approve", False),
    ],
)
def test_the_same_choice_in_other_words(choices, default, same):
    golden = choice([LARGE | {"Next": "Approve"}], "Charge")
    for pair in ((golden, choice(choices, default)), (choice(choices, default), golden)):
        read = [read_data(data, "x", "asl").workflow for data in pair]
        serious = [f.message for f in review(compare(*read, StaticEmbedder())) if f.severity in {"error", "warning"}]
        assert (serious == []) is same, serious


def test_the_first_rule_that_holds_counts():
    golden = choice([VIP | {"Next": "Charge"}, LARGE | {"Next": "Approve"}], "Charge")
    turned = choice([LARGE | {"Next": "Approve"}, VIP | {"Next": "Charge"}], "Charge")
    assert "error" in severities(golden, turned, "asl")


def test_a_succeed_state_that_does_nothing_is_the_end():
    task = {"Type": "Task", "Resource": "arn:aws:lambda:eu:1:function:f"}
    golden = {"StartAt": "Pay", "States": {"Pay": task | {"Next": "Done"}, "Done": {"Type": "Succeed"}}}
    short = {"StartAt": "Pay", "States": {"Pay": task | {"End": True}}}
    assert severities(golden, short, "asl") == severities(short, golden, "asl") == []
    fails = {"StartAt": "Pay", "States": {"Pay": task | {"Next": "Done"}, "Done": {"Type": "Fail"}}}
    assert "error" in severities(golden, fails, "asl")
    output = {"StartAt": "Pay", "States": golden["States"] | {"Done": {"Type": "Succeed", "OutputPath": "$.x"}}}
    assert "error" in severities(golden, output, "asl")
    choice = {"Type": "Choice", "Choices": [LARGE | {"Next": "Done"}], "Default": "Pay"}
    chosen = {"StartAt": "Amount", "States": golden["States"] | {"Amount": choice}}
    assert [task.name for task in read_data(chosen, "x", "asl").workflow.tasks] == ["Pay", "Done", "Amount"]
