"""What every fact has, and the answers that do not depend on ids or listing."""

import inspect
import re
from importlib import import_module
from pkgutil import iter_modules
from typing import get_args

import numpy as np
import pytest
from pydantic import TypeAdapter

import wfgate.catalogue.facts
from wfgate.catalogue import FACTS, FactSubject, Question, all_answers, answer
from wfgate.catalogue.facts.answers import Answer
from wfgate.catalogue.facts.base import Fact, Parameter
from wfgate.errors import ConfigError
from wfgate.model import END, START, Link, Task, Workflow

from .generator import random_workflow

TYPES = {"yes-no": "correctness", "task": "correctness", "set": "jaccard", "sets": "pair-jaccard", "text": "judged"}


def test_every_class_is_registered():
    found = {
        entry
        for module in iter_modules(wfgate.catalogue.facts.__path__)
        for _, entry in inspect.getmembers(import_module(f"wfgate.catalogue.facts.{module.name}"), inspect.isclass)
        if issubclass(entry, Fact) and not inspect.isabstract(entry)
    }
    assert {type(fact) for fact in FACTS.values()} == found
    assert len(FACTS) == 45


def test_what_a_fact_says_of_itself():
    for fact in FACTS.values():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", fact.id)
        assert fact.group in {"structure", "behaviour", "functionality"}, fact.id
        assert fact.metric == TYPES.get(fact.answers, "damerau-levenshtein"), fact.id
        assert {*fact.needs, *fact.takes} <= {*get_args(Parameter)}, fact.id
        assert not {*fact.needs} & {*fact.takes}, fact.id
        first, *rest = fact.documentation.split("\n\n")
        assert re.fullmatch(r"[A-Z].*\.", first), fact.id
        assert [part.split(":")[0] for part in rest] == ["Question", "Definition"], fact.id


def relisted(workflow, rng):
    """The same workflow under other ids and in another listing order."""
    nodes = [*workflow.tasks, *workflow.gateways]
    ids = {node.id: f"n{number}" for node, number in zip(nodes, rng.permutation(len(nodes)), strict=True)}
    ids |= {START: START, END: END}

    def shuffled(entries):
        return tuple(entries[place] for place in rng.permutation(len(entries)))

    def moved(entries):
        return shuffled([e.model_copy(update={"source": ids[e.source], "target": ids[e.target]}) for e in entries])

    return workflow.model_copy(
        update={
            "tasks": shuffled([task.model_copy(update={"id": ids[task.id]}) for task in workflow.tasks]),
            "gateways": shuffled([gate.model_copy(update={"id": ids[gate.id]}) for gate in workflow.gateways]),
            "links": moved(workflow.links),
            "data_links": moved(workflow.data_links),
        }
    )


@pytest.mark.parametrize("seed", range(3))
def test_ids_and_listing_order_carry_no_meaning(seed):
    rng = np.random.default_rng([seed, 77])
    for _ in range(60):
        workflow = random_workflow(rng, cyclic=bool(rng.integers(2)), data=True)
        twin = relisted(workflow, rng)
        for one, other in zip(all_answers(FactSubject.of(workflow)), all_answers(FactSubject.of(twin)), strict=True):
            assert one.model_dump() == other.model_dump(), workflow


def test_answers_survive_json():
    workflow = random_workflow(np.random.default_rng(3), data=True)
    for each in all_answers(FactSubject.of(workflow)):
        assert each.answer.type == FACTS[each.id].answers
        assert TypeAdapter(Answer).validate_json(each.answer.model_dump_json()) == each.answer


@pytest.fixture
def subject():
    tasks = (Task(id="a", name="Build it"), Task(id="b", name="Test it"), Task(id="c", name="Test it"))
    links = (Link(source="START", target="a"), Link(source="a", target="b"), Link(source="b", target="c"))
    return FactSubject.of(Workflow(name="ci", tasks=tasks, links=links, params={"debug": False}))


@pytest.mark.parametrize(
    ("fact", "question", "said"),
    [
        ("nxt-tasks", {}, "unknown fact 'nxt-tasks'"),
        ("next-tasks", {}, "give --task"),
        ("next-tasks", {"task": "Built it"}, "did you mean Build it?"),
        ("next-tasks", {"task": "Unrelated"}, "there are: Build it, b, c"),
        ("next-tasks", {"task": "Test it"}, "name one of: b, c"),
        ("next-tasks", {"task": "a", "data": "x"}, "next-tasks does not take data"),
        ("list-of-tasks", {"task": "a"}, "it takes: no parameters"),
        ("link-with-property", {"first": "a", "second": "b", "property": "condtional"}, "did you mean conditional or"),
        ("tasks-with-property", {"property": "red"}, "use one of: composite"),
        ("operator-existence", {"property": "NAND"}, "use AND, OR, XOR, split or join"),
        ("data-production", {"data": "image"}, "there are: none"),
        ("dependency-existence", {"task": "a"}, "either first or data"),
        ("dependency-existence", {"task": "a", "first": "b", "data": "x"}, "either first or data"),
        ("next-task-conditional", {"task": "a", "situation": {"debgu": True}}, "did you mean debug?"),
    ],
)
def test_what_cannot_be_asked(subject, fact, question, said):
    with pytest.raises(ConfigError, match=re.escape(said)):
        answer(subject, fact, Question(**question))


def test_tasks_are_found_by_name_id_and_loosely(subject):
    assert [subject.find(name) for name in ("Build it", "a", "build  IT", "b", "c", "d")] == [0, 0, 0, 1, 2, None]
    assert answer(subject, "task-order").answer.value == ("Build it", "b", "c")
    assert answer(subject, "next-task-conditional", Question(task="a", situation={"debug": True})).answer.value == "b"
    with pytest.raises(ConfigError, match="there is no workflow 'c1'"):
        FactSubject.of(subject.workflow, "c1")


def test_labels_name_one_task_each_whatever_ids_are():
    tasks = [("x", "Same"), ("Other", "Same"), ("y", "Other"), ("x", "Same"), ("z", "")]
    subject = FactSubject.of(Workflow(tasks=tuple(Task(id=task, name=name) for task, name in tasks)))
    assert len({*subject.labels}) == len(tasks)
    assert [subject.find(label) for label in subject.labels] == list(range(len(tasks)))
