"""Strongly connected components of a directed graph."""

from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


def strongly_connected(nodes: Iterable[Node], edges: Iterable[tuple[Node, Node]]) -> list[set[Node]]:
    """Return the strongly connected components of a graph; a component comes after all that can be reached from it.

    The order is the one of `networkx.strongly_connected_components`. Nearly every comparison needs components, and the
    import of networkx takes longer than the comparison of two small workflows.

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
