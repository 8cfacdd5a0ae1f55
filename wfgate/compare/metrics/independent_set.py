"""Maximum independent set of a graph: exact search with a node limit."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

NODE_LIMIT = 1_000
"""Largest number of branch-and-bound nodes of HiGHS per score."""
_NODE_WORK = 55_000_000
"""Nodes of HiGHS times the size of the problem (vertices times members of the clique constraints): a node of a problem
with 150 vertices and 2,149 members takes 0.1 seconds, so that few of them are affordable."""
_MOST_SIZE = 500_000
"""Largest size of a problem that is given to HiGHS. In a larger one the root node alone takes half a minute."""
_BRANCHES = 100
"""Branchings tried before HiGHS is used; most cases left by domination need a few."""
_DOMINATION_DEGREE = 16
"""Largest degree of a vertex that is tested as dominating; the test costs its degree."""


@dataclass(frozen=True)
class IndependentSet:
    """The largest independent set found, with an upper bound.

    Attributes:
        members: The vertices of the set, as a bit set.
        upper: Proven upper bound of the size of any independent set.
        nodes: Branch-and-bound nodes used.
    """

    members: int
    upper: int
    nodes: int = 0

    @property
    def size(self) -> int:
        """The number of members."""
        return self.members.bit_count()


def bits(mask: int) -> Iterator[int]:
    """Yield the positions of the set bits, ascending.

    Example:
        >>> list(bits(0b10110))
        [1, 2, 4]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def largest_independent_set(
    conflicts: Sequence[int], *, usable: int | None = None, forbidden: Sequence[int] = (), node_limit: int = NODE_LIMIT
) -> IndependentSet:
    """Return the largest independent set that does not contain all vertices of any forbidden set.

    First the graph is reduced by domination (Fomin & Kratsch 2010, section 2.3): if the closed neighbourhood of `u`
    contains the closed neighbourhood of `v`, then `v` can replace `u` in any solution, so `u` is removed. Vertices of
    degree 0 and 1 are special cases. The rule is applied only if `v` is in no forbidden set. The rest is solved by
    branching on a vertex of largest degree per component. After `_BRANCHES` branchings, or if a forbidden set remains,
    HiGHS (a solver for integer programs) solves the rest with clique constraints. For a problem that is too large for
    it (from about 200 vertices with 2,000 conflicts on, if domination reduces nothing), the set is made greedily, and
    the upper bound is the number of cliques that contain all vertices.

    Args:
        conflicts: For each vertex, the bit set of vertices in conflict with it; symmetric, without self-loops.
        usable: Bit set of the vertices that may be chosen; by default all vertices.
        forbidden: Bit sets of two or more vertices; a solution must not contain all vertices of such a set.
        node_limit: Number of branch-and-bound nodes after which the search ends with bounds.

    Cost: nearly linear in the number of conflicts if domination solves the problem. The problem is NP-hard in general,
    therefore there is a limit.

    Example:
        A path of five vertices:

        >>> path = [0b00010, 0b00101, 0b01010, 0b10100, 0b01000]
        >>> largest = largest_independent_set(path)
        >>> list(bits(largest.members)), largest.upper
        ([0, 2, 4], 3)
    """
    alive = (1 << len(conflicts)) - 1 if usable is None else usable
    cuts = [cut for cut in forbidden if not cut & ~alive]
    taken, alive, cuts = _kernel(conflicts, alive, cuts)
    if not alive:
        return IndependentSet(taken, taken.bit_count())
    if not cuts and node_limit > 0:
        members, _ = _branched(conflicts, alive, _BRANCHES)
        if members is not None:
            return IndependentSet(taken | members, (taken | members).bit_count())
    rest = _solve(conflicts, alive, cuts, node_limit)
    return IndependentSet(taken | rest.members, taken.bit_count() + rest.upper, rest.nodes)


def _kernel(conflicts: Sequence[int], alive: int, cuts: list[int]) -> tuple[int, int, list[int]]:
    """Return the vertices of a largest set decided so far, the undecided vertices, and the open forbidden sets."""
    taken = 0
    constrained = _union(cuts)
    pending = alive
    while pending:
        low = pending & -pending
        pending ^= low
        if not alive & low or constrained & low:
            continue
        near = conflicts[low.bit_length() - 1] & alive
        if not near:
            taken |= low
            alive ^= low
            continue
        if near.bit_count() > _DOMINATION_DEGREE:
            continue
        for other in bits(near):
            gone = 1 << other
            if (near | low) & ~(conflicts[other] | gone):
                continue
            alive ^= gone
            pending |= conflicts[other] & alive
            if constrained & gone:
                pending |= constrained & alive
                cuts = [cut for cut in cuts if not cut & gone]
                constrained = _union(cuts)
            break
    return taken, alive, cuts


def _branched(conflicts: Sequence[int], alive: int, tries: int) -> tuple[int | None, int]:
    """Return a largest independent set (None if the branchings are used up), and the remaining branchings."""
    members, alive, _ = _kernel(conflicts, alive, [])
    while alive:
        component = _component(conflicts, alive)
        alive &= ~component
        tries -= 1
        if tries < 0:
            return None, tries
        busiest = max(bits(component), key=lambda v: (conflicts[v] & component).bit_count())
        without, tries = _branched(conflicts, component & ~(1 << busiest), tries)
        if without is None:
            return None, tries
        others, tries = _branched(conflicts, component & ~(1 << busiest) & ~conflicts[busiest], tries)
        if others is None:
            return None, tries
        members |= max(without, others | 1 << busiest, key=int.bit_count)
    return members, tries


def _component(conflicts: Sequence[int], alive: int) -> int:
    """Return the connected component of the first vertex."""
    reached = fresh = alive & -alive
    while fresh:
        fresh = _union(conflicts[vertex] for vertex in bits(fresh)) & alive & ~reached
        reached |= fresh
    return reached


def _solve(conflicts: Sequence[int], alive: int, cuts: Sequence[int], node_limit: int) -> IndependentSet:
    members = _greedy(conflicts, alive, cuts)
    rows = _clique_cover(conflicts, alive, _MOST_SIZE // alive.bit_count())
    if rows is None:
        return IndependentSet(members, _cliques(conflicts, alive))
    import numpy as np  # noqa: PLC0415 - numpy and HiGHS are loaded for hard cases only
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415
    from scipy.sparse import csr_array  # noqa: PLC0415

    vertices = list(bits(alive))
    column = {vertex: place for place, vertex in enumerate(vertices)}
    limits = [1] * len(rows) + [cut.bit_count() - 1 for cut in cuts]
    entries = [(row, column[vertex]) for row, members in enumerate((*rows, *cuts)) for vertex in bits(members)]
    size = max(1, len(entries) * len(vertices))
    at = np.array(entries, dtype=np.int64).reshape(-1, 2)
    matrix = csr_array((np.ones(len(at)), (at[:, 0], at[:, 1])), shape=(len(limits), len(vertices)))
    outcome = milp(
        c=-np.ones(len(vertices)),
        integrality=np.ones(len(vertices), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, -np.inf, np.array(limits, dtype=np.float64)),
        options={"node_limit": min(node_limit, _NODE_WORK // size), "mip_rel_gap": 0},
    )
    if outcome.x is not None:
        solution = sum(1 << vertex for vertex, chosen in zip(vertices, outcome.x, strict=True) if chosen > 0.5)
        members = max(members, solution, key=int.bit_count)
    upper = len(vertices)
    bound = outcome.mip_dual_bound
    if bound is not None and np.isfinite(bound):
        upper = min(upper, int(np.floor(-bound + 1e-6)))
    return IndependentSet(members, max(upper, members.bit_count()), int(outcome.mip_node_count or 0))


def _clique_cover(conflicts: Sequence[int], alive: int, most: int) -> list[int] | None:
    """Return cliques that cover all conflicts: these are fewer and tighter constraints than single conflicts.

    None if they have more members than `most`, all together.
    """
    cliques = []
    uncovered = {vertex: conflicts[vertex] & alive for vertex in bits(alive)}
    for vertex in bits(alive):
        while uncovered[vertex]:
            clique, common = 1 << vertex, conflicts[vertex] & alive
            while common:
                fresh = common & uncovered[vertex]
                chosen = next(bits(fresh or common))
                clique |= 1 << chosen
                common &= conflicts[chosen]
            for member in bits(clique):
                uncovered[member] &= ~clique
            cliques.append(clique)
            most -= clique.bit_count()
            if most < 0:
                return None
    return cliques


def _cliques(conflicts: Sequence[int], alive: int) -> int:
    """Return a number of cliques that contain all vertices: an independent set has at most one vertex of each."""
    count = 0
    while alive:
        count += 1
        common = alive
        while common:
            chosen = next(bits(common))
            alive ^= 1 << chosen
            common &= conflicts[chosen]
    return count


def _greedy(conflicts: Sequence[int], alive: int, cuts: Sequence[int]) -> int:
    """Return an independent set by adding vertices of smallest degree that complete no forbidden set."""
    members = 0
    degrees = {vertex: (conflicts[vertex] & alive).bit_count() for vertex in bits(alive)}
    waiting = [(degree, vertex) for vertex, degree in degrees.items()]
    heapq.heapify(waiting)
    while alive:
        degree, vertex = heapq.heappop(waiting)
        if not alive >> vertex & 1 or degree != degrees[vertex]:
            continue  # an entry from before the degree fell
        grown = members | 1 << vertex
        allowed = all(cut & ~grown for cut in cuts)
        gone = 1 << vertex
        if allowed:
            members = grown
            gone |= conflicts[vertex] & alive
        alive &= ~gone
        for removed in bits(gone):
            for near in bits(conflicts[removed] & alive):
                degrees[near] -= 1
                heapq.heappush(waiting, (degrees[near], near))
    return members


def _union(sets: Iterable[int]) -> int:
    union = 0
    for members in sets:
        union |= members
    return union
