"""The data of an element in a form in which differences without a meaning are gone."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from wfgate.compare.values.changes import OWN, chosen, paired
from wfgate.read import COMMENTS, Consequences, Path, Remainder, canonical_text


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
        text = table.expressions.sub(lambda match: table.with_ids(match[0], renamed), text)
    return value if text == value else text  # an unquoted text stays one


def by_user(data: Any, table: Consequences) -> Any:
    """Return the data of a file with the uses of each part under the step that uses it.

    A format may write them the other way round, as a connection from the part to the step. But it is the step that
    loses something if a connection is lost. The type of a use is its kind; the step does not see a part whose
    connection has another type.

    Example:
        >>> table = Consequences(attached={"connections": {"ai_tool": "tool"}})
        >>> by_user({"connections": {"Search": {"ai_tool": [[{"node": "Agent", "type": "ai_tool"}]]}}}, table)
        {'connections': {'Agent': {'ai_tool': {'Search': [{}]}}}}
    """
    for key, kinds in table.attached.items() if isinstance(data, dict) else ():
        if isinstance(parts := data.get(key), dict):
            kept = {part: _without_kinds(uses, kinds) for part, uses in parts.items()}
            users = {part: uses for part, uses in kept.items() if uses != {}}
            for part, kind, user, end in _uses(parts, kinds):
                users.setdefault(user, {}).setdefault(kind, {}).setdefault(part, []).append(end)
            data = {**data, key: users}
    return data


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
    mapping: dict[str, Any] = {}
    for key, inner in value.items():
        at = (*path, key)
        kept, how = inner, table.comments_in(at)
        if how is not None and isinstance(inner, list) and COMMENTS not in value:
            kept = Remainder((at, item) for at, item in Remainder.placed(inner) if not how.include(item))
            if len(kept) < len(inner):
                mapping[COMMENTS] = [item for item in inner if how.include(item)]
                if not kept:  # its other items are elements of their own
                    continue
        mapping[names.get(key, key)] = canonical(kept, at, table, renamed)
    mapping |= {key: {} for key in table.mappings_in(path) if not value.get(key)}
    return mapping


def _trimmed(match: re.Match[str]) -> str:
    """Return an expression with one space inside each of its braces."""
    inner = match[0].removeprefix("${{").removesuffix("}}").strip()
    return f"${{{{ {inner} }}}}"


def _ids_by_content(data: Any, table: Consequences) -> dict[tuple[Path, str], list[tuple[str, ...]]]:
    """Return the id of each named part of a file, with its other keys, by their list and what they are and do."""
    ids: defaultdict[tuple[Path, str], list[tuple[str, ...]]] = defaultdict(list)
    for key, (*path, _), item in named_items(data, table):
        rest = {name: inner for name, inner in item.items() if name != key}
        others = (
            canonical_text(item[name]) if item.get(name) else "" for name in table.keys_of_items(tuple(path))[1:-1]
        )
        ids[tuple(path), chosen(rest, tuple(path), table, OWN)].append((item[key], *others))
    return dict(ids)


def _without_kinds(uses: Any, kinds: Mapping[str, str]) -> Any:
    return {kind: ends for kind, ends in uses.items() if kind not in kinds} if isinstance(uses, dict) else uses


def _uses(parts: Mapping[str, Any], kinds: Mapping[str, str]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield each use: the part, its kind, the step that uses it, and the other values of the connection."""
    for part, uses in parts.items():
        for kind in [kind for kind in uses if kind in kinds] if isinstance(uses, dict) else ():
            for output, ends in enumerate(uses[kind] or ()):
                for end in [end for end in ends or () if end]:
                    usual = {"type": kind, "index": 0, "output": 0}
                    rest = {key: value for key, value in end.items() if key != "node"} | {"output": output}
                    said = {key: value for key, value in rest.items() if key not in usual or value != usual[key]}
                    yield part, kind, str(end["node"]), said
