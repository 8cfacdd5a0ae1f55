"""The distance of a list from a partial order: from the linear extension that is nearest to it.

Where steps run in parallel every order of them is right, so an answer is graded against the right order that is
most like it. The distance is the Damerau-Levenshtein distance with unit costs (Damerau 1964; transpositions as in
Lowrance & Wagner 1975: what stood between the two may be inserted or deleted). It is found by a search over the
down-sets of the order, which are what can have run at some moment, with A* (Hart, Nilsson & Raphael 1968).
"""

import heapq
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import DamerauLevenshtein

DEFAULT_BUDGET = 50_000
"""States of the search that are looked at before bounds are returned."""
SWAPS = 2_000
"""Exchanges of neighbours tried to improve an order that is not proven best."""


@dataclass(frozen=True)
class Distance:
    """How far a list is from the nearest right order.

    Attributes:
        value: The distance of a right order; the smallest where `exact`.
        at_least: A proven lower bound.
        exact: Whether no right order is nearer.
    """

    value: int
    at_least: int
    exact: bool


def nearest_order(
    names: Sequence[Hashable],
    before: Collection[tuple[Hashable, Hashable]],
    given: Sequence[Hashable],
    *,
    budget: int = DEFAULT_BUDGET,
) -> Distance:
    """Return the smallest edit distance between a list and any order of `names` that keeps `before`.

    Args:
        names: What is ordered, each once.
        before: Pairs (a, b) of names where a has to come before b; without cycle. Their closure need not be listed.
        given: The list; it may lack names, repeat them, and have others.
        budget: States of the search.

    Cost: exact in O(down-sets * len(given)) states at worst, few where the list is nearly right; beyond the budget
    one linear extension that follows the list, improved by exchanges of neighbours.

    Example:
        >>> nearest_order("abc", [("a", "b"), ("a", "c")], "acb")
        Distance(value=0, at_least=0, exact=True)
        >>> nearest_order("abc", [("a", "b"), ("a", "c")], "cab")
        Distance(value=1, at_least=1, exact=True)
    """
    search = _Search(names, before, given)
    found = search.run(budget)
    if found.exact:
        return found
    value = _followed(search, names, given)
    return Distance(value, found.at_least, value == found.at_least)


State = tuple[int, int, bool]
"""Elements that have run as a bit set; items of the list that are dealt with; and whether the two next items are
being exchanged: the second has run already, the first is to follow."""


class _Search:
    """A* from "nothing has run" to "everything has".

    Attributes:
        n: Number of elements.
        below: For each element the bit set of those directly before it.
        asked: For each item of the list the element that it names; -1 for a name that is none.
        ahead: For each place of the list the elements named from there on.
    """

    def __init__(
        self,
        names: Sequence[Hashable],
        before: Collection[tuple[Hashable, Hashable]],
        given: Sequence[Hashable],
    ) -> None:
        number = {name: place for place, name in enumerate(names)}
        self.n = len(names)
        self.below = [0] * self.n
        for first, second in before:
            self.below[number[second]] |= 1 << number[first]
        self.asked = [number.get(name, -1) for name in given]
        self.ahead = [0] * (len(given) + 3)
        for place in range(len(given) - 1, -1, -1):
            named = self.asked[place]
            self.ahead[place] = self.ahead[place + 1] | (1 << named if named >= 0 else 0)

    def run(self, budget: int) -> Distance:
        """Return the distance, or the lower bound that is proven when the budget is spent."""
        goal = (1 << self.n) - 1
        first: State = (0, 0, False)
        best = {first: 0}
        low = self._left(first)
        pending = [(low, 0, first)]
        done: set[State] = set()
        while pending and budget > 0:
            low, cost, state = heapq.heappop(pending)
            if state in done:
                continue
            if state == (goal, len(self.asked), False):
                return Distance(-cost, -cost, exact=True)
            done.add(state)
            budget -= 1
            for step, near in self._steps(state):
                total = step - cost
                if near not in best or total < best[near]:
                    best[near] = total
                    # Of equal estimates the one that is furthest comes first: its cost is stored negated.
                    heapq.heappush(pending, (total + self._left(near), -total, near))
        return Distance(low, low, exact=False)

    def _left(self, state: State) -> int:
        """Return a cost that cannot be avoided any more: items too many, or elements that are nowhere named."""
        run, place, exchanging = state
        rest = ((1 << self.n) - 1) & ~run
        if exchanging:
            rest &= ~(1 << self.asked[place])
            place += 2
        named = rest & self.ahead[place]
        return max(len(self.asked) - place - named.bit_count(), (rest & ~named).bit_count())

    def _steps(self, state: State) -> Iterator[tuple[int, State]]:
        """Yield what can be done next, with its cost."""
        run, place, exchanging = state
        ready = self._ready(run)
        if exchanging:
            for element in ready:
                found = element == self.asked[place]
                yield int(not found), (run | 1 << element, place + 2 * found, not found)
            return
        left = place < len(self.asked)
        if left:
            yield 1, (run, place + 1, False)
        for element in ready:
            yield 1, (run | 1 << element, place, False)
            if left:
                yield int(element != self.asked[place]), (run | 1 << element, place + 1, False)
                yield from self._exchanges(run, place, element)

    def _exchanges(self, run: int, place: int, element: int) -> Iterator[tuple[int, State]]:
        """Yield the exchanges of the next item with a later one that names `element`, which runs now.

        Items between the two are deleted. Elements can be inserted between them instead, never both: to replace the
        ones by the others costs no more.
        """
        named = self.asked[place]
        if named < 0 or named == element or run >> named & 1 or element not in self.asked[place + 1 :]:
            return
        gap = self.asked.index(element, place + 1) - place - 1
        run |= 1 << element
        if not gap:
            yield 1, (run, place, True)
        elif not self.below[named] & ~run:
            yield 1 + gap, (run | 1 << named, place + gap + 2, False)

    def _ready(self, run: int) -> list[int]:
        return [e for e in range(self.n) if not run >> e & 1 and not self.below[e] & ~run]


def _followed(search: _Search, names: Sequence[Hashable], given: Sequence[Hashable]) -> int:
    """Return the distance of a right order that follows the list as far as it may."""
    place: dict[int, int] = {}
    for position, element in enumerate(search.asked):
        place.setdefault(element, position)
    keys = [place.get(element, len(given)) for element in range(search.n)]
    after: list[list[int]] = [[] for _ in range(search.n)]
    for element, below in enumerate(search.below):
        for first in range(search.n):
            if below >> first & 1:
                after[first].append(element)
    urgent = list(keys)
    for element in reversed(_extension(search, after, keys)):
        urgent[element] = min([keys[element], *(urgent[other] for other in after[element])])

    def distance(order: Sequence[int]) -> int:
        return DamerauLevenshtein.distance([names[element] for element in order], given)

    order = min((_extension(search, after, key) for key in (keys, urgent)), key=distance)
    return _improved(order, search.below, distance)


def _improved(order: list[int], below: Sequence[int], distance: Callable[[Sequence[int]], int]) -> int:
    """Exchange neighbours of a linear extension as long as that brings it nearer; return how near it comes."""
    value = distance(order)
    swaps, before = SWAPS, value + 1
    while swaps > 0 and value < before:
        before = value
        for at in range(len(order) - 1):
            if below[order[at + 1]] >> order[at] & 1:
                continue
            swaps -= 1
            order[at], order[at + 1] = order[at + 1], order[at]
            changed = distance(order)
            if changed < value:
                value = changed
            else:
                order[at], order[at + 1] = order[at + 1], order[at]
    return value


def _extension(search: _Search, after: Sequence[Sequence[int]], keys: Sequence[int]) -> list[int]:
    """Return the linear extension that always takes the ready element with the smallest key."""
    waiting = [below.bit_count() for below in search.below]
    ready = [(keys[element], element) for element in range(search.n) if not waiting[element]]
    heapq.heapify(ready)
    order = []
    while ready:
        element = heapq.heappop(ready)[1]
        order.append(element)
        for other in after[element]:
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(ready, (keys[other], other))
    return order
