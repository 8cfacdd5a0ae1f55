"""The control flow of a workflow as a graph of numbered nodes: tasks, gateways, START and END."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from wfgate.model import END, START, Gateway, Link, Task, Workflow, plain, reach, strongly_connected, task_numbers


@dataclass(frozen=True)
class Flow:
    """A control-flow graph. Nodes are the tasks by position, then the gateways, START and END.

    If two nodes share an id, links belong to the first node. Links with an undefined end are left out.

    Attributes:
        workflow: The workflow.
        links: Links between existing nodes, as (source, target, link).
    """

    workflow: Workflow
    links: tuple[tuple[int, int, Link], ...]

    @classmethod
    def of(cls, workflow: Workflow) -> "Flow":
        """Return the flow of a workflow. Cost: linear."""
        n = len(workflow.tasks)
        start = n + len(workflow.gateways)
        number = {START: start, END: start + 1, **task_numbers(workflow)}
        for place, gateway in enumerate(workflow.gateways):
            number.setdefault(gateway.id, n + place)
        ends = ((number.get(link.source), number.get(link.target), link) for link in workflow.links)
        return cls(
            workflow,
            tuple(
                (source, target, link)
                for source, target, link in ends
                if source is not None and target is not None and source != start + 1 and target != start
            ),
        )

    @property
    def start(self) -> int:
        """The node START."""
        return len(self.workflow.tasks) + len(self.workflow.gateways)

    @property
    def end(self) -> int:
        """The node END."""
        return self.start + 1

    @property
    def n(self) -> int:
        """Number of nodes."""
        return self.start + 2

    @cached_property
    def outgoing(self) -> tuple[tuple[int, ...], ...]:
        """The outgoing links of each node, as indices of `links`."""
        return self._at(0)

    @cached_property
    def incoming(self) -> tuple[tuple[int, ...], ...]:
        """The incoming links of each node, as indices of `links`."""
        return self._at(1)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The name of each node for messages: a task's name in quotes; for a gateway, the steps around it."""
        times = Counter(task.name for task in self.workflow.tasks)
        tasks = [
            f"'{task.name}'" if times[task.name] == 1 else f"'{task.name}' ({task.id})" for task in self.workflow.tasks
        ]
        names = [*tasks, *[""] * len(self.workflow.gateways), START, END]  # gateways are never next to a gateway
        gateways = [self.gateway_label(node, names.__getitem__) for node in range(len(tasks), self.start)]
        return (*tasks, *gateways, START, END)

    def gateway_label(self, node: int, name: Callable[[int], str]) -> str:
        """Return the name of a gateway for messages: the steps around it, named by `name` and sorted."""
        gateway = self.workflow.gateways[node - len(self.workflow.tasks)]
        before = self._nearest(node, self.predecessors)
        names = sorted(map(name, before or self._nearest(node, self.successors)), key=plain)
        shown = " and ".join(names[:3]) + (" and others" if len(names) > 3 else "") or "nothing"
        return f"the {gateway.op} {gateway.role} {'after' if before else 'before'} {shown}"

    @cached_property
    def guarded(self) -> frozenset[int]:
        """The nodes with an outgoing link that has a guard (a condition)."""
        return frozenset(source for source, _, link in self.links if link.guard is not None)

    def task(self, node: int) -> Task | None:
        """Return the task at a node; None for other nodes."""
        return self.workflow.tasks[node] if node < len(self.workflow.tasks) else None

    def gateway(self, node: int) -> Gateway | None:
        """Return the gateway at a node; None for other nodes."""
        place = node - len(self.workflow.tasks)
        return self.workflow.gateways[place] if 0 <= place < len(self.workflow.gateways) else None

    def components(self, nodes: Iterable[int], links: Iterable[int]) -> list[list[int]]:
        """Return the strongly connected components of a subgraph, in topological order."""
        parts = strongly_connected(nodes, (self.links[link][:2] for link in links))
        return [sorted(part) for part in reversed(parts)]

    def successors(self, node: int) -> list[int]:
        """Return the targets of the outgoing links of a node."""
        return [self.links[link][1] for link in self.outgoing[node]]

    def predecessors(self, node: int) -> list[int]:
        """Return the sources of the incoming links of a node."""
        return [self.links[link][0] for link in self.incoming[node]]

    def tasks_behind(self, node: int) -> list[int]:
        """Return the task at a node. For a gateway, return the nearest tasks (or END) after it."""
        if node < len(self.workflow.tasks):
            return [node]
        return self._nearest(node, self.successors)

    def tasks_before(self, node: int) -> list[int]:
        """Return the task at a node. For a gateway, return the nearest tasks before it."""
        if node < len(self.workflow.tasks):
            return [node]
        return self._nearest(node, self.predecessors)

    def _at(self, side: int) -> tuple[tuple[int, ...], ...]:
        links: defaultdict[int, list[int]] = defaultdict(list)
        for place, link in enumerate(self.links):
            links[link[side]].append(place)  # type: ignore[index]
        return tuple(tuple(links[node]) for node in range(self.n))

    def _nearest(self, node: int, neighbours: Callable[[int], list[int]]) -> list[int]:
        """Return the nearest nodes on one side of a node; gateways are skipped."""
        reached = reach(neighbours(node), lambda near: neighbours(near) if self.gateway(near) else ())
        return sorted(near for near in reached if near != node and not self.gateway(near))
