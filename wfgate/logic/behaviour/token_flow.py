"""The flow of tokens through the nodes and links of a workflow.

Nodes are numbered by their content and their position in the graph, not by id or listing order. Therefore an
exploration in the order of these numbers gives the same result for a renamed or relisted workflow.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from wfgate.model import END, START, Gateway, Link, Task, Workflow, cyclic, dominators, listed, named, reach

MAX_LOOKS = 1_000_000
"""Largest number of links examined when distinguishing nodes by their neighbours."""


@dataclass(frozen=True)
class Node:
    """A task (with its position in the workflow), a gateway, or START or END (without task and gateway)."""

    task: int | None = None
    gateway: Gateway | None = None


@dataclass(frozen=True)
class Arc:
    """A link, with the numbers of its source and target."""

    number: int
    source: int
    target: int
    link: Link


@dataclass(frozen=True)
class TokenFlow:
    """The nodes and links of a workflow. Composites are single nodes. Links with an undefined end are left out.

    Attributes:
        workflow: The workflow.
        nodes: START, END, then the tasks and gateways. A second node with the same id and gateways without links are
            left out.
        arcs: The links, without duplicates.
    """

    workflow: Workflow
    nodes: tuple[Node, ...]
    arcs: tuple[Arc, ...]

    start = 0
    end = 1

    @classmethod
    def of(cls, workflow: Workflow) -> "TokenFlow":
        """Return the token flow of a workflow. Cost: near linear, at most `MAX_LOOKS` examined links."""
        nodes: dict[str, Node] = {START: Node(), END: Node()}
        for position, task in enumerate(workflow.tasks):
            nodes.setdefault(task.id, Node(position))
        for gateway in workflow.gateways:
            nodes.setdefault(gateway.id, Node(gateway=gateway))
        links: dict[tuple[object, ...], Link] = {}
        for link in workflow.links:
            if link.source in nodes and link.target in nodes and link.source != END and link.target != START:
                guard = link.guard and link.guard.model_dump_json()
                links.setdefault((link.source, link.target, link.outcome, guard), link)
        named = {end for link in links.values() for end in (link.source, link.target)}
        ids = [name for name, node in nodes.items() if name in named or name in {START, END} or node.task is not None]
        place = {name: number for number, name in enumerate(ids)}
        ends = [(place[link.source], place[link.target], _label(link)) for link in links.values()]
        rank = _ranked([_content(nodes[name], workflow.tasks, name) for name in ids], ends)
        order = sorted(range(len(ids)), key=lambda number: (ids[number] != START, ids[number] != END, rank[number]))
        number = {ids[old]: new for new, old in enumerate(order)}
        placed = sorted(
            links.values(), key=lambda link: (number[link.source], number[link.target], _label(link), link.back)
        )
        return cls(
            workflow,
            tuple(nodes[ids[old]] for old in order),
            tuple(Arc(at, number[link.source], number[link.target], link) for at, link in enumerate(placed)),
        )

    @cached_property
    def after(self) -> tuple[tuple[int, ...], ...]:
        """The outgoing links of each node, by number."""
        arcs: list[list[int]] = [[] for _ in self.nodes]
        for arc in self.arcs:
            arcs[arc.source].append(arc.number)
        return tuple(map(tuple, arcs))

    @cached_property
    def before(self) -> tuple[tuple[int, ...], ...]:
        """The incoming links of each node, by number."""
        arcs: list[list[int]] = [[] for _ in self.nodes]
        for arc in self.arcs:
            arcs[arc.target].append(arc.number)
        return tuple(map(tuple, arcs))

    def successors(self, node: int) -> list[int]:
        """Return the targets of the outgoing links of a node."""
        return [self.arcs[arc].target for arc in self.after[node]]

    def predecessors(self, node: int) -> list[int]:
        """Return the sources of the incoming links of a node."""
        return [self.arcs[arc].source for arc in self.before[node]]

    def task(self, node: int) -> Task | None:
        """Return the task at a node; None for other nodes."""
        position = self.nodes[node].task
        return None if position is None else self.workflow.tasks[position]

    def implied(self, node: int) -> bool:
        """Return whether a node is a gateway that stands for START or END of an expanded composite."""
        gateway = self.nodes[node].gateway
        return gateway is not None and gateway.implied

    def called(self, node: int) -> str:
        """Return the name of a node for messages, names of steps marked. The name of a gateway has the next steps."""
        tasks = self.tasks_near(node)
        names = self.named(tasks) or END
        gateway = self.nodes[node].gateway
        if gateway is None:
            return names if tasks else (START, END)[node]
        return f"the {gateway.op} {gateway.role} before {names}"

    def named(self, tasks: Iterable[int]) -> str:
        """Return the marked names of tasks as an enumeration. If there are more than four, the last are counted."""
        names = [" ".join(self.workflow.tasks[task].name.split()) for task in tasks]
        return listed(sorted({named(_short(name), name) for name in names}))

    def tasks_near(self, node: int, *, forward: bool = True) -> list[int]:
        """Return the position of the task at a node; for a gateway, of the next tasks after (or before) it."""
        neighbours = self.successors if forward else self.predecessors
        reached = reach([node], lambda near: neighbours(near) if self.nodes[near].task is None else ())
        return [task for near in reached if (task := self.nodes[near].task) is not None]

    def waits(self, node: int) -> bool:
        """Return whether a node has several incoming links and waits for a token on each of them."""
        if len(self.before[node]) < 2:
            return False
        task, gateway = self.task(node), self.nodes[node].gateway
        return bool((task and task.join == "all") or (gateway and gateway.role == "join" and gateway.op == "AND"))

    def synchronises(self, node: int) -> bool:
        """Return whether a node is an OR join of several links (it waits for all tokens that can still arrive)."""
        gateway = self.nodes[node].gateway
        return bool(gateway and gateway.role == "join" and gateway.op == "OR" and len(self.before[node]) > 1)

    def is_end_event(self, node: int) -> bool:
        """Return whether a node is an end event. An end event runs once for each token."""
        task, after = self.task(node), self.after[node]
        ends = len(after) == 1 and self.arcs[after[0]].target == self.end
        return bool(task and task.kind == "event" and ends and not self.waits(node))

    def is_split(self, node: int, operator: str) -> bool:
        """Return whether a node is an explicit split by this operator."""
        gateway = self.nodes[node].gateway
        return bool(gateway and gateway.role == "split" and gateway.op == operator)

    def is_exclusive(self, node: int) -> bool:
        """Return whether a node takes exactly one outgoing link, whatever the guards."""
        return self.workflow.semantics == "state-machine" or self.is_split(node, "XOR")

    @cached_property
    def unclear(self) -> int | None:
        """The first node with a join expression; None if there is none. Join expressions have no token semantics."""
        for node in range(len(self.nodes)):
            task = self.task(node)
            if task and task.join not in {None, "any", "all"} and len(self.before[node]) > 1:
                return node
        return None

    @cached_property
    def lost(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The nodes that START cannot reach, and the nodes that cannot reach END."""
        down, up = reach([self.start], self.successors), reach([self.end], self.predecessors)
        every = range(len(self.nodes))
        return tuple(n for n in every if n not in down), tuple(n for n in every if n not in up)

    @cached_property
    def repeated(self) -> frozenset[int]:
        """The nodes on a cycle."""
        return cyclic((arc.source, arc.target) for arc in self.arcs)

    @cached_property
    def dominators(self) -> dict[int, int]:
        """The immediate dominator of each node that START reaches."""
        return dominators(self.start, self.successors)

    @cached_property
    def postdominators(self) -> dict[int, int]:
        """The immediate postdominator of each node that reaches END."""
        return dominators(self.end, self.predecessors)

    def split_of(self, join: int) -> int | None:
        """Return the matching split of a join: its immediate dominator, whose immediate postdominator is the join."""
        split = self.dominators.get(join)
        return split if split is not None and self.postdominators.get(split) == join else None

    def between(self, arc: int, join: int) -> set[int]:
        """Return the nodes that are reachable through a link, up to but without a join."""
        reached = reach([self.arcs[arc].target], lambda node: () if node == join else self.successors(node))
        return reached.keys() - {join}


def _short(name: str, limit: int = 80) -> str:
    return name if len(name) <= limit else name[: limit - 1] + "…"


def _label(link: Link) -> str:
    guard = link.guard.model_dump_json() if link.guard else ""
    return f"{link.outcome} {guard}"


def _content(node: Node, tasks: Sequence[Task], name: str) -> tuple[str, str]:
    """Return the token behaviour of a node, and the text of the node."""
    if node.task is not None:
        task = tasks[node.task]
        return f"2 {task.join}", task.text
    return f"1 {node.gateway.op} {node.gateway.role}" if node.gateway else f"0 {name}", ""


def _ranked(content: Sequence[tuple[str, str]], ends: Sequence[tuple[int, int, str]]) -> list[int]:
    """Return the rank of each node by its distances to START and END, then by its neighbours, then by its text.

    The text is compared last. Therefore a reworded step changes its rank only among structurally equivalent steps.
    """
    n = len(content)
    near: list[list[tuple[int, str]]] = [[] for _ in range(n)]
    for source, target, label in ends:
        near[source].append((target, f">{label}"))
        near[target].append((source, f"<{label}"))
    kinds = [kind for kind, _ in content]
    first, last = (_distances(kinds.index(f"0 {name}"), near, side) for name, side in ((START, ">"), (END, "<")))
    rank = _refined(_places((first[node], last[node], kinds[node]) for node in range(n)), near)
    return _refined(_places((rank[node], content[node][1]) for node in range(n)), near)


def _refined(rank: list[int], near: Sequence[Sequence[tuple[int, str]]]) -> list[int]:
    """Return the ranks, refined by the ranks of the neighbours until they no longer change."""
    for _ in range(MAX_LOOKS // (sum(map(len, near)) + 1)):
        finer = _places(
            (rank[v], tuple(sorted((label, rank[other]) for other, label in near[v]))) for v in range(len(near))
        )
        if len(set(finer)) == len(set(rank)):
            break
        rank = finer
    return rank


def _distances(first: int, near: Sequence[Sequence[tuple[int, str]]], side: str) -> list[int]:
    """Return the number of links from a node to each node, in one direction; the number of nodes if none lead."""
    distances = [len(near)] * len(near)
    reached = reach([first], lambda node: (other for other, label in near[node] if label[0] == side))
    for node, before in reached.items():
        distances[node] = 0 if before is None else distances[before] + 1
    return distances


def _places(keys: Iterable[Hashable]) -> list[int]:
    """Return the rank of each key among all keys."""
    keys = list(keys)
    rank = {key: place for place, key in enumerate(sorted(set(keys)))}  # type: ignore[type-var]
    return [rank[key] for key in keys]
