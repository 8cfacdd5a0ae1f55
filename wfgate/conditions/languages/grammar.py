"""The differences between the languages, as tables: spellings, operators and functions."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from wfgate.conditions.formula import Scalar
from wfgate.conditions.languages.node import Node

# How tightly operators bind.
OPEN, CHOICE, OR, AND, NOT, EQUAL, ORDER, ELSE, PLUS, TIMES, POWER, TIGHT = range(0, 120, 10)

Infix = Mapping[str, tuple[int, str]]

EQUALITY: Infix = {"==": (EQUAL, "=="), "!=": (EQUAL, "!=")}
ORDERING: Infix = {"<": (ORDER, "<"), "<=": (ORDER, "<="), ">": (ORDER, ">"), ">=": (ORDER, ">=")}
SYMBOLS: Infix = {"&&": (AND, "and"), "||": (OR, "or")}
WORDS: Infix = {"and": (AND, "and"), "or": (OR, "or")}
ARITHMETIC: Infix = {
    "+": (PLUS, "+"),
    "-": (PLUS, "-"),
    "*": (TIMES, "*"),
    "/": (TIMES, "/"),
    "%": (TIMES, "%"),
}
TERNARY: Infix = {"?": (CHOICE, "choice")}

NAME = r"[^\W\d]\w*"
"""A name without anything special."""
STRING = r"'(?>(?:[^'\\]|\\.)*)'|\"(?>(?:[^\"\\]|\\.)*)\""
"""A string in either quotes, with backslashes."""
TRUTHS: Mapping[str, Scalar] = {"true": True, "false": False, "null": None}

_NUMBER = r"0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_PUNCTUATION = ("(", ")", "[", "]", "{", "}", ",", ".", "..", ":", ";")


def _itself(node: Node) -> Node:
    return node


def _same(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    return path


@dataclass(frozen=True)
class Grammar:
    """One language.

    Attributes:
        infix: Operators between or behind operands, up to four words long: how tightly, and what they mean.
        prefix: Operators in front of an operand. "not" reaches over comparisons, "!" does not; "opaque" is not
            evaluated; "swallow" leaves everything up to the next bracket or comma unread.
        literals: Words that are values.
        functions: What calls ask of their arguments; methods start with a dot.
        name: Pattern of a name.
        string: Pattern of a string.
        space: Pattern of what stands between tokens and says nothing.
        doubled: Whether a quote in a string is doubled, not escaped.
        quoted: Pattern of a name in quotes of its own; empty if there is none.
        template: Pattern of text that `embedded` reads; empty if there is none.
        embedded: Reads a template: its text, and where it starts.
        groups: Brackets that mean no more than parentheses.
        regexes: Whether /.../ is a literal.
        spaced: Whether a name may be several words.
        bare: Whether a bare word stands for itself.
        any_case: Whether operators and functions may be written in any case.
        folded: Whether strings are compared without case.
        untyped: Whether "3" and 3 are one value.
        chained: Whether 1 < x < 3 means both.
        substring: Whether 'a' in x asks for a part of a string.
        domains: Values that a term can have.
        rewrite: Turns a call into what it stands for.
        rename: Turns a path into what a person would write.
    """

    infix: Infix
    prefix: Mapping[str, str]
    literals: Mapping[str, Scalar] = field(default_factory=lambda: TRUTHS)
    functions: Mapping[str, str] = field(default_factory=dict)
    name: str = NAME
    string: str = STRING
    space: str = r"\s++"
    doubled: bool = False
    quoted: str = ""
    template: str = ""
    embedded: Callable[[str, int], Node] | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    regexes: bool = False
    spaced: bool = False
    bare: bool = False
    any_case: bool = False
    folded: bool = False
    untyped: bool = False
    chained: bool = False
    substring: bool = False
    domains: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    rewrite: Callable[[Node], Node] = _itself
    rename: Callable[[tuple[str | int, ...]], tuple[str | int, ...]] = _same

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern of one token; linear, because no alternative backtracks."""
        spellings = {*_PUNCTUATION, *self.infix, *self.prefix, *self.groups, *self.groups.values()}
        symbols = sorted((each for each in spellings if not each[-1].isalpha()), key=lambda each: (-len(each), each))
        kinds = {
            "space": self.space,
            "opaque": "«[^»]*+»",
            "template": self.template,
            "quoted": self.quoted,
            "string": self.string,
            "name": self.name,
            "number": _NUMBER,
            "symbol": "|".join([*map(re.escape, symbols), "."]),
        }
        return re.compile("|".join(f"(?P<{kind}>{each})" for kind, each in kinds.items() if each), re.DOTALL)

    def word(self, text: str) -> str:
        """Return the spelling of an operator or function in the tables."""
        return text.casefold() if self.any_case else text
