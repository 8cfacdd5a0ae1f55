"""Data that did not come from a text: only values that JSON can express are accepted."""

import math

from wfgate.documents.limits import MAX_DEPTH
from wfgate.documents.text import check_text
from wfgate.errors import FormatError


def check_plain(data: object, name: str) -> None:
    """Check that JSON can express the data.

    Raises:
        FormatError: If there is a value of another type, a key that is not a text, a number that is not finite, or
            nesting deeper than `MAX_DEPTH` (which also catches data that contains itself).

    Cost: linear in the data.
    """
    pending: list[tuple[object, int]] = [(data, 0)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, dict | list):
            if depth >= MAX_DEPTH:
                raise FormatError(
                    f"the data is nested deeper than {MAX_DEPTH} levels", path=name, fix="use fewer levels of nesting"
                )
            if isinstance(value, list):
                pending += [(inner, depth + 1) for inner in value]
                continue
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise FormatError(f"the key {key!r} is not a text", path=name, fix="write every key as a text")
                pending += [(key, depth + 1), (inner, depth + 1)]
        elif isinstance(value, str):
            check_text(value, name)
        elif isinstance(value, float) and not math.isfinite(value):
            raise FormatError(f"{value} is not a JSON number", path=name, fix="use a finite number")
        elif value is not None and not isinstance(value, bool | int | float):
            raise FormatError(
                f"a value of the type {type(value).__name__} is not a JSON value",
                path=name,
                fix="use text, numbers, true, false, null, lists and mappings",
            )
