"""Checks of links between shared steps, and of the order of shared steps."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

from wfgate.compare import CHANGES, TIE, Change, Comparison, greedy_cover
from wfgate.model import TaskGraph, listed, members
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity, quoted, reworded
from wfgate.rules.conditions import Way, are_data, is_same_step

Pair = tuple[int, int]


@dataclass(frozen=True)
class Orders:
    """Both workflows reduced to their shared steps, by golden positions.

    A step that only one workflow has is contracted: its predecessors are linked to its successors. Therefore the links
    of a missing or added step are not reported in addition to the step.

    Attributes:
        comparison: The comparison of golden and candidate.
        golden: The golden's links between shared steps.
        candidate: The candidate's links between shared steps, by golden positions.
    """

    comparison: Comparison
    golden: TaskGraph
    candidate: TaskGraph

    @classmethod
    def of(cls, comparison: Comparison) -> "Orders":
        """Return both workflows reduced to their shared steps."""
        n = comparison.golden_graph.n
        same = {task: task for task in comparison.candidate_of}
        golden = comparison.golden_graph.restricted(same, n)
        return cls(comparison, golden, comparison.candidate_graph.restricted(comparison.golden_of, n))

    def confirmed(self, change: Change, first: int) -> int:
        """Return the second steps of the pairs with a change that the carriers of both steps show, too.

        A step that was merged with another one is matched with some step all the same, and that step may run anywhere.
        Measured on workflows written anew (half for fitting): of 203 pairs of matched steps in the opposite order, in
        accepted workflows, 181 are in the same order where the reviewers found them; of those that the carriers
        confirm, 11 of 28. Steps whose meaning changed significantly are reported as such; their order says nothing.
        """
        changed = self.comparison.changed_orders.after(change, first)
        return 0 if self._gone >> first & 1 else changed & ~self._gone

    def exchanged(self, first: int, later: int) -> int:
        """Return those of the given steps that surely changed places with a step, although carriers are shared.

        Steps with similar words ("deploy to staging", "deploy to production") are carriers of each other, so that the
        carriers show no order between them, or both orders. If both steps are surely kept, and their partners fit
        clearly better this way than the other way round, the order of the partners is that of the steps.
        Of 1,121 accepted regenerations 5 have such a pair, so this alone is a review, never a block.
        """
        if not later or not self._is_surely_its_partner(first):
            return 0
        similarity, partner = self.comparison.similarity, self.comparison.candidate_of
        exchanged = 0
        for other in members(later):
            straight = similarity[first, partner[first]] + similarity[other, partner[other]]
            crossed = similarity[first, partner[other]] + similarity[other, partner[first]]
            if straight - crossed >= TIE and self._is_surely_its_partner(other):
                exchanged |= 1 << other
        return exchanged

    def _is_surely_its_partner(self, task: int) -> bool:
        """Return whether the partner of a step alone surely does it, and no candidate step fits clearly better.

        Each other carrier is the partner of another step. A step that the candidate has twice may run at either place.
        """
        fate, similarity = self.comparison.fates[task], self.comparison.similarity[task]
        sole = fate.is_surely_kept and not fate.is_left_out and not fate.is_split
        sole = sole and all(part in self.comparison.golden_of for part in fate.carriers)
        return sole and bool(similarity[self.comparison.candidate_of[task]] >= similarity.max() - TIE)

    @cached_property
    def repeats(self) -> bool:
        """Whether both files are data in which a step runs for each link that reaches it, whatever the order."""
        both = {self.comparison.golden.semantics, self.comparison.candidate.semantics}
        return both == {"token"} and are_data(self.comparison)

    @cached_property
    def reordered(self) -> frozenset[int]:
        """The golden steps that have another order to some other step."""
        changed = self.comparison.changed_orders
        return frozenset(task for change in CHANGES for pair in changed.pairs(change) for task in pair)

    def is_fact(self, *tasks: int) -> bool:
        """Return whether a changed link of these steps is a fact: in data, and the words of the steps are the same.

        Each step is the only one with its words in both workflows. Links of data are not a matter of words.
        """
        return all(self.comparison.fates[task].is_verbatim for task in tasks) and are_data(self.comparison)

    def have_names(self, *tasks: int) -> bool:
        """Return whether both files are data and each of these steps has the same name, maybe with other steps."""
        return all(is_same_step(self.comparison, task) for task in tasks) and are_data(self.comparison)

    @cached_property
    def _gone(self) -> int:
        return sum(1 << fate.position for fate in self.comparison.fates if fate.is_significant)

    @cached_property
    def place(self) -> dict[int, int]:
        """The topological rank of each golden step."""
        return {task: place for place, task in enumerate(self.comparison.golden_order)}

    def now(self, graph: TaskGraph, first: int, second: int) -> str:
        """Return the order of two steps in a graph: "before", "after", "cycle" or "none"."""
        before, after = graph.precedes(first, second), graph.precedes(second, first)
        return ("cycle" if after else "before") if before else ("after" if after else "none")

    def sorted_pairs(self, pairs: frozenset[Pair]) -> list[Pair]:
        """Return the pairs in topological order."""
        return sorted(pairs, key=lambda pair: (self.place[pair[0]], self.place[pair[1]]))

    def links(self, graph: TaskGraph) -> set[Pair]:
        """Return the links of a graph, and the orders that a link guarantees although the contract leaves it free.

        In `release -> ship -> alert`, the order of ship and alert may be free. Alert still waits for the release: this
        order follows from the two links, and no link says it alone.
        """
        links = set(graph.edges)
        waiting = [pair for pair in links if self.comparison.contract.leaves_order(*pair)]
        while waiting:
            first, second = waiting.pop()
            through = {(before, second) for before in graph.predecessors[first]}
            through |= {(first, after) for after in graph.successors[second]}
            new = {pair for pair in through - links if pair[0] != pair[1]}
            links |= new
            waiting += [pair for pair in new if self.comparison.contract.leaves_order(*pair)]
        return links

    def step(self, task: int) -> str:
        """Return a golden step's name in quotes, with the candidate's name if the step was reworded."""
        candidate = self.comparison.candidate.tasks[self.comparison.candidate_of[task]]
        return reworded(self.comparison.golden.tasks[task], candidate)

    def ends(self, way: Way) -> tuple[str, str]:
        """Return the names of two linked golden steps; None stands for START and END."""
        source, target = way.ends
        return "START" if source is None else self.step(source), "END" if target is None else self.step(target)

    def rank(self, way: Way) -> tuple[int, int, str]:
        """Return the sort key of a path, for topological order."""
        first, second = (-1 if task is None else self.place[task] for task in way.ends)
        return first, second, way.outcome

    def name(self, task: int) -> str:
        """Return a golden step's name in quotes."""
        return self._names[task]

    @cached_property
    def _names(self) -> list[str]:
        return [quoted(task) for task in self.comparison.golden.tasks]

    def is_explicit(self, task: int, others: Sequence[int]) -> bool:
        """Return whether a step and one of the others surely are the steps of the golden, each for itself.

        Then the opposite order contradicts a dependency of the golden, in whatever words. Otherwise a match may be
        wrong, and the order says nothing.
        """
        fates = self.comparison.fates
        return fates[task].is_surely_kept and any(fates[other].is_surely_kept for other in others)

    def is_proven(self, task: int, others: Sequence[int]) -> bool:
        """Return whether the order of a step and one of the others changed, and both have the words of the golden.

        Then the change is a fact about these steps. Otherwise the steps may do less or more than before, so that
        another order may be right.
        """
        fates = self.comparison.fates
        return fates[task].is_verbatim and any(fates[other].is_verbatim for other in others)

    def moved_steps(self, pairs: Mapping[int, int]) -> Iterator[tuple[int, list[int], bool]]:
        """Yield `by_moved_step` of the pairs whose order is demanded, then of the others.

        The contract leaves the others free, or one of the two steps is left out. The last value of an item says
        whether the order is free.
        """
        left_out = sum(1 << fate.position for fate in self.comparison.fates if fate.is_left_out)
        unordered = self.comparison.contract.unordered(len(self.comparison.fates))
        free = {
            task: bits if left_out >> task & 1 else bits & (left_out | unordered[task]) for task, bits in pairs.items()
        }
        demanded = {task: bits & ~free[task] for task, bits in pairs.items()}
        yield from ((task, others, False) for task, others in self.by_moved_step(demanded))
        yield from ((task, others, True) for task, others in self.by_moved_step(free))

    def by_moved_step(self, pairs: Mapping[int, int]) -> Iterator[tuple[int, list[int]]]:
        """Yield a greedy vertex cover of the pairs: steps with their remaining partners in topological order.

        The step with most partners comes first. So one step that moved past ten other steps is reported once, not ten
        times.

        Args:
            pairs: The bit set of partners of each step, symmetric.
        """
        for task, bits in greedy_cover(pairs, self.place):
            yield task, sorted(members(bits), key=self.place.__getitem__)


class LinkChanged(RelativeCheck):
    """A link between two steps is lost or new.

    What it does:
        Compares the links between shared steps; gateways and unshared steps are skipped. A link that inverts, loses or
        adds an order is reported by WR203, WR204 or WR205. A link that closes a forbidden cycle is reported by WF312.
        This check reports the other links: links of loops, and links whose order other links also guarantee. The
        latter are only information where a step runs once, after all its links. If both files are data and both steps
        have the words of the golden, a lost link is an error and a new one a warning, without statistics; with other
        steps in the same words, both lead to a review. So does a lost link of a cycle where each step runs once.

    Why it matters:
        If a back edge is lost, a step is no longer repeated. If a back edge is new, a step may be repeated.

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
    about: ClassVar[Kind] = "link"
    rank: ClassVar[int] = 24
    version: ClassVar[int] = 2

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per lost or new link that no check of order reports."""
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
                yield self._observation(
                    orders,
                    (first, second),
                    (change,),
                    message + ("; the two steps keep their order" if unchanged else ""),
                    harmless=unchanged and not (orders.repeats and orders.reordered.isdisjoint((first, second))),
                )
            for first, second in orders.sorted_pairs(has.back_edges - lacks.back_edges - lacks.edges):
                message = f"the back edge from {orders.step(first)} to {orders.step(second)} is {change}"
                yield self._observation(orders, (first, second), (change, "back"), message)

    @staticmethod
    def _observation(
        orders: Orders, pair: Pair, key: tuple[str, ...], message: str, *, harmless: bool = False
    ) -> Observation:
        proven, exact = orders.is_fact(*pair), orders.have_names(*pair)
        # In a plan in which each step runs once, a cycle without a mark is a defect; the lost link may have mended it.
        loses = key[0] == "lost" and (key[-1] == "back" or orders.repeats)
        lost: Severity | None = "error" if proven and loses else None
        return Observation(
            message,
            golden=pair,
            key=key,
            severity="info" if harmless else lost,
            exact=exact,
            proven=proven,
            free=orders.comparison.contract.leaves_link(*pair),
        )


class OrderInverted(RelativeCheck):
    """Two steps run in the opposite order.

    What it does:
        Reports two steps if the first must run before the second in the golden, and after the second in the candidate.
        Each moved step is reported once, with all steps that it moved past. If both steps are surely those of the
        golden, this contradicts a dependency: at least a review, and a block if one of the steps is critical. In
        such a golden, two steps with similar words that surely changed places ("deploy to staging", "deploy to
        production") are a review.

    Why it matters:
        "Deploy, then test" is another process than "test, then deploy", even if the steps are equal.

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
    about: ClassVar[Kind] = "order"
    rank: ClassVar[int] = 20
    version: ClassVar[int] = 2
    exact_in_links: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that moved."""
        orders = Orders.of(comparison)
        golden, candidate = orders.golden, orders.candidate
        inverted: defaultdict[int, int] = defaultdict(int)
        shown: set[Pair] = set()
        for task in comparison.candidate_of:
            was_later = golden.descendants[task] & ~golden.ancestors[task]
            now_earlier = candidate.ancestors[task] & ~candidate.descendants[task]
            opposite = was_later & now_earlier
            confirmed = orders.confirmed("flipped", task)
            shown |= {pair for other in members(opposite & confirmed) for pair in ((task, other), (other, task))}
            for other in members(opposite & confirmed | orders.exchanged(task, opposite & ~confirmed)):
                inverted[task] |= 1 << other
                inverted[other] |= 1 << task
        for task, others, free in orders.moved_steps(inverted):
            later = [other for other in others if golden.precedes(task, other)]
            earlier = [other for other in others if golden.precedes(other, task)]
            clauses = [
                f"{now} {listed([orders.name(other) for other in group])} instead of {was}"
                for now, was, group in (("after", "before", later), ("before", "after", earlier[::-1]))
                if group
            ]
            yield Observation(
                f"{orders.step(task)} now runs {', and '.join(clauses)}",
                golden=(task, *others),
                severity=None if any((task, other) in shown for other in others) else "warning",
                witness=(
                    *(f"{orders.name(task)} ran before {orders.name(other)}, now after it" for other in later),
                    *(f"{orders.name(task)} ran after {orders.name(other)}, now before it" for other in earlier),
                ),
                exact=orders.is_explicit(task, others),
                proven=orders.is_proven(task, others),
                free=free,
            )


class NowParallel(RelativeCheck):
    """A step no longer waits for another one.

    What it does:
        Reports two steps if the golden links them, but no path of the candidate leads from one to the other. Links are
        grouped by the steps that occur in most of the reported links. It is an error if both steps have the words of
        the golden, and otherwise a warning: a step that does less or more may need another order.

    Why it matters:
        The second step may now run before the first step is done, without the results of the first step.

    Golden:
        ``build -> test``, ``test -> deploy``

    Candidate:
        ``build -> test``, ``build -> deploy``

    How to fix:
        Restore the link between the two steps.
    """

    id: ClassVar[str] = "WR204"
    defect: ClassVar[str] = "now-parallel"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "order"
    rank: ClassVar[int] = 21
    exact_in_links: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step of the greedy cover of the lost orders."""
        orders = Orders.of(comparison)
        for observation in _between(
            orders, "lost", orders.golden, orders.candidate, "no longer runs", "no path connects these steps any more"
        ):
            yield observation if observation.proven else replace(observation, severity="warning")


class NowSerial(RelativeCheck):
    """A step now waits for another one.

    What it does:
        Reports two steps if the candidate links them, but no path of the golden leads from one to the other. Links are
        grouped by the steps that occur in most of the reported links.

    Why it matters:
        The workflow takes longer. If the first step fails, the second step no longer runs.

    Golden:
        ``build -> lint``, ``build -> test``

    Candidate:
        ``build -> lint``, ``lint -> test``

    How to fix:
        Let the step wait only for the steps whose results it needs.
    """

    id: ClassVar[str] = "WR205"
    defect: ClassVar[str] = "now-serial"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "order"
    rank: ClassVar[int] = 22

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step of the greedy cover of the new orders."""
        orders = Orders.of(comparison)
        yield from _between(
            orders, "gained", orders.candidate, orders.golden, "now runs", "no path connects these steps in the golden"
        )


def _between(
    orders: Orders, change: Change, linked: TaskGraph, unordered: TaskGraph, verb: str, reason: str
) -> Iterator[Observation]:
    """Yield the links of one graph whose steps the other graph does not order, grouped by step."""
    pairs: dict[int, int] = {}
    for first, second in orders.links(linked):
        if orders.now(linked, first, second) != "before" or orders.now(unordered, first, second) != "none":
            continue
        if (orders.confirmed(change, first) >> second | orders.confirmed(change, second) >> first) & 1:
            pairs[first] = pairs.get(first, 0) | 1 << second
            pairs[second] = pairs.get(second, 0) | 1 << first
    for task, others, free in orders.moved_steps(pairs):
        groups = [
            ("after", [other for other in others if linked.precedes(other, task)]),
            ("before", [other for other in others if linked.precedes(task, other)]),
        ]
        clauses = [f"{side} {listed([orders.name(other) for other in group])}" for side, group in groups if group]
        yield Observation(
            f"{orders.step(task)} {verb} {' and '.join(clauses)}: {reason}",
            golden=(task, *others),
            witness=tuple(
                f"{orders.name(task)} {side} {orders.name(other)}" for side, group in groups for other in group
            ),
            proven=orders.is_proven(task, others),
            free=free,
        )
