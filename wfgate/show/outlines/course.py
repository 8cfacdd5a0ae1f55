"""The control flow of one workflow: execution order, forward and back links, dominators."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from wfgate.model import END, START, Gateway, Link, Task, Workflow, depth_first, dominators

Node = Task | Gateway | None
"""A step or an operator; None is something that is linked and not there."""


@dataclass(frozen=True)
class OutlineWay:
    """All links from one node to one other node, its target.

    Attributes:
        target: Id of the target node.
        links: The links; there are several if there are several conditions.
        back: Whether the links are a back edge, which closes a loop.
    """

    target: str
    links: tuple[Link, ...]
    back: bool

    @property
    def exceptional(self) -> bool:
        """Whether the links are taken only after a failure."""
        return all(link.outcome not in {"success", "always"} for link in self.links)

    @property
    def plain(self) -> bool:
        """Whether the links need no label."""
        return all(link.guard is None and link.outcome == "success" for link in self.links)


class OutlineCourse:
    """The nodes of one workflow in an execution order.

    A back edge is a link to a node on the path from START to the source of the link. Without back edges the graph is
    acyclic. Then each reachable node has one immediate dominator: the last node that all paths from START to the node
    have in common.

    Args:
        workflow: The workflow; its graph may be broken.

    Attributes:
        nodes: All nodes by id. If several nodes have the same id, the first node.
        twins: Steps whose id is also the id of another step, or is START or END.
        ways: Outgoing links of each node, one `OutlineWay` per target.
        before: Predecessors of each node, without back edges.
        returned: Nodes that are the target of a back edge.
        behind: For each node, the nodes whose immediate dominator it is, in execution order.
        lost: The first node of each part of the graph that START does not reach.

    Cost: n log n in nodes and links.
    """

    def __init__(self, workflow: Workflow) -> None:
        self.workflow = workflow
        self.nodes: dict[str, Node] = {START: None, END: None}
        own: tuple[Task | Gateway, ...] = (*workflow.tasks, *workflow.gateways)
        for part in own:
            self.nodes.setdefault(part.id, part)
        for link in workflow.links:
            self.nodes.setdefault(link.source, None)
            self.nodes.setdefault(link.target, None)
        self.twins = [task for task in workflow.tasks if self.nodes[task.id] is not task]
        del self.nodes[START], self.nodes[END]
        outgoing = self._outgoing()
        order, returning, self.lost = self._order(outgoing)
        self.ways = {
            node: [
                OutlineWay(target, tuple(links), back or (node, target) in returning)
                for (target, back), links in out.items()
            ]
            for node, out in outgoing.items()
        }
        self.returned = {way.target for ways in self.ways.values() for way in ways if way.back}
        self.before: defaultdict[str, list[str]] = defaultdict(list)
        for node in order:
            for way in self.ways.get(node, ()):
                if not way.back and way.target != END:
                    self.before[way.target].append(node)
        self.behind: defaultdict[str, list[str]] = defaultdict(list)
        for node, first in self._dominators(order).items():
            self.behind[first].append(node)

    def _outgoing(self) -> dict[str, dict[tuple[str, bool], list[Link]]]:
        outgoing: defaultdict[str, dict[tuple[str, bool], list[Link]]] = defaultdict(dict)
        for link in self.workflow.links:
            if link.source != END and link.target != START:
                outgoing[link.source].setdefault((link.target, link.back), []).append(link)
        return outgoing

    def _order(
        self, outgoing: dict[str, dict[tuple[str, bool], list[Link]]]
    ) -> tuple[list[str], set[tuple[str, str]], list[str]]:
        """Return the nodes in an execution order, the back edges, and the first nodes of unreachable parts."""
        entered = {target for out in outgoing.values() for target, back in out if not back}
        roots = [START, *(node for node in self.nodes if node not in entered), *self.nodes]

        def last_first(node: str) -> list[str]:  # so that the first one comes first in the reversed postorder
            return [target for target, back in outgoing.get(node, ()) if not back and target != END][::-1]

        trees, returning = depth_first(roots, last_first)
        return [node for tree in trees for node in reversed(tree)], returning, [tree[-1] for tree in trees[1:]]

    def _dominators(self, order: list[str]) -> dict[str, str]:
        """Return the immediate dominator of each node, in execution order. Each part of the graph counts alone."""
        roots = dict.fromkeys((START, *self.lost))
        part_of: dict[str, str] = {}
        root = START
        for node in order:
            root = node if node in roots else root
            part_of[node] = root
        for node in order:
            self.before[node] = [source for source in self.before[node] if part_of[source] == part_of[node]]

        def inside(node: str) -> list[str]:
            ways = self.ways.get(node, ())
            return [way.target for way in ways if not way.back and part_of.get(way.target) == part_of[node]]

        above = {node: first for root in roots for node, first in dominators(root, inside).items()}
        return {node: above[node] for node in order if node in above}


def distinct(names: Iterable[str]) -> list[str]:
    """Return the distinct names, in order.

    Example:
        >>> distinct("abab")
        ['a', 'b']
    """
    return list(dict.fromkeys(names))
