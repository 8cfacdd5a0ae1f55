"""How a changed value is named and shown."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from wfgate.compare import (
    MISSING,
    REMARK,
    REMARKS,
    Comparison,
    Difference,
    ElementData,
    ElementPair,
    Prose,
    ValueChange,
    first_path,
    leaves_of,
    shown_path,
    text_of,
)
from wfgate.language import CUT, READ, exchange, one_line
from wfgate.model import Element, Gateway, SourceSpan, Task, Workflow, named
from wfgate.read import Class, Consequences, Path, Unquoted, canonical_text
from wfgate.rules.base import Kind, Observation, Severity, instead, quoted, with_values

_LEVELS: dict[Class, Severity] = {
    "effect": "error",
    "secret": "error",
    "argument": "warning",
    "identity": "warning",
    "unknown": "warning",
    "reference": "info",
    "structure": "info",
    "text": "info",
    "presentation": "info",
}
_NOTES: dict[Class, str] = {
    "unknown": " (wfgate does not know what this value is for)",
    "presentation": " (no effect on a run)",
}


def observations(comparison: Comparison, pair: ElementPair) -> Iterator[Observation]:
    """Yield an observation per difference of two elements, except for those in links, conditions and ids."""
    element = pair.golden or pair.candidate
    for difference in pair.differences:
        if element is not None and difference.kind != "structure":
            yield _observation(comparison, pair, element, difference)


def _observation(
    comparison: Comparison, pair: ElementPair, element: Workflow | Task | Gateway, difference: Difference
) -> Observation:
    data, change, kind = comparison.derived(ElementData), difference.change, difference.kind
    place = data.place(difference)
    name = place or "its data"
    hidden = kind == "secret"
    path = first_path(difference.paths)
    was, now = (None, None) if hidden else _texts_of(change)
    spans = [
        None if path is None else file.span_of((*path, *change.path)) if data.written else _remark_span(file, value)
        for file, path, value in zip(data.files, difference.paths, (change.golden, change.candidate), strict=True)
    ]
    full = (*path, *change.path)
    purpose = data.table.purpose_of(full)
    note = f" ({purpose})" if purpose else _NOTES.get(kind, "")
    if difference.p_value is not None:
        note = f" ({100 * difference.p_value:.2g} % of harmless rewordings differ as much)"
    part, inner = data.part(difference)
    words, shown = (inner if part else name, change) if data.written else _in_prose(name, change)
    said, both = _said_of(words, shown, hidden=hidden)
    subject = named(part, part) if part else _name_of(element)
    if change.path == (REMARK,) and change.candidate is MISSING:  # its words are compared, not its meaning
        said, both, note = f"is gone or reworded: {_code(text_of(change.golden))}", "", ""
        subject = f"a {comparison.derived(Prose).describes(change.golden)}"
    message, values_at = with_values(f"{subject} {said}", both, note)
    used = _use_words(change, full, data.table)
    lone = isinstance(element, Task) and (pair.golden is None or pair.candidate is None)
    return Observation(
        used or message,
        tasks=pair.added,
        golden=pair.steps,
        key=(
            "value",
            "gateway" if isinstance(element, Gateway) else f"{type(element).__name__.lower()} {element.name}",
            name if pair.steps else place if path == () else shown_path(full),
            *(_dump(value) for value in (change.golden, change.candidate)),
        ),
        severity=_LEVELS[kind],
        golden_location=spans[0],
        location=spans[1],
        golden_value=was,
        candidate_value=now,
        values_at=None if used else values_at,
        about="step" if lone else _about(data.table, difference, path),
    )


def _about(table: Consequences, difference: Difference, path: Path) -> Kind | None:
    """Return what a change is about, if not a value: a sentence around the steps, or what links and loops state."""
    change = difference.change
    if change.path == (REMARK,):
        return "text"
    at = (*path, *change.path)
    leaves = [leaf for value in (change.golden, change.candidate) for leaf, _ in leaves_of(value, at)]
    parts = {table.stated(leaf) for leaf in leaves}
    if parts - {None} and len(parts) == 1:
        return parts.pop()
    whole = table.stated(at)
    return None if whole == "guard" else whole  # a part of a choice that does more than to choose


def _remark_span(file: Workflow, value: Any) -> SourceSpan | None:
    """Return the position of the line with a sentence around the steps; None if it is not known."""
    sentence = value if isinstance(value, str) else ""
    lines = ((path[0], span) for path, span in file.spans.items() if len(path) == 1 and isinstance(path[0], str))
    return next((span for line, span in lines if sentence and sentence in str(line)), None)


def _dump(value: Any) -> str:
    return "" if value is MISSING else canonical_text(value)


def _use_words(change: ValueChange, path: Path, table: Consequences) -> str:
    """Return which step uses another part than in the golden; empty if the change is about something else.

    Args:
        change: The changed value.
        path: Path of the value in the data that `by_user` returns.
        table: The table of the format.
    """
    if not 2 <= len(path) <= 4 or path[0] not in table.attached or MISSING not in (change.golden, change.candidate):
        return ""
    kinds, verb = table.attached[str(path[0])], "no longer uses" if change.candidate is MISSING else "now uses"
    value = change.golden if change.candidate is MISSING else change.candidate
    for key in reversed(path[2:4]):
        value = {key: value}
    if not isinstance(value, dict) or not value.keys() <= kinds.keys():
        return ""
    parts = [f"the {kinds[kind]} '{part}'" for kind in sorted(value) for part in value[kind]]
    user = str(path[1])
    return f"{named(user, user)} {verb} {' and '.join(parts)}"


def _name_of(element: Element) -> str:
    """Return the name of a step, gateway or workflow in messages."""
    if isinstance(element, Task):
        return quoted(element)
    if isinstance(element, Gateway):
        return f"the gateway '{element.id}'"
    name = isinstance(element, Workflow) and element.name
    return f"the workflow '{name}'" if name else "the workflow"


def _said_of(name: str, change: ValueChange, *, hidden: bool) -> tuple[str, str]:
    """Return what happened to a value, and both values if there are two; a hidden value is not shown."""
    golden, candidate = change.golden, change.candidate
    if hidden:
        other = f"has {_other(name)}"
        verb = "no longer has" if candidate is MISSING else "now has" if golden is MISSING else other.rstrip()
        return f"{verb} {name} (the value is not shown)", ""
    if candidate is MISSING:
        return f"no longer has {name}: {_code(text_of(golden))}", ""
    if golden is MISSING:
        return f"now has {name}: {_code(text_of(candidate))}", ""
    was, now = (text or "" for text in _texts_of(change))
    other = "" if change.moved else _other(name)
    return f"has {other}{name}{' in another order' * change.moved}: ", exchanged(was, now)


def _other(name: str) -> str:
    return "other " if name == REMARKS else "another "


def _in_prose(name: str, change: ValueChange) -> tuple[str, ValueChange]:
    """Return name and values of a change in a text, which has no keys: the files that a step names.

    Example:
        >>> name, change = _in_prose("params.files", ValueChange(("params", "files"), MISSING, ["a.py", "b.py"]))
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


def _texts_of(change: ValueChange) -> tuple[str | None, str | None]:
    """Return both values as texts, None if missing. A text is in quotes if one is empty, or both look the same."""
    texts = [None if value is MISSING else text_of(value) for value in (change.golden, change.candidate)]
    if texts[0] == texts[1] or "" in texts:
        values = zip((change.golden, change.candidate), texts, strict=True)
        texts = [
            text if text is None or isinstance(value, Unquoted) else json.dumps(value, ensure_ascii=False)
            for value, text in values
        ]
    return texts[0], texts[1]


def _code(text: str) -> str:
    """Return the beginning of a text in code quotes, with white space made visible."""
    return f"`{one_line(text if len(text) <= READ else text[:READ] + CUT)}`"
