"""Instances of the pattern catalogue: questions about given workflows, with the answers that the facts give."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from wfgate.errors import ConfigError, FormatError
from wfgate.exam.questions import candidates
from wfgate.exam.scenes import AS_GIVEN, scenes
from wfgate.exam.wording import in_words
from wfgate.facts import FACTS, Fact, Question, Subject
from wfgate.facts.answers import Answer
from wfgate.formats import FORMATS, find, read_text, write
from wfgate.model import Workflow

Side = Literal["yes", "no", ""]
"""What is right about a yes-no question; patterns that ask for something else have no sides."""

ORIGINAL = "original"
"""The notation that a workflow came in."""
_FALLBACK = "native"
"""What arrangements are shown in where the original format cannot be written."""
_LEAST_ORDERED = 3
"""Tasks without which there is no order to speak of."""
_VERSION = 1
"""Rises whenever other questions are drawn, or are put in other words."""


@dataclass(frozen=True)
class Paper:
    """A workflow that the exam is about.

    Attributes:
        name: What to call it in a report.
        text: The file as it is.
        format: What it was read as.
        workflow: What was read.
    """

    name: str
    text: str
    format: str
    workflow: Workflow


@dataclass(frozen=True)
class Instance:
    """One question, and its answer.

    Attributes:
        id: Pattern, side and number: "flow-cycle/yes/1".
        fact: The pattern.
        side: Which answer is right, of a yes-no question.
        paper: The workflow from which it was made.
        scene: Whether that is shown as given, or its tasks in another arrangement.
        notation: The format of what is shown.
        shown: The text that the model sees; the answer follows from it alone.
        subject: What was read from that text.
        question: The parameters of the pattern.
        words: The question.
        reference: The right answer.
    """

    id: str
    fact: Fact
    side: Side
    paper: str
    scene: str
    notation: str
    shown: str
    subject: Subject
    question: Question
    words: str
    reference: Answer


@dataclass(frozen=True)
class Exam:
    """What a model is asked.

    Attributes:
        instances: The questions, in the order of the catalogue.
        without: Patterns for which no workflow offers a question in this notation.
    """

    instances: tuple[Instance, ...]
    without: tuple[str, ...]


def catalogue_version() -> str:
    """Return what the questions and the answers depend on: a hash of all patterns with their versions.

    Example:
        >>> len(catalogue_version())
        12
    """
    said = [_VERSION, *(f"{fact.id}/{fact.version}" for fact in FACTS.values())]
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:12]


def sides(fact: Fact) -> tuple[Side, ...]:
    """Return the sides of a pattern: both of a yes-no question."""
    return ("yes", "no") if fact.answers == "yes-no" else ("",)


def draw(papers: Sequence[Paper], *, notation: str, number: int, rng: np.random.Generator) -> Exam:
    """Draw questions of every pattern, about each workflow.

    A pattern is asked about the workflow as it is shown; where that offers no question with a certain answer, about
    the first arrangement of its tasks that does. Every answer is computed from what was read back from the text that
    is shown, so a notation that cannot say something is not asked about it. A yes-no question is asked both ways or
    not at all: nothing is won by always giving the same answer.

    Args:
        papers: The workflows.
        notation: A format that can be written, or `ORIGINAL`.
        number: Questions of each pattern (and side) about each workflow.
        rng: Decides which.

    Raises:
        ConfigError: If the notation cannot be written, a workflow has no steps, or there is nothing to ask.
    """
    if notation != ORIGINAL and not find(notation).writes:
        known = ", ".join([ORIGINAL, *(name for name, form in FORMATS.items() if form.writes)])
        raise ConfigError(f"wfgate does not write {notation!r}", fix=f"use one of: {known}")
    bare = next((paper.name for paper in papers if not paper.workflow.tasks), None)
    if bare is not None:
        raise ConfigError(f"{bare}: the workflow has no steps", fix="ask about one that has")
    found: dict[str, list[Instance]] = {fact.id: [] for fact in FACTS.values()}
    for paper in papers:
        shown = [*_shown(paper, notation, rng)]
        for fact in FACTS.values():
            each = [_about(fact, side, paper, shown, number, rng) for side in sides(fact)]
            if all(each):
                found[fact.id] += [instance for some in each for instance in some]
    if not any(found.values()):
        raise ConfigError(f"there is nothing to ask in the notation {notation!r}", fix="use --notation native")
    without = tuple(pattern for pattern, instances in found.items() if not instances)
    return Exam(tuple(_numbered(instance for some in found.values() for instance in some)), without)


@dataclass(frozen=True)
class _Shown:
    """A text, and what it says."""

    scene: str
    notation: str
    text: str
    subject: Subject


def _shown(paper: Paper, notation: str, rng: np.random.Generator) -> Iterator[_Shown]:
    """Yield the workflow and the arrangements that the notation can hold."""
    subject = Subject.of(paper.workflow)
    if notation == ORIGINAL:
        yield _Shown(AS_GIVEN, paper.format, paper.text, subject)
        writes = find(paper.format).writes
        notation = paper.format if writes else _FALLBACK
    else:
        yield from _read_back(AS_GIVEN, paper.workflow, notation)
    for scene, workflow in scenes(subject, rng):
        yield from _read_back(scene, workflow, notation)


def _read_back(scene: str, workflow: Workflow, notation: str) -> Iterator[_Shown]:
    try:
        text = write(workflow, notation)
        subject = Subject.of(read_text(text, scene, notation).workflow)
    except FormatError:
        return
    yield _Shown(scene, notation, text, subject)


def _about(
    fact: Fact, side: Side, paper: Paper, shown: Sequence[_Shown], number: int, rng: np.random.Generator
) -> list[Instance]:
    for each in shown:
        found = []
        for question in candidates(fact, each.subject, rng):
            reference = _answer(fact, each.subject, question)
            if reference is None or not _asks(reference, side):
                continue
            words = in_words(fact, each.subject, question)
            found.append(
                Instance(
                    id="",
                    fact=fact,
                    side=side,
                    paper=paper.name,
                    scene=each.scene,
                    notation=each.notation,
                    shown=each.text,
                    subject=each.subject,
                    question=question,
                    words=words,
                    reference=reference,
                )
            )
            if len(found) == number:
                break
        if found:
            return found
    return []


def _answer(fact: Fact, subject: Subject, question: Question) -> Answer | None:
    try:
        return fact.ask(subject, question)
    except ConfigError:  # names that call several tasks: nobody could ask that
        return None


def _asks(reference: Answer, side: Side) -> bool:
    """Return whether an answer is certain, says something, and lies on the wanted side."""
    if reference.type == "text":  # candidates for a reader, never proven
        return bool(reference.value)
    if reference.value is None or not reference.exact:
        return False
    if reference.type == "yes-no":
        return reference.value == (side == "yes")
    return len(reference.value) >= _LEAST_ORDERED if reference.type == "list" else bool(reference.value)


def _numbered(instances: Iterable[Instance]) -> Iterator[Instance]:
    """Yield the questions, those of a pattern and side numbered from 1."""
    seen: Counter[str] = Counter()
    for instance in instances:
        name = "/".join(filter(None, (instance.fact.id, instance.side)))
        seen[name] += 1
        yield replace(instance, id=f"{name}/{seen[name]}")


def spread(instances: Sequence[Instance]) -> dict[str, int]:
    """Return how many questions are about a workflow as given, and how many about each arrangement."""
    return dict(Counter(instance.scene for instance in instances))
