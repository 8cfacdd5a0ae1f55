"""The differences between two JSON values, value by value."""

import json
import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final

from wfgate.read import Path, Remainder, canonical_text

MISSING: Final[Any] = type("Missing", (), {"__repr__": lambda _: "MISSING"})()
"""Stands for the value of a path that only one side has."""
MAX_ITEMS = 500
"""Longest lists that are compared item by item; longer ones of different lengths are compared as a whole."""


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


@dataclass(frozen=True)
class ValueRules:
    """How values are compared.

    Attributes:
        same: Whether two scalars are the same value.
        unordered: Whether the list at a path is a set.
        respelled: Whether two values at a path, also lists and mappings, are two ways to write the same.
        alike: Two values at a path in one spelling, if there are several.
        keys: Texts of the item of a set at a path. Items with the same first text are compared, then those with the
            same second text, and so on; the others in order. An empty text is like no other.
        distinct: Whether the items of the set at a path are never compared in order: without an equal text, an item
            is gone or new.
    """

    same: Callable[[Any, Any], bool]
    unordered: Callable[[Path], bool]
    respelled: Callable[[Path, Any, Any], bool] = lambda _path, _golden, _candidate: False
    alike: Callable[[Path, Any, Any], tuple[Any, Any]] = lambda _path, golden, candidate: (golden, candidate)
    keys: Callable[[Path, Any], tuple[str, ...]] = lambda _path, _item: ()
    distinct: Callable[[Path], bool] = lambda _path: False


def value_changes(golden: Any, candidate: Any, rules: ValueRules, path: Path = ()) -> Iterator[ValueChange]:
    """Yield the differences between two JSON values, in the order of the paths.

    Mappings are compared key by key and lists in order. A list in another order is one change. A value of another
    type, and a subtree that only one side has, are one change each.

    Cost: linear in the values; quadratic in the length of lists of different lengths, up to `MAX_ITEMS`.

    Example:
        >>> rules = ValueRules(same=lambda golden, candidate: golden == candidate, unordered=lambda path: False)
        >>> [
        ...     (change.path, change.golden, change.candidate)
        ...     for change in value_changes({"a": 1, "b": [1, 2]}, {"a": 2, "b": [1, 2, 3]}, rules)
        ... ]
        [(('a',), 1, 2), (('b', 2), MISSING, 3)]
    """
    if golden is candidate or rules.respelled(path, golden, candidate):
        return
    if type(golden) is not type(candidate) and MISSING not in (golden, candidate):
        one, other = rules.alike(path, golden, candidate)
        if one is not golden or other is not candidate:  # a list of a short form has two steps
            yield from value_changes(one, other, rules, path)
            return
    if isinstance(golden, dict) and isinstance(candidate, dict):
        for key in sorted({*golden, *candidate}):
            was, now = golden.get(key, MISSING), candidate.get(key, MISSING)
            yield from value_changes(was, now, rules, (*path, key))
    elif isinstance(golden, list) and isinstance(candidate, list):
        yield from _list_changes(golden, candidate, rules, path)
    elif _is_single(golden) or _is_single(candidate) or not rules.same(golden, candidate):
        yield ValueChange(path, golden, candidate)


def _is_single(value: Any) -> bool:
    """Return whether a value that has no counterpart of its kind is one change."""
    return value is MISSING or isinstance(value, dict | list)


def _list_changes(golden: list[Any], candidate: list[Any], rules: ValueRules, path: Path) -> Iterator[ValueChange]:
    was, now = [canonical_text(item) for item in golden], [canonical_text(item) for item in candidate]
    if was == now:
        return
    if rules.unordered(path):
        yield from _set_changes(golden, candidate, was, now, rules, path)
    elif sorted(was) == sorted(now):
        yield ValueChange(path, golden, candidate, moved=True)
    elif len(golden) == len(candidate):
        for at, (one, other) in enumerate(zip(golden, candidate, strict=True)):
            yield from value_changes(one, other, rules, (*path, Remainder.position(candidate, at)))
    elif max(len(golden), len(candidate)) > MAX_ITEMS:
        yield ValueChange(path, golden, candidate)
    else:
        for kind, first, last, start, end in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
            pairs = zip_longest(golden[first:last], candidate[start:end], fillvalue=MISSING)
            for at, (one, other) in enumerate(pairs if kind != "equal" else (), start=start):
                yield from value_changes(one, other, rules, (*path, Remainder.position(candidate, at)))


def _set_changes(
    golden: list[Any], candidate: list[Any], was: list[str], now: list[str], rules: ValueRules, path: Path
) -> Iterator[ValueChange]:
    """Yield the changes of a set: mappings without an equal one are compared in pairs; others are gone or new."""
    gone, new = _only(was, now), _only(now, was)
    was_maps = {at: rules.keys(path, golden[at]) for at in gone if isinstance(golden[at], dict)}
    now_maps = {at: rules.keys(path, candidate[at]) for at in new if isinstance(candidate[at], dict)}
    pairs = paired(was_maps, now_maps, in_order=not rules.distinct(path))
    for at, other in pairs:
        yield from value_changes(golden[at], candidate[other], rules, (*path, Remainder.position(candidate, other)))
    for at in (at for at in gone if at not in {at for at, _ in pairs}):
        yield ValueChange((*path, Remainder.position(golden, at)), golden[at], MISSING)
    for at in (at for at in new if at not in {other for _, other in pairs}):
        yield ValueChange((*path, Remainder.position(candidate, at)), MISSING, candidate[at])


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
    found = []
    for at, text in enumerate(texts):
        left[text] -= 1
        if left[text] < 0:
            found.append(at)
    return found


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
