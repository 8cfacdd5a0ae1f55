"""The differences between two JSON values, value by value."""

import json
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final

from wfgate.read import CLASSES, Class, Consequences, Path, Remainder, Unquoted, canonical_text

MISSING: Final[Any] = type("Missing", (), {"__repr__": lambda _: "MISSING"})()
"""Stands for the value of a path that only one side has."""
MAX_ITEMS = 500
"""Longest lists that are compared item by item; longer ones of different lengths are compared as a whole."""
_LARGEST = 2**53
"""A larger number in a file is rounded by programs whose numbers have 64 bits; a text is not."""
_IDS = frozenset[Class]({"structure", "reference"})
_EFFECTS = frozenset(CLASSES) - {"text", "presentation"}
OWN = _EFFECTS - _IDS
"""What an item of a list is and does, wherever it is and whatever refers to it."""


@dataclass(frozen=True)
class ValueChange:
    """A value that differs.

    Attributes:
        path: Path of the value, relative to the compared values.
        golden: The value in the golden; `MISSING` if it is new.
        candidate: The value in the candidate; `MISSING` if it is gone.
        moved: Whether a list has the same items in another order.
    """

    path: Path
    golden: Any
    candidate: Any
    moved: bool = False


Paths = tuple[Path | None, Path | None]
"""Path of an element in the golden and in the candidate; None if there is none."""


@dataclass(frozen=True)
class Difference:
    """A changed value of two elements, with its class.

    Attributes:
        paths: The paths of the elements that contain the value.
        change: The change, with its path in the element.
        kind: Class of the value.
        p_value: Of a sentence in other words, the Holm-adjusted p-value as a harmless rewording; None for all others.
    """

    paths: Paths
    change: ValueChange
    kind: Class
    p_value: float | None = None


def value_changes(
    golden: Any, candidate: Any, table: Consequences, element: Path = (), path: Path = ()
) -> Iterator[ValueChange]:
    """Yield the differences between two JSON values of an element, in the order of the paths.

    Mappings are compared key by key and lists in order. A list in another order is one change. A value of another
    type, and a subtree that only one side has, are one change each.

    Args:
        golden: The value in the golden.
        candidate: The value in the candidate.
        table: The table of the format: which lists are sets, and which values are two ways to write the same.
        element: Path of the element in the file.
        path: Path of the values in the element.

    Cost: linear in the values; quadratic in the length of lists of different lengths, up to `MAX_ITEMS`.

    Example:
        >>> [
        ...     (change.path, change.golden, change.candidate)
        ...     for change in value_changes({"a": 1, "b": [1, 2]}, {"a": 2, "b": [1, 2, 3]}, Consequences())
        ... ]
        [(('a',), 1, 2), (('b', 2), MISSING, 3)]
    """
    if golden is candidate or table.is_respelled((*element, *path), golden, candidate):
        return
    if type(golden) is not type(candidate) and MISSING not in (golden, candidate):
        one, other = table.alike((*element, *path), golden, candidate)
        if one is not golden or other is not candidate:  # a list of a short form has two steps
            yield from value_changes(one, other, table, element, path)
            return
    if isinstance(golden, dict) and isinstance(candidate, dict):
        for key in sorted({*golden, *candidate}):
            was, now = golden.get(key, MISSING), candidate.get(key, MISSING)
            yield from value_changes(was, now, table, element, (*path, key))
    elif isinstance(golden, list) and isinstance(candidate, list):
        yield from _list_changes(golden, candidate, table, element, path)
    elif _is_single(golden) or _is_single(candidate) or not _same(golden, candidate, table):
        yield ValueChange(path, golden, candidate)


def _is_single(value: Any) -> bool:
    """Return whether a value that has no counterpart of its kind is one change."""
    return value is MISSING or isinstance(value, dict | list)


def _list_changes(
    golden: list[Any], candidate: list[Any], table: Consequences, element: Path, path: Path
) -> Iterator[ValueChange]:
    was, now = [canonical_text(item) for item in golden], [canonical_text(item) for item in candidate]
    if was == now:
        return
    if table.is_unordered((*element, *path)):
        yield from _set_changes(golden, candidate, was, now, table, element, path)
    elif sorted(was) == sorted(now):
        yield ValueChange(path, golden, candidate, moved=True)
    elif len(golden) == len(candidate):
        for at, (one, other) in enumerate(zip(golden, candidate, strict=True)):
            yield from value_changes(one, other, table, element, (*path, Remainder.position(candidate, at)))
    elif max(len(golden), len(candidate)) > MAX_ITEMS:
        yield ValueChange(path, golden, candidate)
    else:
        for kind, first, last, start, end in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
            pairs = zip_longest(golden[first:last], candidate[start:end], fillvalue=MISSING)
            for at, (one, other) in enumerate(pairs if kind != "equal" else (), start=start):
                yield from value_changes(one, other, table, element, (*path, Remainder.position(candidate, at)))


def _set_changes(
    golden: list[Any],
    candidate: list[Any],
    was: list[str],
    now: list[str],
    table: Consequences,
    element: Path,
    path: Path,
) -> Iterator[ValueChange]:
    """Yield the changes of a set: mappings without an equal one are compared in pairs; others are gone or new."""
    gone, new = _only(was, now), _only(now, was)
    place = (*element, *path)
    was_maps = {at: _keys_of(golden[at], place, table) for at in gone if isinstance(golden[at], dict)}
    now_maps = {at: _keys_of(candidate[at], place, table) for at in new if isinstance(candidate[at], dict)}
    pairs = paired(was_maps, now_maps, in_order=not table.keys_of_items(place))  # named items are gone or new
    for at, other in pairs:
        position = Remainder.position(candidate, other)
        yield from value_changes(golden[at], candidate[other], table, element, (*path, position))
    for at in (at for at in gone if at not in {at for at, _ in pairs}):
        yield ValueChange((*path, Remainder.position(golden, at)), golden[at], MISSING)
    for at in (at for at in new if at not in {other for _, other in pairs}):
        yield ValueChange((*path, Remainder.position(candidate, at)), MISSING, candidate[at])


def _same(golden: Any, candidate: Any, table: Consequences) -> bool:
    """Return whether two scalars are the same value.

    The unquoted text of a boolean, number or date is another value than the quoted text, except for words in a
    format that is read as YAML 1.2. Nothing is not the text "null", and a number above `_LARGEST` is no text.
    """
    words = table.yaml12 and not any(char.isdecimal() for char in f"{golden}{candidate}")
    if not words and isinstance(golden, Unquoted) is not isinstance(candidate, Unquoted):
        return False
    if (golden is None) is not (candidate is None):
        return False
    if isinstance(golden, str) and isinstance(candidate, str):
        return golden == candidate
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (golden, candidate))
    if (numbers or type(golden) is type(candidate)) and golden == candidate:
        return True
    large = any(isinstance(value, int | float) and abs(value) > _LARGEST for value in (golden, candidate))
    return not table.typed and not large and text_of(golden) == text_of(candidate)


def paired(
    golden: dict[int, tuple[str, ...]], candidate: dict[int, tuple[str, ...]], *, in_order: bool
) -> list[tuple[int, int]]:
    """Return pairs of positions, given the texts of each position: equal first texts first, maybe at last in order.

    Each position has the same number of texts; an empty text is like no other.

    Example:
        >>> paired({0: ("a", "x"), 1: ("b", "y")}, {0: ("b", ""), 1: ("c", "x")}, in_order=False)
        [(1, 0), (0, 1)]
    """
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for level in range(len(next(iter(golden.values()), ()))):
        same = defaultdict[str, deque[int]](deque)
        for at, texts in golden.items():
            if at not in pairs and texts[level]:
                same[texts[level]].append(at)
        for other, texts in candidate.items():
            if other not in taken and same[texts[level]]:
                pairs[same[texts[level]].popleft()] = other
                taken.add(other)
    if not in_order:
        return [*pairs.items()]
    left = [at for at in golden if at not in pairs], [at for at in candidate if at not in taken]
    return [*pairs.items(), *zip(*left, strict=False)]


def _only(texts: list[str], others: list[str]) -> list[int]:
    """Return the positions of the texts that the others do not contain, or contain less often."""
    left = Counter(others)
    positions = []
    for at, text in enumerate(texts):
        left[text] -= 1
        if left[text] < 0:
            positions.append(at)
    return positions


def _keys_of(item: Any, path: Path, table: Consequences) -> tuple[str, ...]:
    """Return texts of the item of a set, by which it is paired, as JSON: the most certain one first.

    Of a named part: its id, other keys that tell which one it is, what it does, and at last what it is. Of other
    items: what can have an effect, and the ids in it.
    """
    first, *more = table.keys_of_items(path) or ("",)
    if not first:
        return chosen(item, path, table, _EFFECTS), chosen(item, path, table, _IDS)
    rest = {name: inner for name, inner in item.items() if name != first}
    texts = [canonical_text(item[key]) if item.get(key) else "" for key in (first, *more)]
    return *texts[:2], chosen(rest, path, table, OWN), *texts[2:]


def chosen(value: Any, path: Path, table: Consequences, classes: frozenset[Class]) -> str:
    """Return the parts of a value that have certain classes, as JSON."""
    leaves = sorted(leaves_of(value, path), key=lambda leaf: leaf[0])
    return canonical_text([[*at, leaf] for at, leaf in leaves if table.class_of(at) in classes])


def leaves_of(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the path and value of each scalar and each empty list or mapping in a value at a path."""
    if value is MISSING:
        return
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from leaves_of(inner, (*path, key))
    elif isinstance(value, list) and value:
        for at, inner in Remainder.placed(value):
            yield from leaves_of(inner, (*path, at))
    else:
        yield path, value


def first_path(paths: Paths) -> Path:
    """Return the path of an element in the golden, or in the candidate if only that has it."""
    return next(path for path in paths if path is not None)


def text_of(value: Any) -> str:
    """Return a value as text: JSON, if it is not a text."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def shown_path(path: Path) -> str:
    """Return a path as text: keys with dots, positions in brackets.

    Example:
        >>> shown_path(("jobs", "build", "steps", 0, "run"))
        'jobs.build.steps[0].run'
    """
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{_quoted_key(key)}" for key in path)
    return text.removeprefix(".")


def _quoted_key(key: str) -> str:
    return key if re.fullmatch(r"[\w/$@-]+", key) else json.dumps(key, ensure_ascii=False)
