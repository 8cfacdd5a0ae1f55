"""Perturbation that divides steps."""

import re
from collections.abc import Iterator

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant, choose, fresh_id, restated
from wfgate.errors import PerturbationRejected
from wfgate.model import Link, Task

_BREAK = re.compile(r"(?:;|\.|,? and then|, then)\s+(?=\S)|,? and (?=\S)", re.IGNORECASE)
_BARE_AND = re.compile(r",? and ", re.IGNORECASE)
_LEAST = 2
"""Smallest number of words of a part."""


class StepsSplit(Perturbation):
    """k steps are divided into two steps each, one directly after the other. Nothing is added and nothing is lost.

    Severity p: k = ceil(p * n) steps more, for n steps (the *expanded* nodes of the paper, section 3.1). A recorded
    split by hand is used first. Else a step is divided where its text says two things: at a semicolon, at the end of
    a sentence, at "and then", or at an "and" before a word with which a step begins. A step with an action,
    parameters, a loop or a sub-workflow is not divided. Calibration does not draw this operator, so no profile depends
    on it.
    """

    id = "split"
    label = "benign"
    calibrated = False

    def expected_steps(self, n: int, k: int) -> int:
        """Return n + k."""
        return n + k

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        parts = divisible(golden)
        if len(parts) < k:
            raise PerturbationRejected(f"{len(parts)} of {k} steps say two things that can be divided")
        places = sorted(parts)
        chosen = tuple(places[index] for index in choose(rng, len(places), k))
        divided = golden
        for place in reversed(chosen):  # from the end, so that the positions before stay the same
            divided = _divided(divided, place, parts[place])
        return Variant(divided.workflow, chosen)


def divisible(golden: Golden) -> dict[int, tuple[str, str]]:
    """Return the two texts of each step that can be divided, by position."""
    recorded = {
        edit.step: (edit.texts[0], edit.texts[1])
        for edit in golden.edits
        if edit.step is not None and len(edit.texts) == 2
    }
    said = (*(task.text for task in golden.workflow.tasks), *golden.foreign)
    verbs = {text.split()[0].casefold() for text in said if text.split()}
    texts: dict[int, tuple[str, str]] = {}
    for place, task in enumerate(golden.workflow.tasks):
        if task.kind != "task" or task.action or task.params or task.loop or task.workflow:
            continue
        both = recorded.get(place) or next(_two(task.text, verbs), None)
        if both is not None:
            texts[place] = both
    return texts


def _two(text: str, verbs: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the ways to divide a text into two parts that are texts of steps."""
    for joint in _BREAK.finditer(text):
        first, second = text[: joint.start()].strip(), text[joint.end() :].strip()
        if min(len(first.split()), len(second.split())) < _LEAST:
            continue
        if _BARE_AND.fullmatch(joint.group()) and second.split()[0].casefold() not in verbs:
            continue  # "check names and addresses" is one step
        yield first, second[0].upper() + second[1:]


def _divided(golden: Golden, place: int, texts: tuple[str, str]) -> Golden:
    """Return the golden with one step divided: links lead to the first part and leave the second part."""
    workflow = golden.workflow
    old = workflow.tasks[place]
    first = restated(old, texts[0]).model_copy(update={"outputs": ()})
    second = Task(id=fresh_id(golden, "split"), name=texts[1], outputs=old.outputs, critical=old.critical)
    links = [
        link.model_copy(update={"source": second.id}) if link.source == old.id else link for link in workflow.links
    ]
    data = [
        link.model_copy(update={"source": second.id}) if link.source == old.id else link
        for link in workflow.data_links
    ]
    tasks = [*workflow.tasks[:place], first, second, *workflow.tasks[place + 1 :]]
    update = {
        "tasks": tuple(tasks),
        "links": (*links, Link(source=old.id, target=second.id)),
        "data_links": tuple(data),
    }
    return Golden(golden.id, workflow.model_copy(update=update))
