"""The partial orders of golden and candidate on the aligned steps, and the largest set consistent with both."""

from bisect import bisect_left
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.independent_set import NODE_LIMIT, bits, largest_independent_set
from wfgate.model import TaskGraph

Order = NDArray[np.bool_]
"""A strict partial order, shape (k, k): whether the row's step precedes the column's."""

ROUND_LIMIT = 20
"""Largest number of repeated searches with additional forbidden cycles."""


@dataclass(frozen=True)
class Consistent:
    """The size of the largest set of aligned steps that is consistent with both orders.

    Attributes:
        size: Size of the largest set found.
        upper: Proven upper bound of the exact size; equal to `size` if `size` is exact.
    """

    size: int
    upper: int


def aligned_orders(comparison: Comparison) -> tuple[Order, Order]:
    """Return the golden's and the candidate's order over the k aligned pairs, each of shape (k, k).

    A step precedes another step if a path leads to the other step and no path leads back. Steps on a common cycle are
    unordered. Therefore both orders are strict partial orders.
    """
    positions = np.array(comparison.pairs, dtype=np.intp).reshape(-1, 2)
    return (
        _order(comparison.golden_graph, positions[:, 0]),
        _order(comparison.candidate_graph, positions[:, 1]),
    )


def _order(graph: TaskGraph, positions: NDArray[np.intp]) -> Order:
    width = (graph.n + 7) // 8
    packed = b"".join([reached.to_bytes(width, "little") for reached in graph.descendants])
    table = np.frombuffer(packed, dtype=np.uint8).reshape(graph.n, width)
    reaches = np.unpackbits(table, axis=1, count=graph.n, bitorder="little").view(np.bool_)
    if len(positions) != graph.n or not np.array_equal(positions, np.arange(graph.n)):
        reaches = reaches[positions][:, positions]
    return reaches & ~reaches.T


def largest_consistent_set(
    golden: Order, candidate: Order, *, node_limit: int = NODE_LIMIT, round_limit: int = ROUND_LIMIT
) -> Consistent:
    """Return the size of the largest set of pairs on which the union of both orders has no cycle.

    A contradiction is a pair with a before b in one order and b before a in the other order. The contradictions form a
    strict partial order: the intersection of one order with the reverse of the other. A set without contradictions is
    an antichain of this partial order. The largest antichain has k - (size of a maximum bipartite matching) members
    (Dilworth 1950, Fulkerson 1956). This number is an upper bound; it is exact if golden or candidate is a chain.
    Otherwise the antichain may contain a longer cycle (a before b and c before d in the golden, b before c and d
    before a in the candidate). An antichain without a cycle is an exact result. If there are cycles, they are added as
    forbidden sets, and HiGHS (a solver for integer programs) searches again.

    Args:
        golden: Strict partial order of the golden over the pairs, shape (k, k).
        candidate: Strict partial order of the candidate over the same pairs, shape (k, k).
        node_limit: Branch-and-bound nodes for all rounds together.
        round_limit: Largest number of repeated searches.

    Cost: O(k^2) without contradictions or if both are chains; O(k^2.5) if one is. The problem is NP-hard in
    general, therefore there are limits.

    Example:
        >>> order = np.triu(np.ones((3, 3), dtype=bool), 1)
        >>> largest_consistent_set(order, order.T)
        Consistent(size=1, upper=1)
    """
    k = len(golden)
    contradicting = golden & candidate.T
    union = golden | candidate
    if not contradicting.any():
        if _sorts(golden, candidate, union) or _is_total(golden) or _is_total(candidate):
            return Consistent(k, k)
        chosen, upper = (1 << k) - 1, k
    else:
        if _is_total(golden) and _is_total(candidate):
            size = _longest_increasing(golden, candidate)
            return Consistent(size, size)
        chosen = _largest_antichain(contradicting)
        upper = chosen.bit_count()
        if _is_total(golden) or _is_total(candidate):
            return Consistent(upper, upper)
    after = _rows(union)
    conflicts = _rows(contradicting | contradicting.T)
    cycles, kept = _break_cycles(after, chosen)
    size = kept.bit_count()
    forbidden = set(cycles)
    for _ in range(round_limit):
        if size >= upper or node_limit < 0:
            break
        independent = largest_independent_set(conflicts, forbidden=sorted(forbidden), node_limit=node_limit)
        node_limit -= independent.nodes
        upper = min(upper, independent.upper)
        cycles, kept = _break_cycles(after, independent.members)
        size = max(size, kept.bit_count())
        if not cycles and independent.size < independent.upper:
            break  # node limit reached: repeating the search would give the same result
        forbidden.update(cycles)
    return Consistent(size, upper)


def _sorts(golden: Order, candidate: Order, union: Order) -> bool:
    """Return whether sorting by the number of predecessors respects both orders; then the union has no cycle."""
    order = np.argsort(golden.sum(axis=0) + candidate.sum(axis=0), kind="stable")
    return not np.tril(union[order][:, order]).any()


def _is_total(order: Order) -> bool:
    return int(np.count_nonzero(order)) == len(order) * (len(order) - 1) // 2


def _longest_increasing(golden: Order, candidate: Order) -> int:
    """Return the size of the largest set of pairs that two total orders order alike."""
    ranks = candidate.sum(axis=0)[np.argsort(golden.sum(axis=0))]
    ends: list[int] = []
    for rank in ranks.tolist():
        at = bisect_left(ends, rank)
        ends[at : at + 1] = [rank]
    return len(ends)


def _rows(matrix: Order) -> list[int]:
    packed = np.packbits(matrix, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def _largest_antichain(before: Order) -> int:
    """Return a largest antichain of a strict partial order as a bit set, by Koenig's theorem."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - only pairs with contradictions need it
    from scipy.sparse.csgraph import maximum_bipartite_matching  # noqa: PLC0415

    partner = maximum_bipartite_matching(csr_array(before.astype(np.int8)), perm_type="column")
    matched_by = {int(right): left for left, right in enumerate(partner) if right >= 0}
    rows = _rows(before)
    open_left = [left for left, right in enumerate(partner) if right < 0]
    left_seen, right_seen = sum(1 << left for left in open_left), 0
    while open_left:
        for right in bits(rows[open_left.pop()] & ~right_seen):
            right_seen |= 1 << right
            left = matched_by[right]  # an unmatched one would be an augmenting path
            if not left_seen >> left & 1:
                left_seen |= 1 << left
                open_left.append(left)
    return left_seen & ~right_seen


def _break_cycles(after: Sequence[int], chosen: int) -> tuple[list[int], int]:
    """Return cycles among the chosen steps, and the steps that remain if one step of each cycle is removed."""
    before = [0] * len(after)
    for vertex, targets in enumerate(after):
        for target in bits(targets):
            before[target] |= 1 << vertex
    cycles: list[int] = []
    kept = chosen
    while core := _peeled(after, before, kept):
        all_cycles = filter(None, (_cycle_through(vertex, after, core) for vertex in bits(core)))
        cycle = next(all_cycles)
        cycles += [cycle] if cycles else [cycle, *all_cycles]
        kept ^= 1 << max(bits(cycle), key=lambda v: (after[v] & core).bit_count() * (before[v] & core).bit_count())
    return cycles, kept


def _peeled(after: Sequence[int], before: Sequence[int], alive: int) -> int:
    """Return the steps that remain after repeated removal of steps without predecessors or successors."""
    pending = alive
    while pending:
        low = pending & -pending
        pending ^= low
        vertex = low.bit_length() - 1
        if not after[vertex] & alive or not before[vertex] & alive:
            alive ^= low
            pending |= (after[vertex] | before[vertex]) & alive
    return alive


def _cycle_through(start: int, after: Sequence[int], alive: int) -> int | None:
    """Return a shortest cycle through `start` as a bit set; None if there is no cycle."""
    came_from: dict[int, int] = {}
    seen = 0
    queue = deque([start])
    while queue:
        vertex = queue.popleft()
        if after[vertex] >> start & 1:
            cycle = 1 << start
            while vertex != start:
                cycle |= 1 << vertex
                vertex = came_from[vertex]
            return cycle
        for target in bits(after[vertex] & alive & ~seen):
            seen |= 1 << target
            came_from[target] = vertex
            queue.append(target)
    return None
