"""Pairs of golden steps whose order differs in the candidate, by where the candidate does them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wfgate.compare.supports import DoneAt
from wfgate.model import TaskGraph, members

Change = Literal["flipped", "lost", "gained"]
CHANGES: tuple[Change, ...] = ("flipped", "lost", "gained")


@dataclass(frozen=True)
class ChangedOrders:
    """Pairs of golden steps that the candidate orders differently, as one bit set of second steps per first step.

    A candidate may do two golden steps in one step, or one in several. Therefore only pairs are compared whose
    carriers (see `supports.py`) are disjoint: a pair is ordered if a path leads from a carrier of one step to a
    carrier of the other.

    Attributes:
        flipped: Pairs that the candidate orders the other way round; the first step precedes the second in the golden,
            maybe with steps between them.
        lost: Pairs that the candidate does not order; the first step precedes the second in the golden.
        gained: Pairs without order in the golden that the candidate orders; the first step has the lower position.
    """

    flipped: tuple[int, ...]
    lost: tuple[int, ...]
    gained: tuple[int, ...]

    @classmethod
    def of(cls, golden: TaskGraph, candidate: TaskGraph, places: Sequence[DoneAt]) -> "ChangedOrders":
        """Return the changed pairs.

        Cost: O(n^2) bit operations for n golden steps.

        Args:
            golden: The golden's graph.
            candidate: The candidate's graph.
            places: The place of each golden step in the candidate.
        """
        after = as_rows(golden.descendants, golden.n)
        carriers = [sorted(place.carriers) for place in places]
        done = [step for step, steps in enumerate(carriers) if steps]
        followed = as_rows([reached(candidate, steps) for steps in carriers], candidate.n)
        own = as_rows([sum(1 << step for step in steps) for steps in carriers], candidate.n)
        back, shared = _of_any(followed, carriers), _of_any(own, carriers)
        forth = back.T
        compared = np.zeros_like(after)
        compared[np.ix_(done, done)] = True
        np.fill_diagonal(compared, val=False)
        compared &= ~shared
        ordered = compared & after & ~after.T & ~forth
        gained = np.triu(compared & ~after & ~after.T & (forth ^ back))
        return cls(as_sets(ordered & back), as_sets(ordered & ~back), as_sets(gained))

    def pairs(self, change: Change) -> Iterator[tuple[int, int]]:
        """Yield the pairs with a change, ascending."""
        for first in range(len(self.flipped)):
            for second in members(self.after(change, first)):
                yield first, second

    def any_change(self) -> NDArray[np.bool_]:
        """Return whether two steps have any change, in either order, shape (n, n)."""
        sets = [a | b | c for a, b, c in zip(self.flipped, self.lost, self.gained, strict=True)]
        rows = as_rows(sets, len(sets))
        return rows | rows.T

    def after(self, change: Change, first: int) -> int:
        """Return the second steps of the pairs with a change and a first step, as a bit set."""
        sets: tuple[int, ...] = getattr(self, change)
        return sets[first]


def _of_any(rows: NDArray[np.bool_], steps: Sequence[Sequence[int]]) -> NDArray[np.bool_]:
    """Return for each list of steps which rows have one of them, shape (len(steps), len(rows))."""
    columns = np.ascontiguousarray(rows.T)  # a column of thousands of rows is slow to read
    any_of = np.zeros((len(steps), len(rows)), dtype=np.bool_)
    for place, each in enumerate(steps):
        if each:
            any_of[place] = columns[each].any(axis=0)
    return any_of


def reached(graph: TaskGraph, steps: Sequence[int]) -> int:
    """Return the bit set of steps after one of the given steps."""
    after = 0
    for step in steps:
        after |= graph.descendants[step]
    return after


def as_rows(sets: Sequence[int], size: int) -> NDArray[np.bool_]:
    """Return bit sets as rows of a matrix, shape (len(sets), size)."""
    if not size:
        return np.zeros((len(sets), 0), dtype=np.bool_)
    width = -(-size // 8)
    packed = np.frombuffer(b"".join(each.to_bytes(width, "little") for each in sets), dtype=np.uint8)
    rows = np.unpackbits(packed.reshape(len(sets), width), axis=1, count=size, bitorder="little")
    return rows.view(np.bool_)


def as_sets(rows: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the rows of a matrix as bit sets."""
    return tuple(int.from_bytes(row.tobytes(), "little") for row in np.packbits(rows, axis=1, bitorder="little"))
