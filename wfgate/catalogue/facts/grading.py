"""Grading of answers by the metric of the fact."""

from collections.abc import Sequence
from itertools import combinations

from wfgate.catalogue.facts.answers import Answer, NameList, NameSet, NameSets, Text
from wfgate.catalogue.facts.orders import DEFAULT_BUDGET, nearest_order
from wfgate.errors import ConfigError
from wfgate.model import Frozen

Given = bool | str | None | Sequence[str] | Sequence[Sequence[str]]
"""An answer to grade: a truth value, a name, names, or sets of names."""


class Grade(Frozen):
    """The grade of an answer.

    Attributes:
        value: The grade in [0, 1]; 1 is best; None if undefined.
        distance: For lists: the edit distance to the nearest correct order.
        exact: Whether `value` is proven. Otherwise the true grade is between `value` and `at_most`.
        at_most: Proven upper bound of the grade.
        undefined_because: The reason why the grade is undefined.
    """

    value: float | None
    distance: int | None = None
    exact: bool = True
    at_most: float | None = None
    undefined_because: str | None = None


def grade(reference: Answer, given: Given, *, budget: int = DEFAULT_BUDGET) -> Grade:
    """Return the grade of an answer against the reference.

    Yes-no answers and single tasks: 1 if equal, else 0 (correctness). Sets: the Jaccard index. Several sets: the
    Jaccard index of the pairs of names that are in one set. Lists: 1 - d / (length of the longer list); d is the
    Damerau-Levenshtein distance to the nearest correct order. Texts are graded by a reader or a language model, not
    here. If the reference is unknown, the grade is undefined.

    Args:
        reference: The answer of the fact.
        given: The answer to grade, of the matching type.
        budget: Largest number of states in the search for the nearest order.

    Raises:
        ConfigError: If the types of answer and reference differ.

    Example:
        >>> grade(NameSet(value=("a", "b", "c")), ["c", "a", "d"]).value
        0.5
    """
    if isinstance(reference, Text):
        return Grade(value=None, undefined_because="texts are graded by a reader or a language model")
    if reference.value is None and reference.type != "task":
        return Grade(value=None, undefined_because=f"the reference is unknown: {reference.because}")
    if reference.type in {"yes-no", "task"}:
        return Grade(value=float(given == reference.value))
    if isinstance(given, str | bool) or given is None:
        raise ConfigError(f"{given!r} is not a list of names", fix="give names in a list")
    if isinstance(reference, NameSets):
        return Grade(value=_jaccard(_pairs(reference.value or ()), _pairs(_sets(given))))
    names = [_name(each) for each in given]
    if isinstance(reference, NameList):
        return _order(reference, names, budget)
    assert isinstance(reference, NameSet)  # noqa: S101 - the only type left
    return Grade(value=_jaccard(frozenset(reference.value or ()), frozenset(names)))


def _order(reference: NameList, given: Sequence[str], budget: int) -> Grade:
    names = reference.value or ()
    longest = max(len(names), len(given))
    if not longest:
        return Grade(value=1.0, distance=0)
    nearest = nearest_order(names, reference.before, given, budget=budget)
    value, most = 1 - nearest.value / longest, 1 - nearest.at_least / longest
    return Grade(value=value, distance=nearest.value, exact=nearest.exact, at_most=None if nearest.exact else most)


def _jaccard(ours: frozenset[object], theirs: frozenset[object]) -> float:
    """Return the size of the intersection divided by the size of the union; 1 for two empty sets."""
    union = ours | theirs
    return len(ours & theirs) / len(union) if union else 1.0


def _pairs(sets: Sequence[Sequence[str]]) -> frozenset[object]:
    return frozenset(frozenset(pair) for each in sets for pair in combinations(sorted(set(each)), 2))


def _sets(given: Sequence[str] | Sequence[Sequence[str]]) -> list[Sequence[str]]:
    if any(isinstance(each, str) for each in given):
        raise ConfigError("these are names, not sets of names", fix="give a list of lists of names")
    return [[_name(name) for name in each] for each in given]


def _name(given: object) -> str:
    if not isinstance(given, str):
        raise ConfigError(f"{given!r} is not a name", fix="give names in a list")
    return given
