"""Conditions in JSONata, as used in state machines: `{% ... %}`."""

from wfgate.logic.conditions.formula import Formula
from wfgate.logic.conditions.languages.grammar import (
    ARITHMETIC,
    CHOICE,
    ELSE,
    EQUAL,
    ORDER,
    ORDERING,
    PLUS,
    TERNARY,
    WORDS,
    Grammar,
)
from wfgate.logic.conditions.languages.meaning import Reader
from wfgate.logic.conditions.languages.parser import tree


def parse(text: str, start: int, end: int) -> Formula:
    """Return the formula of the expression between two positions of the text."""
    return _READER.formula(tree(text, GRAMMAR, start, end))


def _renamed(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return `$states.input.x` as `x`, and a variable `$x` as `x`."""
    root = path[0]
    if root == "$states" and len(path) > 1:
        return path[2:] if path[1] == "input" and len(path) > 2 and isinstance(path[2], str) else path[1:]
    return (root[1:], *path[1:]) if isinstance(root, str) and len(root.strip("$")) == len(root) - 1 else path


GRAMMAR = Grammar(
    infix={
        **ORDERING,
        **WORDS,
        **ARITHMETIC,
        **TERNARY,
        "=": (EQUAL, "=="),
        "!=": (EQUAL, "!="),
        "in": (ORDER, "in"),
        "&": (PLUS, "operator"),
        "~>": (ELSE, "operator"),
        "??": (ELSE, "operator"),
        "?:": (ELSE, "operator"),
        ":=": (CHOICE, "operator"),
        "^": (ELSE, "operator"),
    },
    prefix={"-": "-", "{": "braces", "function": "swallow"},
    functions={
        "$exists": "present",
        "$not": "not",
        "$boolean": "truthy",
        "$contains": "contains",
    },
    name=r"\$\$?\w*+|[^\W\d]\w*+",
    quoted="`(?>(?:[^`]|``)*)`",
    regexes=True,
    rename=_renamed,
)
_READER = Reader(GRAMMAR)
