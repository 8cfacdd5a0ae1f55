"""Splits, explicit or implied, and their blocks: the tasks between a split and the node that joins its branches."""

from collections.abc import Iterator
from dataclasses import dataclass

import networkx as nx

from wfgate.behaviour import Flow
from wfgate.model.workflow import Operator


@dataclass(frozen=True)
class Split:
    """A node with several outgoing links, not counting back edges.

    Attributes:
        node: The node of the flow.
        operator: The operator of the split.
        explicit: Whether the node is a gateway. Otherwise it is a task or START.
    """

    node: int
    operator: Operator
    explicit: bool


@dataclass(frozen=True)
class Blocks:
    """The splits of a flow and their blocks.

    Attributes:
        flow: The flow.
        splits: The splits by node.
        meet: The immediate post-dominator of each node: the first node that is on every path from the node to END.
    """

    flow: Flow
    splits: dict[int, Split]
    meet: dict[int, int]

    @classmethod
    def of(cls, flow: Flow) -> "Blocks":
        """Return the splits and blocks of a flow. Back edges are ignored. Cost: linear, plus the post-dominators."""
        forward = [(source, target) for source, target, link in flow.links if not link.back]
        graph: nx.DiGraph[int] = nx.DiGraph()
        graph.add_nodes_from(range(flow.n))
        graph.add_edges_from((target, source) for source, target in forward)
        # A node without outgoing links counts as linked to END.
        graph.add_edges_from((flow.end, node) for node in range(flow.end) if not graph.in_degree(node))
        meet = {node: at for node, at in nx.immediate_dominators(graph, flow.end).items() if at is not None}
        found = {}
        for node in range(flow.n):
            split = _split(flow, node)
            if split is not None:
                found[node] = split
        return cls(flow, found, meet)

    def inside(self, node: int) -> list[set[int]] | None:
        """Return the tasks of each branch of a split up to where all branches meet; None if they never meet."""
        if node not in self.meet:
            return None
        stop = self.meet[node]
        found = []
        for place in self.flow.outgoing[node]:
            _, target, link = self.flow.links[place]
            if not link.back:
                found.append({task for task in self._until(target, {stop, node}) if self.flow.task(task)})
        return found

    def behind(self, node: int) -> Split | None:
        """Return the split after a task or START: its own split, or the split of the next gateway, or None."""
        seen = {node}
        pending = [node]
        for at in pending:
            if at in self.splits:
                return self.splits[at]
            near = [self.flow.links[place][1] for place in self.flow.outgoing[at]]
            fresh = [target for target in dict.fromkeys(near) if self.flow.gateway(target) and target not in seen]
            seen.update(fresh)
            pending += fresh
        return None

    def around(self, task: int, operators: frozenset[Operator]) -> Split | None:
        """Return the split of the smallest block with one of these operators that contains a task, or None."""
        best: tuple[int, str, Split] | None = None
        for split in self.splits.values():
            inside = set[int]().union(*(self.inside(split.node) or ()))
            if split.operator in operators and task in inside:
                found = (len(inside), self.flow.labels[split.node], split)
                best = found if best is None or found[:2] < best[:2] else best
        return best[2] if best else None

    def _until(self, first: int, stops: set[int]) -> set[int]:
        if first in stops:
            return set()
        seen = {first}
        pending = [first]
        for node in pending:
            links = (self.flow.links[place] for place in self.flow.outgoing[node])
            fresh = {target for _, target, link in links if not link.back} - seen - stops
            seen |= fresh
            pending += fresh
        return seen


def steps_before(flow: Flow, node: int) -> Iterator[int]:
    """Yield the nearest tasks (or START) before a gateway. For another node, yield only the node itself."""
    seen = {node}
    pending = [node]
    for at in pending:
        if flow.gateway(at) is None:
            yield at
            continue
        near = [flow.links[place][0] for place in flow.incoming[at]]
        fresh = [source for source in dict.fromkeys(near) if source not in seen]
        seen.update(fresh)
        pending += fresh


def _split(flow: Flow, node: int) -> Split | None:
    links = [flow.links[place][2] for place in flow.outgoing[node] if not flow.links[place][2].back]
    if len({flow.links[place][1] for place in flow.outgoing[node] if not flow.links[place][2].back}) < 2:
        return None
    gateway = flow.gateway(node)
    if gateway is not None and gateway.role == "split":
        return Split(node, gateway.op, explicit=True)
    guards = [link.guard for link in links]
    if flow.workflow.semantics == "state-machine" or any(guard and guard.order is not None for guard in guards):
        return Split(node, "XOR", explicit=False)
    outcomes = [link.outcome for link in links]
    if len({*outcomes}) == len(outcomes) and {*outcomes} <= {"success", "failure", "timeout"}:
        return Split(node, "XOR", explicit=False)
    usual = [link for link in links if link.outcome in {"success", "always"} and link.guard is None]
    return Split(node, "AND" if len(usual) > 1 else "OR", explicit=False)
