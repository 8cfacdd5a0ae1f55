"""Values of data: what is accepted, and which texts were written without quotes."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from wfgate.errors import FormatError
from wfgate.read.documents.limits import MAX_DEPTH
from wfgate.read.documents.text import check_text

_MARK = "\ud800"
"""Marks an `Unquoted` text: a lone surrogate, which no text of a file contains."""


class Unquoted(str):
    """The text of an unquoted YAML scalar that some parsers read as a boolean, number or date (`yes`, `0755`, `1e3`).

    It equals the quoted text, but is another value for these parsers. `canonical_text` and the type distinguish them.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Unquoted({super().__repr__()})"


class Remainder(list[Any]):
    """Some items of a list of a file, in order.

    Attributes:
        positions: The position of each item in the list of the file.

    Example:
        >>> Remainder([(1, "b"), (3, "d")]), Remainder([(1, "b"), (3, "d")]).positions
        (['b', 'd'], (1, 3))
    """

    def __init__(self, items: Iterable[tuple[int, Any]] = ()) -> None:
        known = list(items)
        super().__init__(item for _, item in known)
        self.positions = tuple(at for at, _ in known)

    @staticmethod
    def placed(items: list[Any]) -> Iterator[tuple[int, Any]]:
        """Yield the items of any list, each with its position in the file."""
        return zip(items.positions if isinstance(items, Remainder) else range(len(items)), items, strict=True)

    @staticmethod
    def position(items: list[Any], at: int) -> int:
        """Return where an item of any list is in the file; `at` itself for a whole list, or after the last item."""
        return items.positions[at] if isinstance(items, Remainder) and at < len(items) else at


def canonical_text(value: Any) -> str:
    r"""Return the same text for the same data: JSON with sorted keys, in which `Unquoted` texts are marked.

    Cost: linear in the data.

    Example:
        >>> print(canonical_text({"b": Unquoted("yes"), "a": "yes"}))
        {"a": "yes", "b": "\ud800yes"}
    """
    return json.dumps(_marked(value), sort_keys=True)


def _marked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _marked(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_marked(inner) for inner in value]
    return _MARK + value if isinstance(value, Unquoted) else value


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
