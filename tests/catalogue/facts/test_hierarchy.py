"""Composites and recursion, against the closure of random references."""

from itertools import pairwise

import numpy as np
import pytest

from wfgate.catalogue import FactSubject, Question, answer
from wfgate.model import Link, Task, Workflow

NAMES = ("W0", "W1", "W2", "W3")


def library(rng):
    """Workflows of three tasks in a row, some of which call others."""
    parts = []
    for name in NAMES:
        called = [NAMES[rng.integers(4)] if rng.random() < 0.3 else None for _ in range(3)]
        tasks = [Task(id=f"{name}t{k}", name=f"{name} step {k}", workflow=w) for k, w in enumerate(called)]
        ids = ["START", *(task.id for task in tasks), "END"]
        links = [Link(source=a, target=b) for a, b in pairwise(ids)]
        parts.append(Workflow(name=name, tasks=tuple(tasks), links=tuple(links)))
    return parts[0].model_copy(update={"subworkflows": tuple(parts[1:])}), {part.name: part for part in parts}


def inside(name, parts, depth=5):
    """Names of all tasks in a workflow and below, by going down and down."""
    found = set()
    for task in parts[name].tasks if name and depth else ():
        found |= {task.name} | inside(task.workflow, parts, depth - 1)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_hierarchy(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        workflow, parts = library(rng)
        subject = FactSubject.of(workflow)
        nested = {task.name: inside(task.workflow, parts) for task in workflow.tasks}
        assert {*answer(subject, "nested-tasks").answer.value} == set().union(*nested.values())
        composite = {task.name for task in workflow.tasks if task.workflow}
        assert {*answer(subject, "composite-tasks").answer.value} == composite
        for first, below in nested.items():
            for part in parts.values():
                for task in part.tasks:
                    asked = Question(first=first, second=task.name)
                    assert answer(subject, "task-hierarchy", asked).answer.value == (task.name in below)
        calls = {name: {task.workflow for task in part.tasks if task.workflow} for name, part in parts.items()}
        reach = {name: {name} for name in parts}
        for _ in parts:
            reach = {name: near.union(*(calls[each] for each in near)) for name, near in reach.items()}
        rings = any(name in reach[called] for name in reach["W0"] for called in calls[name])
        found = answer(subject, "infinite-recursion").answer
        assert (found.value, found.exact) == (rings, True)
        assert all(b in calls[a] for a, b in pairwise(found.witness))


def test_a_recursion_that_can_be_avoided_is_not_certain():
    tasks = (Task(id="a", name="Try"), Task(id="b", name="Again", workflow="main"))
    links = [Link(source="START", target="a"), Link(source="b", target="END")]
    on, off = Link(source="a", target="b", guard={"expr": "left > 0"}), Link(source="a", target="END")
    found = answer(
        FactSubject.of(Workflow(name="main", tasks=tasks, links=(*links, on, off))), "infinite-recursion"
    ).answer
    assert (found.value, found.exact) == (True, False)
    assert found.because == "the calls end when 'Again' does not call 'main' (in the situation left <= 0)"


def test_tasks_of_one_name_in_two_workflows_are_told_apart():
    inner = [Workflow(name=name, tasks=(Task(id="t", name="Test"),)) for name in ("one", "two")]
    tasks = tuple(Task(id=part.name, name=part.name, workflow=part.name) for part in inner)
    subject = FactSubject.of(Workflow(name="main", tasks=tasks, subworkflows=tuple(inner)))
    assert answer(subject, "nested-tasks").answer.value == ("one/Test", "two/Test")
