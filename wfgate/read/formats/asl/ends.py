"""Succeed states that do nothing: `"Next": "Done"` with such a state `Done` is another way to write `"End": true`."""

from dataclasses import replace
from typing import Any

from wfgate.read.documents.document import Document
from wfgate.read.formats.asl.template import LocatedMachine, is_machine

_PLAIN = frozenset({"Type", "Comment"})
"""Keys of a Succeed state that does nothing but end the machine."""


def without_plain_ends(machine: LocatedMachine) -> LocatedMachine:
    """Return a state machine without Succeed states that do nothing, if other states only reach them by `Next`.

    A rule of a Choice state and a catcher must name a state, so a Succeed state that they name stays.

    Cost: linear in the document.
    """
    written, resolved = machine.notes.document, machine.resolved
    machine.notes.document = _rewritten(written)
    return replace(machine, resolved=machine.notes.document if resolved is written else _rewritten(resolved))


def _rewritten(document: Document) -> Document:
    return replace(document, data=ended(document.data))


def ended(value: Any) -> Any:
    """Return data in which each state machine ends without plain Succeed states.

    Example:
        >>> states = {"Pay": {"Type": "Task", "Next": "Done"}, "Done": {"Type": "Succeed"}}
        >>> ended({"StartAt": "Pay", "States": states})["States"]
        {'Pay': {'Type': 'Task', 'End': True}}
    """
    if isinstance(value, list):
        return [ended(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    inside = {key: ended(inner) for key, inner in value.items()}
    if not is_machine(inside):
        return inside
    states = inside["States"]
    ends = {name for name, state in states.items() if _is_plain_end(state)} & {*map(_next, states.values())}
    ends = {name for name in ends if name != inside["StartAt"]}
    ends -= {name for state in states.values() for name in _named(state)}
    kept = {name: _with_end(state) if _next(state) in ends else state for name, state in states.items()}
    return inside | {"States": {name: state for name, state in kept.items() if name not in ends}}


def _is_plain_end(state: Any) -> bool:
    return isinstance(state, dict) and state.get("Type") == "Succeed" and state.keys() <= _PLAIN


def _next(state: Any) -> str:
    """Return the state after a state; empty if it has none."""
    name = state.get("Next") if isinstance(state, dict) and "End" not in state else ""
    return name if isinstance(name, str) else ""


def _named(state: Any) -> list[str]:
    """Return the states that the rules and catchers of a state name."""
    if not isinstance(state, dict):
        return []
    parts = [part for key in ("Choices", "Catch") if isinstance(state.get(key), list) for part in state[key]]
    names = [part.get("Next") for part in parts if isinstance(part, dict)]
    return [name for name in (*names, state.get("Default")) if isinstance(name, str)]


def _with_end(state: dict[str, Any]) -> dict[str, Any]:
    return {"End" if key == "Next" else key: True if key == "Next" else value for key, value in state.items()}
