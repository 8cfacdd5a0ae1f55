"""Layered layout of a graph, computed with the package fast-sugiyama."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Edge = tuple[int, int]
Place = tuple[float, int]
"""A column, in widths of a node, and a layer; layers count from the top."""

_UNIT = 100


@dataclass(frozen=True)
class Layers:
    """A graph in layers.

    Attributes:
        places: Position of each node: column and layer.
        routes: Positions at which an edge crosses the layers between its source and its target.
        columns: Width of the layout, in widths of a node.
        layers: Number of layers.
    """

    places: dict[int, Place]
    routes: dict[Edge, tuple[Place, ...]]
    columns: float
    layers: int


def in_a_row(nodes: Sequence[int]) -> Layers:
    """Return a layout with one column, in which each node has a layer of its own.

    Example:
        >>> in_a_row([0, 2, 1]).places
        {0: (0.0, 0), 2: (0.0, 1), 1: (0.0, 2)}
    """
    return Layers({node: (0.0, layer) for layer, node in enumerate(nodes)}, {}, 0.0, len(nodes))


def arranged(nodes: Sequence[int], edges: Iterable[Edge]) -> Layers:
    """Return a layout in which each node is in a layer below its predecessors and few edges cross.

    Args:
        nodes: The nodes. The first one is at the top; other nodes without predecessors are below it.
        edges: The edges, without cycles; self-loops are ignored.

    Returns:
        The layout; deterministic on every machine. Cost: 0.03 s for 400 nodes, 0.3 s for 2,000.

    Example:
        >>> arranged([0, 1, 2], [(0, 1), (1, 2), (0, 2)]).places[2][1]
        2
    """
    from fast_sugiyama import from_edges  # noqa: PLC0415 - only where something is drawn

    given = list(dict.fromkeys((a, b) for a, b in edges if a != b))  # the library ends the process at a loop
    reached = {target for _, target in given}
    held = [(nodes[0], node) for node in nodes[1:] if node not in reached]
    number = {node: place for place, node in enumerate(nodes)}
    if not given and not held:
        return Layers(dict.fromkeys(nodes, (0.0, 0)), {}, 0.0, 1)
    laid = from_edges(
        [(number[a], number[b]) for a, b in [*given, *held]], vertex_spacing=_UNIT, dummy_size=0.2, check_layout=False
    )
    # One part, since all hangs on the first node; what is numbered beyond the nodes bends an edge.
    positions, _, height, way = laid[0]
    spots = {int(node): (round(x / _UNIT, 3), round((height - y) / _UNIT)) for node, (x, y) in positions}
    after = {int(a): int(b) for a, b in way or () if int(a) >= len(nodes)}
    routes: dict[Edge, tuple[Place, ...]] = {}
    for a, b in way or ():
        if int(a) < len(nodes) <= int(b):
            bends, at = [], int(b)
            while at >= len(nodes):
                bends.append(spots[at])
                at = after[at]
            routes[nodes[int(a)], nodes[at]] = tuple(bends)
    left = min(x for x, _ in spots.values())
    return Layers(
        {node: (spots[place][0] - left, spots[place][1]) for node, place in number.items()},
        {edge: tuple((x - left, layer) for x, layer in bends) for edge, bends in routes.items()},
        max(x for x, _ in spots.values()) - left,
        max(layer for _, layer in spots.values()) + 1,
    )
