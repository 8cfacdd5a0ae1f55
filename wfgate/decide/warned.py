"""Warnings of the readers that only the candidate has: what was not read there cannot be compared."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from wfgate.read import Diagnostic

_NAMES = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|<[^<>]*>|\d+")
"""Names and numbers in a message. A renamed step changes them, but not what the warning says."""


def new_warnings(golden: Iterable[Diagnostic], candidate: Iterable[Diagnostic]) -> Iterator[tuple[Diagnostic, int]]:
    """Yield the warnings of the candidate that the golden does not have: the first of each kind, and their number.

    A warning of the golden stands for one of the same kind in the candidate, first for one with the same message.

    Args:
        golden: The diagnostics of the references.
        candidate: The diagnostics of the candidate.
    """
    known, found = defaultdict[str, list[str]](list), defaultdict[str, list[Diagnostic]](list)
    for one in golden:
        if one.severity != "info":
            known[_kind(one)].append(one.message)
    for one in candidate:
        if one.severity != "info":
            found[_kind(one)].append(one)
    for kind, warnings in found.items():
        left = known[kind]
        others = [one for one in warnings if not _taken(left, one.message)]
        if new := others[len(left) :]:
            yield new[0], len(new)


def _kind(warning: Diagnostic) -> str:
    return _NAMES.sub("", warning.message)


def _taken(messages: list[str], message: str) -> bool:
    """Take a message out of a list; return whether it was there."""
    if message in messages:
        messages.remove(message)
        return True
    return False
