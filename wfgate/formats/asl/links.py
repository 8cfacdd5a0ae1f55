"""How a state is left: what comes next, the rules of a Choice, and the catchers."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from wfgate.formats.asl.states import State
from wfgate.formats.fields import Fields
from wfgate.model import END, Guard, Link
from wfgate.model.workflow import Language, Outcome

_LANGUAGE: Language = "asl"
_TIMEOUTS = ("States.Timeout", "States.HeartbeatTimeout")
_ANY, _ANY_FAILURE = "States.ALL", "States.TaskFailed"
_NO_CONDITION = ("Next", "Comment", "Assign", "Output")

Way = tuple[str | None, Link]
"""A link whose target is still to be found: the name of the next state, None for END."""


def ways(state: State, own: str, *, inner: bool = False) -> Iterator[Way]:
    """Yield the links that leave a state, with the name of the state that each leads to.

    A Fail state inside a Map or Parallel ends that on failure: what comes next is not reached by it.

    Args:
        state: The state.
        own: Its id.
        inner: Whether it stands inside a Map or Parallel.

    Raises:
        FormatError: If a rule or catcher leads nowhere, or is none.
    """
    fields = state.fields
    if state.type == "Choice":
        yield from _rules(state, own)
    elif state.type in {"Succeed", "Fail"}:
        outcome: Outcome = "failure" if inner and state.type == "Fail" else "success"
        yield None, Link(source=own, target=END, outcome=outcome, span=state.span)
    elif "Next" in fields:
        yield _next(fields, "Next"), Link(source=own, target=END, span=fields.document.span(*fields.path, "Next"))
    elif "End" in fields:
        yield None, Link(source=own, target=END, span=fields.document.span(*fields.path, "End"))
    if "Catch" in fields:
        yield from _catchers(state, own)


def _rules(state: State, own: str) -> Iterator[Way]:
    fields = state.fields
    rules = fields.entries("Choices")
    if not rules:
        raise fields.error(f"the Choice {state.name[:80]!r} has no 'Choices'", fix="add a list of rules to 'Choices'")
    for place, value in enumerate(rules):
        rule = Fields(fields.document, (*fields.path, "Choices", place), value, what="a choice rule")
        condition = rule.value.get("Condition")
        guard = Guard(expr=_text(rule.value, condition), language=_LANGUAGE, order=place + 1)
        span = rule.document.span(*rule.path)
        yield _next(rule, "Next"), Link(source=own, target=END, guard=guard, span=span)
    if "Default" in fields:
        span = fields.document.span(*fields.path, "Default")
        guard = Guard(default=True, language=_LANGUAGE)
        yield _next(fields, "Default"), Link(source=own, target=END, guard=guard, span=span)


def _text(rule: dict[str, Any], condition: object) -> str:
    if isinstance(condition, str):
        return condition
    return json.dumps({key: value for key, value in rule.items() if key not in _NO_CONDITION}, ensure_ascii=False)


def _next(fields: Fields, key: str) -> str:
    if key not in fields:
        raise fields.error(f"{fields.what} has no {key!r}", fix=f"add {key!r}: the name of the next state")
    name = fields.text(key)
    if not name:
        raise fields.error(f"{key!r} must not be empty", key, fix="write the name of the next state")
    return name


def _catchers(state: State, own: str) -> Iterator[Way]:
    """Yield links on failure and on timeout; errors told apart are conditions in the order of the catchers."""
    fields = state.fields
    catchers = []
    for place, value in enumerate(fields.entries("Catch")):
        catcher = Fields(fields.document, (*fields.path, "Catch", place), value, what="a catcher")
        if "ErrorEquals" not in catcher:
            raise catcher.error("a catcher has no 'ErrorEquals'", fix="add 'ErrorEquals': a list of errors")
        catchers.append((catcher, catcher.texts("ErrorEquals")))
    outcomes: tuple[Outcome, ...] = ("failure", "timeout")
    for outcome in outcomes:
        caught = [(catcher, names) for catcher, said in catchers if (names := _of(outcome, said))]
        for place, (catcher, names) in enumerate(caught):
            guard = _guard(state.name, names, place, len(caught))
            link = Link(source=own, target=END, guard=guard, outcome=outcome, span=fields.document.span(*catcher.path))
            yield _next(catcher, "Next"), link


def _of(outcome: Outcome, errors: Sequence[str]) -> list[str]:
    """Return which errors of a catcher end a state in this way; a timeout counts as such where it is named."""
    return [name for name in errors if (name in _TIMEOUTS) == (outcome == "timeout")]


def _guard(state: str, errors: Sequence[str], place: int, count: int) -> Guard | None:
    """Return the condition of one of several catchers.

    The error is a value of its own state: two states that both can fail need not fail for the same reason.
    """
    everything = _ANY in errors or _ANY_FAILURE in errors or errors[0] in _TIMEOUTS
    if everything and count == 1:
        return None
    if everything and place == count - 1:
        return Guard(default=True, language=_LANGUAGE)
    subject = f"`error of {state.replace('`', ' ')}`"
    caught = ", ".join(_quoted(name) for name in errors)
    said = f"{subject} != 'States.Timeout'" if everything else f"{subject} in [{caught}]"
    said = f"{subject} = {caught}" if len(errors) == 1 and not everything else said
    return Guard(expr=f"{{% {said} %}}", language=_LANGUAGE, order=place + 1 if count > 1 else None)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
