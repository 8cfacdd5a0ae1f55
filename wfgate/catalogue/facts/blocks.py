"""Splits, explicit or implied, and their blocks: the tasks between a split and the node that joins its branches."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import or_

from wfgate.logic import Flow
from wfgate.model import Operator, dominators, reach


@dataclass(frozen=True)
class BlockSplit:
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
    splits: dict[int, BlockSplit]
    meet: dict[int, int]

    @classmethod
    def of(cls, flow: Flow) -> "Blocks":
        """Return the splits and blocks of a flow. Back edges are ignored. Cost: linear, plus the post-dominators."""
        before: list[list[int]] = [[] for _ in range(flow.n)]
        leading = set()
        for source, target, link in flow.links:
            if not link.back:
                before[target].append(source)
                leading.add(source)
        # A node without outgoing links counts as linked to END.
        before[flow.end] += [node for node in range(flow.end) if node not in leading]
        splits = {node: split for node in range(flow.n) if (split := _split(flow, node)) is not None}
        return cls(flow, splits, dominators(flow.end, before.__getitem__))

    def inside(self, node: int) -> list[int] | None:
        """Return the tasks of each branch of a split up to where all branches meet; None if they never meet.

        Each branch is a bit set of tasks.
        """
        if node not in self.meet:
            return None
        tasks = (1 << len(self.flow.workflow.tasks)) - 1
        links = (self.flow.links[place] for place in self.flow.outgoing[node])
        return [self._until(target, self.meet[node], node) & tasks for _, target, link in links if not link.back]

    def behind(self, node: int) -> BlockSplit | None:
        """Return the split after a task or START: its own split, or the split of the next gateway, or None."""
        reached = reach(
            [node], lambda at: filter(self.flow.gateway, () if at in self.splits else self.flow.successors(at))
        )
        return next((self.splits[at] for at in reached if at in self.splits), None)

    def around(self, task: int, operators: frozenset[Operator]) -> BlockSplit | None:
        """Return the split of the smallest block with one of these operators that contains a task, or None."""
        best: tuple[int, str, BlockSplit] | None = None
        for node, tasks in self._tasks.items():
            split = self.splits[node]
            if split.operator in operators and tasks >> task & 1:
                candidate = (tasks.bit_count(), self.flow.labels[node], split)
                best = candidate if best is None or candidate[:2] < best[:2] else best
        return best[2] if best else None

    @cached_property
    def _tasks(self) -> dict[int, int]:
        """The tasks in the block of each split, as a bit set."""
        return {node: union(self.inside(node) or ()) for node in self.splits}

    @cached_property
    def _forward(self) -> list[int]:
        """The nodes that each node leads to, as a bit set. Back edges are ignored."""
        leads_to = [0] * self.flow.n
        for source, target, link in self.flow.links:
            if not link.back:
                leads_to[source] |= 1 << target
        return leads_to

    @cached_property
    def _known(self) -> dict[tuple[int, int], int]:
        return {}

    def _until(self, first: int, stop: int, split: int) -> int:
        """Return the nodes that a node leads to without a path through the end of the block or its split."""
        reached = self._reached(first, 1 << stop)
        # The split is only reached in a cycle. Most splits share their branches and their end with others.
        return self._reached(first, 1 << stop | 1 << split) if reached >> split & 1 else reached

    def _reached(self, first: int, stops: int) -> int:
        if (first, stops) not in self._known:
            seen = pending = 1 << first & ~stops
            while pending:
                lowest = pending & -pending
                fresh = self._forward[lowest.bit_length() - 1] & ~seen & ~stops
                seen |= fresh
                pending = pending ^ lowest | fresh
            self._known[first, stops] = seen
        return self._known[first, stops]


def union(sets: Iterable[int]) -> int:
    """Return the union of bit sets."""
    return reduce(or_, sets, 0)


def _split(flow: Flow, node: int) -> BlockSplit | None:
    links = [flow.links[place][2] for place in flow.outgoing[node] if not flow.links[place][2].back]
    if len({flow.links[place][1] for place in flow.outgoing[node] if not flow.links[place][2].back}) < 2:
        return None
    gateway = flow.gateway(node)
    if gateway is not None and gateway.role == "split":
        return BlockSplit(node, gateway.op, explicit=True)
    guards = [link.guard for link in links]
    if flow.workflow.semantics == "state-machine" or any(guard and guard.order is not None for guard in guards):
        return BlockSplit(node, "XOR", explicit=False)
    outcomes = [link.outcome for link in links]
    if len({*outcomes}) == len(outcomes) and {*outcomes} <= {"success", "failure", "timeout"}:
        return BlockSplit(node, "XOR", explicit=False)
    usual = [link for link in links if link.outcome in {"success", "always"} and link.guard is None]
    return BlockSplit(node, "AND" if len(usual) > 1 else "OR", explicit=False)
