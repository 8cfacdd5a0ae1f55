"""The data of an element in a form in which differences without a meaning are gone."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from wfgate.compare import leaves_of, paired
from wfgate.read import CLASSES, COMMENTS, Class, Consequences, Path, Remainder, canonical_text

_IDS = frozenset[Class]({"structure", "reference"})
_EFFECTS = frozenset(CLASSES) - {"text", "presentation"}
_OWN = _EFFECTS - _IDS
"""What an item of a list is and does, wherever it is and whatever refers to it."""


def canonical(value: Any, path: Path, table: Consequences, renamed: Mapping[str, str]) -> Any:
    """Return a value with other ids of steps, and with comments next to their list.

    Args:
        value: A value of a file.
        path: Path of the value in the file.
        table: The table of the format.
        renamed: The new id of each step that gets one.
    """
    if isinstance(value, dict):
        return _mapping(value, path, table, renamed)
    if isinstance(value, list):
        return Remainder((at, canonical(item, (*path, at), table, renamed)) for at, item in Remainder.placed(value))
    if not isinstance(value, str):
        return value
    text = str(value)
    if table.expressions is not None and "{{" in text:
        text = table.expressions.sub(_trimmed, text)
    if renamed and path and table.is_id(path):
        text = renamed.get(text, text)
    elif renamed and (table.expressions is None or table.class_of(path) == "structure"):
        text = table.with_ids(text, renamed)
    elif renamed and table.expressions is not None:
        text = table.expressions.sub(lambda found: table.with_ids(found[0], renamed), text)
    return value if text == value else text  # an unquoted text stays one


def renamed_items(golden: Any, candidate: Any, table: Consequences, renamed: Mapping[str, str]) -> dict[str, str]:
    """Return the golden's id of each part of the candidate that is no step and differs only in its id and its looks.

    Parts that are equal otherwise are told apart by their ids, then by the other keys of the table, then by being the
    only ones left.

    Args:
        golden: The data of the golden that belong to no step.
        candidate: The data of the candidate that belong to no step.
        table: The table of the format.
        renamed: The golden's id of each matched step.
    """
    was = _ids_by_content(canonical(golden, (), table, {}), table)
    now = _ids_by_content(canonical(candidate, (), table, renamed), table)
    return {
        new: old for content in sorted(now.keys() & was.keys()) for old, new in _told_apart(was[content], now[content])
    }


def _told_apart(golden: list[tuple[str, ...]], candidate: list[tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield the ids of the same part, given the ids and other keys of equal parts."""
    was, now = dict(enumerate(golden)), dict(enumerate(candidate))
    pairs = paired(was, now, in_order=False)
    yield from ((golden[old][0], candidate[new][0]) for old, new in pairs)
    left = was.keys() - {old for old, _ in pairs}, now.keys() - {new for _, new in pairs}
    if len(left[0]) == len(left[1]) == 1:
        yield golden[left[0].pop()][0], candidate[left[1].pop()][0]


def named_items(data: Any, table: Consequences) -> Iterator[tuple[str, Path, dict[str, Any]]]:
    """Yield the parts of the data of a file that references name: the key of the id, the path, the part."""
    for pattern, (key, *_) in table.named.items():
        path: Path = tuple(pattern.split("."))
        items = data
        for name in path:
            items = items.get(name) if isinstance(items, dict) else None
        for at, item in Remainder.placed(items) if isinstance(items, list) else ():
            if isinstance(item, dict) and isinstance(item.get(key), str):
                yield key, (*path, at), item


def _mapping(value: dict[str, Any], path: Path, table: Consequences, renamed: Mapping[str, str]) -> dict[str, Any]:
    names = {key: renamed.get(key, key) for key in value} if renamed and table.has_id_keys(path) else {}
    if len(set(names.values())) < len(names):  # two steps with one counterpart
        names = {}
    found: dict[str, Any] = {}
    for key, inner in value.items():
        at = (*path, key)
        kept, how = inner, table.comments_in(at)
        if how is not None and isinstance(inner, list) and COMMENTS not in value:
            kept = Remainder((at, item) for at, item in Remainder.placed(inner) if not how.include(item))
            if len(kept) < len(inner):
                found[COMMENTS] = [item for item in inner if how.include(item)]
                if not kept:  # its other items are elements of their own
                    continue
        found[names.get(key, key)] = canonical(kept, at, table, renamed)
    found |= {key: {} for key in table.mappings_in(path) if not value.get(key)}
    return found


def _trimmed(found: re.Match[str]) -> str:
    """Return an expression with one space inside each of its braces."""
    inner = found[0].removeprefix("${{").removesuffix("}}").strip()
    return f"${{{{ {inner} }}}}"


def _ids_by_content(data: Any, table: Consequences) -> dict[tuple[Path, str], list[tuple[str, ...]]]:
    """Return the id of each named part of a file, with its other keys, by their list and what they are and do."""
    found: defaultdict[tuple[Path, str], list[tuple[str, ...]]] = defaultdict(list)
    for key, (*path, _), item in named_items(data, table):
        rest = {name: inner for name, inner in item.items() if name != key}
        others = (
            canonical_text(item[name]) if item.get(name) else "" for name in table.keys_of_items(tuple(path))[1:-1]
        )
        found[tuple(path), _chosen(rest, tuple(path), table, _OWN)].append((item[key], *others))
    return dict(found)


def keys_of(item: Any, path: Path, table: Consequences) -> tuple[str, ...]:
    """Return texts of the item of a set, by which it is paired, as JSON: the most certain one first.

    Of a named part: its id, other keys that tell which one it is, what it does, and at last what it is. Of other
    items: what can have an effect, and the ids in it.
    """
    first, *more = table.keys_of_items(path) or ("",)
    if not first:
        return _chosen(item, path, table, _EFFECTS), _chosen(item, path, table, _IDS)
    rest = {name: inner for name, inner in item.items() if name != first}
    texts = [canonical_text(item[key]) if item.get(key) else "" for key in (first, *more)]
    return *texts[:2], _chosen(rest, path, table, _OWN), *texts[2:]


def _chosen(value: Any, path: Path, table: Consequences, classes: frozenset[Class]) -> str:
    """Return the parts of a value that have certain classes, as JSON."""
    leaves = sorted(leaves_of(value, path), key=lambda leaf: leaf[0])
    return canonical_text([[*at, leaf] for at, leaf in leaves if table.class_of(at) in classes])
