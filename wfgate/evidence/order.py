"""Changes of order between golden steps, by where their demands are met in the candidate."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wfgate.alignment import Comparison
from wfgate.alignment.orders import CHANGES, Change


@dataclass(frozen=True)
class OrderChanges:
    """Counts of the pairs of golden steps whose order differs in the candidate (see `alignment/orders.py`).

    Attributes:
        flipped: Pairs that the candidate orders the other way round.
        lost: Direct links of the golden (of its transitive reduction) whose steps the candidate does not order.
        gained: Pairs without order in the golden that the candidate orders.
        moved: Steps whose move explains all flipped pairs (greedy cover).
        replaced: Steps whose other place in the order explains all changed pairs (greedy cover).
    """

    flipped: int
    lost: int
    gained: int
    moved: int
    replaced: int


def order_changes(comparison: Comparison) -> OrderChanges:
    """Return the changes of order, without those that the contract leaves free.

    Cost: O(n^2) bit operations for n golden steps.
    """
    flipped, lost, gained = (list(_demanded_pairs(comparison, change)) for change in CHANGES)
    demanded = _demanded(comparison)
    lost = [pair for pair in lost if _is_direct(demanded, *pair)]
    return OrderChanges(len(flipped), len(lost), len(gained), _cover(flipped), _cover([*flipped, *lost, *gained]))


def _demanded_pairs(comparison: Comparison, change: Change) -> Iterator[tuple[int, int]]:
    """Yield the pairs with a change whose order the contract demands."""
    for pair in comparison.changed_orders.pairs(change):
        if not comparison.contract.leaves_order(*pair) and comparison.left_out.isdisjoint(pair):
            yield pair


def _demanded(comparison: Comparison) -> Sequence[int]:
    """Return for each golden step the bit set of steps that must run after it and are not left out."""
    contract = comparison.contract
    left_out = sum(1 << step for step in comparison.left_out)
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


def _cover(pairs: Sequence[tuple[int, int]]) -> int:
    """Return the size of a greedy vertex cover: the step in most pairs has moved."""
    partners: defaultdict[int, set[int]] = defaultdict(set)
    for one, two in pairs:
        partners[one].add(two)
        partners[two].add(one)
    moved = 0
    while partners:
        worst = max(sorted(partners), key=lambda step: len(partners[step]))
        for partner in partners.pop(worst):
            partners[partner].discard(worst)
            if not partners[partner]:
                del partners[partner]
        moved += 1
    return moved
