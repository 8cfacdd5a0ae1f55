"""Conditions of BPMN: `conditionExpression` in JUEL or FEEL, XPath's data objects, and prose."""

from wfgate.logic.conditions.formula import Formula
from wfgate.logic.conditions.languages import plain
from wfgate.logic.conditions.languages.grammar import (
    ARITHMETIC,
    EQUAL,
    EQUALITY,
    ORDER,
    ORDERING,
    SYMBOLS,
    TERNARY,
    TIMES,
    WORDS,
    Grammar,
    Infix,
)
from wfgate.logic.conditions.languages.meaning import Reader
from wfgate.logic.conditions.languages.node import Expression
from wfgate.logic.conditions.languages.parser import tree

_WORDS: Infix = {
    "=": (EQUAL, "=="),
    "<>": (EQUAL, "!="),
    "===": (EQUAL, "=="),
    "!==": (EQUAL, "!="),
    "eq": (EQUAL, "=="),
    "ne": (EQUAL, "!="),
    "lt": (ORDER, "<"),
    "le": (ORDER, "<="),
    "gt": (ORDER, ">"),
    "ge": (ORDER, ">="),
    "div": (TIMES, "/"),
    "mod": (TIMES, "operator"),
    "**": (TIMES, "operator"),
    "in": (ORDER, "in"),
    "between": (ORDER, "between"),
    "instance of": (ORDER, "operator"),
}
_LOOKUPS = frozenset({"getDataObject", "bpmn:getDataObject", ".getVariable", ".getVariableLocal", ".get"})


def parse(text: str) -> Formula:
    """Return the formula of a condition: `${...}`, `#{...}`, `= ...`, an expression without these marks, or prose.

    Example:
        >>> from wfgate.logic.conditions.formula import words
        >>> words(parse("${amount gt 1000 && !approved}"))
        'amount > 1000 and not approved'
        >>> words(parse('= Service Level in ("gold", "silver")'))
        "`Service Level` == 'gold' or `Service Level` == 'silver'"
    """
    if plain.is_prose(text):
        return plain.parse(text)
    blank = len(text) - len(text.lstrip())
    start = blank + 1 if text.startswith("=", blank) and not text.startswith("==", blank) else 0
    return _READER.formula(tree(text, GRAMMAR, start))


def _rewritten(node: Expression) -> Expression:
    if node.parts and node.text in _LOOKUPS:
        key = node.parts[-1].scalar
        if isinstance(key, str) and len(node.parts) == (2 if node.text.startswith(".") else 1):
            return Expression("path", node.at, path=(key,))
    if node.text == ".equals" and len(node.parts) == 2:
        return Expression("compare", node.at, node.parts, "==", closed=True)
    return node


GRAMMAR = Grammar(
    infix={**EQUALITY, **ORDERING, **SYMBOLS, **WORDS, **ARITHMETIC, **TERNARY, **_WORDS},
    prefix={
        "!": "!",
        "not": "not",
        "-": "-",
        "empty": "empty",
        "{": "braces",
        **dict.fromkeys(("some", "every", "for", "if", "function", "new"), "swallow"),
    },
    functions={
        **dict.fromkeys(("starts with", ".startsWith", "fn:startsWith"), "starts"),
        **dict.fromkeys(("ends with", ".endsWith", "fn:endsWith"), "ends"),
        **dict.fromkeys(("contains", ".contains", "fn:contains"), "contains"),
        "list contains": "member",
        "is defined": "present",
        ".isEmpty": "empty",
    },
    # Names of FEEL's own functions that hold an "and"; a name with a namespace is a function's.
    name=r"date and time(?=\s*\()|years and months duration(?=\s*\()|[^\W\d]\w*+(?::[^\W\d]\w*+(?=\())?",
    groups={"${": "}", "#{": "}"},
    spaced=True,
    rewrite=_rewritten,
)
_READER = Reader(GRAMMAR)
