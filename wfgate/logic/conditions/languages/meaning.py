"""Translation of syntax trees to formulas. A part that cannot be analysed becomes an opaque term."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from wfgate.logic.conditions.formula import (
    NEVER,
    Atom,
    Formula,
    Linear,
    Relation,
    Scalar,
    Term,
    atoms,
    constant,
    every,
    linear,
    negated,
    some,
)
from wfgate.logic.conditions.languages.grammar import Grammar
from wfgate.logic.conditions.languages.node import Expression, GuardSyntaxError, Kind, rendered, spelled
from wfgate.logic.conditions.languages.patterns import like, matched

_UNSTABLE = re.compile(
    r"\b(?:now|today|random|randint|mathrandom|uuid|uuidv4|randomuuid|millis|currenttimemillis)\s*\(|"
    r"\bnew date\s*\(\s*\)|\$(?:now|today)\b",
    re.IGNORECASE,
)
_ORDER: dict[str, tuple[Relation, bool]] = {
    "==": ("==", False),
    "!=": ("==", True),
    "<": ("<", False),
    ">=": ("<", True),
    "<=": ("<=", False),
    ">": ("<=", True),
}
_LACKING: dict[str, tuple[tuple[str | None, ...], bool]] = {
    "absent": ((None,), False),
    "present": ((None,), True),
    "empty": ((None, ""), False),
    "filled": ((None, ""), True),
}
_BOUNDS = {"[]": (">=", "<="), "[)": (">=", "<"), "(]": (">", "<="), "()": (">", "<")}
_TESTS: dict[str, Relation] = {"starts": "starts", "ends": "ends", "contains": "contains"}
_MOST_COPIED = 16  # atoms; what must stand twice in the formula, and is larger, stays unread
_MOST_BITS = 500  # so that quotients and their rounding stay within a float
_NUMERIC = re.compile(r"0|-?(?:0(?=\.)|[1-9][0-9]{0,14})(?:\.[0-9]{0,14}[1-9])?")
"""A text that is also the shortest way to write a number: "010" and "1.0" are other texts than "10" and "1"."""


def opaque(text: str) -> Term:
    """Return the opaque term for a text that is not analysed.

    Example:
        >>> opaque("the customer agrees").stable, opaque("now() - start").stable
        (True, False)
    """
    text = " ".join(text.split()).replace("«", "<<").replace("»", ">>")
    return Term(text, opaque=True, stable=_UNSTABLE.search(text) is None)


def holds(text: str) -> Formula:
    """Return the formula "this opaque text is true"."""
    return Atom(opaque(text), "truthy")


@dataclass(frozen=True)
class _Sum:
    """A weighted sum of terms plus a number."""

    weights: tuple[tuple[Term, Fraction], ...] = ()
    constant: Fraction = Fraction(0)


@dataclass(frozen=True)
class _Constant:
    """A literal that is not a number."""

    value: str | bool | None


_Operand = _Sum | _Constant | Atom | Linear | Formula


class Reader:
    """Translates the syntax trees of one language to formulas."""

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar

    def formula(self, node: Expression) -> Formula:
        """Return the formula of a syntax tree that is used as a condition."""
        reading = self._readings.get(node.kind)
        if reading is not None:
            return reading(self, node)
        meaning = self._meaning(node)
        return self._unread(node) if meaning is None else self._test(meaning, node)

    def _bare(self, node: Expression) -> Formula:
        raise GuardSyntaxError(f"{node.text[:40]} is a text, not a condition", column=node.at + 1)

    def _truthy(self, node: Expression) -> Formula:
        return Atom(self._term(node), "truthy")

    def _every(self, node: Expression) -> Formula:
        return every([self.formula(part) for part in node.parts])

    def _some(self, node: Expression) -> Formula:
        return some([self.formula(part) for part in node.parts])

    def _not(self, node: Expression) -> Formula:
        return negated(self.formula(node.parts[0]))

    def _meaning(self, node: Expression) -> str | None:
        """Return the id of the test that a node makes; None if the node is not a supported test."""
        if node.kind == "test":
            return node.text
        if node.kind != "call":
            return None
        meaning = self.grammar.functions.get(self.grammar.word(node.text))
        if meaning is None:
            return None
        return (
            meaning
            if len(node.parts) == (2 if meaning in {*_TESTS, "in", "member", "like", "matches"} else 1)
            else None
        )

    def _unread(self, node: Expression) -> Formula:
        return holds(rendered(self.named(node)))

    def named(self, node: Expression) -> Expression:
        """Return the node with every path renamed to the plain language."""
        parts = tuple(self.named(part) for part in node.parts)
        path = self.grammar.rename(node.path) if node.kind == "path" else node.path
        return node if parts == node.parts and path == node.path else _with(node, parts, path)

    def _term(self, node: Expression) -> Term:
        if node.kind != "path" or "*" in node.path[1:]:
            return opaque(rendered(self.named(node)))
        text = " ".join(spelled(self.grammar.rename(node.path)).split())
        return Term(text, values=self.grammar.domains.get(text, ()), stable=_UNSTABLE.search(text) is None)

    def asked(self, meaning: str, node: Expression) -> Formula:
        """Return the formula of a test of one operand: "present", "empty"."""
        return self.formula(Expression("test", node.at, (node,), text=meaning))

    # Tests: starts with, in, is present ...

    def _test(self, meaning: str, node: Expression) -> Formula:
        if meaning in {"truthy", "not"}:
            formula = self.formula(node.parts[0])
            return negated(formula) if meaning == "not" else formula
        if meaning in _LACKING:
            values, contrary = _LACKING[meaning]
            formula = self._lacks(node, values)
            return negated(formula) if contrary else formula
        if meaning in {"in", "member"}:
            element, whole = node.parts if meaning == "in" else node.parts[::-1]
            return self._in(node, element, whole)
        return self._about_text(meaning, node) if meaning in {*_TESTS, "like", "matches"} else self._unread(node)

    def _lacks(self, node: Expression, values: tuple[str | None, ...]) -> Formula:
        operand = self._operand(node.parts[0])
        if isinstance(operand, _Constant):
            return constant(operand.value in values)
        if isinstance(operand, _Sum) and not operand.weights:
            return NEVER
        term = _only(operand)
        if term is None:
            return self._unread(node)
        return some([Atom(term, "==", value) for value in values])

    def _in(self, node: Expression, element: Expression, whole: Expression) -> Formula:
        if whole.kind in {"list", "range"} or whole.closed:
            left = self._operand(element)  # read once: doubled at every level, it would be read without end
            if whole.kind == "range":
                bounds = zip(_BOUNDS[whole.text], whole.parts, strict=True)
                return every([self._related(operator, element, left, bound) for operator, bound in bounds])
            choices = whole.parts if whole.kind == "list" else (whole,)
            return some([self._related("==", element, left, each) for each in choices])
        if self.grammar.substring:
            return self._about_text("contains", Expression("test", node.at, (whole, element), text="contains"))
        return self._unread(node)

    def _about_text(self, meaning: str, node: Expression) -> Formula:
        if meaning == "contains" and node.parts[0].kind == "list":
            return self._in(node, node.parts[1], node.parts[0])
        about, asked = (self._operand(part) for part in node.parts)
        if not isinstance(asked, _Constant) or not isinstance(asked.value, str):
            return self._unread(node)
        value = asked.value
        if meaning in {"like", "matches"}:
            return self._like(node, about, like(value) if meaning == "like" else matched(value))
        if isinstance(about, _Constant) and isinstance(about.value, str):
            held = {
                "starts": about.value.startswith(value),
                "ends": about.value.endswith(value),
                "contains": value in about.value,
            }
            return constant(held[meaning])
        term = _only(about)
        return self._unread(node) if term is None or "*" in term.text else Atom(term, _TESTS[meaning], value)

    def _like(self, node: Expression, about: _Operand, test: tuple[Relation, str] | None) -> Formula:
        term = _only(about)
        if term is None or test is None:
            return self._unread(node)
        return Atom(term, *test)

    # Comparisons.

    def _compare(self, node: Expression) -> Formula:
        one, other = node.parts
        return self._related(node.text, one, self._operand(one), other)

    def _related(self, operator: str, one: Expression, left: _Operand, other: Expression) -> Formula:
        relation, contrary = _ORDER[operator]
        right = self._operand(other)
        if isinstance(left, _Constant) and not isinstance(right, _Constant):
            left, right, one, other = right, left, other, one
            if relation != "==":  # c < x is the contrary of x <= c
                relation, contrary = ("<=" if relation == "<" else "<"), not contrary
        if isinstance(left, _Sum) and isinstance(right, _Sum):
            formula = _difference(left, right, relation)
        else:
            formula = _equality(left, right) if relation == "==" else None
        if formula is None:
            texts = [rendered(self.named(side)) for side in (one, other)]
            if relation == "==":
                texts.sort()
            formula = holds(f"{texts[0]} {relation} {texts[1]}")
        return negated(formula) if contrary else formula

    def _choice(self, node: Expression) -> Formula:
        condition, one, other = (self.formula(part) for part in node.parts)
        if not _small([condition, one, other]):
            return self._unread(node)
        return some([every([condition, one]), every([negated(condition), other])])

    _readings: ClassVar[dict[Kind, Callable[["Reader", Expression], Formula]]] = {
        "literal": lambda _, node: constant(node.scalar),
        "word": _bare,
        "path": _truthy,
        "and": _every,
        "or": _some,
        "not": _not,
        "compare": _compare,
        "choice": _choice,
    }

    # Operands.

    def _operand(self, node: Expression) -> _Operand:
        if node.kind == "literal":
            return self._literal(node.scalar)
        if node.kind == "word":
            return self._literal(node.text)
        if node.kind == "sum":
            total = self._summed(node)
        elif node.kind == "product":
            total = self._multiplied(node)
        elif self._is_condition(node):
            return self.formula(node)
        else:
            total = None
        return _Sum(((self._term(node), Fraction(1)),)) if total is None else total

    def _literal(self, value: Scalar) -> _Sum | _Constant:
        if isinstance(value, str) and self.grammar.untyped:
            if value in {"true", "false"}:
                return _Constant(value == "true")
            if _NUMERIC.fullmatch(value):
                return _Sum(constant=Fraction(value))
        if isinstance(value, str) and self.grammar.folded:
            value = value.casefold()
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _Sum(constant=Fraction(str(value)))
        return _Constant(value)

    def _is_condition(self, node: Expression) -> bool:
        """Return whether the value of a node is always true or false. For `a or 'x'` the result is False."""
        if node.kind in {"and", "or", "choice"}:
            return all(self._is_condition(part) for part in node.parts)
        if node.kind in {"compare", "not"}:
            return True
        return self._meaning(node) is not None

    def _summed(self, node: Expression) -> _Sum | None:
        weights: list[tuple[Term, Fraction]] = []
        total = Fraction(0)
        for sign, part in zip(node.text, node.parts, strict=True):
            operand = self._operand(part)
            if not isinstance(operand, _Sum):
                return None
            factor = 1 if sign == "+" else -1
            weights += [(term, factor * weight) for term, weight in operand.weights]
            total += factor * operand.constant
        return _bounded(_Sum(tuple(weights), total))

    def _multiplied(self, node: Expression) -> _Sum | None:
        weights: tuple[tuple[Term, Fraction], ...] = ()
        factor = Fraction(1)
        offset = Fraction(0)
        for sign, part in zip(node.text, node.parts, strict=True):
            operand = self._operand(part)
            if not isinstance(operand, _Sum) or (operand.weights and (weights or sign == "/")):
                return None
            if operand.weights:
                weights, offset = operand.weights, operand.constant
            elif sign == "*":
                factor *= operand.constant
            elif operand.constant:
                factor /= operand.constant
            else:
                return None
            if _too_long([factor]):
                return None
        if not weights:
            return _Sum(constant=factor)
        return _bounded(_Sum(tuple((term, weight * factor) for term, weight in weights), offset * factor))


def _with(node: Expression, parts: tuple[Expression, ...], path: tuple[str | int, ...]) -> Expression:
    return Expression(node.kind, node.at, parts, node.text, node.scalar, path, node.closed)


def _only(operand: _Operand) -> Term | None:
    """Return the term if the operand is a single term with weight 1; None otherwise."""
    if isinstance(operand, _Sum) and not operand.constant and len(operand.weights) == 1:
        term, weight = operand.weights[0]
        return term if weight == 1 else None
    return None


def _equality(left: _Operand, right: _Operand) -> Formula | None:
    """Return the formula "left equals right"; None if this is not defined. A constant operand must be `right`."""
    if not isinstance(right, _Constant):
        if isinstance(left, _Sum | _Constant) or isinstance(right, _Sum) or not _small([left, right]):
            return None
        return some([every([left, right]), every([negated(left), negated(right)])])
    if isinstance(left, _Constant):
        return _equal(left.value, right.value)
    if isinstance(left, _Sum):
        term = _only(left)
        atom = None if term is None else Atom(term, "==", right.value)
        return NEVER if right.value is None and not left.weights else atom
    return (left if right.value else negated(left)) if isinstance(right.value, bool) else None


def _difference(left: _Sum, right: _Sum, relation: Relation) -> Formula | None:
    weights = [*left.weights, *((term, -weight) for term, weight in right.weights)]
    if any(not term.stable for term in {term for term, _ in left.weights} & {term for term, _ in right.weights}):
        return None
    comparison = linear(weights, relation, right.constant - left.constant)
    weights_left = comparison.weights if isinstance(comparison, Linear) else ()
    return None if _too_long(weight for _, weight in weights_left) else comparison


def _bounded(total: _Sum) -> _Sum | None:
    return None if _too_long([total.constant, *(weight for _, weight in total.weights)]) else total


def _too_long(numbers: Iterable[Fraction]) -> bool:
    return any(max(each.numerator.bit_length(), each.denominator.bit_length()) > _MOST_BITS for each in numbers)


def _equal(one: Scalar, other: Scalar) -> Formula | None:
    if one is None or other is None or type(one) is type(other):
        return constant(one == other)
    return None


def _small(formulas: Iterable[Formula]) -> bool:
    return sum(1 for formula in formulas for _ in atoms(formula)) <= _MOST_COPIED
