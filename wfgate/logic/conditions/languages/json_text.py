"""JSON rules, parsed without recursion errors, non-finite numbers or lone surrogates."""

import json
import re
from typing import Any

from wfgate.logic.conditions.languages.node import MAX_DEPTH, MAX_LENGTH, GuardSyntaxError

_PART = re.compile(r'"(?>(?:[^"\\]|\\.)*)"|[\[{]|[\]}]', re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
_HUGE = 1e150


def loaded(text: str) -> dict[str, Any]:
    """Return the JSON object.

    Raises:
        GuardSyntaxError: If the text is not a JSON object, is too long or too deeply nested, or contains a number that
            is too large to compare.

    Example:
        >>> loaded('{"a": [1]}')
        {'a': [1]}
    """
    if len(text) > MAX_LENGTH:
        raise GuardSyntaxError(f"the condition is longer than {MAX_LENGTH} characters", column=MAX_LENGTH + 1)
    level = 0
    for part in _PART.finditer(text):
        level += {"[": 1, "{": 1, "]": -1, "}": -1}.get(part[0], 0)
        if level > MAX_DEPTH:
            raise GuardSyntaxError(f"the condition is nested deeper than {MAX_DEPTH} levels", column=part.start() + 1)
    try:
        document = json.loads(text, parse_float=_number, parse_int=_number, parse_constant=_number)
    except json.JSONDecodeError as problem:
        message = f"{problem.msg[:1].lower()}{problem.msg[1:]}"
        raise GuardSyntaxError(message, column=problem.pos + 1) from None
    except OverflowError as problem:
        column = max(text.find(str(problem)), 0) + 1
        raise GuardSyntaxError("the number is too large", column=column) from None
    if not isinstance(document, dict):
        raise GuardSyntaxError("expected an object", column=1)
    half = _HALF.search(json.dumps(document, ensure_ascii=False)) if "\\u" in text else None
    if half is not None:
        raise GuardSyntaxError(
            "the text has an unpaired surrogate, which is not valid Unicode", column=max(text.find("\\ud"), 0) + 1
        )
    return document


def column_of(text: str, value: str) -> int:
    """Return the column of a key or string in JSON text, counted from 1; 1 if the text escapes it in another way."""
    for written in (json.dumps(value, ensure_ascii=False), json.dumps(value)):
        at = text.find(written)
        if at >= 0:
            return at + 1
    return 1


def _number(text: str) -> int | float:
    value = float(text) if len(text) < MAX_DEPTH * 2 else _HUGE
    if not abs(value) < _HUGE:
        raise OverflowError(text)
    return value if set(text) & set(".eE") else int(text)
