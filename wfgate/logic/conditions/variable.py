"""Variables of decision diagrams: a term with its cells, or a relation between terms."""

from collections.abc import Mapping
from dataclasses import dataclass

from wfgate.logic.conditions.cells import holds, said
from wfgate.logic.conditions.formula import Atom, Linear, Not, Scalar, Term, words


@dataclass(frozen=True)
class Variable:
    """A variable of a decision diagram.

    Attributes:
        term: The term, or the relation between terms.
        cells: One value for each branch; True and False for a relation.
        atoms: The comparisons of the term, needed for the description in words.
        opaque: Whether it is unknown which branches are possible.
    """

    term: Term | Linear
    cells: tuple[Scalar, ...]
    atoms: tuple[Atom, ...] = ()
    opaque: bool = False

    @property
    def numeric(self) -> bool:
        """Whether all cells are numbers: open intervals, and the literals between them."""
        return all(isinstance(cell, int | float) and not isinstance(cell, bool) for cell in self.cells)

    def says(self, chosen: frozenset[int]) -> str:
        """Return in words the condition that holds in the chosen branches."""
        if isinstance(self.term, Linear):
            return words(self.term if 0 in chosen else Not(self.term))
        return said(self.term, self.cells, chosen, self.atoms)

    def branch(self, situation: Mapping[str, Scalar]) -> int | None:
        """Return the branch for given values of terms (by the texts of the terms); None if a value is missing."""
        if isinstance(self.term, Linear):
            value = relation_holds(self.term, situation)
            return None if value is None else int(not value)
        if self.term.text not in situation:
            return None
        given = situation[self.term.text]
        if self.term.values:
            return self.cells.index(given) if given in self.cells else None
        truth = [holds(atom, given) for atom in self.atoms]
        alike = (at for at, cell in enumerate(self.cells) if [holds(atom, cell) for atom in self.atoms] == truth)
        return next(alike, None)


def sort_key(term: Term | Linear) -> tuple[str, str]:
    """Return the sort key of terms and relations: their texts."""
    return (term.text, repr(term)) if isinstance(term, Term) else (words(term), "")


def relation_holds(relation: Linear, situation: Mapping[str, Scalar]) -> bool | None:
    """Return whether the relation holds for given values; None if a value is missing or not a number."""
    values = [situation.get(term.text) for term, _ in relation.weights]
    if any(value is None for value in values):
        return None
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    if len(numbers) < len(values):
        # Equality of two terms means equality of any values, not of numbers alone.
        plain = relation.relation == "==" and not relation.bound and [w for _, w in relation.weights] == [1, -1]
        return values[0] == values[1] and type(values[0]) is type(values[1]) if plain else None
    total = sum(weight * value for (_, weight), value in zip(relation.weights, numbers, strict=True))
    return {"==": total == relation.bound, "<": total < relation.bound, "<=": total <= relation.bound}[
        relation.relation
    ]
