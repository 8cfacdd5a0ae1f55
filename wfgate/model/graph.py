"""The task graph of a workflow: gateways are contracted, tasks are numbered, reachability is in bit sets."""

import heapq
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wfgate.model.components import strongly_connected
from wfgate.model.workflow import END, START, Workflow

Edge = tuple[int, int]


@dataclass(frozen=True)
class TaskGraph:
    """The graph of direct successors between tasks.

    Tasks are numbered 0..n-1 in listing order. Gateways are contracted: a link from a task to a gateway with two
    successors becomes two edges. Links marked `back` repeat steps and do not order them, so they are stored
    separately.

    Attributes:
        n: Number of tasks.
        edges: Edges between tasks, without duplicates; self-loops and cycles are included.
        back_edges: Edges marked as back edges of a loop.
        starts: The tasks with a link from START, in listing order.
        ends: The tasks with a link to END, in listing order.
    """

    n: int
    edges: frozenset[Edge]
    back_edges: frozenset[Edge]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, workflow: Workflow) -> "TaskGraph":
        """Return the task graph. Cost: linear in tasks and links (times the length of gateway chains).

        If two tasks share an id, links belong to the first task. Links to undefined ids are left out. (Checks report
        both defects.)
        """
        number = task_numbers(workflow)
        edges: set[Edge] = set()
        back_edges: set[Edge] = set()
        ends: set[int] = set()
        after = _Contraction(workflow, number)
        for task_id, position in number.items():
            for target, back in after.tasks_after(task_id):
                if target == END:
                    ends.add(position)
                elif target in number:
                    (back_edges if back else edges).add((position, number[target]))
        starts = {number[target] for target, _ in after.tasks_after(START) if target in number}
        return cls(
            n=len(workflow.tasks),
            edges=frozenset(edges),
            back_edges=frozenset(back_edges - edges),
            starts=tuple(sorted(starts)),
            ends=tuple(sorted(ends)),
        )

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Direct successors of each task, ascending."""
        return self._neighbours(forward=True)

    @cached_property
    def predecessors(self) -> tuple[tuple[int, ...], ...]:
        """Direct predecessors of each task, ascending."""
        return self._neighbours(forward=False)

    @cached_property
    def descendants(self) -> tuple[int, ...]:
        """The bit set of tasks reachable from each task; a task on a cycle is reachable from itself.

        Cost: O(n * edges / word size).
        """
        return self._closure(self.successors)

    @cached_property
    def ancestors(self) -> tuple[int, ...]:
        """The bit set of tasks from which each task is reachable; a task on a cycle is reachable from itself."""
        return self._closure(self.predecessors)

    @cached_property
    def cycles(self) -> tuple[tuple[int, ...], ...]:
        """The strongly connected components with a cycle, members ascending."""
        if self._topological is not None:
            return ()
        return tuple(
            component
            for component in self.components
            if len(component) > 1 or (component[0], component[0]) in self.edges
        )

    @cached_property
    def depth(self) -> tuple[float, ...]:
        """Relative topological depth of each task in [0, 1].

        The length of the longest path from a source to the task, divided by the length of the longest path through the
        task. All tasks of a cycle have the same depth.
        """
        down = self._longest(self.predecessors)
        up = self._longest(self.successors)
        return tuple(d / (d + u) if d + u else 0.5 for d, u in zip(down, up, strict=True))

    def precedes(self, first: int, second: int) -> bool:
        """Return whether a path leads from `first` to `second`."""
        return bool(self.descendants[first] >> second & 1)

    def restricted(self, number: Mapping[int, int], n: int) -> "TaskGraph":
        """Return the graph reduced to some tasks; a path through removed tasks becomes one edge.

        Args:
            number: The tasks to keep, with their numbers in the result.
            n: Number of tasks of the result; tasks without a number have no edges.
        """
        edges = set()
        for task, place in number.items():
            seen: set[int] = set()
            pending = list(self.successors[task])
            while pending:
                near = pending.pop()
                if near in seen:
                    continue
                seen.add(near)
                if near in number:
                    edges.add((place, number[near]))
                else:
                    pending += self.successors[near]
        returning = {(number[a], number[b]) for a, b in self.back_edges if a in number and b in number}
        return TaskGraph(n, frozenset(edges), frozenset(returning - edges), (), ())

    def topological_order(self, key: Callable[[int], object] | None = None) -> list[int]:
        """Return a linear extension: the next task is always the ready task with the smallest key.

        Args:
            key: Sort key of a task; by default the listing order. Ties are broken by listing order.

        Returns:
            All n tasks. If no task is ready because of a cycle, the smallest task of the cycle is next, and never a
            task after the cycle. Therefore a comes before b if a path leads from a to b and no path leads back.
        """
        rank = [(key(task) if key else task, task) for task in range(self.n)]
        return _Extension(self, rank).order()

    def listed(self, order: Sequence[int]) -> "TaskGraph":
        """Return the same graph; tasks are numbered by their rank in `order`."""
        place = {task: number for number, task in enumerate(order)}
        return TaskGraph(
            n=self.n,
            edges=frozenset((place[a], place[b]) for a, b in self.edges),
            back_edges=frozenset((place[a], place[b]) for a, b in self.back_edges),
            starts=tuple(sorted(place[task] for task in self.starts)),
            ends=tuple(sorted(place[task] for task in self.ends)),
        )

    def _neighbours(self, *, forward: bool) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in range(self.n)]
        for source, target in self.edges:
            if forward:
                found[source].append(target)
            else:
                found[target].append(source)
        return tuple(tuple(sorted(neighbours)) for neighbours in found)

    @cached_property
    def _topological(self) -> tuple[int, ...] | None:
        """A topological order; None if there is a cycle."""
        waiting = [len(p) for p in self.predecessors]
        ready = [task for task in range(self.n) if not waiting[task]]
        for task in ready:
            for successor in self.successors[task]:
                waiting[successor] -= 1
                if not waiting[successor]:
                    ready.append(successor)
        return tuple(ready) if len(ready) == self.n else None

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """Strongly connected components in topological order of the condensation."""
        if self._topological is not None:
            return tuple((task,) for task in self._topological)
        found = [tuple(sorted(component)) for component in strongly_connected(range(self.n), sorted(self.edges))]
        return tuple(reversed(found))

    def _closure(self, neighbours: Sequence[Sequence[int]]) -> tuple[int, ...]:
        after = [0] * self.n
        components = self.components if neighbours is self.predecessors else self.components[::-1]
        for component in components:
            members = sum(1 << task for task in component)
            reached = 0
            for task in component:
                for neighbour in neighbours[task]:
                    reached |= 1 << neighbour | after[neighbour]
            if reached & members:
                reached |= members
            for task in component:
                after[task] = reached
        return tuple(after)

    def _longest(self, neighbours: Sequence[Sequence[int]]) -> list[int]:
        length = [0] * self.n
        components = self.components if neighbours is self.predecessors else self.components[::-1]
        for component in components:
            members = set(component)
            longest = max(
                (length[near] + 1 for task in component for near in neighbours[task] if near not in members),
                default=0,
            )
            for task in component:
                length[task] = longest
        return length


class _Extension:
    """Builds a linear extension. All tasks before a cycle come before it, and all its tasks before the tasks after it.

    Attributes:
        component: The strongly connected component of each task.
        inside: For each task, the number of pending predecessors in its own component.
        outside: For each component (by its first task), the number of links from pending components.
        ready: The tasks of entered components without pending predecessors.
        entered: The tasks of entered components that wait for other tasks of their cycle.
    """

    def __init__(self, graph: TaskGraph, rank: Sequence[tuple[object, int]]) -> None:
        self.graph = graph
        self.rank = rank
        self.component = {task: members for members in graph.components for task in members}
        self.inside = [0] * graph.n
        self.outside = [0] * graph.n
        for source, target in graph.edges:
            if self.component[source] is not self.component[target]:
                self.outside[self.component[target][0]] += 1
            elif source != target:
                self.inside[target] += 1
        self.ready: list[tuple[object, int]] = []
        self.entered: list[tuple[object, int]] = []

    def order(self) -> list[int]:
        for members in self.graph.components:
            if not self.outside[members[0]]:
                self._enter(members)
        left = {members[0]: len(members) for members in self.graph.components}
        done: dict[int, None] = {}
        while self.ready or self.entered:
            task = heapq.heappop(self.ready or self.entered)[1]
            if task in done:
                continue
            done[task] = None
            members = self.component[task]
            for near in self.graph.successors[task]:
                if self.component[near] is members and near not in done:
                    self.inside[near] -= 1
                    if not self.inside[near]:
                        heapq.heappush(self.ready, self.rank[near])
            left[members[0]] -= 1
            if not left[members[0]]:
                self._leave(members)
        return list(done)

    def _enter(self, members: Sequence[int]) -> None:
        for member in members:
            heapq.heappush(self.entered if self.inside[member] else self.ready, self.rank[member])

    def _leave(self, members: Sequence[int]) -> None:
        for member in members:
            for near in self.graph.successors[member]:
                behind = self.component[near]
                if behind is not members:
                    self.outside[behind[0]] -= 1
                    if not self.outside[behind[0]]:
                        self._enter(behind)


def task_numbers(workflow: Workflow) -> dict[str, int]:
    """Return the position of each task by id. If two tasks have the same id, the position of the first one."""
    number: dict[str, int] = {}
    for position, task in enumerate(workflow.tasks):
        number.setdefault(task.id, position)
    return number


def members(bits: int) -> list[int]:
    """Return the tasks of a bit set, ascending."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


class _Contraction:
    """Follows links through gateways to the next tasks."""

    def __init__(self, workflow: Workflow, number: dict[str, int]) -> None:
        self.gateways = {gateway.id for gateway in workflow.gateways} - number.keys()
        self.outgoing: dict[str, list[tuple[str, bool]]] = {}
        for link in workflow.links:
            self.outgoing.setdefault(link.source, []).append((link.target, link.back))

    def tasks_after(self, source: str) -> Iterator[tuple[str, bool]]:
        """Yield each next node that is not a gateway, and whether the path to it has a `back` link."""
        seen: set[tuple[str, bool]] = set()
        pending = [(source, False)]
        while pending:
            node, through_back = pending.pop()
            for target, back in self.outgoing.get(node, ()):
                step = (target, through_back or back)
                if step in seen:
                    continue
                seen.add(step)
                if target in self.gateways:
                    pending.append(step)
                else:
                    yield step
