"""Conditions of GitHub Actions: `if:`."""

import json
from collections.abc import Iterator
from dataclasses import replace

from wfgate.logic.conditions.formula import ALWAYS, Formula
from wfgate.logic.conditions.languages.grammar import EQUALITY, ORDERING, SYMBOLS, Grammar
from wfgate.logic.conditions.languages.meaning import Reader
from wfgate.logic.conditions.languages.node import Expression
from wfgate.logic.conditions.languages.parser import tree

_STATUS = "status"
_OUTCOMES = ("success", "failure", "cancelled")


def templates(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each expression in `${{ }}`, without the braces. Braces in strings are skipped.

    Example:
        >>> text = "v${{ a }}-${{ '}}' }}"
        >>> [text[start:end] for start, end in templates(text)]
        [' a ', " '}}' "]
    """
    begin = text.find("${{")
    while begin >= 0:
        at = begin + 3
        while True:
            end, quote = text.find("}}", at), text.find("'", at)
            if end < 0:
                return
            if 0 <= quote < end:
                closing = text.find("'", quote + 1)
                if closing < 0:
                    return
                at = closing + 1
                continue
            break
        yield begin + 3, end
        begin = text.find("${{", end + 2)


def expression_in(text: str) -> tuple[int, int] | None:
    """Return start and end of the expression of an `if:`, with or without `${{ }}`.

    Returns None if there is other text (even a blank) before or after `${{ }}`. The runner then treats the whole text
    as a string, and a non-empty string is true.

    Example:
        >>> [expression_in(text) for text in ("a", "${{ a }}", "${{ a }} && b")]
        [(0, 1), (3, 6), None]
    """
    spans = list(templates(text))
    if not spans:
        return 0, len(text)
    return spans[0] if spans == [(3, len(text) - 2)] else None


def parse(text: str) -> Formula:
    """Return the formula of an `if:`.

    Example:
        >>> from wfgate.logic.conditions.formula import words
        >>> words(parse("failure() && github.ref == 'refs/heads/Main'"))
        "status == 'failure' and github.ref == 'refs/heads/main'"
        >>> words(parse("${{ failure() }} && true"))
        'true'
    """
    span = expression_in(text)
    return ALWAYS if span is None else _READER.formula(tree(text, GRAMMAR, *span))


def parse_tree(text: str, start: int, end: int) -> Expression:
    """Return the syntax tree of an expression. Function calls are not rewritten.

    Raises:
        GuardSyntaxError: If the expression has a syntax error.

    Example:
        >>> parse_tree("always() || x", 0, 13).parts[0].text
        'always'
    """
    return tree(text, _AS_WRITTEN, start, end)


def _rewritten(node: Expression) -> Expression:
    name = node.text.casefold()
    if not node.parts and name == "always":
        return Expression("literal", node.at, scalar=True)
    if not node.parts and name in {f"{outcome}" for outcome in _OUTCOMES}:
        status = Expression("path", node.at, path=(_STATUS,))
        return Expression("compare", node.at, (status, Expression("literal", node.at, scalar=name)), "==", closed=True)
    if name == "fromjson" and len(node.parts) == 1 and isinstance(node.parts[0].scalar, str):
        return _decoded(node, node.parts[0].scalar)
    return node


def _decoded(node: Expression, text: str) -> Expression:
    """Return the list of values in a JSON text; any other text stays a function call."""
    if not text.startswith("[") or "[" in text[1:]:
        return node
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return node
    if not all(isinstance(value, str | bool) or value is None for value in values):
        return node
    return Expression("list", node.at, tuple(Expression("literal", node.at, scalar=value) for value in values))


GRAMMAR = Grammar(
    infix={**EQUALITY, **ORDERING, **SYMBOLS},
    prefix={"!": "!"},
    functions={"startswith": "starts", "endswith": "ends", "contains": "contains"},
    name=r"[A-Za-z_][A-Za-z0-9_-]*",
    string="'(?>(?:[^']|'')*)'",
    doubled=True,
    any_case=True,
    folded=True,
    domains={_STATUS: _OUTCOMES},
    rewrite=_rewritten,
)
_READER = Reader(GRAMMAR)
_AS_WRITTEN = replace(GRAMMAR, rewrite=lambda node: node)
