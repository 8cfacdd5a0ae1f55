"""Texts, arguments, kinds and actions of matched steps, and names against descriptions."""

import itertools

from wfgate.model import END, START, Link, Task, Workflow
from wfgate.rules import lint, review


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
    opposite = step(action="flags.enable"), step(action="flags.disable")
    assert [len(found(compare_by_name, *opposite, rule)) for rule in ("WR106", "WR107")] == [0, 1]


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
