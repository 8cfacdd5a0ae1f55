"""The plain language of conditions: comparisons in the spellings of most languages, and English sentences."""

import re

from wfgate.logic.conditions.formula import Atom, Formula, Linear, atoms, negated
from wfgate.logic.conditions.languages.grammar import (
    ARITHMETIC,
    EQUAL,
    EQUALITY,
    ORDER,
    ORDERING,
    SYMBOLS,
    WORDS,
    Grammar,
    Infix,
)
from wfgate.logic.conditions.languages.meaning import Reader, holds
from wfgate.logic.conditions.languages.node import MAX_LENGTH, GuardSyntaxError
from wfgate.logic.conditions.languages.parser import tree

_ASKED = {"present": ("present", "defined", "set"), "absent": ("null", "undefined", "missing", "absent")}
_CONTRARY = {"present": "absent", "absent": "present"}
_IS: Infix = {
    **{f"is {word}": (ORDER, meaning) for meaning, words in _ASKED.items() for word in words},
    **{f"is not {word}": (ORDER, _CONTRARY[meaning]) for meaning, words in _ASKED.items() for word in words},
    "is empty": (ORDER, "empty"),
    "is not empty": (ORDER, "filled"),
}
_TEXTS: Infix = {
    "starts with": (ORDER, "starts"),
    "startswith": (ORDER, "starts"),
    "does not start with": (ORDER, "not starts"),
    "not starts with": (ORDER, "not starts"),
    "ends with": (ORDER, "ends"),
    "endswith": (ORDER, "ends"),
    "does not end with": (ORDER, "not ends"),
    "not ends with": (ORDER, "not ends"),
    "contains": (ORDER, "contains"),
    "includes": (ORDER, "contains"),
    "does not contain": (ORDER, "not contains"),
    "not contains": (ORDER, "not contains"),
    "like": (ORDER, "like"),
    "not like": (ORDER, "not like"),
    "matches": (ORDER, "matches"),
    "=~": (ORDER, "matches"),
    "!~": (ORDER, "not matches"),
    "in": (ORDER, "in"),
    "not in": (ORDER, "not in"),
    "is in": (ORDER, "in"),
    "is not in": (ORDER, "not in"),
    "between": (ORDER, "between"),
}
_EQUALS: Infix = {
    **dict.fromkeys(("=", "===", "is", "equals"), (EQUAL, "==")),
    **dict.fromkeys(("<>", "!==", "is not", "does not equal"), (EQUAL, "!=")),
}

_OPERATORS = re.compile(r"""[=<>!&|()\[\]{}"«»`+*~^]|(?<![^\W\d])/|/(?![^\W\d])|(?<!\w)'|'(?!\w)""")
_LEAD = re.compile(r"\s*+(if|when|unless)\s++(?=\S)", re.IGNORECASE)
_NOT = re.compile(r"\s*+not\s++", re.IGNORECASE)
_DEFAULTS = frozenset({"otherwise", "else", "default"})


def parse(text: str) -> Formula:
    """Return the formula of a condition. A sentence without operator symbols becomes one opaque term.

    Example:
        >>> from wfgate.logic.conditions.formula import words
        >>> words(parse("unless environment in ['staging', 'prod']"))
        "not (environment == 'staging' or environment == 'prod')"
        >>> words(parse("if  not every item is in stock"))
        'not «every item is in stock»'
        >>> parse("status == ")
        Traceback (most recent call last):
        ...
        wfgate.logic.conditions.languages.node.GuardSyntaxError: column 11: expected a value, not the end
    """
    lead = _LEAD.match(text, 0, MAX_LENGTH)
    start = lead.end() if lead else 0
    formula = _sentence(text, start) if is_prose(text) else _READER.formula(tree(text, GRAMMAR, start))
    return negated(formula) if lead and lead[1].casefold() == "unless" else formula


def is_prose(text: str) -> bool:
    """Return whether a text has no operator symbols. An apostrophe or a slash between letters is none (mmol/l).

    Example:
        >>> is_prose("the customer's order is paid"), is_prose("status = 'paid'"), is_prose("below 2.8 mmol/l")
        (True, False, True)
    """
    return _OPERATORS.search(text) is None


def _sentence(text: str, start: int) -> Formula:
    """Parse a text without symbols: names joined by and, or, not; otherwise one sentence."""
    try:
        node = tree(text, GRAMMAR, start)
        if node.kind not in {"literal", "sum", "product"} or isinstance(node.scalar, bool):
            formula = _READER.formula(node)
            if all(_is_plain(atom) for atom in atoms(formula)):
                return formula
    except GuardSyntaxError:
        if len(text) > MAX_LENGTH or not text[start:].strip():
            raise
    contrary = _NOT.match(text, start)
    formula = holds(text[contrary.end() if contrary else start :].casefold())
    return negated(formula) if contrary else formula


def _is_plain(atom: Atom | Linear) -> bool:
    """Return whether a comparison is a real one: "the order is late" does not compare an order with a late."""
    return isinstance(atom, Atom) and not atom.term.opaque and atom.term.text.casefold() not in _DEFAULTS


def renamed(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return a path without the root of other languages: `$.x` and `$json.x` become `x`."""
    return path[1:] if len(path) > 1 and path[0] in {"$", "$json"} and isinstance(path[1], str) else path


GRAMMAR = Grammar(
    infix={**EQUALITY, **ORDERING, **SYMBOLS, **WORDS, **ARITHMETIC, **_IS, **_TEXTS, **_EQUALS},
    prefix={"not": "not", "!": "!", "-": "-", "+": "+"},
    literals={"true": True, "false": False, "null": None, "none": None, "nil": None, "undefined": None},
    functions={
        **dict.fromkeys(("startswith", "starts_with", ".startswith"), "starts"),
        **dict.fromkeys(("endswith", "ends_with", ".endswith"), "ends"),
        **dict.fromkeys(("contains", ".contains", "includes", ".includes"), "contains"),
        **dict.fromkeys(("exists", "defined", "ispresent", "isdefined"), "present"),
        **dict.fromkeys(("isnull", "ismissing"), "absent"),
        **dict.fromkeys(("isempty", "empty", ".isempty"), "empty"),
        **dict.fromkeys(("bool", "boolean"), "truthy"),
    },
    name=r"[$@]?[^\W\d]\w*(?>(?:-[^\W\d]\w*)*)|\$(?!\{)",
    quoted="`(?>(?:[^`]|``)*)`",
    groups={"${{": "}}", "{{": "}}", "${": "}"},
    regexes=True,
    any_case=True,
    chained=True,
    substring=True,
    rename=renamed,
)
_READER = Reader(GRAMMAR)
