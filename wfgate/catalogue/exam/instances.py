"""The exam questions about given workflows, with computed right answers.

A question pattern is a fact with parameters. The fact computes the right answer.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from wfgate.catalogue.exam.architecture import fits
from wfgate.catalogue.exam.questions import candidates
from wfgate.catalogue.exam.scenes import AS_GIVEN, EXAMPLE, LEAST, scenes
from wfgate.catalogue.exam.wording import in_words
from wfgate.catalogue.facts import FACTS
from wfgate.catalogue.facts.answers import Answer
from wfgate.catalogue.facts.base import Fact, Question
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.errors import ConfigError, FormatError
from wfgate.model import Workflow
from wfgate.read import FORMATS, find, read_text, write

Side = Literal["yes", "no", ""]
"""The right answer of a yes-no question; empty for patterns with other answers."""

ORIGINAL = "original"
"""The notation of the input file."""
_FALLBACK = "native"
"""The notation of arrangements if the original format cannot be written."""
_LEAST_ORDERED = 3
"""Minimum number of tasks for a question about their order."""
_VERSION = 3
"""Rises whenever other questions are drawn or a question is worded differently."""


@dataclass(frozen=True)
class Paper:
    """A workflow for the exam.

    Attributes:
        name: Name of the workflow in reports.
        text: The content of the file.
        format: Id of the file's format.
        workflow: The workflow that was read from the file.
    """

    name: str
    text: str
    format: str
    workflow: Workflow


@dataclass(frozen=True)
class Instance:
    """One exam question with its right answer.

    Attributes:
        id: Pattern, side and number: "flow-cycle/yes/1".
        fact: The question pattern.
        side: The right answer of a yes-no question; else empty.
        paper: Name of the workflow that the question was made from.
        scene: "as given", or the name of an arrangement of the workflow's tasks (see `scenes`).
        notation: Format of the text that the model sees.
        shown: The workflow as the text that the model sees. The right answer depends on this text only.
        subject: The workflow that was read from this text.
        question: The values of the pattern's parameters.
        words: The text of the question.
        reference: The right answer.
    """

    id: str
    fact: Fact
    side: Side
    paper: str
    scene: str
    notation: str
    shown: str
    subject: FactSubject
    question: Question
    words: str
    reference: Answer


@dataclass(frozen=True)
class Exam:
    """The questions of an exam.

    Attributes:
        instances: The questions, in the order of the patterns.
        without: Patterns for which no workflow gives a question in the chosen notation.
        small: Names of the workflows with too few tasks to be arranged (see `scenes`).
    """

    instances: tuple[Instance, ...]
    without: tuple[str, ...]
    small: tuple[str, ...] = ()


def catalogue_version() -> str:
    """Return a hash of all question patterns and their versions.

    Example:
        >>> len(catalogue_version())
        12
    """
    versions = [_VERSION, *(f"{fact.id}/{fact.version}" for fact in FACTS.values())]
    return hashlib.sha256(json.dumps(versions).encode()).hexdigest()[:12]


def sides(fact: Fact) -> tuple[Side, ...]:
    """Return the right answers that questions must exist for: "yes" and "no"; one empty text for other patterns."""
    return ("yes", "no") if fact.answers == "yes-no" else ("",)


def draw(papers: Sequence[Paper], *, notation: str, number: int, rng: np.random.Generator) -> Exam:
    """Draw questions of every pattern about each workflow.

    A question is about the unchanged workflow, if the unchanged workflow gives a question that has a certain answer
    and the architecture of its pattern (see `fits`). Otherwise the question is about the first arrangement of the
    workflow's tasks (see `scenes`) that gives one.

    The workflow is written in the notation and read again, and the right answers are computed from the result. So no
    question depends on a detail that the notation cannot express.

    Yes-no questions come in pairs: one with the right answer "yes" and one with "no". A model that always gives the
    same answer gains nothing.

    Args:
        papers: The workflows.
        notation: A format that wfgate can write, or `ORIGINAL`.
        number: Number of questions per pattern and workflow; for a yes-no pattern, the number of questions of each
            kind.
        rng: Random generator for the selection.

    Raises:
        ConfigError: If wfgate cannot write the notation, a workflow has no steps, or there are no questions about any
            workflow.
    """
    if notation != ORIGINAL and not find(notation).writes:
        known = ", ".join([ORIGINAL, *(name for name, form in FORMATS.items() if form.writes)])
        raise ConfigError(f"workflows cannot be written in the notation {notation!r}", fix=f"use one of: {known}")
    empty = next((paper.name for paper in papers if not paper.workflow.tasks), None)
    if empty is not None:
        raise ConfigError(f"{empty}: the workflow has no steps", fix="give a workflow with steps")
    by_pattern: dict[str, list[Instance]] = {fact.id: [] for fact in FACTS.values()}
    for paper in papers:
        shown = [*_shown(paper, notation, rng)]
        for fact in FACTS.values():
            each = [_about(fact, side, paper, shown, number, rng) for side in sides(fact)]
            if all(each):
                by_pattern[fact.id] += [instance for some in each for instance in some]
    if all(instance.scene == EXAMPLE for instances in by_pattern.values() for instance in instances):
        raise ConfigError(f"no questions are possible in the notation {notation!r}", fix="use --notation native")
    without = tuple(pattern for pattern, instances in by_pattern.items() if not instances)
    small = tuple(paper.name for paper in papers if len(paper.workflow.tasks) < LEAST)
    return Exam(tuple(_numbered(instance for some in by_pattern.values() for instance in some)), without, small)


@dataclass(frozen=True)
class _Shown:
    """The text that the model sees, and the workflow read from it."""

    scene: str
    notation: str
    text: str
    subject: FactSubject


def _shown(paper: Paper, notation: str, rng: np.random.Generator) -> Iterator[_Shown]:
    """Yield the workflow and its arrangements. An arrangement that the notation cannot express is left out."""
    subject = FactSubject.of(paper.workflow)
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
        subject = FactSubject.of(read_text(text, scene, notation).workflow)
    except FormatError:
        return
    yield _Shown(scene, notation, text, subject)


def _about(
    fact: Fact, side: Side, paper: Paper, shown: Sequence[_Shown], number: int, rng: np.random.Generator
) -> list[Instance]:
    for each in shown:
        instances = []
        for question in candidates(fact, each.subject, rng):
            reference = _answer(fact, each.subject, question)
            if reference is None or not _asks(reference, side) or not fits(fact, each.subject, question, reference):
                continue
            words = in_words(fact, each.subject, question)
            instances.append(
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
            if len(instances) == number:
                break
        if instances:
            return instances
    return []


def _answer(fact: Fact, subject: FactSubject, question: Question) -> Answer | None:
    try:
        return fact.ask(subject, question)
    except ConfigError:  # an ambiguous task name
        return None


def _asks(reference: Answer, side: Side) -> bool:
    """Return whether an answer is certain, not empty, and equal to `side` if the question is a yes-no question."""
    if reference.type == "text":  # text answers are suggestions, never proven
        return bool(reference.value)
    if reference.value is None or not reference.exact:
        return False
    if reference.type == "yes-no":
        return reference.value == (side == "yes")
    return len(reference.value) >= _LEAST_ORDERED if reference.type == "list" else bool(reference.value)


def _numbered(instances: Iterable[Instance]) -> Iterator[Instance]:
    """Yield the questions with their ids. The questions of one pattern and side get the numbers 1, 2, 3, ..."""
    seen: Counter[str] = Counter()
    for instance in instances:
        name = "/".join(filter(None, (instance.fact.id, instance.side)))
        seen[name] += 1
        yield replace(instance, id=f"{name}/{seen[name]}")


def spread(instances: Sequence[Instance]) -> dict[str, int]:
    """Return the number of questions by scene: unchanged workflow ("as given"), or arrangement of tasks."""
    return dict(Counter(instance.scene for instance in instances))
