"""Changes of order between golden steps, by where their demands are met in the candidate."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wfgate.compare.orders import CHANGES, Change, as_rows, as_sets, reached
from wfgate.model import members

if TYPE_CHECKING:
    from wfgate.compare.comparison import Comparison


@dataclass(frozen=True)
class OrderChanges:
    """Counts of the pairs of golden steps whose order differs in the candidate (see `compare/orders.py`).

    Attributes:
        flipped: Pairs that the candidate orders the other way round.
        lost: Direct links of the golden (of its transitive reduction) whose steps the candidate does not order.
        gained: Pairs without order in the golden that the candidate orders.
        moved: Golden steps whose move explains all flipped pairs (greedy cover).
        replaced: Golden steps whose other place in the order explains all changed pairs (greedy cover).
    """

    flipped: int
    lost: int
    gained: int
    moved: frozenset[int]
    replaced: frozenset[int]


def order_changes(comparison: "Comparison") -> OrderChanges:
    """Return the changes of order, without those that the contract leaves free.

    Cost: O(n^2) bit operations for n golden steps.
    """
    pairs = comparison.derived(_changes)
    flipped, lost, gained = (sum(map(int.bit_count, pairs[change])) for change in CHANGES)
    every = [
        flipped | lost | gained for flipped, lost, gained in zip(*(pairs[change] for change in CHANGES), strict=True)
    ]
    return OrderChanges(flipped, lost, gained, _cover(pairs["flipped"]), _cover(every))


def moved_steps(comparison: "Comparison") -> frozenset[int]:
    """Return the golden steps whose other place in the order explains the changes of order, for people.

    Only pairs count that differ in order between the steps that do them (`Fate.done_by`), too: a carrier that is only
    similar may stand elsewhere. A step is not moved because a neighbour is missing, or was merged into another step.
    """
    sole = {fate.position for fate in comparison.fates if fate.done_by and not fate.lacks_sole_step}
    own = [sum(1 << part for part in fate.done_by) for fate in comparison.fates]
    after = [reached(comparison.candidate_graph, fate.done_by) for fate in comparison.fates]
    every = sum(1 << step for step in sole)
    changed = [0] * len(own)
    for change, pairs in comparison.derived(_changes).items():
        for first in sole:
            for second in members(pairs[first] & every):
                forth, back = bool(after[first] & own[second]), bool(after[second] & own[first])
                if {"flipped": back and not forth, "lost": not forth, "gained": forth != back}[change]:
                    changed[first] |= 1 << second
    return _cover(changed)


def _changes(comparison: "Comparison") -> dict[Change, list[int]]:
    """Return the changed pairs whose order the contract demands; of the lost ones the direct links of the golden.

    As bit sets of second steps per first step: a list of thousands of steps in another order has millions of pairs.
    """
    demanded = _demanded(comparison)
    steps = range(len(comparison.fates))
    left_out = sum(1 << fate.position for fate in comparison.fates if fate.is_left_out)
    unordered = comparison.contract.unordered(len(steps))
    ignored = [-1 if left_out >> step & 1 else left_out | unordered[step] for step in steps]
    pairs: dict[Change, list[int]] = {
        change: [comparison.changed_orders.after(change, step) & ~ignored[step] for step in steps]
        for change in CHANGES
    }
    for first, after in enumerate(pairs["lost"]):
        pairs["lost"][first] = sum(1 << second for second in members(after) if _is_direct(demanded, first, second))
    return pairs


def _demanded(comparison: "Comparison") -> Sequence[int]:
    """Return for each golden step the bit set of steps that must run after it and are not left out."""
    left_out = sum(1 << fate.position for fate in comparison.fates if fate.is_left_out)
    descendants = comparison.golden_graph.descendants
    unordered = comparison.contract.unordered(len(descendants))
    return [after & ~(left_out | free) for after, free in zip(descendants, unordered, strict=True)]


def _is_direct(descendants: Sequence[int], first: int, second: int) -> bool:
    """Return whether no third step is between two ordered steps."""
    between = descendants[first] & ~(1 << second)
    while between:
        lowest = between & -between
        step = lowest.bit_length() - 1
        if step != first and descendants[step] >> second & 1 and not descendants[step] >> first & 1:
            return False
        between ^= lowest
    return True


def _cover(pairs: Sequence[int]) -> frozenset[int]:
    """Return a greedy vertex cover of bit sets of second steps per first step: the step in most pairs has moved."""
    table = as_rows(pairs, len(pairs))
    partners = dict(enumerate(as_sets(table | table.T)))
    return frozenset(step for step, _ in greedy_cover(partners, range(len(pairs))))


def greedy_cover(pairs: Mapping[int, int], place: Sequence[int] | Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield the steps of a greedy vertex cover with the bit sets of their remaining partners.

    The step with most partners comes first; of several, the one with the lowest place.

    Args:
        pairs: The bit set of partners of each step, symmetric.
        place: The place of each step.

    Cost: O(n^2) for n steps.
    """
    steps = sorted((step for step, bits in pairs.items() if bits), key=place.__getitem__)
    if not steps:
        return
    partners = as_rows([pairs[step] for step in steps], max(steps) + 1)[:, steps]
    counts = partners.sum(axis=1)
    left = -1
    while counts[rank := int(counts.argmax())] > 0:
        step = steps[rank]
        yield step, pairs[step] & left
        left &= ~(1 << step)
        counts -= partners[rank]
        counts[rank] = 0
