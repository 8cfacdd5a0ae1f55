"""How a changed value is named and shown."""

import json
from dataclasses import replace
from typing import Any

from wfgate.compare import MISSING, ValueChange
from wfgate.language import CUT, READ, exchange, one_line
from wfgate.model import Element, Gateway, Task, Workflow
from wfgate.read import Unquoted
from wfgate.rules.base import instead, quoted

REMARK = "remark"
"""A sentence around the steps that demands something, or switches a step off."""
REMARKS = "remarks"
"""The sentences around the steps that differ, as one value."""


def name_of(element: Element) -> str:
    """Return the name of a step, gateway or workflow in messages."""
    if isinstance(element, Task):
        return quoted(element)
    if isinstance(element, Gateway):
        return f"the gateway '{element.id}'"
    named = isinstance(element, Workflow) and element.name
    return f"the workflow '{named}'" if named else "the workflow"


def said_of(name: str, change: ValueChange, *, hidden: bool) -> tuple[str, str]:
    """Return what happened to a value, and both values if there are two; a hidden value is not shown."""
    golden, candidate = change.golden, change.candidate
    if hidden:
        other = f"has {_other(name)}"
        verb = "no longer has" if candidate is MISSING else "now has" if golden is MISSING else other.rstrip()
        return f"{verb} {name} (the value is not shown)", ""
    if candidate is MISSING:
        return f"no longer has {name}: {code(text_of(golden))}", ""
    if golden is MISSING:
        return f"now has {name}: {code(text_of(candidate))}", ""
    was, now = (text or "" for text in texts_of(change))
    other = "" if change.moved else _other(name)
    return f"has {other}{name}{' in another order' * change.moved}: ", exchanged(was, now)


def _other(name: str) -> str:
    return "other " if name == REMARKS else "another "


def in_prose(name: str, change: ValueChange) -> tuple[str, ValueChange]:
    """Return name and values of a change in a text, which has no keys: the files that a step names.

    Example:
        >>> name, change = in_prose("params.files", ValueChange(("params", "files"), MISSING, ["a.py", "b.py"]))
        >>> name, change.candidate
        ('files', 'a.py, b.py')
    """
    values = [change.golden, change.candidate]
    if change.path == ("params",) and all(value in (MISSING, {}) or [*value] == ["files"] for value in values):
        values = [value["files"] if value not in (MISSING, {}) else MISSING for value in values]
    elif change.path[:2] != ("params", "files"):
        return name, change
    golden, candidate = (", ".join(map(str, value)) if isinstance(value, list) else value for value in values)
    several = any(isinstance(value, list) and len(value) > 1 for value in values)
    return "files" if several else "file", replace(change, golden=golden, candidate=candidate)


def exchanged(golden: str, candidate: str) -> str:
    """Return a new value instead of the old one, in code quotes; of long values the part that differs.

    Example:
        >>> exchanged("1.4.2", "1.4.3")
        '`1.4.3` instead of `1.4.2`'
    """
    was, now = exchange(golden, candidate, READ, exact=True)
    return instead(one_line(was), one_line(now))


def texts_of(change: ValueChange) -> tuple[str | None, str | None]:
    """Return both values as texts, None if missing. A text is in quotes if one is empty, or both look the same."""
    texts = [None if value is MISSING else text_of(value) for value in (change.golden, change.candidate)]
    if texts[0] == texts[1] or "" in texts:
        values = zip((change.golden, change.candidate), texts, strict=True)
        texts = [text if text is None or isinstance(value, Unquoted) else _json(value) for value, text in values]
    return texts[0], texts[1]


def text_of(value: Any) -> str:
    """Return a value as text: JSON, if it is not a text."""
    return value if isinstance(value, str) else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def code(text: str) -> str:
    """Return the beginning of a text in code quotes."""
    return _code(text if len(text) <= READ else text[:READ] + CUT)


def _code(text: str) -> str:
    """Return a text in code quotes, with white space made visible."""
    return f"`{one_line(text)}`"
