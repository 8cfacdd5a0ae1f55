"""The data that a state reads and writes; only simple paths and variables are evaluated."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wfgate.read.formats.typed import listed, walk

_REFERENCE = re.compile(r"(?<![\w$])\$(?!\$)(\w*+)((?>(?:\.[^\W\d][\w-]*+)*))")
_PATH = re.compile(r"\$(?>(?:\.[^\W\d][\w-]*+)+)")
_DEEP = 20
"""Levels of a path that are looked at."""
_MANY = 20
"""Parts of one datum that count as read where the whole is; more are not listed."""
_READING = (
    *("Parameters", "Arguments", "InputPath", "ItemsPath", "Items", "ItemSelector", "Choices", "Output", "Assign"),
    *("SecondsPath", "TimestampPath", "Seconds", "Timestamp", "ErrorPath", "CausePath", "Error", "Cause"),
)


def written(state: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the data that a state writes: the path of its result, and the variables that it assigns.

    Example:
        >>> written({"ResultPath": "$.order.id", "Assign": {"total": 1}})
        ('order.id', 'total')
    """
    path = state.get("ResultPath")
    result = [path[2:]] if isinstance(path, str) and _PATH.fullmatch(path) else []
    return tuple(dict.fromkeys([*result, *assigned(state)]))


def assigned(state: Mapping[str, Any]) -> Iterator[str]:
    """Yield the variables that a state assigns, including those in its rules and catchers."""
    for holder in (state, *listed(state.get("Choices")), *listed(state.get("Catch"))):
        values = holder.get("Assign") if isinstance(holder, dict) else None
        yield from (name.removesuffix(".$") for name in (values if isinstance(values, dict) else ()) if name)


def asks_for_presence(state: Mapping[str, Any]) -> bool:
    """Return whether a rule of a state tests that a value is present. Such a value may be a workflow input."""
    return any(
        key == "IsPresent" or (key == "Condition" and isinstance(value, str) and "$exists" in value)
        for key, value in walk(state.get("Choices"))
    )


class Offered:
    """The names of the data that the states on one level write.

    Example:
        >>> offered = Offered(["order", "total"])
        >>> offered.read_by({"Parameters": {"id.$": "$.order.id", "sum.$": "States.Format('{}', $total)"}})
        ('order', 'total')
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.place = {name: place for place, name in enumerate(dict.fromkeys(names))}
        self.inside: dict[str, list[str]] = {}
        for name in self.place:
            parts = name.split(".")
            for size in range(1, min(len(parts), _DEEP)):
                self.inside.setdefault(".".join(parts[:size]), []).append(name)

    def read_by(self, state: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the data that a state reads: the datum itself, a part of it, or a value that contains it."""
        start = state.get("InputPath")
        base = start[2:].split(".") if isinstance(start, str) and _PATH.fullmatch(start) else []
        read: set[str] = set()
        for key in _READING:
            for parts in _names(state.get(key), [] if key in {"InputPath", "ItemSelector"} else base):
                names = [".".join(parts[:size]) for size in range(1, min(len(parts), _DEEP) + 1)]
                read.update(name for name in names if name in self.place)
                inside = self.inside.get(names[-1], ()) if names else ()
                read.update(inside if len(inside) <= _MANY else ())
        return tuple(sorted(read, key=self.place.__getitem__))


def _names(value: object, base: list[str]) -> Iterator[list[str]]:
    for text in (each for _, each in walk(value) if isinstance(each, str)):
        for match in _REFERENCE.finditer(text):
            variable, path = match[1], match[2].split(".")[1:]
            if variable == "states" and path[:1] == ["input"]:
                yield path[1:]
            elif variable and variable != "states":
                yield [variable]
            elif not variable and path:
                yield [*base, *path]
