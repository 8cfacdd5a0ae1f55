"""What is printed about a fact does not contradict itself: the answer, its explanation, and the question in words."""

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from wfgate.base import summary_of
from wfgate.catalogue import FACTS, FactSubject, Question, answer, facts_text
from wfgate.catalogue.facts import Answered
from wfgate.errors import ConfigError, FormatError
from wfgate.read import read_file, workflow_files

ROOT = Path(__file__).parents[3]
FOLDERS = ("examples", "tests/read/formats/data", "tests/pairs")
EACH = 25
"""Workflows of each folder of a corpus."""
MOST_TASKS = 30

EXPLAINED: dict[str, list[str]] = {
    "yes": [
        "for example: ",
        "no link leaves the cycle",
        "the flow never leaves the cycle without also continuing it",
        "'.*' is repeated forever: its end condition never holds",
    ],
    "possibly": ["the calls end when '.*' does not call '.*'", "whether '.*' calls '.*' each time is unknown"],
    "no": [
        "for example: ",
        "'.*' is named twice and does not repeat",
        "a task is named twice and does not repeat",
        "they never run together",
        "'.*' and '.*' can both be chosen",
        "two links to '.*' can hold",
        r"(\d+ of \d+ tasks|\d+ gateways).* on no path from START to END",
        "no path from START to END",
        "these tasks have no data flow with the others",
        "there is no loop",
        "it never runs",
        "neither has to wait for the other",
        "'.*' runs after '.*'",
        "a cycle leads from each to the other",
        "'.*' has to run before '.*'",
        "no path leads from .* to ",
        "its conditions cannot hold together",
        "no situation has exactly these tasks",
        "these tasks can run together, but not in this order",
    ],
    "unknown": [
        "it depends on whether ",
        "whether .* depends on",
        "it ends when .*; links do not tell whether that happens",
        "'.*' ends when .*; links do not tell whether that happens",
        "the number of repetitions is not specified",
        "steps repeat and run in parallel",
        "the flow has cycles and parallel steps",
        "its conditions contradict each other unless values change",
        "more than ",
        "the conditions are too complex",
        ".*too (many|large|complex)",
    ],
    "not applicable": ["there is no data flow between tasks", "it has fewer than two conditional links"],
}
"""The explanations that a yes-no answer can have. An explanation that is missing here is read by nobody who writes it:
add it to the answer that it explains."""


@cache
def subjects() -> tuple[FactSubject, ...]:
    """Real workflows, and pairs written for single defects."""
    found = []
    for folder in (
        one for name in FOLDERS for one in sorted({path.parent for path in workflow_files(ROOT / name, {})})
    ):
        for path in workflow_files(folder, {})[:EACH]:
            try:
                subject = FactSubject.of(read_file(path).workflow)
            except (FormatError, ConfigError):
                continue
            if 0 < len(subject.tasks) <= MOST_TASKS:
                found.append(subject)
    return tuple(found)


def questions(subject: FactSubject, fact: str) -> list[Question]:
    """The questions of the overview, and some about the first tasks of the workflow."""
    names = [subject.labels[task] for task in subject.order][:3]
    takes = {*FACTS[fact].needs, *FACTS[fact].takes}
    made = [*FACTS[fact].instances(subject)]
    if {"first", "second"} <= takes:
        extra = {"property": "conditional"} if "property" in takes else {}
        made += [Question(first=one, second=two, **extra) for one, two in pairwise([*names, *names[:1]])]
    elif {"task", "first"} <= takes:
        made += [Question(task=one, first=two) for one, two in pairwise([*names, *names[:1]])]
    elif "sequence" in takes:
        made += [Question(sequence=tuple(order)) for order in (names, names[::-1], names[:1] * 2) if order]
    elif {"task", "property"} <= takes:
        made += [Question(task=name, property="deploy") for name in names]
    elif "property" in FACTS[fact].needs:
        made += [Question(property="deploy")]
    elif "flow" in takes:
        made += [Question(flow="data", **{"task": names[0]} if "task" in FACTS[fact].needs else {})]
    elif fact == "mutually-exclusive":
        made += [Question(task=name) for name in names]
    return made


def answered(fact: str) -> list[tuple[FactSubject, Answered]]:
    found = []
    for subject in subjects():
        for question in questions(subject, fact):
            try:
                found.append((subject, answer(subject, fact, question)))
            except ConfigError:  # the question does not fit this workflow
                continue
    return found


YES_NO = [name for name, fact in FACTS.items() if fact.answers == "yes-no"]


@pytest.mark.parametrize("fact", YES_NO)
def test_yes_and_no_agree_with_their_explanations(fact: str):
    seen: Counter[str] = Counter()
    asked = summary_of(FACTS[fact])
    assert re.fullmatch(r"Whether .*\.", asked)
    for subject, each in answered(fact):
        line = facts_text(subject, [each], overview=False).splitlines()[1]
        question, _, said = line.partition(f"{asked[1:-1]}): ")
        assert question.endswith("w"), line
        word = re.match("yes|no(?!t)|unknown|possibly|not applicable", said)
        assert word, line
        because = each.answer.because
        explanations = EXPLAINED[word[0]]
        assert because is None or any(re.match(one, f"{because}: ") for one in explanations), line
        seen[word[0]] += 1
    assert seen, "no workflow was asked"


@pytest.mark.parametrize("fact", [name for name, one in FACTS.items() if one.answers == "task"])
def test_no_task_and_several_tasks_differ(fact: str):
    for subject, each in answered(fact):
        said = facts_text(subject, [each], overview=False)
        if each.answer.value is None:
            word = "unknown" if not each.answer.exact else ("several" if each.answer.witness else "none")
            assert f": {word} (" in said, said
            assert (word == "several") == bool(re.search(r"\d+ tasks", each.answer.because or "")), said


@pytest.mark.parametrize("fact", [name for name, one in FACTS.items() if one.answers not in {"task", "yes-no"}])
def test_nothing_found_is_not_unknown(fact: str):
    for subject, each in answered(fact):
        if each.answer.value in {None, ()}:
            said = facts_text(subject, [each], overview=False)
            assert (": unknown" in said) == (each.answer.value is None and not each.answer.exact), said


def test_answers_of_every_kind_are_seen():
    """Without this, the tests above would pass on nothing."""
    assert len(subjects()) > 300
    seen = {(each.answer.value, each.answer.exact) for name in YES_NO for _, each in answered(name)}
    assert seen == {(True, True), (True, False), (False, True), (None, True), (None, False)}
