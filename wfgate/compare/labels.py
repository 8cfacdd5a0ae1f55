"""Steps that have another name and do the same, in formats in which the name of a step is only a label."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from wfgate.language import CODE, contradictions
from wfgate.model import Task, Workflow
from wfgate.read import Consequences, consequences_of

_DOES = ("kind", "action", "workflow", "external", "description", "timeout", "tags", "loop", "join")
"""What a step does, besides its arguments."""
_CALL = re.compile(r"[a-z./][\w./-]*\s+\S")
"""A program with an argument; a single word in code may be anything."""
_JOINED = re.compile(r"&&|;|\n")
"""What stands between commands that one step runs."""


def relabelled(
    golden: Workflow, candidate: Workflow, pairs: Iterable[tuple[int, int]], formats: tuple[str, str]
) -> dict[int, int]:
    """Return the matched steps that differ only in their names, as candidate positions by golden positions.

    The type and the arguments of both steps are the same, with references to renamed steps translated. A new name that
    contradicts the old one ("staging", "production") is no label, and no name that another step of the other workflow
    has: an exchange of two names is not harmless for those who read them.

    Args:
        golden: The golden, composites expanded.
        candidate: The candidate, composites expanded.
        pairs: The matched positions.
        formats: The formats of the two files.
    """
    table = consequences_of(formats[0])
    if formats[0] != formats[1] or not (table.labels or table.unnamed):
        return {}
    pairs = tuple(pairs)
    names = {task.name.casefold() for task in golden.tasks}, {task.name.casefold() for task in candidate.tasks}
    renamed = {candidate.tasks[other].id: golden.tasks[step].id for step, other in pairs}
    steps = {}
    for step, other in pairs:
        was, now = golden.tasks[step], candidate.tasks[other]
        new = was.name.casefold() not in names[1] and now.name.casefold() not in names[0]
        labels = (_has_label(was, table) and _has_label(now, table)) or _is_named_once(was, now, table)
        if new and labels and not _is_contrary(was.name, now.name) and _do_the_same(was, now, table, renamed):
            steps[step] = other
    return steps


def run_the_same(golden: Task, candidate: Task) -> bool:
    """Return whether two steps have the same commands, in code in their texts or as arguments.

    Example:
        >>> cordon = Task(id="a", name="Cordon it", params={"command": "kubectl cordon n1"})
        >>> run_the_same(cordon, cordon.model_copy(update={"name": "Make it unschedulable"}))
        True
    """
    ours, theirs = (
        [code for code in CODE.findall(task.marked or "") if _CALL.match(code)] for task in (golden, candidate)
    )
    if ours or theirs:
        return ours == theirs
    called = any(isinstance(value, str) and _CALL.match(value) for value in golden.params.values())
    return called and (golden.action, golden.params) == (candidate.action, candidate.params)


def commands_run(task: Task) -> frozenset[str]:
    """Return the commands that a step runs, in code in its text or as arguments, each for itself.

    Example:
        >>> sorted(commands_run(Task(id="a", name="Swap it", params={"command": "kubectl drain n1 && proxy reload"})))
        ['kubectl drain n1', 'proxy reload']
    """
    values = {**(task.raw if isinstance(task.raw, dict) else {}), **task.params}.values()
    said = {task.id, task.name, task.description}
    written = [
        *CODE.findall(task.marked or ""),
        *(each for each in values if isinstance(each, str) and each not in said),
    ]
    parts = (" ".join(part.split()) for text in written for part in _JOINED.split(text))
    return frozenset(part for part in parts if _CALL.match(part))


def _is_contrary(golden: str, candidate: str) -> bool:
    """Return whether two names contradict each other; another proper name ("AI agent", "YouTube agent") is a label."""
    return any(change.kind != "name" for change in contradictions(golden, candidate))


def _has_label(task: Task, table: Consequences) -> bool:
    return task.path is not None and task.action is not None and table.has_label(task.path)


def _is_named_once(golden: Task, candidate: Task, table: Consequences) -> bool:
    """Return whether one of two tasks has a written name, and the name of the other repeats what it does."""
    tasks = [task for task in (golden, candidate) if task.path and task.action and table.may_be_unnamed(task.path)]
    written = [isinstance(task.raw, dict) and "name" in task.raw for task in tasks]
    return sorted(written) == [False, True]


def _do_the_same(golden: Task, candidate: Task, table: Consequences, renamed: Mapping[str, str]) -> bool:
    same = all(getattr(golden, field) == getattr(candidate, field) for field in _DOES)
    called = [[definition.raw for definition in task.definitions] for task in (golden, candidate)]
    return same and called[0] == called[1] and golden.params == _translated(candidate.params, table, renamed)


def _translated(value: Any, table: Consequences, renamed: Mapping[str, str]) -> Any:
    """Return a value with the golden's ids of steps in its references."""
    if isinstance(value, dict):
        return {key: _translated(inner, table, renamed) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_translated(inner, table, renamed) for inner in value)
    return table.with_ids(value, renamed) if isinstance(value, str) else value
