"""GitHub Actions: `if:`."""

import json
import re

from wfgate.conditions.formula import ALWAYS, Formula
from wfgate.conditions.languages.grammar import EQUALITY, ORDERING, SYMBOLS, Grammar
from wfgate.conditions.languages.meaning import Reader
from wfgate.conditions.languages.node import Node
from wfgate.conditions.languages.parser import tree

_STATUS = "status"
_OUTCOMES = ("success", "failure", "cancelled")
_TEMPLATE = re.compile(r"\$\{\{")


def parse(text: str) -> Formula:
    """Parse an `if:`, with or without `${{ }}`.

    Text beside `${{ }}`, even a blank, makes the whole a string, and a string that is not empty is true: that is
    what the runner does, whatever was meant.

    Example:
        >>> from wfgate.conditions.formula import words
        >>> words(parse("failure() && github.ref == 'refs/heads/Main'"))
        "status == 'failure' and github.ref == 'refs/heads/main'"
        >>> words(parse("${{ failure() }} && true"))
        'true'
    """
    found = list(_TEMPLATE.finditer(text))
    if not found:
        return _READER.formula(tree(text, GRAMMAR))
    if len(found) == 1 and text.startswith("${{") and text.endswith("}}"):
        return _READER.formula(tree(text, GRAMMAR, 3, len(text) - 2))
    return ALWAYS


def _rewritten(node: Node) -> Node:
    name = node.text.casefold()
    if not node.parts and name == "always":
        return Node("literal", node.at, scalar=True)
    if not node.parts and name in {f"{outcome}" for outcome in _OUTCOMES}:
        status = Node("path", node.at, path=(_STATUS,))
        return Node("compare", node.at, (status, Node("literal", node.at, scalar=name)), "==", closed=True)
    if name == "fromjson" and len(node.parts) == 1 and isinstance(node.parts[0].scalar, str):
        return _decoded(node, node.parts[0].scalar)
    return node


def _decoded(node: Node, text: str) -> Node:
    """Return the list of values that a JSON text in an expression stands for; anything else stays a call."""
    if not text.startswith("[") or "[" in text[1:]:
        return node
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return node
    if not all(isinstance(value, str | bool) or value is None for value in values):
        return node
    return Node("list", node.at, tuple(Node("literal", node.at, scalar=value) for value in values))


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
