"""Instances have the architecture of their pattern, judged here on the written links of what the model sees."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from wfgate.catalogue import FACTS, FactSubject, Paper, Question, draw
from wfgate.catalogue.exam.architecture import fits
from wfgate.catalogue.facts.properties import tasks_with
from wfgate.model import END, START, Gateway, Guard, Link, Task, Workflow
from wfgate.read import read_file

ROOT = Path(__file__).parents[3] / "examples"
FILES = [
    ROOT / "deploy" / "approved" / "deploy.yaml",
    *(ROOT / "seeds" / f"{name}.yaml" for name in ("hyperparameter-optimization", "ml-training-and-evaluation")),
]


CONDITIONAL = {"order-of-two-conditional", "order-of-all-conditional", "task-order-conditional"}


def id_of(subject: FactSubject, name: str | None) -> str:
    return subject.tasks[subject.task(name or "")].id


def leaving(workflow: Workflow, source: str) -> list[tuple[str, bool]]:
    """Return what a step links to after a success, through gateways, and whether under a condition."""
    gateways = {gateway.id for gateway in workflow.gateways}
    found, pending = [], [(link, False) for link in workflow.links if link.source == source]
    while pending:
        link, guarded = pending.pop()
        guarded = guarded or link.guard is not None
        if link.outcome not in {None, "success"}:
            continue
        if link.target in gateways:
            pending += [(each, guarded) for each in workflow.links if each.source == link.target]
        else:
            found.append((link.target, guarded))
    return found


def links_before(workflow: Workflow, target: str) -> list[Link]:
    known, pending, found = {target}, [target], []
    while pending:
        node = pending.pop()
        for link in workflow.links:
            if link.target == node:
                found.append(link)
                pending += [] if link.source in known else [link.source]
                known.add(link.source)
    return found


def conditional(workflow: Workflow) -> bool:
    return any(link.guard is not None for link in workflow.links)


def as_the_pattern_says(instance) -> bool:
    subject, question, value = instance.subject, instance.question, instance.reference.value
    workflow = subject.workflow
    match instance.fact.id:
        case "next-task-conditional":
            links = leaving(workflow, id_of(subject, question.task))
            return all(guarded for _, guarded in links) and id_of(subject, value) in {target for target, _ in links}
        case "runs-in-every-situation":
            return any(link.guard is not None for link in links_before(workflow, id_of(subject, question.task)))
        case "links-with-property":
            ends = {target for target, _ in leaving(workflow, id_of(subject, question.task))}
            return 0 < len(value) < len(ends)
        case "tasks-with-property":
            return 0 < len(value) < len(workflow.tasks)
        case "order-of-two" | "order-of-all" | "task-order":
            pair = [id_of(subject, name) for name in (question.first, question.second) if name]
            ordered = [a in {link.source for link in links_before(workflow, b)} for a, b in permutations(pair, 2)]
            return not conditional(workflow) and (any(ordered) or not pair)
    return conditional(workflow) or instance.fact.id not in CONDITIONAL


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_instances_fit_their_patterns(path):
    reading = read_file(path)
    paper = Paper(path.name, path.read_text("utf-8"), reading.format, reading.workflow)
    for seed in range(3):
        exam = draw([paper], notation="native", number=2, rng=np.random.default_rng(seed))
        assert exam.without == ()
        assert [each.id for each in exam.instances if not as_the_pattern_says(each)] == []


def test_both_sides_of_the_meaning_of_neighbours_are_asked():
    reading = read_file(FILES[-1])
    paper = Paper("w", "", reading.format, reading.workflow)
    words = [
        each.words
        for seed in range(6)
        for each in draw([paper], notation="native", number=1, rng=np.random.default_rng(seed)).instances
        if each.fact.id == "meaning-of-preceding-task"
    ]
    assert (
        {" run before task " in each for each in words}
        == {" run after task " in each for each in words}
        == {True, False}
    )


def subject(links: tuple[Link, ...], *, gateways: tuple[Gateway, ...] = ()) -> FactSubject:
    tasks = tuple(Task(id=name, name=name.upper()) for name in "abcd")
    return FactSubject.of(Workflow(semantics="token", tasks=tasks, gateways=gateways, links=links))


def link(source: str, target: str, when: str | None = None, **more: str) -> Link:
    return Link(source=source, target=target, guard=Guard(expr=when) if when else None, **more)


def fit(pattern: str, about: FactSubject, **question) -> bool:
    fact, asked = FACTS[pattern], Question(**question)
    return fits(fact, about, asked, fact.ask(about, asked))


def test_a_condition_behind_a_gateway_counts_and_one_without_a_task_behind_it_does_not():
    choice = (Gateway(id="x", op="XOR"),)
    links = (link(START, "a"), link("a", "x"), link("x", "b", "p > 1"), link("x", END, "p <= 1"), link("b", END))
    about = subject(links, gateways=choice)
    assert fit("next-task-conditional", about, task="A", situation={"p": 2})
    assert not fit("next-task-conditional", about, task="A", situation={"p": 0})  # the end follows
    assert not fit("next-task-conditional", about, task="B", situation={"p": 2})
    assert not fit("runs-in-every-situation", about, task="A")
    assert fit("runs-in-every-situation", about, task="B")


def test_a_link_without_a_condition_beside_conditional_ones():
    about = subject((link(START, "a"), link("a", "b", "p > 1"), link("a", "c"), link("a", "d", outcome="failure")))
    assert not fit("next-task-conditional", about, task="A", situation={"p": 0})
    assert fit("links-with-property", about, task="A", property="conditional")
    assert not fit("links-with-property", about, task="A", property="default")
    assert not fit("tasks-with-property", about, property="critical")
    assert tasks_with(about, "exceptional")
    assert fit("tasks-with-property", about, property="exceptional")
