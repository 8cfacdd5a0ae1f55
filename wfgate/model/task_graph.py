"""The task graph of a workflow: gateways are contracted, tasks are numbered, reachability is in bit sets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wfgate.model.graph import closure, linear_extension, reach, strongly_connected, topological
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
        return closure(self.components[::-1], self.successors)

    @cached_property
    def ancestors(self) -> tuple[int, ...]:
        """The bit set of tasks from which each task is reachable; a task on a cycle is reachable from itself."""
        return closure(self.components, self.predecessors)

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
            reached = reach(self.successors[task], lambda near: () if near in number else self.successors[near])
            edges |= {(place, number[near]) for near in reached if near in number}
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
        return linear_extension(self.components, self.successors, [*map(key, range(self.n))] if key else range(self.n))

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
        neighbours: list[list[int]] = [[] for _ in range(self.n)]
        for source, target in self.edges:
            if forward:
                neighbours[source].append(target)
            else:
                neighbours[target].append(source)
        return tuple(tuple(sorted(each)) for each in neighbours)

    @cached_property
    def _topological(self) -> tuple[int, ...] | None:
        """A topological order; None if there is a cycle."""
        order = topological(range(self.n), self.successors.__getitem__)
        return tuple(order) if len(order) == self.n else None

    @cached_property
    def components(self) -> tuple[tuple[int, ...], ...]:
        """Strongly connected components in topological order of the condensation."""
        if self._topological is not None:
            return tuple((task,) for task in self._topological)
        parts = strongly_connected(range(self.n), sorted(self.edges))
        return tuple(tuple(sorted(part)) for part in reversed(parts))

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


def task_numbers(workflow: Workflow) -> dict[str, int]:
    """Return the position of each task by id. If two tasks have the same id, the position of the first one."""
    number: dict[str, int] = {}
    for position, task in enumerate(workflow.tasks):
        number.setdefault(task.id, position)
    return number


class _Contraction:
    """Follows links through gateways to the next tasks."""

    def __init__(self, workflow: Workflow, number: dict[str, int]) -> None:
        self.gateways = {gateway.id for gateway in workflow.gateways} - number.keys()
        self.outgoing: dict[str, list[tuple[str, bool]]] = {}
        for link in workflow.links:
            self.outgoing.setdefault(link.source, []).append((link.target, link.back))

    def tasks_after(self, source: str) -> Iterator[tuple[str, bool]]:
        """Yield each next node that is not a gateway, and whether the path to it has a `back` link."""
        reached = reach(
            self.outgoing.get(source, ()), lambda step: self._links(*step) if step[0] in self.gateways else ()
        )
        return (step for step in reached if step[0] not in self.gateways)

    def _links(self, node: str, through_back: bool) -> Iterator[tuple[str, bool]]:  # noqa: FBT001
        return ((target, through_back or back) for target, back in self.outgoing.get(node, ()))
