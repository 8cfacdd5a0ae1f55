"""Conditions of n8n: the JSON parameters of an IF, Filter or Switch node, or an expression."""

import json
import re
from dataclasses import replace
from typing import Any

from wfgate.logic.conditions.formula import Formula, every, negated, some
from wfgate.logic.conditions.languages.grammar import (
    ARITHMETIC,
    CHOICE,
    ELSE,
    EQUAL,
    EQUALITY,
    ORDER,
    ORDERING,
    PLUS,
    STRING,
    SYMBOLS,
    TERNARY,
    TIMES,
    Grammar,
)
from wfgate.logic.conditions.languages.json_text import column_of, loaded
from wfgate.logic.conditions.languages.meaning import Reader
from wfgate.logic.conditions.languages.node import Expression, GuardSyntaxError
from wfgate.logic.conditions.languages.parser import tree

_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_COMPARED = {
    **dict.fromkeys(("equal", "equals"), "=="),
    **dict.fromkeys(("notEqual", "notEquals"), "!="),
    **dict.fromkeys(("larger", "gt"), ">"),
    **dict.fromkeys(("largerEqual", "gte"), ">="),
    **dict.fromkeys(("smaller", "lt"), "<"),
    **dict.fromkeys(("smallerEqual", "lte"), "<="),
}
_TESTED = {
    "contains": "contains",
    "startsWith": "starts",
    "endsWith": "ends",
    "regex": "matches",
    "exists": "present",
    "empty": "empty",
    "isEmpty": "empty",
    "isNotEmpty": "filled",
}
_TIMES = {
    "before": (False, False),
    "after": (False, True),
    "afterOrEquals": (True, False),
    "beforeOrEquals": (True, True),
}
_UNARY = frozenset({"present", "empty", "filled"})
_FIRST = {"number": "smaller", "dateTime": "after"}
_VERSION_1 = ("string", "number", "boolean", "dateTime")


def parse(text: str) -> Formula:
    """Return the formula of a node's parameters, of one condition in them, or of an expression.

    A value that does not start with `=` is a plain string, with or without braces: the editor saves such a value when
    the expression mode is off.

    Example:
        >>> from wfgate.logic.conditions.formula import words
        >>> words(parse("={{ $json.total > 3 && $json.name.startsWith('a') }}"))
        "total > 3 and name starts with 'a'"
        >>> words(parse('{"leftValue": "={{ $json.id }}", "operator": {"type": "string", "operation": "exists"}}'))
        'id != null'
    """
    start = len(text) - len(text.lstrip())
    if text.startswith("{", start) and not text.startswith("{{", start):
        return _parameters(loaded(text), text)
    start += text.startswith("=", start)
    return _READER.formula(_expression(text, start, 0))


def _expression(text: str, start: int, offset: int) -> Expression:
    """Parse the text from `start` on: an expression, with or without braces, or a text that contains expressions."""
    end = len(text.rstrip())
    blank = start + len(text[start:]) - len(text[start:].lstrip())
    inside = text.startswith("{{", blank) and text.endswith("}}", blank + 2, end)
    if text.count("{{", start) > 1 or (not inside and "{{" in text[start:]):
        return Expression("opaque", start, text=" ".join(text[start:].split()))
    try:
        return replace(tree(text, GRAMMAR, blank + 2, end - 2) if inside else tree(text, GRAMMAR, start), closed=True)
    except GuardSyntaxError as problem:
        raise GuardSyntaxError(problem.message, column=problem.column + offset) from None


def _parameters(rule: dict[str, Any], text: str) -> Formula:
    inner = rule.get("conditions")
    if isinstance(inner, list):
        return _joined([_condition(each, rule, text) for each in inner], rule.get("combinator"), text)
    if isinstance(inner, dict):
        if isinstance(inner.get("conditions"), list):
            return _parameters(inner, text)
        formulas = []
        for kind in inner:
            entries = inner[kind]
            if kind not in _VERSION_1 or not isinstance(entries, list):
                raise GuardSyntaxError(f"{kind[:40]} is not a type of condition", column=column_of(text, kind))
            formulas += [_older(each, kind, text) for each in entries]
        return _joined(formulas, rule.get("combineOperation"), text)
    if "operator" in rule:
        return _condition(rule, {}, text)
    if "value1" in rule or "value2" in rule:
        return _older(rule, rule.get("dataType", "string"), text)
    raise GuardSyntaxError("the rule has no condition", column=1)


def _joined(formulas: list[Formula], how: Any, text: str) -> Formula:
    if how is not None and not (isinstance(how, str) and how in {"and", "or", "all", "any"}):
        raise GuardSyntaxError("conditions must be joined by and, or, all or any", column=column_of(text, str(how)))
    return (some if how in {"or", "any"} else every)(formulas)


def _condition(condition: Any, above: dict[str, Any], text: str) -> Formula:
    operator = condition.get("operator") if isinstance(condition, dict) else None
    if not isinstance(operator, dict) or not isinstance(operator.get("operation"), str):
        raise GuardSyntaxError("a condition needs the field 'operator', and in it the field 'operation'", column=1)
    options = above.get("options")
    folded = isinstance(options, dict) and options.get("caseSensitive") is False
    kind = str(operator.get("type"))
    left, right = (_side(condition.get(key), kind, text) for key in ("leftValue", "rightValue"))
    return _asked(operator["operation"], kind, left, right, _FOLDED if folded else _READER)


def _older(condition: Any, kind: Any, text: str) -> Formula:
    if not isinstance(condition, dict) or not isinstance(kind, str):
        raise GuardSyntaxError(
            "a condition must be an object with the fields 'value1', 'operation' and 'value2'", column=1
        )
    operation = condition.get("operation", _FIRST.get(kind, "equal"))
    if not isinstance(operation, str):
        raise GuardSyntaxError("the value of 'operation' must be a text", column=column_of(text, "operation"))
    left, right = (_side(condition.get(key), kind, text) for key in ("value1", "value2"))
    return _asked(operation, kind, left, right, _READER)


def _asked(operation: str, kind: str, left: Expression, right: Expression, reader: Reader) -> Formula:
    if operation in {"true", "false"}:
        right = Expression("literal", 0, scalar=operation == "true")
        return reader.formula(Expression("compare", 0, (left, right), "=="))
    if operation in _TIMES or kind == "dateTime":
        return _in_time(operation, left, right, reader)
    if operation in _COMPARED:
        return reader.formula(Expression("compare", 0, (left, right), _COMPARED[operation]))
    plain = operation[3:4].lower() + operation[4:] if operation.startswith("not") else operation
    meaning = _TESTED.get(plain, plain)
    if meaning in _UNARY and (kind not in {"array", "object"} or meaning == "present"):
        formula = reader.asked(meaning, left)
    elif kind in {"array", "object"} or meaning not in _TESTED.values():
        parts = (left,) if meaning in _UNARY else (left, right)
        formula = reader.formula(Expression("operator", 0, parts, text=plain if parts[1:] else f"{plain} {kind}"))
    else:
        formula = reader.formula(Expression("test", 0, (left, right), text=meaning))
    return negated(formula) if plain != operation else formula


def _in_time(operation: str, left: Expression, right: Expression, reader: Reader) -> Formula:
    """Compare times as opaque terms; only the fact that some orders are negations of each other is used."""
    if operation not in _TIMES:
        return reader.formula(Expression("operator", 0, (left, right), text=operation))
    contrary, turned = _TIMES[operation]
    sides = (right, left) if turned else (left, right)
    formula = reader.formula(Expression("operator", 0, sides, text="before"))
    return negated(formula) if contrary else formula


def _side(value: Any, kind: str, text: str) -> Expression:
    """Parse one operand: an expression if it starts with `=`, otherwise a literal of the operator's type."""
    if isinstance(value, dict | list):
        return Expression("opaque", 0, text=json.dumps(value, ensure_ascii=False))
    if not isinstance(value, str):
        return Expression("literal", 0, scalar=value)
    if value.startswith("=") and "{{" in value:
        return _expression(value, 1, column_of(text, value))
    value = value.removeprefix("=")
    if kind == "number" and _NUMBER.fullmatch(value):
        return Expression("literal", 0, scalar=float(value) if "." in value else int(value))
    if kind == "boolean" and value in {"true", "false"}:
        return Expression("literal", 0, scalar=value == "true")
    return Expression("literal", 0, scalar=value)


def _rewritten(node: Expression) -> Expression:
    """Return `$('Node')` and its fields as a path, and `x.hasOwnProperty('y')` as the test whether x.y is present."""
    first = node.parts[0] if node.parts else None
    if first is None:
        return node
    if node.text == "$" and len(node.parts) == 1 and isinstance(first.scalar, str):
        return Expression("path", node.at, path=(first.scalar,))
    if node.text in {".first", ".last"} and len(node.parts) == 1 and first.kind == "path" and len(first.path) == 1:
        return replace(first, path=(*first.path, node.text[1:]))
    if node.text == ".hasOwnProperty" and len(node.parts) == 2 and first.kind == "path":
        key = node.parts[1].scalar
        if isinstance(key, str):
            return Expression("test", node.at, (replace(first, path=(*first.path, key)),), text="present")
    return node


def _renamed(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return `$json.x` as `x`, and an output of another node as `Expression.x`."""
    if path[0] == "$node" and len(path) > 3 and path[2] == "json":
        return (path[1], *path[3:])
    if len(path) > 3 and path[1] in {"item", "first", "last"} and path[2] == "json":
        if path[0] == "$input":
            return path[3:]
        return (path[0], *path[3:]) if path[1] == "item" else (path[0], path[1], *path[3:])
    return path[1:] if path[0] == "$json" and len(path) > 1 and isinstance(path[1], str) else path


GRAMMAR = Grammar(
    infix={
        **EQUALITY,
        **ORDERING,
        **SYMBOLS,
        **ARITHMETIC,
        **TERNARY,
        "===": (EQUAL, "=="),
        "!==": (EQUAL, "!="),
        "??": (ELSE, "operator"),
        **dict.fromkeys(("&", "|", "^", "<<", ">>", ">>>"), (PLUS, "operator")),
        "**": (TIMES, "operator"),
        **dict.fromkeys(("in", "instanceof"), (ORDER, "operator")),
        "=>": (CHOICE - 5, "swallow"),
        "?.": (0, ""),
    },
    prefix={
        "!": "!",
        "-": "-",
        "+": "+",
        "{": "braces",
        **dict.fromkeys(("~", "typeof", "new", "await", "void", "..."), "opaque"),
        **dict.fromkeys(("function", "async"), "swallow"),
    },
    literals={"true": True, "false": False, "null": None, "undefined": None},
    functions={
        ".startsWith": "starts",
        ".endsWith": "ends",
        ".includes": "contains",
        "Boolean": "truthy",
    },
    name=r"[^\W\d][\w$]*+|\$[\w$]*+",
    string=STRING + r"|`(?>(?:[^`\\]|\\.)*)`",
    # An open comment goes on to the end: who looked for its end would look again and again.
    space=r"\s++|//[^\n]*+|/\*(?>(?:[^*]|\*(?!/))*)(?:\*/)?",
    regexes=True,
    rewrite=_rewritten,
    rename=_renamed,
)
_READER = Reader(GRAMMAR)
_FOLDED = Reader(replace(GRAMMAR, folded=True))
