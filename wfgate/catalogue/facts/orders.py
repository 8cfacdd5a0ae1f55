"""The distance between a list and a partial order, that is, the nearest linear extension of this order.

Every order of parallel steps is correct, so an answer is graded by its distance to the nearest correct order. The
distance is the Damerau-Levenshtein distance with unit costs (Damerau 1964; transpositions as in Lowrance & Wagner
1975: items between the two transposed items may be inserted or deleted). It is computed by A* (Hart, Nilsson & Raphael
1968) over the down-sets of the partial order. A down-set is a set of steps that can have run at one moment.
"""

import heapq
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import DamerauLevenshtein

from wfgate.model import linear_extension, topological

DEFAULT_BUDGET = 50_000
"""Largest number of explored states; after that bounds are returned."""
SWAPS = 2_000
"""Largest number of exchanges of neighbours to improve an order that is not proven to be nearest."""


@dataclass(frozen=True)
class Distance:
    """The distance between a list and the nearest correct order.

    Attributes:
        value: The distance to a correct order. If `exact`, no correct order has a smaller distance.
        at_least: A proven lower bound of the smallest distance.
        exact: Whether `value` is proven to be the smallest distance.
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
    """Return the smallest edit distance between a list and any order of `names` that respects `before`.

    Args:
        names: The distinct names to order.
        before: Acyclic pairs (a, b) of names: a must come before b. The pairs need not be transitively closed.
        given: The list. Names may be missing or repeated, and there may be other names.
        budget: Largest number of explored states.

    Cost: the exact search explores at most O(down-sets * len(given)) states, and few states if the list is nearly
    correct. If the search reaches the budget, the value is the distance to a linear extension that follows the list,
    improved by exchanges of neighbours.

    Example:
        >>> nearest_order("abc", [("a", "b"), ("a", "c")], "acb")
        Distance(value=0, at_least=0, exact=True)
        >>> nearest_order("abc", [("a", "b"), ("a", "c")], "cab")
        Distance(value=1, at_least=1, exact=True)
    """
    search = _DistanceSearch(names, before, given)
    distance = search.run(budget)
    if distance.exact:
        return distance
    value = _followed(search, names, given)
    return Distance(value, distance.at_least, value == distance.at_least)


State = tuple[int, int, bool]
"""The elements that have run as a bit set; the number of processed items of the list; and whether the next two items
are being exchanged (the second has run, the first follows)."""


class _DistanceSearch:
    """An A* search from the state "no step has run" to the state "all steps have run".

    Attributes:
        n: Number of elements.
        below: The bit set of direct predecessors of each element.
        asked: The element of each item in the list; -1 for an unknown name.
        ahead: For each position of the list: the elements of all items from this position on.
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
        """Return the exact distance, or after `budget` states the proven lower bound (then `exact` is False)."""
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
                    # Among equal estimates the state with the highest cost comes first: costs are stored negated.
                    heapq.heappush(pending, (total + self._left(near), -total, near))
        return Distance(low, low, exact=False)

    def _left(self, state: State) -> int:
        """Return a lower bound of the remaining cost: superfluous items, or elements without a remaining item."""
        run, place, exchanging = state
        rest = ((1 << self.n) - 1) & ~run
        if exchanging:
            rest &= ~(1 << self.asked[place])
            place += 2
        named = rest & self.ahead[place]
        return max(len(self.asked) - place - named.bit_count(), (rest & ~named).bit_count())

    def _steps(self, state: State) -> Iterator[tuple[int, State]]:
        """Yield the next states, with the cost of each step."""
        run, place, exchanging = state
        ready = self._ready(run)
        if exchanging:
            for element in ready:
                matches = element == self.asked[place]
                yield int(not matches), (run | 1 << element, place + 2 * matches, not matches)
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
        """Yield the exchanges of the next item with the next later item for `element`; `element` runs now.

        The items between the two exchanged items are deleted. Insertions between the two are never better, because
        replacing the items does not cost more.
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


def _followed(search: _DistanceSearch, names: Sequence[Hashable], given: Sequence[Hashable]) -> int:
    """Return the distance to a correct order that follows the list as closely as possible."""
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
    parts = [(element,) for element in topological(range(search.n), after.__getitem__)]
    for (element,) in reversed(parts):
        urgent[element] = min([keys[element], *(urgent[other] for other in after[element])])

    def distance(order: Sequence[int]) -> int:
        return DamerauLevenshtein.distance([names[element] for element in order], given)

    order = min((linear_extension(parts, after, key) for key in (keys, urgent)), key=distance)
    return _improved(order, search.below, distance)


def _improved(order: list[int], below: Sequence[int], distance: Callable[[Sequence[int]], int]) -> int:
    """Return the distance of a linear extension after exchanges of neighbours, repeated while they reduce it."""
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
