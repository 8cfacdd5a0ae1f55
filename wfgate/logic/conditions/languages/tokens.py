"""Splitting of texts into tokens."""

import re
from typing import NamedTuple

from wfgate.logic.conditions.languages.grammar import Grammar
from wfgate.logic.conditions.languages.node import GuardSyntaxError

_REGEX = re.compile(r"/(?>(?:[^/\\\n\[]|\\.|\[(?>(?:[^\]\\\n]|\\.)*)\])+)/[a-z]*+")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r"}
_CLOSERS = frozenset({")", "]", "}"})


class ConditionToken(NamedTuple):
    """A word, number, string or symbol, with its position."""

    kind: str
    text: str
    at: int
    end: int


def tokens(text: str, grammar: Grammar, start: int, end: int) -> list[ConditionToken]:
    """Return the tokens between two positions of the text; the last token marks the end.

    Raises:
        GuardSyntaxError: If the text is too long or a string is not closed.

    Cost: linear in the length of the text.
    """
    if len(text) > grammar.longest:
        raise GuardSyntaxError(
            f"the condition is longer than {grammar.longest} characters", column=grammar.longest + 1
        )
    read: list[ConditionToken] = []
    at = start
    while at < end:
        match = grammar.pattern.match(text, at, end)
        assert match is not None  # noqa: S101 - the last alternative takes any character
        kind = str(match.lastgroup)
        if kind == "symbol" and match[0] == "/" and grammar.regexes and _expects_a_value(read, grammar):
            regex = _REGEX.match(text, at, end)
            if regex is None:
                raise _endless("/", at)
            match, kind = regex, "regex"
        # Who looked on for the end of the next one would look through the same text again and again.
        if kind == "symbol" and (match[0] in "'\"«`" or (match[0] == "{" and grammar.template)):
            raise _endless(match[0], at)
        if kind != "space":
            read.append(ConditionToken(kind, match[0], at, match.end()))
        at = match.end()
    read.append(ConditionToken("end", "", end, end))
    return read


def unquoted(text: str, *, doubled: bool) -> str:
    r"""Return the content of a string in quotes.

    Example:
        >>> unquoted("'it''s'", doubled=True), unquoted(r"'it\'s'", doubled=False)
        ("it's", "it's")
    """
    inner = text[1:-1]
    if doubled:
        return inner.replace(text[0] * 2, text[0])
    return _ESCAPE.sub(_unescaped, inner) if "\\" in inner else inner


def _endless(start: str, at: int) -> GuardSyntaxError:
    return GuardSyntaxError(f"the text that starts with {start} is not closed", column=at + 1)


def _unescaped(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 1:
        return _NAMED.get(code, code)
    char = chr(int(code[1:], 16))
    return "\ufffd" if "\ud800" <= char <= "\udfff" else char


def _expects_a_value(before: list[ConditionToken], grammar: Grammar) -> bool:
    if not before:
        return True
    last = before[-1]
    if last.kind == "symbol":
        return last.text not in _CLOSERS
    return last.kind == "name" and grammar.word(last.text) in grammar.infix
