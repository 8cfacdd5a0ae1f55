"""Checks of texts that are not what they look like: hidden characters, lookalike letters, excessive length."""

import hashlib
import unicodedata
from collections.abc import Iterator
from typing import ClassVar

from pydantic import JsonValue

from wfgate.base import READ, disguised, struck, unseen
from wfgate.model import Task, Workflow, listed
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject, quoted


class HiddenCharacters(AbsoluteCheck):
    """A text contains hidden or lookalike characters.

    What it does:
        Examines names, descriptions, actions, arguments, conditions and names of data. Reports invisible characters
        (zero-width characters, changes of the writing direction, tags, fillers, control characters), struck-out
        letters, and words that use styled letters or mix lookalike letters of several alphabets. Joiners inside words
        and emoji, direction marks in right-to-left texts, and texts in other scripts are allowed.

    Why it matters:
        A reviewer sees another text than the one that is run. Texts that look equal can differ, and texts that look
        different can be equal.

    Golden:
        ``Watch the error rate``

    Candidate:
        ``Watch the er<U+200B>ror rate``, or with a Cyrillic ``a``

    How to fix:
        Retype the text, or delete the reported characters.
    """

    id: ClassVar[str] = "WF602"
    defect: ClassVar[str] = "hidden-characters"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per step and kind of character; for all other texts, one per kind of character."""
        for words in _oddities(" ".join(_workflow_texts(subject.workflow))):
            yield Observation(f"the workflow {words}", key=("workflow", words))
        for task in subject.order:
            step = subject.tasks[task]
            for words in _oddities(" ".join(_step_texts(step))):
                yield Observation(f"{quoted(step)} {words}", (task,), key=("step", words))


class UnreadText(AbsoluteCheck):
    """A text is too long to be analysed completely.

    What it does:
        Reports names and descriptions with more than 10,000 characters. Only the first 10,000 characters are analysed.
        The golden has the same finding only if the rest is the same, character by character.

    Why it matters:
        A reviewer does not read such a text to the end, so its end can contain anything.

    Golden:
        a description of a few sentences

    Candidate:
        a description of a million characters

    How to fix:
        Shorten the text.
    """

    id: ClassVar[str] = "WF603"
    defect: ClassVar[str] = "unread-text"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per step, and one for the name and one for the description of the workflow."""
        for text in (subject.workflow.name, subject.workflow.description):
            if len(text) > READ:
                message = f"the workflow's name or description has more than {READ:,} characters"
                yield Observation(message, key=("workflow", _unread(text)))
        for task in subject.order:
            text = subject.tasks[task].statement
            if len(text) > READ:
                name = quoted(subject.tasks[task])
                message = f"{name} has {len(text):,} characters of text; only the first {READ:,} are analysed"
                yield Observation(message, (task,), key=("step", _unread(text)))


def _unread(text: str) -> str:
    """Return a hash of what is not analysed: the golden has the same finding only if it says the same there."""
    return hashlib.sha256(text[READ:].encode("utf-8", "surrogatepass")).hexdigest()


def _oddities(text: str) -> Iterator[str]:
    """Yield each kind of suspicious characters in a text, as the end of a sentence (part of the fingerprint)."""
    if text.isascii() and text.isprintable():
        return
    if hidden := unseen(text):
        yield f"has characters that nobody sees: {listed([_called(character) for character in hidden])}"
    if words := disguised(text):
        yield f"has letters that only look Latin: {listed([_spelled(word) for word in words])}"
    if struck(text):
        yield "has letters that are struck out"


def _called(character: str) -> str:
    return f"U+{ord(character):04X} {unicodedata.name(character, 'control character').lower()}"


def _spelled(word: str) -> str:
    """Return a word in quotes with its non-ASCII letters as code points, because they look like ASCII letters."""
    shown = "".join(c if c.isascii() else f"<U+{ord(c):04X}>" for c in word[:20])
    return f"'{shown}'"


def _workflow_texts(workflow: Workflow) -> Iterator[str]:
    yield from (workflow.name, workflow.description)
    yield from _texts(workflow.params)
    yield from (link.guard.expr for link in workflow.links if link.guard and link.guard.expr)
    for item in workflow.data_items:
        yield from (item.id, item.description)


def _step_texts(step: Task) -> Iterator[str]:
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
