"""The values of one term, divided into cells: all comparisons with the term give one result for a whole cell.

Numbers are divided at the literals. Strings are divided into the literals and all other strings. The other strings are
divided by the prefixes, suffixes and infixes that they have. One value represents each cell: a comparison holds in the
cell if and only if it holds for this value. This is exact if a number can be any real number and a string can be any
string.
"""

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise

from wfgate.logic.conditions.formula import Atom, Scalar, Term, literal

MAX_PATTERNS = 6
"""Most prefixes, suffixes and infixes of one term whose combinations are all distinguished."""
OTHER = "…"
"""Stands for any text in the value that represents a cell."""
_PATTERNS = ("starts", "ends", "contains")


def holds(atom: Atom, value: Scalar) -> bool:
    """Return whether a comparison holds for a value of its term. Values of different types are never equal.

    Example:
        >>> holds(Atom(Term("p"), "<", 10), 3), holds(Atom(Term("p"), "==", 1), True)
        (True, False)
    """
    other = atom.value
    if atom.relation == "truthy":
        return bool(value)
    if atom.relation == "==":
        return _sort(value) == _sort(other) and value == other
    if isinstance(value, str) and isinstance(other, str):
        return _holds_for_text(atom.relation, value, other)
    if _sort(value) == _sort(other) == "number" and atom.relation in {"<", "<="}:
        assert isinstance(value, int | float | Fraction) and isinstance(other, int | float)  # noqa: S101, PT018 - types
        return value < other if atom.relation == "<" else value <= other
    return False


def cells_of(term: Term, atoms: Collection[Atom]) -> tuple[Scalar, ...]:
    """Return one value for each cell of a term.

    Args:
        term: The term. If `term.values` is not empty, these values are the cells.
        atoms: Every comparison of the term with a literal.

    Returns:
        Values in a fixed order. The order depends only on the set of comparisons.

    Example:
        >>> p = Term("p")
        >>> cells_of(p, [Atom(p, "<", 0), Atom(p, "<", 10)])
        (-1, 0, 5, 10, 11)
        >>> cells_of(Term("env"), [Atom(Term("env"), "==", "prod")])
        ('prod', '…')
    """
    if term.values:
        return term.values
    truthy = any(atom.relation == "truthy" for atom in atoms)
    literals = [atom.value for atom in atoms if atom.relation not in {"truthy", *_PATTERNS}]
    values = {value for value in literals if isinstance(value, int | float) and not isinstance(value, bool)}
    texts = {value for value in literals if isinstance(value, str)}
    ordered = any(atom.relation in {"<", "<="} and isinstance(atom.value, str) for atom in atoms)
    patterns = sorted({atom for atom in atoms if atom.relation in _PATTERNS}, key=lambda a: (a.relation, str(a.value)))
    cells: list[Scalar] = []
    if values:
        cells += _numbers(sorted(values | {0} if truthy else values))
    if texts or patterns:
        if truthy:
            texts.add("")
        cells += _ordered(sorted(texts)) if ordered else [*sorted(texts), *_others(sorted(texts), patterns)]
    flags = any(atom.relation == "==" and isinstance(atom.value, bool) for atom in atoms)
    if flags or (truthy and not cells):
        cells += [True, False]
    if any(atom.relation == "==" and atom.value is None for atom in atoms):
        cells += [None] if cells else [None, OTHER]
    return tuple(cells)


def said(term: Term, cells: Sequence[Scalar], chosen: Collection[int], atoms: Collection[Atom]) -> str:
    """Return in words the condition that holds in the chosen cells and in no other cell.

    Args:
        term: The term.
        cells: All cells of the term.
        chosen: Positions of the chosen cells: at least one cell, but not all cells.
        atoms: Every comparison of the term with a literal.

    Example:
        >>> p, env = Term("p"), Term("environment")
        >>> numbers = [Atom(p, "<", 0), Atom(p, "<", 10)]
        >>> said(p, cells_of(p, numbers), {1, 2}, numbers)
        '0 <= p < 10'
        >>> said(env, ("prod", "test", "…"), {1, 2}, [Atom(env, "==", "prod"), Atom(env, "==", "test")])
        "environment != 'prod'"
    """
    name = _name(term)
    inside = [cells[place] for place in sorted(chosen)]
    outside = [cell for place, cell in enumerate(cells) if place not in chosen]
    if {*map(_sort, cells)} == {"flag"}:
        return name if inside[0] else f"not {name}"
    if all(_sort(cell) == "number" for cell in cells):
        return _interval_words(name, cells, chosen)
    one = [" and ".join(_description(term, cell, cells, atoms)) for cell in inside]
    other = [_contrary(_description(term, cell, cells, atoms)) for cell in outside]
    positive = one[0] if len(one) == 1 else f"({' or '.join(one)})"
    negative = " and ".join(other)
    if term.values:
        return positive if len(inside) <= len(outside) else negative
    return positive if len(positive) <= len(negative) else negative


def _description(term: Term, cell: Scalar, cells: Sequence[Scalar], atoms: Collection[Atom]) -> list[str]:
    """Return one cell in words: its literal, or the prefixes, suffixes and infixes that its texts have or lack."""
    name = _name(term)
    # What is called by a phrase reads better in one: "the branch taken after 'Check' is 'Deploy'".
    equal, unequal = ("is", "is not") if " " in term.text else ("==", "!=")
    if OTHER not in str(cell) or any(_sort(a.value) == _sort(cell) and a.value == cell for a in atoms):
        return [f"{name} {equal} {literal(cell)}"]
    kinds = [atom for atom in atoms if atom.relation in _PATTERNS]
    has = [atom for atom in kinds if holds(atom, cell)]
    alike = [
        other
        for other in cells
        if other != cell and isinstance(other, str) and all(holds(atom, other) == holds(atom, cell) for atom in kinds)
    ]
    lacks = [atom for atom in kinds if atom not in has]
    phrases = [f"{name} {_VERB[atom.relation]} {literal(atom.value)}" for atom in _strongest(has)]
    phrases += [f"{name} {unequal} {literal(other)}" for other in alike]
    # Negations only where they distinguish this cell from another.
    needed = [atom for atom in lacks if any(all(holds(h, o) for h in has) and holds(atom, o) for o in cells)]
    phrases += [f"not {name} {_VERB[atom.relation]} {literal(atom.value)}" for atom in _weakest(needed)]
    phrases += [f"{name} {unequal} null"] if None in cells and not has else []
    return phrases or [f"{name} is something else"]


def _contrary(description: list[str]) -> str:
    if len(description) > 1:
        return f"not ({' and '.join(description)})"
    for positive, negative in ((" == ", " != "), (" is ", " is not ")):
        if positive in description[0]:
            return description[0].replace(positive, negative, 1)
    return f"not {description[0]}"


def _name(term: Term) -> str:
    return f"«{term.text}»" if term.opaque else term.text


_VERB = {"starts": "starts with", "ends": "ends with", "contains": "contains"}


def _strongest(atoms: Iterable[Atom]) -> list[Atom]:
    """Leave out each test that follows from another test: a text that starts with "ab" also starts with "a"."""
    left = sorted(set(atoms), key=lambda atom: (-len(str(atom.value)), atom.relation, str(atom.value)))
    kept: list[Atom] = []
    for atom in left:
        implied = any(
            holds(atom, str(other.value)) and other.relation in {atom.relation, *_PATTERNS[:2]}
            if atom.relation == "contains"
            else other.relation == atom.relation and holds(atom, str(other.value))
            for other in kept
        )
        if not implied:
            kept.append(atom)
    return kept


def _weakest(atoms: Iterable[Atom]) -> list[Atom]:
    """Leave out each negation that follows from another one: not starting with "a" implies not starting with "ab"."""
    left = sorted(set(atoms), key=lambda atom: (len(str(atom.value)), atom.relation, str(atom.value)))
    kept: list[Atom] = []
    for atom in left:
        if not any(other.relation in {atom.relation, "contains"} and holds(other, str(atom.value)) for other in kept):
            kept.append(atom)
    return kept


def _interval_words(name: str, cells: Sequence[Scalar], chosen: Collection[int]) -> str:
    """Return cells of numbers in words. Even positions are open intervals, odd positions are literals."""
    places = sorted(chosen)
    runs: list[list[int]] = []
    for place in places:
        if runs and runs[-1][-1] == place - 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    missing = [place for place in range(len(cells)) if place not in chosen]
    if len(runs) > 1 and len(missing) == 1 and missing[0] % 2:
        return f"{name} != {literal(cells[missing[0]])}"
    parts = [_interval(name, cells, run[0], run[-1]) for run in runs]
    return parts[0] if len(parts) == 1 else f"({' or '.join(parts)})"


def _interval(name: str, cells: Sequence[Scalar], first: int, last: int) -> str:
    low = "" if first == 0 else literal(cells[first] if first % 2 else cells[first - 1])
    high = "" if last == len(cells) - 1 else literal(cells[last] if last % 2 else cells[last + 1])
    at_least, at_most = ("<=" if first % 2 else "<"), ("<=" if last % 2 else "<")
    if first == last and first % 2:
        return f"{name} == {low}"
    if low and high:
        return f"{low} {at_least} {name} {at_most} {high}"
    return f"{name} {at_most} {high}" if high else f"{name} {'>=' if first % 2 else '>'} {low}"


def _numbers(points: Sequence[int | float]) -> list[Scalar]:
    """Return a value below the first literal, each literal, a value between neighbours, and one above the last."""
    numbers: list[Scalar] = [_whole(points[0]) - 1]
    for low, high in pairwise(points):
        middle = (Fraction(low) + Fraction(high)) / 2
        whole = _whole(middle)
        numbers += [low, whole if low < whole < high else float(middle)]
    return [*numbers, points[-1], _whole(points[-1]) + 1]


def _whole(value: float | Fraction) -> int:
    return value.__floor__()


def _others(texts: Sequence[str], patterns: Sequence[Atom]) -> list[Scalar]:
    """Return one text, different from all `texts`, for each combination of patterns that a text can have.

    Each text joins the values of some patterns by a separator that no pattern contains. The text then has only these
    patterns and the patterns that they imply. Every possible combination of patterns is found in this way.
    """
    gap = OTHER
    while any(gap in str(value) for value in (*texts, *(atom.value for atom in patterns))):
        gap += OTHER
    others: dict[tuple[bool, ...], str] = {}
    for wanted in range(1 << len(patterns)):
        chosen = [atom for place, atom in enumerate(patterns) if wanted >> place & 1]
        parts = {kind: [str(atom.value) for atom in chosen if atom.relation == kind] for kind in _PATTERNS}
        start = max(parts["starts"], key=len, default="")
        end = max(parts["ends"], key=len, default="")
        text = gap.join([start, *parts["contains"], end]) if chosen else gap
        if all(holds(atom, text) for atom in chosen):
            others.setdefault(tuple(holds(atom, text) for atom in patterns), text)
    return list(others.values())


def _ordered(texts: Sequence[str]) -> list[Scalar]:
    """Return the literals, a text after each literal, and the empty text before the first literal."""
    ordered = [] if texts[:1] == [""] else [""]
    for text in texts:
        ordered += [text, f"{text}\t{OTHER}"]
    return [*ordered]


def _holds_for_text(relation: str, value: str, other: str) -> bool:
    match relation:
        case "starts":
            return value.startswith(other)
        case "ends":
            return value.endswith(other)
        case "contains":
            return other in value
        case "<":
            return value < other
        case _:
            return value <= other


def _sort(value: Scalar | Fraction) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "flag"
    return "text" if isinstance(value, str) else "number"
