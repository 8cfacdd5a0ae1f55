"""Queries on the behaviour of a workflow: parallelism, order and taken links, as conditions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

from wfgate.logic import FALSE, TRUE, Answer, Behaviour, BudgetSpentError, Flow, Formula, Node, Scalar, Space
from wfgate.model import TaskGraph, cyclic, reach, topological

Situation = Mapping[str, Scalar]

MOST_WAYS = 1_000
"""Largest number of paths followed through gateways from one step."""


@dataclass(frozen=True)
class Course:
    """Queries on the behaviour of a workflow.

    Attributes:
        behaviour: The behaviour.
        graph: The task graph.
    """

    behaviour: Behaviour
    graph: TaskGraph

    @property
    def flow(self) -> Flow:
        """Nodes and links."""
        return self.behaviour.flow

    @property
    def is_dag(self) -> bool:
        """Whether links that are not taken order steps too (dag semantics)."""
        return self.flow.workflow.semantics == "dag"

    @cached_property
    def acyclic(self) -> bool:
        """Whether the flow has no cycles (with back edges counted)."""
        return not cyclic((source, target) for source, target, _ in self.flow.links)

    @cached_property
    def single(self) -> bool:
        """Whether only one step runs at a time, because at most one outgoing link of each node is taken.

        Also False if this cannot be decided, because a step waits for several steps or because a cycle contains only
        gateways.
        """
        between = [link[:2] for link in self.flow.links if self.flow.gateway(link[0]) and self.flow.gateway(link[1])]
        if self.is_dag or cyclic(between) or any(map(self._waits, range(self.flow.n))):
            return False
        try:
            return all(
                self.choices.exclude(first, second).value is True
                for links in self.flow.outgoing
                for first, second in combinations([self.selected[link] for link in links], 2)
            )
        except BudgetSpentError:
            return False

    @cached_property
    def choices(self) -> Space:
        """The decision diagrams for the conditions of single splits. They have a separate work limit."""
        selections = self.behaviour.selections
        return Space((*selections.taken, *(guard for guard in selections.guards if guard is not None)))

    def node(self, formula: Formula) -> Node:
        """Convert the condition of a split to a node of the decision diagram `choices`.

        Raises:
            BudgetSpentError: If the conditions exceed the work limit.
        """
        return self.choices.node(formula)

    @cached_property
    def selected(self) -> tuple[Node, ...]:
        """For each link, the condition under which it is taken after its source has run, as a node of `choices`.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        return tuple(map(self.node, self.behaviour.selections.taken))

    def parallel(self, first: int, second: int) -> bool | None:
        """Return whether two tasks can run at the same time; None if this depends on opaque conditions.

        Two tasks can run at the same time if no task has to wait for the other task and both run in some situation.
        """
        ordered = self.graph.precedes(first, second) or self.graph.precedes(second, first)
        if first == second or ordered or self.single:
            return False
        return self.together((first, second))

    def together(self, tasks: Iterable[int]) -> bool | None:
        """Return whether all of these tasks run in some situation; None if unknown."""
        nodes = frozenset(self.behaviour.runs[task] for task in tasks)
        if nodes not in self._met:
            self._met[nodes] = self._meet(nodes)
        return self._met[nodes]

    def strictly_before(self, first: int, second: int) -> bool:
        """Return whether a path leads from the first task to the second, and no path leads back."""
        return self.graph.precedes(first, second) and not self.graph.precedes(second, first)

    def before(self, first: int) -> list[Node]:
        """Return for each task the condition under which `first` runs before the task, if both tasks run.

        With dag semantics, and in workflows with cycles, every path from `first` to the task counts. Otherwise all
        links of the path must be taken.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        tasks = range(self.graph.n)
        if self.is_dag or not self.acyclic:
            return [TRUE if self.strictly_before(first, task) else FALSE for task in tasks]
        space = self.behaviour.space
        reached = [FALSE] * self.flow.n
        reached[first] = TRUE
        for node in topological(range(self.flow.n), self.flow.successors):
            for place in self.flow.outgoing[node]:
                taken = self.behaviour.taken[place]
                if taken is None:
                    raise BudgetSpentError(self.behaviour.spent)
                target = self.flow.links[place][1]
                reached[target] = space.either(reached[target], space.both(reached[node], taken))
        reached[first] = FALSE
        return reached[: self.graph.n]

    def allows(self, sequence: Sequence[int]) -> Node:
        """Return the condition under which all these tasks run and their order can be `sequence`.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        space = self.behaviour.space
        condition = self.all_run(sequence)
        for place, later in enumerate(sequence):
            before = self.before(later) if place else []
            for earlier in sequence[:place]:
                condition = space.both(condition, space.contrary(before[earlier]))
        return condition

    def all_run(self, tasks: Iterable[int], others: Iterable[int] = ()) -> Node:
        """Return the condition under which all `tasks` run and no task of `others` runs.

        Raises:
            BudgetSpentError: If the run condition of a task is unknown.
        """
        space = self.behaviour.space
        wanted = [*((task, True) for task in tasks), *((task, False) for task in others)]
        condition = TRUE
        for task, runs in wanted:
            node = self.behaviour.runs[task]
            if node is None:
                raise BudgetSpentError(self.behaviour.spent)
            condition = space.both(condition, node if runs else space.contrary(node))
        return condition

    def given(self, node: Node, situation: Situation) -> Node:
        """Return a condition restricted to a situation. No step fails unless the situation says so."""
        return self.behaviour.space.given(node, {**self.behaviour.selections.normal, **situation})

    def choice_in(self, node: Node, situation: Situation) -> Node:
        """Return a node of `choices` restricted to a situation, as `given` does for a run condition."""
        return self.choices.given(node, {**self.behaviour.selections.normal, **situation})

    def sometimes(self, node: Node, situation: Situation) -> Answer:
        """Return whether a condition can hold, in any situation or in the given one."""
        return self.behaviour.space.sometimes(self.given(node, situation) if situation else node)

    def always(self, node: Node, situation: Situation) -> Answer:
        """Return whether a condition always holds if no step fails (in the given situation)."""
        return self.behaviour.space.always(self.given(node, situation))

    def taken_in(self, situation: Situation) -> tuple[TaskGraph, bool]:
        """Return the task graph of the links taken in a situation, and whether the graph is certain.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        if self.is_dag or not self.acyclic:
            return self.graph, self.acyclic
        certain, taken = True, []
        for place, (source, target, _) in enumerate(self.flow.links):
            node = self.behaviour.taken[place]
            left = None if node is None else self.given(node, situation)
            certain &= left in {FALSE, TRUE}
            if left == TRUE:
                taken.append((source, target))
        return TaskGraph(self.graph.n, self._contracted(taken), frozenset(), (), ()), certain

    def ways(self, node: int) -> dict[int, list[tuple[int, ...]]]:
        """Return all paths from a task (or START) through gateways to the next tasks (or END), as lists of links.

        Each path visits a gateway at most once. At most `MOST_WAYS` paths are followed.
        """
        paths: dict[int, list[tuple[int, ...]]] = {}
        pending: list[tuple[int, tuple[int, ...]]] = [(node, ())]
        for at, way in pending:
            passed = {node, *(self.flow.links[place][1] for place in way)}
            for place in self.flow.outgoing[at]:
                target = self.flow.links[place][1]
                if self.flow.gateway(target) is None:
                    paths.setdefault(target, []).append((*way, place))
                elif target not in passed and len(pending) < MOST_WAYS:
                    pending.append((target, (*way, place)))
        return paths

    def chosen(self, node: int) -> dict[int, Node]:
        """Return each next task (or END) after a task (or START), with the condition under which the flow goes there.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        reached = {node: TRUE}
        conditions: dict[int, Node] = {}
        pending = [node]
        for at in pending:
            for place in self.flow.outgoing[at]:
                target = self.flow.links[place][1]
                comes = self.choices.both(reached[at], self.selected[place])
                if self.flow.gateway(target) is None:
                    conditions[target] = self.choices.either(conditions.get(target, FALSE), comes)
                    continue
                known = reached.get(target, FALSE)
                reached[target] = self.choices.either(known, comes)
                if reached[target] != known or target not in pending:
                    pending.append(target)
        return conditions

    @cached_property
    def _met(self) -> dict[frozenset[Node | None], bool | None]:
        return {}

    def _meet(self, nodes: frozenset[Node | None]) -> bool | None:
        together = TRUE
        try:
            for node in sorted(node for node in nodes if node is not None):
                together = self.behaviour.space.both(together, node)
            if together == FALSE:
                return False
            return None if None in nodes else self.behaviour.space.sometimes(together).value
        except BudgetSpentError:
            return None

    def _waits(self, node: int) -> bool:
        """Return whether a node may have to wait for several predecessors."""
        if len({self.flow.links[place][0] for place in self.flow.incoming[node]}) < 2:
            return False
        task, gateway = self.flow.task(node), self.flow.gateway(node)
        if task is not None:
            return task.join not in {None, "any"}
        return gateway is not None and gateway.role == "join" and gateway.op == "AND"

    def _contracted(self, links: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        after: dict[int, list[int]] = {}
        for source, target in links:
            after.setdefault(source, []).append(target)

        def through(node: int) -> list[int]:
            return after.get(node, []) if self.flow.gateway(node) is not None else []

        tasks = range(self.graph.n)
        return frozenset(
            (task, near) for task in tasks for near in reach(after.get(task, ()), through) if near in tasks
        )
