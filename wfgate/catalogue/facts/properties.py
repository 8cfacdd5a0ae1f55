"""The properties of tasks and links that questions can use."""

from collections.abc import Callable

from wfgate.catalogue.facts.links import LINK_PROPERTIES
from wfgate.catalogue.facts.subject import FactSubject, suggestion
from wfgate.catalogue.facts.terms import words_of
from wfgate.errors import ConfigError
from wfgate.model import Task

_PLAIN: dict[str, tuple[str, Callable[[Task], bool]]] = {
    "composite": ("has nested tasks", lambda task: task.workflow is not None or task.kind == "composite"),
    "has-params": ("has a parameter", lambda task: bool(task.params)),
    "has-description": ("has a description", lambda task: bool(task.description.strip())),
    "event": ("waits for an event", lambda task: task.kind == "event"),
    "critical": ("is marked as critical", lambda task: task.critical),
    "loop": ("is repeated", lambda task: task.loop is not None),
    "timeout": ("has a time limit", lambda task: task.timeout is not None),
}
_VALUED: dict[str, tuple[str, Callable[[Task, str], bool]]] = {
    "tagged": ("has a tag", lambda task, tag: any(_same(each, tag) for each in task.tags)),
    "action": ("does an action", lambda task, action: task.action is not None and _same(task.action, action)),
    "param": ("has a parameter of that name", lambda task, name: name in task.params),
}
_DATA = {"input": "reads that data", "output": "writes that data"}
_SOME_DATA = {"has-inputs": "reads data", "has-outputs": "writes data"}
_FLOW = {
    "conditional": "has a conditional link to it",
    "exceptional": "runs after a failure or a timeout",
    "default": "is linked as a default branch",
}

TASK_PROPERTIES: dict[str, str] = {
    **{name: text for name, (text, _) in _PLAIN.items()},
    **_SOME_DATA,
    **_FLOW,
    **{f"{name}:…": text for name, (text, _) in _VALUED.items()},
    **{f"{name}:…": text for name, text in _DATA.items()},
}
"""Properties of tasks with their descriptions."""


def tasks_with(subject: FactSubject, wanted: str) -> frozenset[int]:
    """Return the tasks that have the property `wanted` ("composite", "input:image").

    A data link to a task counts as an input of the task, a data link from a task as an output.

    Raises:
        ConfigError: If there is no property with this name.
    """
    kind, mark, value = wanted.partition(":")
    data = subject.data.data
    if mark and kind in _DATA:
        names = data.inputs if kind == "input" else data.outputs
        return frozenset(position for position, has in enumerate(names) if value.strip() in has)
    if wanted in _SOME_DATA:
        names = data.inputs if wanted == "has-inputs" else data.outputs
        return frozenset(position for position, has in enumerate(names) if has)
    if mark and kind in _VALUED:
        has = _VALUED[kind][1]
        positions = {position for position, task in enumerate(subject.tasks) if has(task, value.strip())}
        return frozenset(positions)
    if wanted in _FLOW:
        ids = {target for (_, target), ways in subject.ways.properties.items() if any(wanted in way for way in ways)}
        return frozenset(position for name, position in subject.number.items() if name in ids)
    if wanted not in _PLAIN:
        raise ConfigError(f"unknown task property {wanted!r}", fix=_fix(wanted, TASK_PROPERTIES))
    test = _PLAIN[wanted][1]
    return frozenset(position for position, task in enumerate(subject.tasks) if test(task))


def link_property(wanted: str) -> str:
    """Return the name of a property of links if it exists.

    Raises:
        ConfigError: If there is no property with this name.
    """
    if wanted not in LINK_PROPERTIES:
        raise ConfigError(f"unknown link property {wanted!r}", fix=_fix(wanted, LINK_PROPERTIES))
    return wanted


def meant_by(task: Task, wanted: str) -> bool:
    """Return whether all words of `wanted` are in one tag, in the action, or in the name and description of a task.

    Order, case and hyphens are ignored.
    """
    kind, mark, value = wanted.partition(":")
    if mark and kind == "tagged":
        return _VALUED[kind][1](task, value.strip())
    words = set(_key(wanted).split())
    texts = [*task.tags, task.action or "", task.text]
    return any(words <= set(_key(each).split()) for each in texts) if words else False


def _fix(wanted: str, known: dict[str, str]) -> str:
    return suggestion(wanted, known) or f"use one of: {', '.join(known)}"


def _same(one: str, other: str) -> bool:
    return _key(one) == _key(other)


def _key(text: str) -> str:
    return " ".join(words_of(text))
