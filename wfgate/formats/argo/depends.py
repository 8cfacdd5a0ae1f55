"""What an Argo task waits for: the expressions under `depends`, and lists of plain dependencies."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from wfgate.formats.fields import did_you_mean

SUCCEEDED, FAILED, SKIPPED, OMITTED = "succeeded", "failed", "skipped", "omitted"
ALL = frozenset({SUCCEEDED, FAILED, SKIPPED, OMITTED})
"""How a task can have ended: it succeeded or failed, its own condition said no, or what it waits for did not come."""
PLAIN = frozenset({SUCCEEDED, SKIPPED})
"""What satisfies a dependency that names a task and nothing more; a daemon that is up counts as success."""

MAX_DEPTH = 100
"""Deepest nesting of brackets and negations."""

RESULTS = {
    "Succeeded": SUCCEEDED,
    "Failed": FAILED,
    "Errored": FAILED,
    "Skipped": SKIPPED,
    "Omitted": OMITTED,
    "Daemoned": SUCCEEDED,
    "AnySucceeded": SUCCEEDED,
    "AllFailed": FAILED,
}
"""Results that an expression may ask for."""

_TOKEN = re.compile(r"\s*(?:(&&|\|\||[!()])|([A-Za-z0-9_][-A-Za-z0-9_]*)(?:\.([A-Za-z]+))?)")


@dataclass(frozen=True)
class Ended:
    """A task ended in one of some ways.

    Attributes:
        task: Its name.
        ways: The ways.
        plain: Whether the task alone is named, without a result.
    """

    task: str
    ways: frozenset[str]
    plain: bool = False


@dataclass(frozen=True)
class Both:
    """All of the parts hold; with no parts, always."""

    parts: tuple["Wait", ...]


@dataclass(frozen=True)
class Either:
    """One of the parts holds; with no parts, never."""

    parts: tuple["Wait", ...]


Wait = Ended | Both | Either


class DependsSyntaxError(ValueError):
    """An expression that cannot be read.

    Attributes:
        message: What is wrong.
        fix: What to do about it.
    """

    def __init__(self, message: str, fix: str = "write task names joined by &&, || and !") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix


def parse_depends(text: str) -> Wait:
    """Parse an expression; negations are worked into the ways in which tasks end.

    Cost: linear.

    Raises:
        DependsSyntaxError: If it cannot be read, or is nested deeper than `MAX_DEPTH`.

    Example:
        >>> parse_depends("A && !B.Failed").parts[0] == Ended("A", PLAIN, plain=True)
        True
        >>> sorted(parse_depends("!(A.Failed || A.Omitted)").ways)
        ['skipped', 'succeeded']
    """
    return _Parser(_tokens(text)).parse()


def both(parts: Iterable[Wait]) -> Wait:
    """Return the conjunction, flattened; what is said of one task twice is said once."""
    return _joined(parts, Both)


def either(parts: Iterable[Wait]) -> Wait:
    """Return the disjunction, flattened; what is said of one task twice is said once."""
    return _joined(parts, Either)


def contrary(wait: Wait) -> Wait:
    """Return what holds, once all tasks have ended, where `wait` does not."""
    if isinstance(wait, Ended):
        return Ended(wait.task, ALL - wait.ways)
    parts = [contrary(part) for part in wait.parts]
    return either(parts) if isinstance(wait, Both) else both(parts)


def tasks_of(wait: Wait) -> list[str]:
    """Return the tasks that are waited for, each once, in order."""
    return list(dict.fromkeys(leaf.task for leaf in leaves(wait)))


def leaves(wait: Wait) -> list[Ended]:
    """Return what is said of single tasks, in order."""
    if isinstance(wait, Ended):
        return [wait]
    return [leaf for part in wait.parts for leaf in leaves(part)]


def _joined(parts: Iterable[Wait], kind: type[Both] | type[Either]) -> Wait:
    flat: list[Wait] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else [part]
    of_task: dict[str, int] = {}
    found: list[Wait] = []
    for part in flat:
        if not isinstance(part, Ended):
            found.append(part)
            continue
        before = of_task.setdefault(part.task, len(found))
        if before == len(found):
            found.append(part)
            continue
        known = found[before]
        if isinstance(known, Ended):
            ways = known.ways & part.ways if kind is Both else known.ways | part.ways
            found[before] = Ended(part.task, ways, plain=known.plain and part.plain)
    return found[0] if len(found) == 1 else kind(tuple(found))


def _tokens(text: str) -> list[tuple[str, Ended | None]]:
    found: list[tuple[str, Ended | None]] = []
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            shown = text[at:].strip()[:20]
            raise DependsSyntaxError(f"{shown!r} is no part of a dependency")
        sign, task, result = match.groups()
        if sign:
            found.append((sign, None))
        elif result is None:
            found.append(("task", Ended(task, PLAIN, plain=True)))
        elif result in RESULTS:
            found.append(("task", Ended(task, frozenset({RESULTS[result]}))))
        else:
            raise DependsSyntaxError(f"a task has no result {result[:40]!r}", did_you_mean(result, list(RESULTS)))
        at = match.end()
    return found


class _Parser:
    def __init__(self, tokens: list[tuple[str, Ended | None]]) -> None:
        self.tokens = tokens
        self.at = 0

    def parse(self) -> Wait:
        found = self._any(0, negated=False)
        if self.at < len(self.tokens):
            raise DependsSyntaxError(f"{self._shown()} is not expected here")
        return found

    def _any(self, depth: int, *, negated: bool) -> Wait:
        parts = [self._all(depth, negated=negated)]
        while self._next("||"):
            parts.append(self._all(depth, negated=negated))
        return both(parts) if negated else either(parts)

    def _all(self, depth: int, *, negated: bool) -> Wait:
        parts = [self._one(depth, negated=negated)]
        while self._next("&&"):
            parts.append(self._one(depth, negated=negated))
        return either(parts) if negated else both(parts)

    def _one(self, depth: int, *, negated: bool) -> Wait:
        if depth > MAX_DEPTH:
            raise DependsSyntaxError(f"nested deeper than {MAX_DEPTH} levels", "write it without the brackets")
        if self._next("!"):
            return self._one(depth + 1, negated=not negated)
        if self._next("("):
            found = self._any(depth + 1, negated=negated)
            if not self._next(")"):
                raise DependsSyntaxError("a bracket is not closed", "add )")
            return found
        named = self.tokens[self.at][1] if self.at < len(self.tokens) else None
        if named is not None:
            self.at += 1
            return contrary(named) if negated else named
        raise DependsSyntaxError(f"a task is expected, not {self._shown()}")

    def _next(self, sign: str) -> bool:
        if self.at < len(self.tokens) and self.tokens[self.at][0] == sign:
            self.at += 1
            return True
        return False

    def _shown(self) -> str:
        if self.at >= len(self.tokens):
            return "the end"
        sign, task = self.tokens[self.at]
        return repr(sign if task is None else task.task[:40])
