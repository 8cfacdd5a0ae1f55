"""The nodes of a Dify graph with the iteration or loop around them, its edges, and the references in its settings."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from wfgate.model import Names, strongly_connected
from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.builder import is_generated
from wfgate.read.formats.dify.shapes import App, DifyNode
from wfgate.read.formats.exits import Wire, Wiring

CONTAINERS = frozenset({"iteration", "loop"})
STARTS = frozenset({"start", "iteration-start", "loop-start"})
GIVEN = frozenset({"sys", "env", "conversation"})
"""First parts of references to what no node makes."""
_PATH: Path = ("workflow", "graph")
_NOTES = frozenset({"", "custom-note"})
_TEMPLATE = re.compile(r"\{\{#([^#{}\n]{1,300})#\}\}")


@dataclass
class DifyGraph(Wiring):
    """All nodes and edges of one app.

    Attributes:
        nodes: The nodes in the order of the file, without notes.
        by_id: The nodes by id; if two nodes have the same id, the first one.
        parents: Id of the iteration or loop around each node, by id of the node; "" if there is none.
    """

    nodes: list[DifyNode] = field(default_factory=list)
    by_id: dict[str, DifyNode] = field(default_factory=dict)
    parents: dict[str, str] = field(default_factory=dict)

    def called(self, selector: Sequence[str], shown: Callable[[str], str] = str) -> str:
        """Return a reference with the title of its node; for the start node, only the name of the variable."""
        node = self.by_id.get(selector[0])
        first = [selector[0]] if node is None else [] if node.type == "start" else [node.label]
        return ".".join(map(shown, [*first, *selector[1:]]))

    def titled(self, value: Any) -> Any:
        """Return a value in which the ids in references are replaced by titles, because ids change with every export.

        Generated ids under the key `id`, such as those of prompts, are left out.
        """
        if isinstance(value, dict):
            kept = {key: inner for key, inner in value.items() if key != "id" or not is_generated(inner)}
            return {key: self.titled(inner) for key, inner in kept.items()}
        if isinstance(value, list):
            if is_selector(value) and value[0] in self.by_id:
                return [self.by_id[value[0]].label, *value[1:]]
            return [self.titled(inner) for inner in value]
        if isinstance(value, str) and "{{#" in value:
            return _TEMPLATE.sub(lambda match: f"{{{{#{self.called(match[1].split('.'))}#}}}}", value)
        return value


def is_selector(value: object) -> bool:
    """Return whether a value has the form of a reference: the id of a node, then a name in this node."""
    return isinstance(value, list | tuple) and len(value) > 1 and all(isinstance(part, str) and part for part in value)


def selectors(value: Any, path: Path = (), key: str = "") -> Iterator[tuple[list[str], Path, bool]]:
    """Yield all references in a value, each with its path and whether it is certainly a reference."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from selectors(inner, (*path, name), name)
    elif is_selector(value):
        yield value, path, key.endswith("selector")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from selectors(inner, (*path, place), key)
    elif isinstance(value, str):
        for match in _TEMPLATE.finditer(value):
            if is_selector(selector := match[1].split(".")):
                yield selector, path, True


def graph_of(document: Document, app: App) -> DifyGraph:
    """Return the nodes and edges of an app, without notes and their edges."""
    graph = DifyGraph(document)
    notes = set()
    labels = Names()
    for place, node in enumerate(app.nodes):
        if node.kind == "custom-note" or node.type in _NOTES:
            notes.add(node.id)
            continue
        update = {"path": (*_PATH, "nodes", place), "label": labels.free(node.title)}
        graph.nodes.append(node.model_copy(update=update))
        graph.by_id.setdefault(node.id, graph.nodes[-1])
    for place, edge in enumerate(app.edges):
        path = (*_PATH, "edges", place)
        if notes.isdisjoint((edge.source, edge.target)):
            graph.wires.append(Wire(edge.source, edge.output, edge.target, span=document.span(*path)))
        else:
            graph.say(path, "warning", "an edge of a note is not read, because a note is not a step")
    _find_parents(graph)
    return graph


def _find_parents(graph: DifyGraph) -> None:
    """Set the parents: none if the loop does not exist, and none for one node of each cycle of nested loops."""
    loops = {name for name, node in graph.by_id.items() if node.type in CONTAINERS}
    wrong = {}
    for name, node in graph.by_id.items():
        graph.parents[name] = node.parent if node.parent in loops else ""
        if node.parent and node.parent not in loops:
            wrong[name] = f"has the parent {node.parent[:80]!r}, which is neither an iteration nor a loop"
    nested = [each for each in graph.parents.items() if each[1]]
    cycles = [{name} for name, parent in nested if name == parent]
    cycles += [part for part in reversed(strongly_connected((), nested)) if len(part) > 1]  # each node has one parent
    for cycle in cycles:
        wrong[min(cycle, key=lambda name: graph.by_id[name].path)] = "is nested in itself"
    for name, what in wrong.items():
        graph.parents[name] = ""
        node = graph.by_id[name]
        graph.say(node.path, "warning", f"{node.title[:80]!r} {what}", "correct or remove `parentId`")
