"""Which step uses which part: the models, memories and tools of the steps of a file."""

from collections.abc import Iterator, Mapping
from typing import Any

from wfgate.compare import MISSING, ValueChange
from wfgate.model import named
from wfgate.read import Consequences, Path


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
            kept = {part: _without(uses, kinds) for part, uses in parts.items()}
            found = {part: uses for part, uses in kept.items() if uses != {}}
            for part, kind, user, end in _ends(parts, kinds):
                found.setdefault(user, {}).setdefault(kind, {}).setdefault(part, []).append(end)
            data = {**data, key: found}
    return data


def use_words(change: ValueChange, path: Path, table: Consequences) -> str:
    """Return which step uses another part than in the golden; empty if the change is about something else.

    Args:
        change: The changed value.
        path: Path of the value in the data that `by_user` returns.
        table: The table of the format.
    """
    if not 2 <= len(path) <= 4 or path[0] not in table.attached or MISSING not in (change.golden, change.candidate):
        return ""
    kinds, verb = table.attached[str(path[0])], "no longer uses" if change.candidate is MISSING else "now uses"
    value = change.golden if change.candidate is MISSING else change.candidate
    for key in reversed(path[2:4]):
        value = {key: value}
    if not isinstance(value, dict) or not value.keys() <= kinds.keys():
        return ""
    parts = [f"the {kinds[kind]} '{part}'" for kind in sorted(value) for part in value[kind]]
    user = str(path[1])
    return f"{named(user, user)} {verb} {' and '.join(parts)}"


def _without(uses: Any, kinds: Mapping[str, str]) -> Any:
    return {kind: ends for kind, ends in uses.items() if kind not in kinds} if isinstance(uses, dict) else uses


def _ends(parts: Mapping[str, Any], kinds: Mapping[str, str]) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Yield each use: the part, its kind, the step that uses it, and the other values of the connection."""
    for part, uses in parts.items():
        for kind in [kind for kind in uses if kind in kinds] if isinstance(uses, dict) else ():
            for output, ends in enumerate(uses[kind] or ()):
                for end in [end for end in ends or () if end]:
                    usual = {"type": kind, "index": 0, "output": 0}
                    rest = {key: value for key, value in end.items() if key != "node"} | {"output": output}
                    said = {key: value for key, value in rest.items() if key not in usual or value != usual[key]}
                    yield part, kind, str(end["node"]), said
