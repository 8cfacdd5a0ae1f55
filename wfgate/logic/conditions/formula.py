"""Formulas as immutable values: terms, comparisons, and boolean combinations of comparisons."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

Scalar = bool | int | float | str | None
"""A value that a term can have; None is null or absent."""

Relation = Literal["==", "<", "<=", "starts", "ends", "contains", "truthy"]


@dataclass(frozen=True)
class Term:
    """An expression that has a value: a variable, an output, or a call that is not evaluated.

    Attributes:
        text: The text of the expression. Terms with the same text have the same value.
        values: All possible values; empty if every value is possible.
        opaque: Whether the term is not analysed (a function call, a sentence). The possible values of an opaque term
            are unknown.
        stable: Whether every evaluation gives the same value; False for clocks and random numbers.
    """

    text: str
    values: tuple[Scalar, ...] = ()
    opaque: bool = False
    stable: bool = True


@dataclass(frozen=True)
class Atom:
    """A comparison of one term with one literal.

    The relations `starts`, `ends` and `contains` are for strings. The relation `truthy` has no literal: the term is
    not false, 0, "" or null.
    """

    term: Term
    relation: Relation
    value: Scalar = None
    is_truth: bool = field(init=False, repr=False, default=False)

    def __post_init__(self) -> None:
        """Record whether the value is a bool: in Python, true is equal to 1."""
        object.__setattr__(self, "is_truth", isinstance(self.value, bool))


@dataclass(frozen=True)
class Linear:
    """A comparison of a weighted sum of at least two terms with a number.

    The function `linear` builds it in normal form: terms sorted by text, first weight 1. The equality of two terms is
    also a linear relation, for terms of any type.
    """

    weights: tuple[tuple[Term, Fraction], ...]
    relation: Literal["==", "<", "<="]
    bound: Fraction


@dataclass(frozen=True)
class Not:
    """The negation of a formula."""

    of: "Formula"


@dataclass(frozen=True)
class All:
    """The conjunction of the parts. Without parts it is always true."""

    of: tuple["Formula", ...] = ()


@dataclass(frozen=True)
class Some:
    """The disjunction of the parts. Without parts it is never true."""

    of: tuple["Formula", ...] = ()


Formula = Atom | Linear | Not | All | Some

ALWAYS = All()
NEVER = Some()


def constant(value: object) -> Formula:
    """Return the formula that is always true (for a true value), or the formula that is never true.

    Example:
        >>> constant(0) == NEVER
        True
    """
    return ALWAYS if value else NEVER


def negated(formula: Formula) -> Formula:
    """Return the negation, without double negations."""
    if isinstance(formula, Not):
        return formula.of
    if formula == ALWAYS:
        return NEVER
    return ALWAYS if formula == NEVER else Not(formula)


def every(parts: Iterable[Formula]) -> Formula:
    """Return the conjunction, flattened."""
    conjuncts: dict[Formula, None] = {}
    for part in parts:
        if part == NEVER:
            return NEVER
        conjuncts.update(dict.fromkeys(part.of if isinstance(part, All) else (part,)))
    return next(iter(conjuncts)) if len(conjuncts) == 1 else All(tuple(conjuncts))


def some(parts: Iterable[Formula]) -> Formula:
    """Return the disjunction, flattened."""
    disjuncts: dict[Formula, None] = {}
    for part in parts:
        if part == ALWAYS:
            return ALWAYS
        disjuncts.update(dict.fromkeys(part.of if isinstance(part, Some) else (part,)))
    return next(iter(disjuncts)) if len(disjuncts) == 1 else Some(tuple(disjuncts))


def linear(weights: Iterable[tuple[Term, Fraction]], relation: Relation, bound: Fraction) -> Formula:
    """Return the comparison of a weighted sum with a number, in normal form. With one term left it is an `Atom`.

    Args:
        weights: Terms with their weights; a term may occur more than once.
        relation: "==", "<" or "<=".
        bound: The number that the sum is compared with.

    Example:
        >>> p, q = Term("p"), Term("q")
        >>> one = linear([(p, Fraction(2)), (q, Fraction(-2))], "<", Fraction(0))
        >>> words(one), words(linear([(q, Fraction(1)), (p, Fraction(-1))], "<=", Fraction(0)))
        ('p < q', 'p >= q')
    """
    sums: dict[Term, Fraction] = {}
    for term, weight in weights:
        sums[term] = sums.get(term, Fraction(0)) + weight
    left = sorted(((term, weight) for term, weight in sums.items() if weight), key=lambda pair: pair[0].text)
    if not left:
        return constant({"==": bound == 0, "<": bound > 0, "<=": bound >= 0}[relation])
    scale = left[0][1]
    scaled = tuple((term, weight / scale) for term, weight in left)
    bound /= scale
    # Dividing by a negative weight turns the relation round: -p < b is p > -b, the contrary of p <= -b.
    turned = scale < 0 and relation != "=="
    if turned:
        relation = "<=" if relation == "<" else "<"
    if len(scaled) == 1:
        comparison: Formula = Atom(scaled[0][0], relation, _number(bound))
    else:
        assert relation in {"==", "<", "<="}  # noqa: S101 - narrows the type
        comparison = Linear(scaled, relation, bound)
    return negated(comparison) if turned else comparison


def atoms(formula: Formula) -> Iterator[Atom | Linear]:
    """Yield every comparison in the formula from left to right, including repeated comparisons."""
    pending = [formula]
    while pending:
        part = pending.pop()
        if isinstance(part, Atom | Linear):
            yield part
        elif isinstance(part, Not):
            pending.append(part.of)
        else:
            pending += reversed(part.of)


def terms(formula: Formula) -> tuple[Term, ...]:
    """Return every term of the formula once, in order of appearance."""
    distinct: dict[Term, None] = {}
    for atom in atoms(formula):
        distinct.update(dict.fromkeys([atom.term] if isinstance(atom, Atom) else [term for term, _ in atom.weights]))
    return tuple(distinct)


def renamed(formula: Formula, new: Mapping[Term, Term]) -> Formula:
    """Return the formula with some terms replaced.

    Example:
        >>> p = Term("p")
        >>> words(renamed(every([Atom(p, "<", 3), Atom(Term("q"), "truthy")]), {p: Term("r")}))
        'r < 3 and q'
    """
    if isinstance(formula, Atom):
        return Atom(new.get(formula.term, formula.term), formula.relation, formula.value)
    if isinstance(formula, Linear):
        weights = [(new.get(term, term), weight) for term, weight in formula.weights]
        return linear(weights, formula.relation, formula.bound)
    if isinstance(formula, Not):
        return negated(renamed(formula.of, new))
    parts = [renamed(part, new) for part in formula.of]
    return every(parts) if isinstance(formula, All) else some(parts)


def words(formula: Formula) -> str:
    """Return the formula in the plain language, which `wfgate.logic.conditions.languages.plain` can parse.

    Example:
        >>> words(every([Atom(Term("p"), "<", 3), negated(Atom(Term("env"), "==", "prod"))]))
        "p < 3 and env != 'prod'"
    """
    return _render(formula, 0)


def literal(value: Scalar) -> str:
    """Render a literal in the plain language.

    Example:
        >>> literal("prod"), literal(True), literal(None), literal(2.0)
        ("'prod'", 'true', 'null', '2')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(int(value)) if value == int(value) else str(value)


_OPPOSITE = {"==": "!=", "<": ">=", "<=": ">"}
_SAID = {"starts": "starts with", "ends": "ends with", "contains": "contains"}


def _render(formula: Formula, level: int) -> str:
    match formula:
        case Atom():
            return _atom(formula)
        case Linear():
            return _linear(formula, formula.relation)
        case Not(Atom(term, relation, value)) if relation in _OPPOSITE:
            return f"{_name(term)} {_OPPOSITE[relation]} {literal(value)}"
        case Not(Linear() as inner):
            return _linear(inner, _OPPOSITE[inner.relation])
        case Not(inner):
            return f"not {_render(inner, 3)}"
    return _joined(formula, level)


def _joined(formula: All | Some, level: int) -> str:
    if not formula.of:
        return "true" if isinstance(formula, All) else "false"
    mine, joint = (2, " and ") if isinstance(formula, All) else (1, " or ")
    text = joint.join(_render(part, mine) for part in formula.of)
    return f"({text})" if level > mine else text


# What the plain language reads as one name: anything else stands in backticks.
_NAME = re.compile(r"[$@]?[^\W\d]\w*(?:-[^\W\d]\w*)*(?:\.[^\W\d]\w*(?:-[^\W\d]\w*)*|\[[0-9]{1,9}\])*")
_RESERVED = frozenset(
    {
        "and",
        "or",
        "not",
        "true",
        "false",
        "null",
        "none",
        "nil",
        "undefined",
        "if",
        "when",
        "unless",
        "otherwise",
        "else",
        "default",
    }
)


def _name(term: Term) -> str:
    if term.opaque:
        return f"«{term.text}»"
    if _NAME.fullmatch(term.text) and term.text.casefold() not in _RESERVED:
        return term.text
    return "`" + term.text.replace("`", "``") + "`"


def _atom(atom: Atom) -> str:
    if atom.relation == "truthy":
        return _name(atom.term)
    return f"{_name(atom.term)} {_SAID.get(atom.relation, atom.relation)} {literal(atom.value)}"


def _linear(formula: Linear, relation: str) -> str:
    left = [(term, weight) for term, weight in formula.weights if weight > 0]
    right = [(term, -weight) for term, weight in formula.weights if weight < 0]
    sides = [" + ".join(_weighted(term, weight) for term, weight in side) for side in (left, right)]
    bound = literal(_number(formula.bound))
    if not sides[1]:
        return f"{sides[0]} {relation} {bound}"
    return f"{sides[0]} {relation} {sides[1]}" + (f" + {bound}" if formula.bound else "")


def _weighted(term: Term, weight: Fraction) -> str:
    return _name(term) if weight == 1 else f"{literal(_number(weight))} * {_name(term)}"


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)
