"""Values that jobs and steps write in the same way: `if`, `continue-on-error`, `timeout-minutes`, names, secrets."""

from collections.abc import Iterable
from typing import Any

from wfgate.formats.fields import Fields, kind_of
from wfgate.formats.github_actions.conditions import Condition, read_condition
from wfgate.formats.github_actions.expressions import is_expression
from wfgate.formats.github_actions.notes import Notes
from wfgate.model import END, START, Names

_RESERVED = {START.casefold(), END.casefold(), "and", "or", "not"}
_HIDDEN = "***"


def condition_of(entry: Fields, notes: Notes) -> Condition:
    """Read the `if` of a job or step.

    Raises:
        FormatError: If it is a list or a mapping.
    """
    value = entry.value.get("if")
    if isinstance(value, dict | list):
        raise entry.wrong("if", "an expression", "write it as `if: ...` on one line")
    condition = read_condition(None if value is None else scalar_text(value))
    path = (*entry.path, "if")
    if condition.loose:
        said = "text beside ${{ }} makes this condition a text, which is always true"
        notes.say("warning", said, *path, fix="put the whole condition inside one ${{ }}")
    if condition.unread:
        said = "status functions inside other parts of a condition are not told apart: all outcomes are followed"
        notes.say("warning", said, *path)
    if condition.reduced:
        said = "the status functions of a condition are said by the outcomes of links, the rest by their guards"
        notes.group("info", said, condition.text or "", *path)
    return condition


def forgives(entry: Fields, notes: Notes) -> bool:
    """Return whether `continue-on-error` makes a failure of a job or step count as success.

    Raises:
        FormatError: If it is neither true nor false nor an expression.
    """
    value = entry.value.get("continue-on-error")
    if isinstance(value, str) and is_expression(value):
        said = "whether a failure counts as success is decided by an expression; it is taken to count as a failure"
        notes.group("info", said, value, *entry.path, "continue-on-error")
        return False
    if isinstance(value, str) and value in {"true", "false"}:
        return value == "true"
    return value is not None and entry.flag("continue-on-error")


def timeout_of(entry: Fields) -> str | None:
    """Return `timeout-minutes` as a duration; an expression as written.

    Raises:
        FormatError: If it is neither a number nor an expression.
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
    """Return a single value as text.

    Example:
        >>> scalar_text(False), scalar_text(8), scalar_text("x")
        ('false', '8', 'x')
    """
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


def name_of(entry: Fields, default: str) -> str:
    """Return the name of a job or step, or the one that it is shown with where it has none.

    Raises:
        FormatError: If it is a list or a mapping.
    """
    value = entry.value.get("name")
    if isinstance(value, dict | list):
        raise entry.wrong("name", f"a text, not {kind_of(value)}", "write a text")
    return scalar_text(value).strip() or default


def masked(value: Any) -> Any:
    """Return a map of secrets or credentials with the values hidden that are no expressions.

    Example:
        >>> masked({"token": "${{ secrets.TOKEN }}", "password": "hunter2"})
        {'token': '${{ secrets.TOKEN }}', 'password': '***'}
    """
    if not isinstance(value, dict):
        return value
    return {key: inner if is_expression(inner) else _HIDDEN for key, inner in value.items()}


def without_passwords(container: Any) -> Any:
    """Return the settings of a container with its credentials masked, and the values of its environment.

    Example:
        >>> without_passwords({"image": "postgres", "env": {"POSTGRES_PASSWORD": "hunter2"}})
        {'image': 'postgres', 'env': {'POSTGRES_PASSWORD': '***'}}
    """
    if not isinstance(container, dict):
        return container
    return {key: masked(inner) if key in {"credentials", "env"} else inner for key, inner in container.items()}


def ids_beside(taken: Iterable[str]) -> Names:
    """Return the free ids of jobs or steps: not taken, and no word of a join expression."""
    return Names(taken, variant="{}-{}", reserved=_RESERVED)
