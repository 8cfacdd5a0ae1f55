"""Links and the order that follows from them, between steps that both workflows have."""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from wfgate.alignment import Comparison
from wfgate.checks.base import Observation, RelativeCheck, Severity, listed, quoted
from wfgate.checks.conditions import Way
from wfgate.model import TaskGraph

Pair = tuple[int, int]


@dataclass(frozen=True)
class Orders:
    """Both workflows reduced to the steps that they share, numbered as in the golden.

    A step that only one of them has is contracted: what comes before it is linked with what comes after it, so that
    a lost or added step is not reported a second time by its links.

    Attributes:
        comparison: Golden and candidate.
        golden: The golden's links between shared steps.
        candidate: The candidate's links between shared steps, by golden positions.
    """

    comparison: Comparison
    golden: TaskGraph
    candidate: TaskGraph

    @classmethod
    def of(cls, comparison: Comparison) -> "Orders":
        """Reduce both workflows."""
        n = comparison.golden_graph.n
        same = {task: task for task in comparison.candidate_of}
        golden = comparison.golden_graph.restricted(same, n)
        return cls(comparison, golden, comparison.candidate_graph.restricted(comparison.golden_of, n))

    @cached_property
    def place(self) -> dict[int, int]:
        """For each golden step its place in topological order."""
        return {task: place for place, task in enumerate(self.comparison.golden_order)}

    def now(self, graph: TaskGraph, first: int, second: int) -> str:
        """Return how a graph orders two steps: "before", "after", "cycle" or "none"."""
        before, after = graph.precedes(first, second), graph.precedes(second, first)
        return ("cycle" if after else "before") if before else ("after" if after else "none")

    def sorted_pairs(self, pairs: frozenset[Pair]) -> list[Pair]:
        """Return the pairs in topological order."""
        return sorted(pairs, key=lambda pair: (self.place[pair[0]], self.place[pair[1]]))

    def step(self, task: int) -> str:
        """Return a golden step's name and, where it was reworded, the candidate's."""
        golden = quoted(self.comparison.golden.tasks[task])
        candidate = quoted(self.comparison.candidate.tasks[self.comparison.candidate_of[task]])
        same = golden.casefold() == candidate.casefold()
        return golden if same else f"{golden} (reworded as {candidate})"

    def ends(self, way: Way) -> tuple[str, str]:
        """Return the names of two linked golden steps; None stands for START and END."""
        source, target = way.ends
        return "START" if source is None else self.step(source), "END" if target is None else self.step(target)

    def rank(self, way: Way) -> tuple[int, int, str]:
        """Return what sorts ways in topological order."""
        first, second = (-1 if task is None else self.place[task] for task in way.ends)
        return first, second, way.outcome

    def name(self, task: int) -> str:
        """Return a golden step's name in quotes."""
        return quoted(self.comparison.golden.tasks[task])

    def by_moved_step(self, pairs: Mapping[int, int]) -> Iterator[tuple[int, list[int]]]:
        """Yield a small set of steps that explains all pairs, each with its partners in topological order.

        Args:
            pairs: For each step the bit set of its partners, symmetric.

        The step with most partners comes first and takes its pairs with it (the greedy vertex cover): one step moved
        past ten others is one step, not ten.
        """
        partners = {task: bits for task, bits in pairs.items() if bits}
        waiting = [(-bits.bit_count(), self.place[task], task) for task, bits in partners.items()]
        heapq.heapify(waiting)
        while waiting:
            count, place, task = heapq.heappop(waiting)
            bits = partners[task]
            if not bits:
                continue
            if bits.bit_count() != -count:
                heapq.heappush(waiting, (-bits.bit_count(), place, task))
                continue
            others = _members(bits)
            partners[task] = 0
            for other in others:
                partners[other] &= ~(1 << task)
            yield task, sorted(others, key=self.place.__getitem__)


class LinkChanged(RelativeCheck):
    """A link between two steps is gone or new.

    What it does:
        Compares the links between steps that both workflows have, seen past operators and past steps that only one
        of them has. Only informs where the two steps are still in the same order by way of others. Links that turn
        an order round, lose it or make one are left to WR203, WR204 and WR205, links that close a forbidden cycle
        to WF312; what is left is the links of loops.

    Why it matters:
        A lost returning link means that a step is no longer repeated; a new one, that it may be.

    Golden:
        ``draft -> review``, ``review -> draft`` (rejected), ``review -> publish``

    Candidate:
        ``draft -> review``, ``review -> publish``

    How to fix:
        Restore the link, or approve the candidate.
    """

    id: ClassVar[str] = "WR111"
    defect: ClassVar[str] = "link-changed"
    severity: ClassVar[Severity] = "warning"

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per link that is gone or new and not reported as a change of order."""
        orders = Orders.of(comparison)
        golden, candidate = orders.golden, orders.candidate
        for change, has, lacks in (("lost", golden, candidate), ("new", candidate, golden)):
            for first, second in orders.sorted_pairs(has.edges - lacks.edges):
                was, now = orders.now(golden, first, second), orders.now(candidate, first, second)
                returns = (first, second) in lacks.back_edges
                forbidden = now == "cycle" != was and comparison.candidate.semantics == "dag"
                if (was != now and "cycle" not in {was, now}) or returns or forbidden:
                    continue
                unchanged = was == now != "cycle"
                message = f"the link from {orders.step(first)} to {orders.step(second)} is {change}"
                yield Observation(
                    message + (", the order is unchanged" if unchanged else ""),
                    golden=(first, second),
                    key=(change,),
                    severity="info" if unchanged else None,
                )
            for first, second in orders.sorted_pairs(has.back_edges - lacks.back_edges - lacks.edges):
                message = f"the returning link from {orders.step(first)} to {orders.step(second)} is {change}"
                yield Observation(message, golden=(first, second), key=(change, "back"))


class OrderInverted(RelativeCheck):
    """Two steps changed places.

    What it does:
        Reports steps that had to run in one order in the golden and have to run in the other order in the candidate.
        The steps that moved are named, each once, with all steps that they moved past.

    Why it matters:
        Deploying before testing is another process, whatever the steps say.

    Golden:
        ``test -> deploy``

    Candidate:
        ``deploy -> test``

    How to fix:
        Move the step back to its place.
    """

    id: ClassVar[str] = "WR203"
    defect: ClassVar[str] = "order-inverted"
    severity: ClassVar[Severity] = "error"

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that moved."""
        orders = Orders.of(comparison)
        golden, candidate = orders.golden, orders.candidate
        inverted = {}
        for task in comparison.candidate_of:
            was_later = golden.descendants[task] & ~golden.ancestors[task]
            was_earlier = golden.ancestors[task] & ~golden.descendants[task]
            now_later = candidate.descendants[task] & ~candidate.ancestors[task]
            now_earlier = candidate.ancestors[task] & ~candidate.descendants[task]
            inverted[task] = (was_later & now_earlier) | (was_earlier & now_later)
        for task, others in orders.by_moved_step(inverted):
            later = [other for other in others if golden.precedes(task, other)]
            earlier = [other for other in others if golden.precedes(other, task)]
            clauses = [
                f"{now} {listed([orders.name(other) for other in group])}, which it used to run {was}"
                for now, was, group in (("after", "before", later), ("before", "after", earlier[::-1]))
                if group
            ]
            yield Observation(
                f"{orders.step(task)} now runs {', and '.join(clauses)}",
                golden=(task, *others),
                witness=(
                    *(f"{orders.name(task)} ran before {orders.name(other)}, now after it" for other in later),
                    *(f"{orders.name(task)} ran after {orders.name(other)}, now before it" for other in earlier),
                ),
            )


class NowParallel(RelativeCheck):
    """A step no longer waits for another one.

    What it does:
        Reports links of the golden whose two steps no path of the candidate orders, by the steps that came loose.

    Why it matters:
        The second step may now run before the first is done, with what the first had to provide still missing.

    Golden:
        ``build -> test``, ``test -> deploy``

    Candidate:
        ``build -> test``, ``build -> deploy``

    How to fix:
        Restore the link between the two.
    """

    id: ClassVar[str] = "WR204"
    defect: ClassVar[str] = "now-parallel"
    severity: ClassVar[Severity] = "error"

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that came loose."""
        orders = Orders.of(comparison)
        yield from _between(orders, orders.golden, orders.candidate, "no longer runs", "no path orders them any more")


class NowSerial(RelativeCheck):
    """A step now waits for another one.

    What it does:
        Reports links of the candidate whose two steps no path of the golden orders, by the steps that got tied.

    Why it matters:
        The workflow takes longer, and the second step no longer runs when the first one fails.

    Golden:
        ``build -> lint``, ``build -> test``

    Candidate:
        ``build -> lint``, ``lint -> test``

    How to fix:
        Link the step with what it really needs.
    """

    id: ClassVar[str] = "WR205"
    defect: ClassVar[str] = "now-serial"
    severity: ClassVar[Severity] = "warning"

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that got tied."""
        orders = Orders.of(comparison)
        yield from _between(orders, orders.candidate, orders.golden, "now runs", "no path ordered them before")


def _between(orders: Orders, linked: TaskGraph, unordered: TaskGraph, verb: str, reason: str) -> Iterator[Observation]:
    """Yield the links of one graph between steps that the other does not order, by moved steps."""
    pairs: dict[int, int] = {}
    for first, second in linked.edges:
        if orders.now(linked, first, second) == "before" and orders.now(unordered, first, second) == "none":
            pairs[first] = pairs.get(first, 0) | 1 << second
            pairs[second] = pairs.get(second, 0) | 1 << first
    for task, others in orders.by_moved_step(pairs):
        groups = [
            ("after", [other for other in others if linked.precedes(other, task)]),
            ("before", [other for other in others if linked.precedes(task, other)]),
        ]
        said = [f"{side} {listed([orders.name(other) for other in group])}" for side, group in groups if group]
        yield Observation(
            f"{orders.step(task)} {verb} {' and '.join(said)}: {reason}",
            golden=(task, *others),
            witness=tuple(
                f"{orders.name(task)} {side} {orders.name(other)}" for side, group in groups for other in group
            ),
        )


def _members(bits: int) -> list[int]:
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found
