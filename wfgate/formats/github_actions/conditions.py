"""What an `if` asks of the steps before: its status functions become outcomes of links, the rest their guard."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from wfgate.formats.github_actions.expressions import templates, tokens

Value = bool | str
"""What is left of a condition once it is known how the steps before ended: a constant, or an expression."""
ALWAYS: Value = True
NEVER: Value = False

_STATUS = frozenset({"success", "failure", "always", "cancelled"})
_MAX_DEPTH = 50
_SUCCESS = {"always": True, "success": True, "failure": False}
_FAILURE = {"always": True, "success": False, "failure": True}
_NEITHER = {"always": True, "success": False, "failure": False}


@dataclass(frozen=True)
class Condition:
    """An `if`, by how the steps before ended.

    Attributes:
        text: The `if` as written; None where there is none.
        success: What is asked when all before succeeded.
        failure: What is asked when one before failed.
        neither: What is asked otherwise: a job before was skipped.
        negates: Whether it asks that something before did not succeed, or did not fail.
        loose: Whether text stands beside `${{ }}`, so that it is always true.
        unread: Whether its status functions stand where they cannot be told apart.
    """

    text: str | None = None
    success: Value = True
    failure: Value = False
    neither: Value = False
    negates: bool = False
    loose: bool = False
    unread: bool = False

    @property
    def strict(self) -> bool:
        """Whether it holds only if all before succeeded, as it does without a status function."""
        return self.failure is False and self.neither is False

    @property
    def indifferent(self) -> bool:
        """Whether it does not depend on how those before ended."""
        return self.success == self.failure == self.neither

    @property
    def guarded(self) -> bool:
        """Whether it asks for more than how those before ended."""
        return any(isinstance(value, str) for value in (self.success, self.failure, self.neither))

    @property
    def reduced(self) -> bool:
        """Whether the guard of a link is less than what is written."""
        return self.guarded and not self.indifferent and self.success != self.text


def read_condition(text: str | None) -> Condition:
    """Read an `if`.

    Without a status function it stands for `success() && (if)`. Text beside `${{ }}`, even a blank, makes a text of
    the whole, and a text that is not empty is true.

    Example:
        >>> read_condition("github.ref == 'main'").success
        "github.ref == 'main'"
        >>> read_condition("failure() && github.ref == 'main'").failure
        "github.ref == 'main'"
        >>> read_condition("${{ always() }}").indifferent
        True
    """
    if text is None or not text.strip():
        return Condition()
    found = list(templates(text))
    if found and not (len(found) == 1 and found[0] == (3, len(text) - 2)):
        otherwise: Value = text if any(_calls_status(text[start:end]) for start, end in found) else False
        return Condition(text, text, otherwise, otherwise, loose=True)
    expression = text[3:-2] if found else text
    return _with_status(text, expression) if _calls_status(expression) else Condition(text, text)


def _with_status(text: str, expression: str) -> Condition:
    try:
        tree = _Parser(expression).read()
    except _UnreadError:
        return Condition(text, text, text, text, unread=True)
    success, failure, neither = (tree.given(ended) for ended in (_SUCCESS, _FAILURE, _NEITHER))
    if success == failure == neither:
        kept: Value = success if isinstance(success, bool) else text
        return Condition(text, kept, kept, kept)
    return Condition(text, success, failure, neither, negates=tree.negates)


@dataclass(frozen=True)
class _Part:
    """A part of a condition: an operator over parts, the call of a status function, or anything else as written."""

    kind: Literal["or", "and", "not", "status", "other"]
    text: str
    parts: tuple["_Part", ...] = ()

    @property
    def negates(self) -> bool:
        """Whether a status function stands behind a negation."""
        return any((self.kind == "not" and part.asks) or part.negates for part in self.parts)

    @property
    def asks(self) -> bool:
        """Whether it asks how the steps before ended; that a run was cancelled is left in the guard."""
        if self.kind == "status":
            return self.text != "cancelled()"
        return any(part.asks for part in self.parts)

    def given(self, ended: Mapping[str, bool]) -> Value:
        """Return what is left of it where the status functions have these values; as written where none is in it."""
        if self.kind == "status":
            return ended.get(self.text.removesuffix("()"), self.text)
        if not self.asks:
            return self.text
        values = [part.given(ended) for part in self.parts]
        if self.kind == "not":
            return f"!({values[0]})" if isinstance(values[0], str) else not values[0]
        final = self.kind == "or"
        if final in [value for value in values if isinstance(value, bool)]:
            return final
        left = [
            f"({value})" if part.kind == "or" and self.kind == "and" and part.asks else value
            for part, value in zip(self.parts, values, strict=True)
            if isinstance(value, str)
        ]
        return (" || " if final else " && ").join(left) if left else not final


class _UnreadError(Exception):
    """The status functions of a condition stand where they cannot be told apart."""


class _Parser:
    """Reads `||`, `&&`, `!` and parentheses; what is between them is left as it is written."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.closing: dict[int, int] = {}
        opened: list[int] = []
        for place, (token, _) in enumerate(self.tokens):
            if token in {"(", "["}:
                opened.append(place)
            elif token in {")", "]"}:
                if not opened:
                    raise _UnreadError
                self.closing[opened.pop()] = place
        if opened:
            raise _UnreadError

    def read(self) -> _Part:
        return self._parts(0, len(self.tokens), 0)

    def _parts(self, begin: int, end: int, depth: int) -> _Part:
        """Return the tokens between two places as alternatives, or as conditions, or as one operand."""
        if begin >= end or depth > _MAX_DEPTH:
            raise _UnreadError
        sides: list[list[tuple[int, int]]] = [[]]
        at = first = begin
        while at <= end:
            token = self.tokens[at][0] if at < end else "||"
            if token in {"||", "&&"}:
                sides[-1].append((first, at))
                first = at + 1
                if token == "||" and at < end:  # noqa: S105 - a sign, no secret
                    sides.append([])
            at = self.closing.get(at, at) + 1
        alternatives = [self._joined("and", [self._operand(*operand, depth) for operand in side]) for side in sides]
        return self._joined("or", alternatives)

    def _joined(self, kind: Literal["or", "and"], parts: list[_Part]) -> _Part:
        if len(parts) == 1:
            return parts[0]
        sign = " || " if kind == "or" else " && "
        return _Part(kind, sign.join(part.text for part in parts), tuple(parts))

    def _operand(self, begin: int, end: int, depth: int) -> _Part:
        if begin >= end or depth > _MAX_DEPTH:
            raise _UnreadError
        text = self.text[self.tokens[begin][1] : self.tokens[end - 1][1] + len(self.tokens[end - 1][0])]
        token = self.tokens[begin][0]
        if token == "!":  # noqa: S105 - a sign, no secret
            inner = self._operand(begin + 1, end, depth + 1)
            return _Part("not", text, (inner,)) if inner.kind != "other" else _Part("other", text)
        if token == "(" and self.closing[begin] == end - 1:  # noqa: S105 - a sign, no secret
            inner = self._parts(begin + 1, end - 1, depth + 1)
            return _Part(inner.kind, text if inner.kind != "status" else inner.text, inner.parts)
        if self._calls_status(begin) and self.closing[begin + 1] == end - 1:
            return _Part("status", f"{token.casefold()}()")
        if any(self._calls_status(at) for at in range(begin, end)):
            raise _UnreadError
        return _Part("other", text)

    def _calls_status(self, at: int) -> bool:
        called = at + 1 < len(self.tokens) and self.tokens[at + 1][0] == "("
        method = at > 0 and self.tokens[at - 1][0] == "."
        return called and not method and self.tokens[at][0].casefold() in _STATUS


def _calls_status(expression: str) -> bool:
    found = [token for token, _ in tokens(expression)]
    return any(name.casefold() in _STATUS and sign == "(" for name, sign in pairwise(found))
