"""The flow of data between the nodes of a Dify graph, including data into and out of iterations and loops."""

from collections.abc import Iterator, Mapping

from wfgate.model import END, START, DataLink
from wfgate.read.documents.document import Path
from wfgate.read.formats.builder import check_size, grouped
from wfgate.read.formats.dify.graph import CONTAINERS, GIVEN, STARTS, DifyGraph, selectors
from wfgate.read.formats.dify.shapes import DifyNode
from wfgate.read.formats.exits import node_id

MAX_NESTED = 50
"""Loops inside loops out of which a reference is followed."""

_DECIDES = frozenset({"conditions", "break_conditions"})
_IN_GROUPS = 2
"""Numbers in the path of what an aggregator reads in groups: of the group, and in the group."""


def asked(graph: DifyGraph, node: DifyNode) -> tuple[str, ...]:
    """Return the data that the conditions of a node read."""
    data = [graph.called(selector) for selector, path in _read(graph, node) if _DECIDES.intersection(path)]
    return tuple(dict.fromkeys(data))


def kept(graph: DifyGraph, node: DifyNode) -> tuple[str, ...]:
    """Return the variables of the conversation that a node writes."""
    written = [selector for selector, path, _ in selectors(node.data) if _is_written(node, path)]
    return tuple(dict.fromkeys(graph.called(each) for each in written if each[0] == "conversation"))


def data_links(graph: DifyGraph) -> Mapping[str, list[DataLink]]:
    """Return the data links by the iteration or loop that contains them; "" for the main workflow.

    Raises:
        FormatError: If there are too many data links.
    """
    paths: dict[tuple[str, str, str, str], Path] = {}
    for node in graph.nodes:
        for selector, path in _read(graph, node) if node.type not in STARTS else ():
            datum = _one_of(node, path) or graph.called(selector)
            for level, source, target in _ways(graph, node, selector[0]):
                if source != target:
                    paths.setdefault((level, source, target, datum), (*node.path, "data", *path))
            check_size(graph.document, 0, len(paths))
    span = graph.document.span
    return grouped(
        (level, DataLink(source=source, target=target, data=datum, span=span(*path)))
        for (level, source, target, datum), path in paths.items()
    )


def _read(graph: DifyGraph, node: DifyNode) -> Iterator[tuple[list[str], Path]]:
    """Yield the references to what a node reads, each with its path in the settings."""
    for selector, path, sure in selectors(node.data):
        if (sure or selector[0] in graph.by_id or selector[0] in GIVEN) and not _is_written(node, path):
            yield selector, path


def _is_written(node: DifyNode, path: Path) -> bool:
    """Return whether a reference at this path in the settings names data that the node writes, not reads."""
    match path:
        case ("assigned_variable_selector",) | ("items", int(), "variable_selector"):
            return node.type == "assigner"
    return False


def _one_of(node: DifyNode, path: Path) -> str:
    """Return the datum that an aggregator reads: one datum for each group, because one value is enough."""
    if node.type not in {"variable-aggregator", "variable-assigner"}:
        return ""
    groups = [place for place in path if isinstance(place, int)]
    return f"{node.label} (one of)" if len(groups) < _IN_GROUPS else f"{node.label} (one of {groups[0] + 1})"


def _ways(graph: DifyGraph, node: DifyNode, name: str) -> list[tuple[str, str, str]]:
    """Return how data get from what has a name to a node: the loop, the source and the target of each link.

    Data that come from outside of a loop enter each loop around the node.
    """
    source, parents = graph.by_id.get(name), graph.parents
    levels = [parents[node.id]]
    while levels[-1] and len(levels) <= MAX_NESTED:
        levels.append(parents[levels[-1]])
    if source is not None and parents[name] == node.id and node.type in CONTAINERS:  # what a loop gives back
        return [(node.id, node_id(name), END)]
    if name in levels:  # what the loop hands out: an element, its number, a variable of it
        home, start = name, START
    elif name in GIVEN:
        home, start = "", START
    else:
        home = levels[0] if source is None else parents[name]
        start = START if source is not None and source.type in STARTS else node_id(name)
    if home not in levels:  # the source is in a loop around which the reader is not
        home = levels[0]
    levels = levels[: levels.index(home) + 1]
    targets = map(node_id, [node.id, *levels])
    return [(level, start if level == home else START, at) for level, at in zip(levels, targets, strict=False)]
