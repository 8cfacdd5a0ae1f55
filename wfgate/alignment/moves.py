"""Changes of order between golden steps, by where their demands are met in the candidate."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wfgate.alignment.orders import CHANGES, Change, reached

if TYPE_CHECKING:
    from wfgate.alignment.comparison import Comparison


@dataclass(frozen=True)
class OrderChanges:
    """Counts of the pairs of golden steps whose order differs in the candidate (see `alignment/orders.py`).

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
    flipped, lost, gained = (pairs[change] for change in CHANGES)
    return OrderChanges(len(flipped), len(lost), len(gained), _cover(flipped), _cover([*flipped, *lost, *gained]))


def moved_steps(comparison: "Comparison") -> frozenset[int]:
    """Return the golden steps whose other place in the order explains the changes of order, for people.

    Only pairs count that differ in order between the steps that do them (`Fate.done_by`), too: a carrier that is only
    similar may stand elsewhere. A step is not moved because a neighbour is missing, or was merged into another step.
    """
    sole = {fate.position for fate in comparison.fates if fate.done_by and not fate.lacks_sole_step}
    own = [sum(1 << part for part in fate.done_by) for fate in comparison.fates]
    after = [reached(comparison.candidate_graph, fate.done_by) for fate in comparison.fates]
    found = []
    for change, pairs in comparison.derived(_changes).items():
        for first, second in pairs:
            if first not in sole or second not in sole:
                continue
            forth, back = bool(after[first] & own[second]), bool(after[second] & own[first])
            if {"flipped": back and not forth, "lost": not forth, "gained": forth != back}[change]:
                found.append((first, second))
    return _cover(found)


def _changes(comparison: "Comparison") -> dict[Change, list[tuple[int, int]]]:
    """Return the changed pairs whose order the contract demands; of the lost ones the direct links of the golden."""
    contract, demanded = comparison.contract, _demanded(comparison)
    left_out = {fate.position for fate in comparison.fates if fate.is_left_out}
    pairs = {
        change: [
            pair
            for pair in comparison.changed_orders.pairs(change)
            if not contract.leaves_order(*pair) and left_out.isdisjoint(pair)
        ]
        for change in CHANGES
    }
    pairs["lost"] = [pair for pair in pairs["lost"] if _is_direct(demanded, *pair)]
    return pairs


def _demanded(comparison: "Comparison") -> Sequence[int]:
    """Return for each golden step the bit set of steps that must run after it and are not left out."""
    contract = comparison.contract
    left_out = sum(1 << fate.position for fate in comparison.fates if fate.is_left_out)
    found = [after & ~left_out for after in comparison.golden_graph.descendants]
    for first, second in contract.free_orders:
        found[first] &= ~(1 << second)
        found[second] &= ~(1 << first)
    return found


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


def _cover(pairs: Sequence[tuple[int, int]]) -> frozenset[int]:
    """Return a greedy vertex cover: the step in most pairs has moved."""
    partners: defaultdict[int, set[int]] = defaultdict(set)
    for one, two in pairs:
        partners[one].add(two)
        partners[two].add(one)
    moved = set()
    while partners:
        worst = max(sorted(partners), key=lambda step: len(partners[step]))
        for partner in partners.pop(worst):
            partners[partner].discard(worst)
            if not partners[partner]:
                del partners[partner]
        moved.add(worst)
    return frozenset(moved)
