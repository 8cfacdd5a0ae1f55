"""The parts that jobs and steps share: expressions, `if`, `continue-on-error`, `timeout-minutes`, names, secrets."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from wfgate.conditions.languages.github import templates
from wfgate.documents import Diagnostic, Document, Path, Severity
from wfgate.formats.fields import Fields, did_you_mean, kind_of
from wfgate.formats.github_actions.conditions import Condition, read_condition
from wfgate.model import END, START, Names

_TOKEN = re.compile(r"'[^']*'|[A-Za-z_][A-Za-z0-9_-]*|[0-9][0-9A-Za-z.]*|&&|\|\||!=|==|\S")
"""Texts, names, numbers, and signs; a doubled quote in a text makes two texts side by side."""

Reference = tuple[str, ...]
_SHOWN = 3
_RESERVED = {START.casefold(), END.casefold(), "and", "or", "not"}
_HIDDEN = "***"


def tokens(text: str) -> list[tuple[str, int]]:
    """Return the tokens of an expression, each with its offset.

    Cost: linear in the text.

    Cost: linear in the text.

    Example:
        >>> [token for token, _ in tokens("a.b-c == 'it''s'")]
        ['a', '.', 'b-c', '==', "'it'", "'s'"]
    """
    return [(found.group(), found.start()) for found in _TOKEN.finditer(text)]


def references(expression: str) -> Iterator[Reference]:
    """Yield the references in an expression, such as `needs.build.outputs.image` or `steps['a'].outcome`.

    Example:
        >>> list(references("needs['build'].outputs.image && contains(steps.*.x, 'needs.a')"))
        [('needs', 'build', 'outputs', 'image'), ('contains',), ('steps', '*', 'x')]
    """
    found = [token for token, _ in tokens(expression)]
    at = 0
    while at < len(found):
        if not _is_name(found[at]):
            at += 1
            continue
        path = [found[at]]
        at += 1
        while at + 1 < len(found):
            if found[at] == "." and (_is_name(found[at + 1]) or found[at + 1] == "*"):
                path.append(found[at + 1])
                at += 2
            elif found[at] == "[" and found[at + 1].startswith("'") and found[at + 2 : at + 3] == ["]"]:
                path.append(found[at + 1].strip("'"))
                at += 3
            else:
                break
        yield tuple(path)


def references_in(value: Any) -> Iterator[Reference]:
    """Yield the references in all expressions of a value, also inside lists and mappings.

    Example:
        >>> list(references_in({"with": ["${{ inputs.a }} and inputs.b"]}))
        [('inputs', 'a')]
    """
    pending = [value]
    while pending:
        inner = pending.pop()
        if isinstance(inner, str):
            for start, end in templates(inner):
                yield from references(inner[start:end])
        elif isinstance(inner, dict):
            pending += [*inner.values()][::-1]
        elif isinstance(inner, list):
            pending += inner[::-1]


def is_expression(value: Any) -> bool:
    """Return whether a value is a text that contains an expression.

    Example:
        >>> is_expression("v${{ matrix.version }}"), is_expression("v1")
        (True, False)
    """
    return isinstance(value, str) and next(templates(value), None) is not None


def _is_name(token: str) -> bool:
    return token[0].isalpha() or token[0] == "_"


@dataclass
class Notes:
    """Collects the diagnostics of one file.

    Attributes:
        document: The file.
        found: Diagnostics about one value.
        groups: Diagnostics about several values: the names and the first path, by severity and message.
    """

    document: Document
    found: list[Diagnostic] = field(default_factory=list)
    groups: dict[tuple[Severity, str], tuple[dict[str, None], Path]] = field(default_factory=dict)

    def say(self, severity: Severity, message: str, *path: str | int, fix: str | None = None) -> None:
        """Add a diagnostic about one value."""
        self.found.append(self.document.diagnostic(severity, message, *path, fix=fix))

    def group(self, severity: Severity, message: str, name: str, *path: str | int) -> None:
        """Add a diagnostic; diagnostics with the same message are reported as one, with all names."""
        self.groups.setdefault((severity, message), ({}, path))[0][name] = None

    def unknown(self, entry: Fields, known: tuple[str, ...]) -> None:
        """Warn about keys that GitHub Actions does not know. These keys are kept as parameters."""
        for key in entry.value:
            if key not in known:
                fix = did_you_mean(key, known)
                self.say(
                    "warning", f"{entry.what} has no key {key[:80]!r}; the key is ignored", *entry.path, key, fix=fix
                )

    def all(self) -> tuple[Diagnostic, ...]:
        """Return all diagnostics, sorted by their position in the file."""
        grouped = [
            self.document.diagnostic(severity, f"{message}: {_listed(list(names))}", *path)
            for (severity, message), (names, path) in self.groups.items()
        ]
        return tuple(sorted([*self.found, *grouped], key=lambda note: (note.line or 0, note.column or 0)))


def _listed(names: list[str]) -> str:
    shown = ", ".join(repr(name[:80]) for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else f"{shown} and {len(names) - _SHOWN} more"


def condition_of(entry: Fields, notes: Notes) -> Condition:
    """Read the `if` of a job or step.

    Raises:
        FormatError: If the `if` is a list or a mapping.
    """
    value = entry.value.get("if")
    if isinstance(value, dict | list):
        raise entry.wrong("if", "an expression", "write the condition as `if: ...` on one line")
    condition = read_condition(None if value is None else scalar_text(value))
    path = (*entry.path, "if")
    if condition.loose:
        message = "the text outside ${{ }} makes this condition a string, and a non-empty string is always true"
        notes.say("warning", message, *path, fix="put the whole condition inside one ${{ }}")
    if condition.unread:
        message = "a status function is an argument of another function, so all outcomes are linked"
        notes.say("warning", message, *path)
    if condition.reduced:
        message = "status functions are read as outcomes of links; the rest of the condition is read as their guard"
        notes.group("info", message, condition.text or "", *path)
    return condition


def continues_on_error(entry: Fields, notes: Notes) -> bool:
    """Return whether `continue-on-error` makes a failure of a job or step count as success.

    Raises:
        FormatError: If `continue-on-error` is not true, false or an expression.
    """
    value = entry.value.get("continue-on-error")
    if isinstance(value, str) and is_expression(value):
        message = "`continue-on-error` is an expression, so wfgate assumes that a failure is not ignored"
        notes.group("info", message, value, *entry.path, "continue-on-error")
        return False
    if isinstance(value, str) and value in {"true", "false"}:
        return value == "true"
    return value is not None and entry.flag("continue-on-error")


def timeout_of(entry: Fields) -> str | None:
    """Return `timeout-minutes` as a duration; an expression is returned as it is written.

    Raises:
        FormatError: If `timeout-minutes` is not a number or an expression.
    """
    value = entry.value.get("timeout-minutes")
    if value is None or (isinstance(value, str) and is_expression(value)):
        return value
    if isinstance(value, str) and value.strip().isdecimal():
        return f"{value.strip()}m"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise entry.wrong("timeout-minutes", "a number", "write the minutes as a number")
    return f"{value:g}m" if isinstance(value, float) else f"{value}m"


def scalar_text(value: Any) -> str:
    """Return a scalar value as text.

    Example:
        >>> scalar_text(False), scalar_text(8), scalar_text("x")
        ('false', '8', 'x')
    """
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def name_of(entry: Fields, default: str) -> str:
    """Return the name of a job or step; the default if it has no name.

    Raises:
        FormatError: If the name is a list or a mapping.
    """
    value = entry.value.get("name")
    if isinstance(value, dict | list):
        raise entry.wrong("name", f"a text, not {kind_of(value)}", "write a text")
    return scalar_text(value).strip() or default


def masked(value: Any) -> Any:
    """Return a mapping of secrets or credentials in which every value is masked, except expressions.

    Example:
        >>> masked({"token": "${{ secrets.TOKEN }}", "password": "hunter2"})
        {'token': '${{ secrets.TOKEN }}', 'password': '***'}
    """
    if not isinstance(value, dict):
        return value
    return {key: inner if is_expression(inner) else _HIDDEN for key, inner in value.items()}


def without_passwords(container: Any) -> Any:
    """Return the settings of a container with masked credentials and masked values of the environment.

    Example:
        >>> without_passwords({"image": "postgres", "env": {"POSTGRES_PASSWORD": "hunter2"}})
        {'image': 'postgres', 'env': {'POSTGRES_PASSWORD': '***'}}
    """
    if not isinstance(container, dict):
        return container
    return {key: masked(inner) if key in {"credentials", "env"} else inner for key, inner in container.items()}


def ids_beside(taken: Iterable[str]) -> Names:
    """Return a supply of ids for jobs or steps. It gives no id in `taken` and no keyword of a join expression."""
    return Names(taken, variant="{}-{}", reserved=_RESERVED)
