"""Texts, arguments, kinds and actions of matched steps, and names against descriptions."""

import itertools

import pytest

from wfgate.checks import lint, review
from wfgate.model import END, START, Link, Task, Workflow


def flow(*tasks, **more):
    ids = [START, *(task.id for task in tasks), END]
    links = tuple(Link(source=a, target=b) for a, b in itertools.pairwise(ids))
    return Workflow(tasks=tasks, links=links, **more)


def found(compare_by_name, golden, candidate, check):
    names = {golden.name: candidate.name}
    comparison = compare_by_name(flow(golden), flow(candidate), names)
    return [finding for finding in review(comparison) if finding.id == check]


def step(params=None, **more):
    return Task(id="a", name="Deploy", params=params or {}, **more)


@pytest.mark.parametrize(
    ("was", "now", "message"),
    [
        ({"replicas": 3}, {"replicas": 1}, "the argument replicas of 'Deploy' changed from 3 to 1"),
        ({"dry": True}, {"dry": False}, "the argument dry of 'Deploy' changed from true to false"),
        ({"env": "staging"}, {"env": "prod"}, "the argument env of 'Deploy' changed from 'staging' to 'prod'"),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "the argument a.b.2 of 'Deploy' changed from 2 to 3"),
        (
            {"note": "keep it for 7 days"},
            {"note": "keep it for 9 days"},
            "the argument note of 'Deploy' changed from 'keep it",
        ),
        ({"wait": "30m"}, {"wait": "3h"}, "the argument wait of 'Deploy' changed from '30m' to '3h'"),
    ],
)
def test_an_argument_with_another_value(compare_by_name, was, now, message):
    (finding,) = found(compare_by_name, step(was), step(now), "WR106")
    assert finding.message.startswith(message)
    assert finding.severity == "error"


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ({"replicas": 3}, {"replicas": 3.0}),
        ({"replicas": 3}, {"replicas": "3"}),
        ({"dry": True}, {"dry": "True"}),
        ({"env": "Prod"}, {"env": "prod "}),
        ({"wait": "30m"}, {"wait": "1800s"}),
        ({"replicas": 3}, {"copies": 1}),
        ({"replicas": 3}, {}),
        ({"replicas": 3}, {"replicas": None}),
        ({"files": ["a"]}, {"files": ["a", "b"]}),
        ({"image": "${{ inputs.one }}"}, {"image": "${{ inputs.two }}"}),
        ({"from": "a"}, {"from": "b"}),
        ({"note": "one text"}, {"note": "quite another text"}),
    ],
)
def test_an_argument_that_may_mean_the_same(compare_by_name, was, now):
    assert found(compare_by_name, step(was), Task(id="b", name="Deploy", params=now), "WR106") == []


def test_deep_arguments_end_somewhere(compare_by_name):
    was, now = 1, 2
    for _ in range(40):
        was, now = {"a": was}, {"a": now}
    assert found(compare_by_name, step({"a": was}), step({"a": now}), "WR106") == []


def test_a_text_is_compared_with_its_description(compare_by_name):
    golden = Task(id="a", name="Flag", description="Enable the flag for all tenants")
    candidate = Task(id="a", name="Flag", description="Disable the flag for all tenants")
    (finding,) = found(compare_by_name, golden, candidate, "WR106")
    assert finding.message == "'Flag' changed meaning: 'Enable' became 'Disable'"


def test_rewording_beside_the_change_moves_no_fingerprint(compare_by_name):
    golden = Task(id="a", name="Deploy the image to staging")
    changed = [Task(id="a", name=name) for name in ("Deploy the image to prod", "The image: deploy it to prod")]
    first, second = (found(compare_by_name, golden, task, "WR106")[0] for task in changed)
    assert first.fingerprint == second.fingerprint
    other = found(compare_by_name, golden, Task(id="a", name="Deploy the image to the sandbox"), "WR106")[0]
    assert other.fingerprint != first.fingerprint  # a waiver for one change is none for the next


def test_kinds_and_actions(compare_by_name):
    event = found(compare_by_name, step(kind="event"), step(), "WR103")
    assert [finding.message for finding in event] == ["'Deploy' was an event and is now a task"]
    assert found(compare_by_name, step(action="helm"), step(action=None), "WR107") == []
    assert found(compare_by_name, step(action="helm  upgrade"), step(action="Helm upgrade"), "WR107") == []
    (tool,) = found(compare_by_name, step(action="helm"), step(action="kubectl"), "WR107")
    assert (tool.message, tool.severity) == ("'Deploy' now calls `kubectl` instead of `helm`", "warning")
    (tool,) = found(compare_by_name, step(action="helm", critical=True), step(action="kubectl"), "WR107")
    assert tool.severity == "error"
    opposite = step(action="flags.enable"), step(action="flags.disable")
    assert found(compare_by_name, *opposite, "WR107") == []
    assert len(found(compare_by_name, *opposite, "WR106")) == 1


def test_descriptions_that_deny_names():
    task = Task(id="a", name="BinaryClassificationModelTraining", description="Training of a regression ML model")
    (finding,) = lint(flow(task))
    assert (finding.id, finding.severity, finding.tasks) == ("WF601", "info", (task.name,))
    described = flow(
        Task(id="a", name="Train"),
        name="BinaryClassification",
        description="Training and evaluation of a regression ML model",
    )
    (finding,) = lint(described)
    assert finding.tasks == ()
    assert "'BinaryClassification'" in finding.message
