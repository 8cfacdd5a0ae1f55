"""Globs and regular expressions that only test the start, the end or a substring of a text."""

import re

from wfgate.logic.conditions.formula import Relation

_LITERALLY = re.compile(r"(\^)?([\w /:@,;=-]+)(\$)?")


def like(glob: str) -> tuple[Relation, str] | None:
    r"""Return the test for a glob without a star, or with a star at one end or both ends; None for other globs.

    Example:
        >>> like("log-*"), like("*Z*"), like("done"), like("a*b"), like(r"\*")
        (('starts', 'log-'), ('contains', 'Z'), ('==', 'done'), None, ('==', '*'))
    """
    parts = [part.replace("\0", "*").replace("\1", "\\") for part in _unescaped(glob).split("*")]
    if len(parts) == 1:
        return "==", parts[0]
    if len(parts) == 2 and not (parts[0] and parts[1]) and any(parts):
        return ("starts", parts[0]) if parts[0] else ("ends", parts[1])
    if len(parts) == 3 and parts[1] and not parts[0] and not parts[2]:
        return "contains", parts[1]
    return None


def matched(pattern: str) -> tuple[Relation, str] | None:
    """Return the test for a regular expression of literal characters, anchored or not; None for other ones.

    Example:
        >>> matched("^refs/tags"), matched("tai"), matched("^a$"), matched("a.c")
        (('starts', 'refs/tags'), ('contains', 'tai'), ('==', 'a'), None)
    """
    match = _LITERALLY.fullmatch(pattern)
    if match is None:
        return None
    relation: dict[tuple[bool, bool], Relation] = {
        (True, True): "==",
        (True, False): "starts",
        (False, True): "ends",
        (False, False): "contains",
    }
    return relation[bool(match[1]), bool(match[3])], match[2]


def _unescaped(glob: str) -> str:
    return glob.replace("\\\\", "\1").replace("\\*", "\0")
