"""Changes of order between golden steps, by where their demands are met in the candidate."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wfgate.alignment import Comparison


@dataclass(frozen=True)
class OrderChanges:
    """Pairs of golden steps whose order differs in the candidate.

    A candidate may do two golden steps in one step, or one in several. Therefore only pairs are compared whose
    carriers (see `alignment/supports.py`) are disjoint: a pair is ordered if a path leads from a carrier of one step
    to a carrier of the other.

    Attributes:
        flipped: Pairs that the candidate orders the other way round.
        lost: Direct links of the golden (of its transitive reduction) whose steps the candidate does not order.
        gained: Pairs without order in the golden that the candidate orders.
        moved: Number of steps whose move explains all flipped pairs (greedy cover).
        replaced: Number of steps whose other place in the order explains all changed pairs (greedy cover).
    """

    flipped: int
    lost: int
    gained: int
    moved: int
    replaced: int


_Changes = dict[Literal["flipped", "lost", "gained"], list[tuple[int, int]]]


def order_changes(comparison: Comparison) -> OrderChanges:
    """Return the changes of order, without those that the contract leaves free.

    Cost: O(n^2) bit operations for n golden steps.
    """
    pairs = comparison.derived(_changes)
    flipped, lost, gained = pairs["flipped"], pairs["lost"], pairs["gained"]
    return OrderChanges(
        len(flipped), len(lost), len(gained), len(_cover(flipped)), len(_cover([*flipped, *lost, *gained]))
    )


def moved_steps(comparison: Comparison, done_by: Sequence[Sequence[int]]) -> frozenset[int]:
    """Return the golden steps whose other place in the order explains the changes of order, for people.

    Only pairs count that differ in order between the steps that do them, too: a carrier that is only similar may stand
    elsewhere.

    Args:
        comparison: The aligned pair.
        done_by: The candidate steps that do each golden step.
    """
    descendants = comparison.candidate_graph.descendants
    own = [sum(1 << part for part in parts) for parts in done_by]
    after = [reduce(or_, (descendants[part] for part in parts), 0) for parts in done_by]
    found = []
    for change, pairs in comparison.derived(_changes).items():
        for first, second in pairs:
            forth, back = bool(after[first] & own[second]), bool(after[second] & own[first])
            if {"flipped": back and not forth, "lost": not forth, "gained": forth != back}[change]:
                found.append((first, second))
    return _cover(found)


def _changes(comparison: Comparison) -> _Changes:
    """Return the changed pairs; of the lost ones the direct links of the golden."""
    demanded = _demanded(comparison)
    pairs: _Changes = {"flipped": [], "lost": [], "gained": []}
    for first, second, change in changed_orders(comparison):
        if not comparison.contract.leaves_order(first, second) and comparison.left_out.isdisjoint((first, second)):
            pairs[change].append((first, second))
    pairs["lost"] = [pair for pair in pairs["lost"] if _is_direct(demanded, *pair)]
    return pairs


def changed_orders(comparison: Comparison) -> Iterator[tuple[int, int, Literal["flipped", "lost", "gained"]]]:
    """Yield the pairs of golden steps whose order differs in the candidate, by the places in the words of the golden.

    The first step of a flipped or lost pair precedes the second one in the golden, maybe with steps between them.
    """
    after = _bits(comparison.golden_graph.descendants, comparison.golden_graph.n)
    carriers = [sorted(place.carriers) for place in comparison.golden_places]
    done = [step for step, places in enumerate(carriers) if places]
    m = comparison.candidate_graph.n
    followed, own = _bits(_reached(comparison), m), _bits([sum(1 << c for c in each) for each in carriers], m)
    forth, shared = np.zeros_like(after), np.zeros_like(after)
    for second in done:
        forth[:, second] = followed[:, carriers[second]].any(axis=1)
        shared[:, second] = own[:, carriers[second]].any(axis=1)
    compared = np.zeros_like(after)
    compared[np.ix_(done, done)] = True
    np.fill_diagonal(compared, val=False)
    compared &= ~shared
    ordered = compared & after & ~after.T & ~forth
    gained = np.triu(compared & ~after & ~after.T & (forth ^ forth.T))
    for first, second in np.argwhere(ordered | gained).tolist():
        if gained[first, second]:
            yield first, second, "gained"
        else:
            yield first, second, "flipped" if forth[second, first] else "lost"


def _bits(sets: Sequence[int], size: int) -> NDArray[np.bool_]:
    """Return bit sets as rows of a matrix, shape (len(sets), size)."""
    if not size:
        return np.zeros((len(sets), 0), dtype=np.bool_)
    width = -(-size // 8)
    packed = np.frombuffer(b"".join(each.to_bytes(width, "little") for each in sets), dtype=np.uint8)
    rows = np.unpackbits(packed.reshape(len(sets), width), axis=1, count=size, bitorder="little")
    return rows.astype(np.bool_)


def _demanded(comparison: Comparison) -> Sequence[int]:
    """Return for each golden step the bit set of steps that must run after it and are not left out."""
    contract = comparison.contract
    left_out = sum(1 << step for step in comparison.left_out)
    found = [after & ~left_out for after in comparison.golden_graph.descendants]
    for first, second in contract.free_orders:
        found[first] &= ~(1 << second)
        found[second] &= ~(1 << first)
    return found


def _reached(comparison: Comparison) -> list[int]:
    """Return for each golden step the bit set of candidate steps after one of its carriers."""
    descendants = comparison.candidate_graph.descendants
    found = []
    for place in comparison.golden_places:
        after = 0
        for step in place.carriers:
            after |= descendants[step]
        found.append(after)
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
