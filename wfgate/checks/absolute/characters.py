"""Texts that a reader does not see as they are: hidden characters, foreign letters, more than anybody reads."""

import unicodedata
from collections.abc import Iterator
from typing import ClassVar

from pydantic import JsonValue

from wfgate.checks.base import AbsoluteCheck, Observation, Severity, Subject, listed, quoted
from wfgate.model import Task, Workflow
from wfgate.texts.characters import READ, disguised, struck, unseen


class HiddenCharacters(AbsoluteCheck):
    """A text is not what it looks like.

    What it does:
        Reports characters that no reader sees (zero-width ones, changes of the direction of writing, tags, fillers,
        control characters), words that mix alphabets whose letters look alike or are written in styled letters, and
        letters that are struck out: in names, descriptions, actions, arguments, conditions and the names of data.
        Joiners inside of words and emoji, directions in texts that run from right to left, and texts in other scripts
        are as they should be.

    Why it matters:
        Who approves a step reads something else than what is run, and texts that look the same are compared as if
        they were not, or the other way round.

    Golden:
        ``Watch the error rate``

    Candidate:
        ``Watch the er<U+200B>ror rate``, or with a Cyrillic ``a``

    How to fix:
        Type the text anew, or delete the characters named.
    """

    id: ClassVar[str] = "WF602"
    defect: ClassVar[str] = "hidden-characters"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per step and one for all else that the workflow says."""
        said = " ".join(_around(subject.workflow))
        for words in _oddities(said):
            yield Observation(f"the workflow {words}", key=("workflow", words))
        for task in subject.order:
            step = subject.tasks[task]
            for words in _oddities(" ".join(_of(step))):
                yield Observation(f"{quoted(step)} {words}", (task,), key=("step", words))


class UnreadText(AbsoluteCheck):
    """A text is longer than what is read of it.

    What it does:
        Reports names and descriptions of more than 10,000 characters: what stands behind is not judged.

    Why it matters:
        Nobody reads it either, and it may say anything.

    Golden:
        a description of a few sentences

    Candidate:
        a description of a million characters

    How to fix:
        Shorten it.
    """

    id: ClassVar[str] = "WF603"
    defect: ClassVar[str] = "unread-text"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per step, and one for the workflow."""
        if max(len(subject.workflow.name), len(subject.workflow.description)) > READ:
            yield Observation(
                f"the workflow's name or description has more than {READ:,} characters", key=("workflow",)
            )
        for task in subject.order:
            length = len(subject.tasks[task].statement)
            if length > READ:
                message = (
                    f"{quoted(subject.tasks[task])} says {length:,} characters; only the first {READ:,} are judged"
                )
                yield Observation(message, (task,))


def _oddities(text: str) -> Iterator[str]:
    """Yield what is odd about some text, as the end of a sentence."""
    if text.isascii() and text.isprintable():
        return
    if found := unseen(text):
        yield f"has characters that nobody sees: {listed([_called(character) for character in found])}"
    if words := disguised(text):
        yield f"has letters that only look Latin: {listed([_spelled(word) for word in words])}"
    if struck(text):
        yield "has letters that are struck out"


def _called(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'control character').lower()}"


def _spelled(word: str) -> str:
    """Return a word with its odd letters by number: printed as they are, nobody would see them."""
    shown = "".join(c if c.isascii() else f"<U+{ord(c):04X}>" for c in word[:20])
    return f"'{shown}'"


def _around(workflow: Workflow) -> Iterator[str]:
    yield from (workflow.name, workflow.description)
    yield from _texts(workflow.params)
    yield from (link.guard.expr for link in workflow.links if link.guard and link.guard.expr)
    for item in workflow.data_items:
        yield from (item.id, item.description)


def _of(step: Task) -> Iterator[str]:
    yield from (step.name, step.description, step.action or "", step.join or "", step.timeout or "")
    yield from (*step.inputs, *step.outputs)
    if step.loop:
        yield from (step.loop.condition or "", step.loop.over or "")
    yield from _texts(step.params)


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
