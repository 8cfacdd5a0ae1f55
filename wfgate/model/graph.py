"""Algorithms on directed graphs: reach, components, dominators, order. Every view of a workflow uses these.

A graph is given by a function from a node to its successors. The predecessors give the graph turned round; a node
from which nothing is followed has no successors. Results depend only on the order of the given nodes and successors.
networkx has these algorithms, too, but its import takes longer than a comparison of two small workflows.
"""

import heapq
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)
Successors = Callable[[Node], Iterable[Node]]


def reach(starts: Iterable[Node], successors: Successors[Node]) -> dict[Node, Node | None]:
    """Return the nodes that can be reached from some nodes, breadth-first, these nodes included.

    The value of a node is the node before it on a shortest path; None for a start. What is reached by at least one
    link is `reach(successors(node), successors)`.

    Cost: linear in the nodes and links reached.

    Example:
        >>> reach("a", {"a": "bc", "b": "d", "c": "d", "d": "a", "e": "a"}.__getitem__)
        {'a': None, 'b': 'a', 'c': 'a', 'd': 'b'}
    """
    came: dict[Node, Node | None] = dict.fromkeys(starts)
    pending = list(came)
    for node in pending:
        for near in successors(node):
            if near not in came:
                came[near] = node
                pending.append(near)
    return came


def path_to(node: Node, came: Mapping[Node, Node | None]) -> list[Node]:
    """Return the path to a node, from a start (`reach`), or from a node without an entry (`dominators`).

    Cost: linear in the length of the path.
    """
    path = [node]
    while (before := came.get(path[-1])) is not None:
        path.append(before)
    return path[::-1]


def cycle_through(node: Node, successors: Successors[Node]) -> list[Node] | None:
    """Return a shortest cycle through a node, beginning with the node; None if it is on no cycle.

    Cost: linear in the nodes and links reached.
    """
    came: dict[Node, Node] = {}
    pending = [node]
    for last in pending:
        for near in successors(last):
            if near == node:
                return path_to(last, came)
            if near not in came:
                came[near] = last
                pending.append(near)
    return None


def depth_first(
    roots: Iterable[Node], successors: Successors[Node]
) -> tuple[list[list[Node]], set[tuple[Node, Node]]]:
    """Return the trees of a depth-first search, each in postorder (its root last), and the links that close a cycle.

    A link closes a cycle if it returns to a node on the path of the search. Without these links the graph has no
    cycle, and a tree in reverse is in topological order.

    Cost: linear in the nodes and links reached.

    Example:
        >>> depth_first("ac", {"a": "b", "b": "a", "c": "b"}.__getitem__)
        ([['b', 'a'], ['c']], {('b', 'a')})
    """
    trees: list[list[Node]] = []
    closing: set[tuple[Node, Node]] = set()
    is_open: dict[Node, bool] = {}
    for root in roots:
        if root in is_open:
            continue
        tree: list[Node] = []
        is_open[root] = True
        pending = [(root, iter(successors(root)))]
        while pending:
            node, untried = pending[-1]
            near = next((each for each in untried if is_open.get(each, True)), None)
            if near is None:
                pending.pop()
                is_open[node] = False
                tree.append(node)
            elif near in is_open:
                closing.add((node, near))
            else:
                is_open[near] = True
                pending.append((near, iter(successors(near))))
        trees.append(tree)
    return trees, closing


def strongly_connected(nodes: Iterable[Node], edges: Iterable[tuple[Node, Node]]) -> list[set[Node]]:
    """Return the strongly connected components of a graph; a component comes after all that can be reached from it.

    The order is the one of `networkx.strongly_connected_components`.

    Args:
        nodes: The nodes, in the order in which the search starts from them.
        edges: The edges, as (source, target); parallel edges count once.

    Cost: linear in nodes and edges.

    Source:
        Nuutila and Soisalon-Soininen (1994), On finding the strongly connected components in a directed graph,
        Information Processing Letters 49: Tarjan's algorithm; a component of one node is never on the stack.

    Example:
        >>> strongly_connected("abcd", [("a", "b"), ("b", "c"), ("c", "b")]) == [{"b", "c"}, {"a"}, {"d"}]
        True
    """
    successors: dict[Node, dict[Node, None]] = {node: {} for node in nodes}
    for source, target in edges:
        successors.setdefault(source, {})[target] = None
        successors.setdefault(target, {})
    return list(_components(successors))


def _components(successors: dict[Node, dict[Node, None]]) -> Iterator[set[Node]]:
    number: dict[Node, int] = {}
    lowest: dict[Node, int] = {}
    finished: set[Node] = set()
    waiting: list[Node] = []
    untried = {node: iter(each) for node, each in successors.items()}
    for first in successors:
        path = [] if first in finished else [first]
        while path:
            node = path[-1]
            number.setdefault(node, len(number))
            below = next((near for near in untried[node] if near not in number), None)
            if below is not None:
                path.append(below)
                continue
            path.pop()
            inside = [near for near in successors[node] if near not in finished]
            reached = (lowest[near] if number[near] > number[node] else number[near] for near in inside)
            lowest[node] = min(reached, default=number[node])
            if lowest[node] < number[node]:
                waiting.append(node)
                continue
            lowest[node] = number[node]
            component = {node}
            while waiting and number[waiting[-1]] > number[node]:
                component.add(waiting.pop())
            finished |= component
            yield component


def cyclic(edges: Iterable[tuple[Node, Node]]) -> frozenset[Node]:
    """Return the nodes that are on a cycle; a link from a node to itself is one.

    Cost: linear in the edges.

    Example:
        >>> sorted(cyclic([(1, 2), (2, 1), (2, 3), (4, 4)]))
        [1, 2, 4]
    """
    edges = list(edges)
    loops = {source for source, target in edges if source == target}
    return frozenset(loops).union(*(part for part in strongly_connected((), edges) if len(part) > 1))


def topological(nodes: Iterable[Node], successors: Successors[Node]) -> list[Node]:
    """Return the nodes in topological order; those on a cycle, and those after one, are left out.

    Args:
        nodes: All nodes; the first ones are in this order.
        successors: The successors among these nodes. Parallel links may be repeated.

    Cost: linear in nodes and links.

    Example:
        >>> topological("cab", {"a": "b", "b": "", "c": "b"}.__getitem__)
        ['c', 'a', 'b']
    """
    waiting = dict.fromkeys(nodes, 0)
    for node in waiting:
        for near in successors(node):
            waiting[near] += 1
    ready = [node for node, count in waiting.items() if not count]
    for node in ready:
        for near in successors(node):
            waiting[near] -= 1
            if not waiting[near]:
                ready.append(near)
    return ready


def dominators(first: Node, successors: Successors[Node]) -> dict[Node, Node]:
    """Return the immediate dominator of each node that can be reached from a node, this node excepted.

    A node dominates another one if all paths to the other one lead through it. The immediate dominator is the last of
    these nodes. With predecessors and the end instead of the start, the result is the immediate postdominators.

    Cost: n log n in the nodes and links reached.

    Source:
        Lengauer and Tarjan (1979), A fast algorithm for finding dominators in a flowgraph, ACM Transactions on
        Programming Languages and Systems 1: the variant with path compression.

    Example:
        >>> dominators("a", {"a": "bc", "b": "d", "c": "d", "d": ""}.__getitem__)
        {'c': 'a', 'd': 'a', 'b': 'a'}
    """
    nodes, parent, before = _numbered(first, successors)
    semi: list[int] = [*range(len(nodes))]
    lowest: list[int] = [*range(len(nodes))]  # the node with the lowest semidominator on the compressed path
    above = [-1] * len(nodes)  # the forest of the nodes that are done
    held: list[list[int]] = [[] for _ in nodes]
    immediate = [0] * len(nodes)

    def lowest_above(node: int) -> int:
        path: list[int] = []
        while above[node] >= 0 and above[above[node]] >= 0:
            path.append(node)
            node = above[node]
        for each in reversed(path):
            lowest[each] = min(lowest[each], lowest[above[each]], key=semi.__getitem__)
            above[each] = above[above[each]]
        return lowest[path[0] if path else node]

    for node in range(len(nodes) - 1, 0, -1):
        semi[node] = min(semi[lowest_above(near)] for near in before[node])
        held[semi[node]].append(node)
        above[node] = parent[node]
        for each in held[parent[node]]:
            low = lowest_above(each)
            immediate[each] = low if semi[low] < semi[each] else parent[node]
        held[parent[node]].clear()
    for node in range(1, len(nodes)):
        if immediate[node] != semi[node]:
            immediate[node] = immediate[immediate[node]]
    return {nodes[node]: nodes[immediate[node]] for node in range(1, len(nodes))}


def _numbered(first: Node, successors: Successors[Node]) -> tuple[list[Node], list[int], list[list[int]]]:
    """Return the reachable nodes in depth-first preorder, and the numbers of their parents and predecessors."""
    number: dict[Node, int] = {}
    parent: list[int] = []
    after: list[list[Node]] = []
    pending = [(first, -1)]
    while pending:
        node, above = pending.pop()
        if node not in number:
            number[node] = len(number)
            parent.append(above)
            after.append(list(successors(node)))
            pending += [(near, number[node]) for near in after[-1]]
    before: list[list[int]] = [[] for _ in after]
    for place, targets in enumerate(after):
        for target in targets:
            before[number[target]].append(place)
    return list(number), parent, before


def closure(components: Iterable[Sequence[int]], successors: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return for each node the bit set of nodes reachable by at least one link; a node on a cycle reaches itself.

    Args:
        components: The strongly connected components; each comes after all that can be reached from it.
        successors: The successors of each node 0..n-1.

    Cost: O(n * edges / word size).
    """
    after = [0] * len(successors)
    for component in components:
        inside = sum(1 << node for node in component)
        reached = 0
        for node in component:
            for near in successors[node]:
                reached |= 1 << near | after[near]
        if reached & inside:
            reached |= inside
        for node in component:
            after[node] = reached
    return tuple(after)


def linear_extension(
    components: Sequence[Sequence[int]], successors: Sequence[Sequence[int]], rank: Sequence[object]
) -> list[int]:
    """Return the nodes 0..n-1 in the topological order in which the next node is the ready node with the lowest rank.

    If no node is ready because of a cycle, the lowest node of the cycle is next, and never a node after the cycle:
    all nodes before a cycle come before it, and all its nodes before the nodes after it.

    Args:
        components: The strongly connected components, in topological order.
        successors: The successors of each node, each once.
        rank: The rank of each node; equal ranks are ordered by number.

    Cost: n log n in nodes and links.
    """
    return _Extension(components, successors, rank).order()


class _Extension:
    """Builds a linear extension.

    Attributes:
        component: The strongly connected component of each node.
        inside: For each node, the number of pending predecessors in its own component.
        outside: For each component (by its first node), the number of links from pending components.
        ready: The nodes of entered components without pending predecessors.
        entered: The nodes of entered components that wait for other nodes of their cycle.
    """

    def __init__(
        self, components: Sequence[Sequence[int]], successors: Sequence[Sequence[int]], rank: Sequence[object]
    ) -> None:
        self.components = components
        self.successors = successors
        self.rank = [(each, node) for node, each in enumerate(rank)]
        self.component = {node: members for members in components for node in members}
        self.inside = [0] * len(successors)
        self.outside = [0] * len(successors)
        for source, targets in enumerate(successors):
            for target in targets:
                if self.component[source] is not self.component[target]:
                    self.outside[self.component[target][0]] += 1
                elif source != target:
                    self.inside[target] += 1
        self.ready: list[tuple[object, int]] = []
        self.entered: list[tuple[object, int]] = []

    def order(self) -> list[int]:
        for part in self.components:
            if not self.outside[part[0]]:
                self._enter(part)
        left = {part[0]: len(part) for part in self.components}
        done: dict[int, None] = {}
        while self.ready or self.entered:
            node = heapq.heappop(self.ready or self.entered)[1]
            if node in done:
                continue
            done[node] = None
            part = self.component[node]
            for near in self.successors[node]:
                if self.component[near] is part and near not in done:
                    self.inside[near] -= 1
                    if not self.inside[near]:
                        heapq.heappush(self.ready, self.rank[near])
            left[part[0]] -= 1
            if not left[part[0]]:
                self._leave(part)
        return list(done)

    def _enter(self, part: Sequence[int]) -> None:
        for node in part:
            heapq.heappush(self.entered if self.inside[node] else self.ready, self.rank[node])

    def _leave(self, part: Sequence[int]) -> None:
        for node in part:
            for near in self.successors[node]:
                behind = self.component[near]
                if behind is not part:
                    self.outside[behind[0]] -= 1
                    if not self.outside[behind[0]]:
                        self._enter(behind)


def members(bits: int) -> list[int]:
    """Return the nodes of a bit set, ascending."""
    nodes = []
    while bits:
        lowest = bits & -bits
        nodes.append(lowest.bit_length() - 1)
        bits ^= lowest
    return nodes
