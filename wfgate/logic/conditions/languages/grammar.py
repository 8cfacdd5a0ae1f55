"""The differences between the languages as tables: spellings, operators and functions."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from wfgate.logic.conditions.formula import Scalar
from wfgate.logic.conditions.languages.node import MAX_LENGTH, Expression

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


def _itself(node: Expression) -> Expression:
    return node


def _same(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    return path


@dataclass(frozen=True)
class Grammar:
    """The grammar of one language.

    Attributes:
        infix: Precedence and meaning of each operator between or after operands. An operator has up to four words.
        prefix: Meaning of each operator before an operand. "not" applies to a whole comparison, "!" only to the next
            operand. "opaque": the operand is not analysed. "swallow": the text up to the next bracket or comma is
            skipped.
        literals: Words that are literals, with their values.
        functions: The test that each function applies to its arguments. Names of methods start with a dot.
        name: Pattern of a name.
        string: Pattern of a string.
        space: Pattern of white space and comments between tokens.
        doubled: Whether a quote inside a string is written twice instead of with a backslash.
        quoted: Pattern of a quoted name; empty if the language has no quoted names.
        template: Pattern of a template; empty if the language has no templates.
        embedded: Parses a template, given its text and its start position.
        groups: Brackets with the meaning of parentheses, opening to closing.
        regexes: Whether /.../ is a literal.
        spaced: Whether a name can have several words.
        bare: Whether a word without quotes is a string.
        any_case: Whether operators and functions are case-insensitive.
        folded: Whether comparisons of strings are case-insensitive.
        untyped: Whether "3" and 3 are the same value; "03" is a text.
        chained: Whether 1 < x < 3 means 1 < x and x < 3.
        substring: Whether 'a' in x tests for a substring.
        domains: The possible values of some terms.
        rewrite: Replaces a function call by the expression that it means.
        rename: Replaces a path by the path in the plain language.
        longest: Most characters of an expression.
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
    embedded: Callable[[str, int], Expression] | None = None
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
    rewrite: Callable[[Expression], Expression] = _itself
    rename: Callable[[tuple[str | int, ...]], tuple[str | int, ...]] = _same
    longest: int = MAX_LENGTH

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
        """Return the word as the tables spell it: in lower case if the language is case-insensitive."""
        return text.casefold() if self.any_case else text
