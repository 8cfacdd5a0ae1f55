"""How a workflow goes: what runs together, what comes before what, and which link is taken, as conditions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import networkx as nx

from wfgate.behaviour import Behaviour, Flow
from wfgate.conditions import FALSE, TRUE, Answer, BudgetSpentError, Formula, Node, Scalar, Space
from wfgate.model import TaskGraph

Situation = Mapping[str, Scalar]

MOST_WAYS = 1_000
"""Ways through gateways that are followed from one step."""


@dataclass(frozen=True)
class Course:
    """What follows from the behaviour of a workflow.

    Attributes:
        behaviour: When each step runs.
        graph: The task view.
    """

    behaviour: Behaviour
    graph: TaskGraph

    @property
    def flow(self) -> Flow:
        """Nodes and links."""
        return self.behaviour.flow

    @property
    def is_dag(self) -> bool:
        """Whether a step is decided once all before it are, so that links order even where they are not taken."""
        return self.flow.workflow.semantics == "dag"

    @cached_property
    def acyclic(self) -> bool:
        """Whether no link leads back, marked as returning or not."""
        return nx.is_directed_acyclic_graph(self._nodes)

    @cached_property
    def single(self) -> bool:
        """Whether one step runs at a time: never two of the links that leave a node are taken.

        Where a step waits for several others, or operators go in a circle by themselves, that is not decided.
        """
        gateways = [node for node in range(self.flow.n) if self.flow.gateway(node)]
        circle = not nx.is_directed_acyclic_graph(self._nodes.subgraph(gateways))
        if self.is_dag or circle or any(map(self._waits, range(self.flow.n))):
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
        """Where conditions of single splits live: with a work limit of their own, for they are small."""
        selections = self.behaviour.selections
        return Space((*selections.taken, *(guard for guard in selections.guards if guard is not None)))

    def node(self, formula: Formula) -> Node:
        """Return a condition of a split as a node of `choices`.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        return self.choices.node(formula)

    @cached_property
    def selected(self) -> tuple[Node, ...]:
        """For each link the condition under which it is taken once its source has run, as a node of `choices`.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        return tuple(map(self.node, self.behaviour.selections.taken))

    def parallel(self, first: int, second: int) -> bool | None:
        """Return whether two tasks can run at the same time; None where it depends on what nobody knows.

        They can if neither has to wait for the other and some situation has both.
        """
        ordered = self.graph.precedes(first, second) or self.graph.precedes(second, first)
        if first == second or ordered or self.single:
            return False
        return self.together((first, second))

    def together(self, tasks: Iterable[int]) -> bool | None:
        """Return whether some situation has all of these tasks; None if that is not known."""
        nodes = frozenset(self.behaviour.runs[task] for task in tasks)
        if nodes not in self._met:
            self._met[nodes] = self._meet(nodes)
        return self._met[nodes]

    def strictly_before(self, first: int, second: int) -> bool:
        """Return whether a path leads from the first task to the second and none back."""
        return self.graph.precedes(first, second) and not self.graph.precedes(second, first)

    def before(self, first: int) -> list[Node]:
        """Return for each task the condition under which, where both run, the first task comes before it.

        In a dag that is so wherever a path leads there. Elsewhere the path has to be taken; in a workflow with
        cycles links are taken more than once, so there too any path counts.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        tasks = range(self.graph.n)
        if self.is_dag or not self.acyclic:
            return [TRUE if self.strictly_before(first, task) else FALSE for task in tasks]
        space = self.behaviour.space
        reached = [FALSE] * self.flow.n
        reached[first] = TRUE
        for node in self._topological:
            for place in self.flow.outgoing[node]:
                taken = self.behaviour.taken[place]
                if taken is None:
                    raise BudgetSpentError(self.behaviour.spent)
                target = self.flow.links[place][1]
                reached[target] = space.either(reached[target], space.both(reached[node], taken))
        reached[first] = FALSE
        return reached[: self.graph.n]

    def allows(self, sequence: Sequence[int]) -> Node:
        """Return the condition under which all of these tasks run, and may run in this order.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        space = self.behaviour.space
        found = self.all_run(sequence)
        for place, later in enumerate(sequence):
            before = self.before(later) if place else []
            for earlier in sequence[:place]:
                found = space.both(found, space.contrary(before[earlier]))
        return found

    def all_run(self, tasks: Iterable[int], others: Iterable[int] = ()) -> Node:
        """Return the condition under which all of some tasks run, and none of some others.

        Raises:
            BudgetSpentError: If a task's condition is not known.
        """
        space = self.behaviour.space
        wanted = [*((task, True) for task in tasks), *((task, False) for task in others)]
        found = TRUE
        for task, runs in wanted:
            node = self.behaviour.runs[task]
            if node is None:
                raise BudgetSpentError(self.behaviour.spent)
            found = space.both(found, node if runs else space.contrary(node))
        return found

    def given(self, node: Node, situation: Situation) -> Node:
        """Return what is left of a condition in a situation in which, unless it says so, no step fails."""
        return self.behaviour.space.given(node, {**self.behaviour.selections.normal, **situation})

    def choice_in(self, node: Node, situation: Situation) -> Node:
        """Return the same for a node of `choices`."""
        return self.choices.given(node, {**self.behaviour.selections.normal, **situation})

    def sometimes(self, node: Node, situation: Situation) -> Answer:
        """Return whether a condition can hold: at all, or in a situation."""
        return self.behaviour.space.sometimes(self.given(node, situation) if situation else node)

    def always(self, node: Node, situation: Situation) -> Answer:
        """Return whether a condition holds whenever no step fails, or always in a situation."""
        return self.behaviour.space.always(self.given(node, situation))

    def taken_in(self, situation: Situation) -> tuple[TaskGraph, bool]:
        """Return the order in which tasks run in a situation, and whether all of it is certain.

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
        """Return the ways, as links, from a task (or START) through gateways to each next task (or END).

        No way goes through a gateway twice. Beyond `MOST_WAYS` no further ones are followed.
        """
        found: dict[int, list[tuple[int, ...]]] = {}
        pending: list[tuple[int, tuple[int, ...]]] = [(node, ())]
        for at, way in pending:
            passed = {node, *(self.flow.links[place][1] for place in way)}
            for place in self.flow.outgoing[at]:
                target = self.flow.links[place][1]
                if self.flow.gateway(target) is None:
                    found.setdefault(target, []).append((*way, place))
                elif target not in passed and len(pending) < MOST_WAYS:
                    pending.append((target, (*way, place)))
        return found

    def chosen(self, node: int) -> dict[int, Node]:
        """Return for each next task (or END) the condition under which a task (or START), once run, leads there.

        Raises:
            BudgetSpentError: If the conditions grow too large.
        """
        reached = {node: TRUE}
        found: dict[int, Node] = {}
        pending = [node]
        for at in pending:
            for place in self.flow.outgoing[at]:
                target = self.flow.links[place][1]
                comes = self.choices.both(reached[at], self.selected[place])
                if self.flow.gateway(target) is None:
                    found[target] = self.choices.either(found.get(target, FALSE), comes)
                    continue
                known = reached.get(target, FALSE)
                reached[target] = self.choices.either(known, comes)
                if reached[target] != known or target not in pending:
                    pending.append(target)
        return found

    @cached_property
    def _met(self) -> dict[frozenset[Node | None], bool | None]:
        return {}

    def _meet(self, nodes: frozenset[Node | None]) -> bool | None:
        found = TRUE
        try:
            for node in sorted(node for node in nodes if node is not None):
                found = self.behaviour.space.both(found, node)
            if found == FALSE:
                return False
            return None if None in nodes else self.behaviour.space.sometimes(found).value
        except BudgetSpentError:
            return None

    @cached_property
    def _nodes(self) -> "nx.DiGraph[int]":
        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(range(self.flow.n))
        graph.add_edges_from((source, target) for source, target, _ in self.flow.links)
        return graph

    @cached_property
    def _topological(self) -> list[int]:
        return list(nx.topological_sort(self._nodes))

    def _waits(self, node: int) -> bool:
        """Return whether a node may have to wait for several others."""
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
        edges = set()
        for task in range(self.graph.n):
            seen = set(after.get(task, ()))
            pending = list(seen)
            for near in pending:
                if near < self.graph.n:
                    edges.add((task, near))
                elif self.flow.gateway(near) is not None:
                    fresh = set(after.get(near, ())) - seen
                    seen |= fresh
                    pending += fresh
        return frozenset(edges)
