"""Conditions of Argo Workflows: `when:`, a govaluate expression in which Argo first replaces each `{{...}}`."""

from dataclasses import replace

from wfgate.logic.conditions.formula import Formula
from wfgate.logic.conditions.languages.grammar import (
    ARITHMETIC,
    ELSE,
    EQUALITY,
    ORDER,
    ORDERING,
    PLUS,
    SYMBOLS,
    TERNARY,
    TIMES,
    WORDS,
    Grammar,
    Infix,
)
from wfgate.logic.conditions.languages.meaning import Reader
from wfgate.logic.conditions.languages.node import Expression, GuardSyntaxError
from wfgate.logic.conditions.languages.parser import tree

_BITS: Infix = {
    **dict.fromkeys(("&", "|", "^", "<<", ">>"), (PLUS, "operator")),
    "**": (TIMES, "operator"),
    "??": (ELSE, "operator"),
}
_CONVERSIONS = frozenset({"asInt", "asFloat", "int", "float", "string", "toString"})


def parse(text: str) -> Formula:
    """Return the formula of a `when:`.

    Argo replaces `{{...}}` by text. Therefore "3" and 3 are the same value, and `asInt(x)` equals `x`; "03" is a text.
    A word without quotes is a string.

    Example:
        >>> from wfgate.logic.conditions.formula import words
        >>> words(parse("{{steps.flip-coin.outputs.result}} == heads && '{{inputs.parameters.n}}' < 3"))
        "steps.flip-coin.outputs.result == 'heads' and inputs.parameters.n < 3"
        >>> words(parse("{{= asInt(inputs.parameters['n']) in [1, 2] }}"))
        'inputs.parameters.n == 1 or inputs.parameters.n == 2'
    """
    return _READER.formula(tree(text, GRAMMAR))


def _embedded(text: str, at: int) -> Expression:
    """Parse a `{{path}}` or an expression in `{{=...}}`."""
    if text.startswith("{{="):
        try:
            return replace(tree(text, _EXPRESSION, 3, len(text) - 2), at=at, closed=True)
        except GuardSyntaxError as problem:
            raise GuardSyntaxError(problem.message, column=problem.column + at) from None
    try:
        node = tree(text, _TAG, 2, len(text) - 2)
    except GuardSyntaxError:
        node = None
    if node is None or node.kind != "path":
        name = " ".join(text[2:-2].split())
        if not name:
            raise GuardSyntaxError("the braces are empty", column=at + 3)
        return Expression("path", at, path=(name,))
    return replace(node, at=at, closed=True)


def _rewritten(node: Expression) -> Expression:
    return node.parts[0] if node.text in _CONVERSIONS and len(node.parts) == 1 else node


_TAG = Grammar(infix={}, prefix={}, literals={}, name=r"[^\W\d][\w-]*+")
_EXPRESSION = Grammar(
    infix={
        **EQUALITY,
        **ORDERING,
        **SYMBOLS,
        **WORDS,
        **ARITHMETIC,
        **TERNARY,
        **_BITS,
        "in": (ORDER, "in"),
        "not in": (ORDER, "not in"),
        "contains": (ORDER, "contains"),
        "not contains": (ORDER, "not contains"),
        "startsWith": (ORDER, "starts"),
        "not startsWith": (ORDER, "not starts"),
        "endsWith": (ORDER, "ends"),
        "not endsWith": (ORDER, "not ends"),
        "matches": (ORDER, "matches"),
        "not matches": (ORDER, "not matches"),
    },
    prefix={"!": "!", "not": "not", "-": "-", "+": "+", "{": "braces"},
    literals={"true": True, "false": False, "nil": None, "null": None},
    rewrite=_rewritten,
)
GRAMMAR = Grammar(
    infix={
        **EQUALITY,
        **ORDERING,
        **SYMBOLS,
        **ARITHMETIC,
        **TERNARY,
        **_BITS,
        "=~": (ORDER, "matches"),
        "!~": (ORDER, "not matches"),
        "in": (ORDER, "in"),
        "IN": (ORDER, "in"),
    },
    prefix={"!": "!", "-": "-"},
    literals={"true": True, "false": False},
    name=r"[^\W\d][\w-]*+",
    template=(
        r"\{\{=(?>(?:[^}\"']|\"(?>(?:[^\"\\]|\\.)*)\"|'(?>(?:[^'\\]|\\.)*)'|\}(?!\}))*)\}\}|"
        r"\{\{[^{}=][^{}]*+\}\}"
    ),
    embedded=_embedded,
    bare=True,
    untyped=True,
)
_READER = Reader(GRAMMAR)
