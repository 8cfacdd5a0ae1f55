"""Values of Serverless Workflows: each belongs to one element and one class; a change is found."""

import copy

import pytest

from tests.read.formats.format_values import (
    corpus,
    findings,
    of_the_document,
    of_the_elements,
    reversed_keys,
    scalars,
    severities,
)
from wfgate.read import consequences_of

FILES = list(corpus("serverless", "serverless"))
TABLE = consequences_of("serverless")


def test_every_path_has_one_class():
    paths = {path for _, data, _ in FILES for path, _ in scalars(data)}
    classes = {path: {TABLE.classes[pattern] for pattern in TABLE.matching(path)} for path in paths}
    assert [path for path, found in classes.items() if len(found) != 1] == []


def test_every_value_belongs_to_an_element():
    for name, data, workflow in FILES:
        assert of_the_document(data) <= of_the_elements(workflow), name  # a fork has the names of its branches too


PAY = {
    "call": "http",
    "if": "${ .total > 0 }",
    "input": {"from": "${ .order }"},
    "with": {
        "method": "post",
        "endpoint": {
            "uri": "https://pay.example",
            "authentication": {"basic": {"username": "u", "password": "hunter2"}},
        },
        "headers": {"Authorization": "Bearer hunter2"},
        "body": {"limit": 8},
    },
    "output": {"as": "${ .receipt }"},
    "export": {"as": "${ $context + . }"},
    "timeout": {"after": {"seconds": 30}},
}


def flow(edit=None):
    """A workflow; `edit` changes its tasks by name."""
    tasks = {
        "pay": PAY,
        "decide": {
            "switch": [
                {"large": {"when": "${ .total > 100 }", "then": "hold"}},
                {"test": {"when": '${ .ids | any(. == "x") }', "then": "exit"}},
                {"small": {"then": "ship"}},
            ]
        },
        "hold": {"wait": {"minutes": 5}},
        "approve": {"listen": {"to": {"one": {"with": {"type": "order.approved"}}}}},
        "ship": {
            "try": [{"pack": {"run": {"script": {"language": "js", "code": "pack()"}}}}, {"send": {"call": "send"}}],
            "catch": {
                "errors": {"with": {"status": 503}},
                "retry": {"delay": {"seconds": 3}, "limit": {"attempt": {"count": 5}}},
                "do": [{"refund": {"call": "refund"}}],
            },
        },
        "count": {
            "for": {"each": "item", "in": "${ .items }"},
            "while": "${ .left > 0 }",
            "do": [{"book": {"set": {"booked": True}, "then": "end"}}],
        },
        "tell": {
            "fork": {"compete": False, "branches": [{"mail": {"call": "mail"}}, {"log": {"emit": {"event": {}}}}]}
        },
        "refuse": {"raise": {"error": {"type": "https://example/refused", "status": 400}}},
    }
    data = {
        "document": {"dsl": "1.0.0", "namespace": "shop", "name": "orders", "version": "1.0.0", "title": "Orders"},
        "schedule": {"every": {"hours": 1}},
        "use": {
            "secrets": ["token"],
            "authentications": {"shop": {"bearer": {"token": "hunter2"}}},
            "timeouts": {"short": {"after": "PT5S"}},
        },
        "input": {"from": "${ .request }"},
    }
    data, tasks = copy.deepcopy(data), copy.deepcopy(tasks)
    if edit is not None:
        edit(data, tasks)
    return {**data, "do": [{name: task} for name, task in tasks.items()]}


def put(*path, value):
    """Return an edit that sets a value of the file, or of a task; None removes the value."""

    def edit(data, tasks):
        at = tasks if path[0] in tasks else data
        for key in path[:-1]:
            at = at[key]
        if value is None:
            del at[path[-1]]
        else:
            at[path[-1]] = value

    return edit


def test_the_order_of_branches_is_the_order_of_results():
    candidate = flow(lambda _, tasks: tasks["tell"]["fork"]["branches"].reverse())
    assert severities(flow(), candidate, "serverless") == ["error"]


SHIP = ("ship", "catch")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("document", "version"), "2.0.0"),
        (("schedule", "every", "hours"), 2),
        (("use", "secrets"), ["token", "admin"]),
        (("use", "authentications", "shop", "bearer", "token"), "other"),
        (("use", "timeouts", "short", "after"), "PT50S"),
        (("input",), None),
        (("pay", "if"), "${ .total > 10 }"),
        (("pay", "input", "from"), "${ . }"),
        (("pay", "with", "method"), "put"),
        (("pay", "with", "body", "limit"), "8"),
        (("pay", "with", "endpoint", "authentication", "basic", "password"), "other"),
        (("pay", "with", "headers", "Authorization"), None),
        (("pay", "output", "as"), "${ . }"),
        (("pay", "export"), None),
        (("pay", "timeout", "after", "seconds"), 300),
        (("decide", "switch", 0, "large", "when"), "${ .total > 1000 }"),
        (("decide", "switch", 1, "test", "when"), '${ .ids | any(. == "y") }'),
        (("decide", "switch", 0, "large", "then"), "ship"),
        (("decide", "switch", 1, "test", "then"), "refuse"),
        (("hold", "wait", "minutes"), 50),
        (("approve", "listen", "to", "one", "with", "type"), "order.made"),
        ((*SHIP, "errors", "with", "status"), 500),
        ((*SHIP, "retry", "delay", "seconds"), 30),
        ((*SHIP, "retry", "limit", "attempt", "count"), 6),
        ((*SHIP, "retry"), None),
        (("ship", "try", 0, "pack", "run", "script", "code"), "true"),
        (("count", "for", "in"), "${ .all }"),
        (("count", "while"), "${ .left > 1 }"),
        (("count", "do", 0, "book", "then"), "exit"),
        (("tell", "fork", "compete"), True),
        (("refuse", "raise", "error", "status"), 200),
    ],
)
def test_what_has_an_effect_is_an_error(path, value):
    golden, candidate = flow(), flow(put(*path, value=value))
    assert severities(golden, candidate, "serverless")[:1] == ["error"]
    said = [finding.model_dump_json() for finding in findings(golden, candidate, "serverless")]
    assert not any("hunter2" in text for text in said if "WR107" in text or "WR502" in text)


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (("pay", "with", "body"), {"limit": 8.0}, []),
        (("document", "tags"), {"team": "shop"}, ["info"]),
        (("document", "title"), "All orders", ["info"]),
        (("pay", "timeout", "after"), "PT30S", []),
        (("pay", "timeout", "after"), "PT31S", ["error"]),
        (("hold", "wait"), "PT0.05H", ["error"]),
        (("hold", "wait"), {"seconds": 300}, []),
        (("ship", "catch", "retry", "delay"), "PT3S", []),
        (("schedule", "every"), {"minutes": 60}, []),
        (("schedule", "every"), {"days": 1}, ["error", "error"]),
        (("use", "timeouts", "short", "after"), {"milliseconds": 5000}, []),
        (("pay", "with", "body"), {"limit": "8"}, ["error"]),
        (("pay", "metadata"), {"runtime": {"zone": 1}}, ["warning"]),
        (("pay", "speed"), "fast", ["warning"]),
    ],
)
def test_what_has_no_effect_and_what_is_unknown(path, value, expected):
    assert severities(flow(), flow(put(*path, value=value)), "serverless") == expected


def renamed(value, names):
    """Return a workflow with other names of its tasks, where they are defined and where `then` refers to them."""
    if isinstance(value, list):
        return [renamed(each, names) for each in value]
    if not isinstance(value, dict):
        return value
    found = {}
    for key, inner in value.items():
        if key in {"do", "try", "branches"} and isinstance(inner, list):
            found[key] = [{names(name): renamed(task, names) for name, task in item.items()} for item in inner]
        elif key == "then":
            found[key] = inner if inner in {"continue", "end", "exit"} else names(inner)
        else:
            found[key] = renamed(inner, names)
    return found


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.slow)])
def test_harmless_edits(every):
    for name, data in [("flow", flow()), *((name, data) for name, data, _ in FILES[::every])]:
        other = reversed_keys(renamed(data, lambda task: f"{task}2"))
        assert severities(data, other, "serverless") == [], name
