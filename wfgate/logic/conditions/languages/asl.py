"""Conditions of the Amazon States Language: a choice rule as JSON, or a condition in JSONata."""

import json
import re
from typing import Any

from wfgate.logic.conditions.formula import Formula, constant, every, negated, some
from wfgate.logic.conditions.languages import jsonata
from wfgate.logic.conditions.languages.grammar import Grammar
from wfgate.logic.conditions.languages.json_text import column_of, loaded
from wfgate.logic.conditions.languages.meaning import Reader, holds
from wfgate.logic.conditions.languages.node import Expression, GuardSyntaxError, rendered
from wfgate.logic.conditions.languages.parser import tree
from wfgate.logic.conditions.languages.patterns import like

_OPERATOR = re.compile(
    "(String|Numeric|Boolean|Timestamp)(Equals|LessThan|GreaterThan|LessThanEquals|GreaterThanEquals)(Path)?"
)
_RELATIONS = {
    "Equals": "==",
    "LessThan": "<",
    "GreaterThan": ">",
    "LessThanEquals": "<=",
    "GreaterThanEquals": ">=",
}
_KINDS = {
    "IsNull": "null",
    "IsString": "a string",
    "IsNumeric": "a number",
    "IsBoolean": "a boolean",
    "IsTimestamp": "a timestamp",
}
_TYPES: dict[str, tuple[type, ...]] = {
    "String": (str,),
    "Timestamp": (str,),
    "Boolean": (bool,),
    "Numeric": (int, float),
}
_OTHER_FIELDS = frozenset({"Next", "Comment", "Assign", "Output", "End", "Type", "Parameters", "QueryLanguage"})


def parse(text: str) -> Formula:
    """Return the formula of a choice rule in JSON, or of `{% JSONata %}`.

    A null field differs from an absent field, so `IsNull` is a separate term. Times are not analysed.

    Example:
        >>> from wfgate.logic.conditions.formula import words
        >>> words(parse('{"Not": {"Variable": "$.order.total", "NumericLessThan": 100}, "Next": "Review"}'))
        'order.total >= 100'
        >>> words(parse("{% $states.input.total > 5 and $exists($code) %}"))
        'total > 5 and code != null'
    """
    stripped = text.strip()
    if stripped.startswith("{%"):
        return _condition(text, 0)
    if stripped in {"true", "false"}:
        return constant(stripped == "true")
    return _rule(loaded(text), text)


def _condition(text: str, offset: int) -> Formula:
    start = text.find("{%") + 2
    end = text.rstrip().rfind("%}")
    if end < start or text[end + 2 :].strip():
        raise GuardSyntaxError("expected '%}' at the end", column=offset + len(text) + 1)
    try:
        return jsonata.parse(text, start, end)
    except GuardSyntaxError as problem:
        raise GuardSyntaxError(problem.message, column=problem.column + offset) from None


def _rule(rule: Any, text: str) -> Formula:
    if not isinstance(rule, dict):
        raise GuardSyntaxError("a rule must be a JSON object", column=1)
    comparisons = [_asked(rule, key, text) for key in rule if key not in _OTHER_FIELDS and key != "Variable"]
    if len(comparisons) != 1:
        message = "no comparison" if not comparisons else "more than one comparison"
        raise GuardSyntaxError(f"the rule has {message}", column=1)
    return comparisons[0]


def _asked(rule: dict[str, Any], key: str, text: str) -> Formula:
    value = rule[key]
    if key == "Not":
        return negated(_rule(value, text))
    if key in {"And", "Or"}:
        if not isinstance(value, list) or not value:
            raise GuardSyntaxError(
                f"the value of {key} must be a list of one or more rules", column=column_of(text, key)
            )
        return (every if key == "And" else some)([_rule(each, text) for each in value])
    if key == "Condition":
        if isinstance(value, bool):
            return constant(value)
        if not isinstance(value, str) or not value.strip().startswith("{%"):
            raise GuardSyntaxError(
                "the value of Condition must be true, false or '{% ... %}'", column=column_of(text, key)
            )
        return _condition(value, column_of(text, value))
    variable = rule.get("Variable")
    if not isinstance(variable, str) or not variable.strip():
        raise GuardSyntaxError(f"{key[:40]} needs the field 'Variable'", column=column_of(text, key))
    comparison = _comparison(_path(variable), key, value)
    if comparison is None:
        raise GuardSyntaxError(
            f"{key[:40]} is not a comparison operator, or its value has the wrong type", column=column_of(text, key)
        )
    return comparison


def _comparison(variable: Expression, key: str, value: Any) -> Formula | None:
    """Return the formula of a comparison; None for an unknown operator or a value of the wrong type."""
    if key == "IsPresent" or key in _KINDS:
        return _about_kind(variable, key, value=value) if isinstance(value, bool) else None
    if key == "StringMatches":
        return _matches(variable, value) if isinstance(value, str) else None
    match = _OPERATOR.fullmatch(key)
    right = None if match is None else _right(match[1], bool(match[3]), value)
    if match is None or right is None or (match[1] == "Boolean" and match[2] != "Equals"):
        return None
    kind, relation = match[1], _RELATIONS[match[2]]
    if kind == "Timestamp" or (kind == "String" and relation != "=="):
        return _in_order(variable, relation, right)
    return _READER.formula(Expression("compare", 0, (variable, right), relation))


def _right(kind: str, path: bool, value: Any) -> Expression | None:  # noqa: FBT001 - one of two ways to write a value
    if path:
        return _path(value) if isinstance(value, str) and value.strip() else None
    fits = isinstance(value, _TYPES[kind]) and not (kind == "Numeric" and isinstance(value, bool))
    return Expression("literal", 0, scalar=value) if fits else None


def _about_kind(variable: Expression, key: str, *, value: bool) -> Formula:
    if key == "IsPresent":
        formula = _READER.asked("present", variable)
    else:
        formula = holds(f"{rendered(_READER.named(variable))} is {_KINDS[key]}")
    return formula if value else negated(formula)


def _in_order(variable: Expression, relation: str, right: Expression) -> Formula:
    """Compare times or texts as opaque terms; only the fact that `<` is the negation of `>=` is used."""
    one, other = (rendered(_READER.named(side)) for side in (variable, right))
    if relation == "==":
        return holds(f"{one} is the time {other}")
    contrary = relation.startswith(">")
    operator = {"<": "<", "<=": "<=", ">": "<=", ">=": "<"}[relation]
    formula = holds(f"{one} {operator} {other}")
    return negated(formula) if contrary else formula


def _matches(variable: Expression, glob: str) -> Formula:
    test = like(glob)
    if set(glob) == {"*"}:
        return _READER.asked("present", variable)
    if test is None or variable.kind != "path":
        return holds(f"{rendered(_READER.named(variable))} like {json.dumps(glob, ensure_ascii=False)}")
    relation, value = test
    if relation == "==":
        return _READER.formula(Expression("compare", 0, (variable, Expression("literal", 0, scalar=value)), "=="))
    return _READER.formula(Expression("test", 0, (variable, Expression("literal", 0, scalar=value)), relation))


def _path(text: str) -> Expression:
    """Parse a reference path or an intrinsic function; any other text is an opaque term."""
    try:
        return tree(text, _PATHS)
    except GuardSyntaxError:
        return Expression("opaque", 0, text=" ".join(text.split()))


def _renamed(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return `$.x` as `x`, a variable `$x` as `x`, and `$$.x` as `context.x`."""
    root = path[0]
    if root == "$":
        return path[1:] if len(path) > 1 and isinstance(path[1], str) else path
    if root == "$$":
        return ("context", *path[1:])
    return (root[1:], *path[1:]) if isinstance(root, str) and root.startswith("$") else path


_PATHS = Grammar(
    infix={}, prefix={"-": "-"}, literals={}, name=r"\$\$?[\w-]*+|[^\W\d][\w-]*+", quoted="", rename=_renamed
)
_READER = Reader(_PATHS)
