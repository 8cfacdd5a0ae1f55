"""The parts of a Dify graph: nodes with the iteration or loop around them, and edges."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from wfgate.documents import Diagnostic, Document, Key, Path
from wfgate.formats.builder import is_generated
from wfgate.formats.fields import Fields
from wfgate.model import SourceSpan

CONTAINERS = frozenset({"iteration", "loop"})
STARTS = frozenset({"start", "iteration-start", "loop-start"})
GIVEN = frozenset({"sys", "env", "conversation"})
"""First parts of references to what no node makes."""
_NOTES = frozenset({"", "custom-note"})
_TEMPLATE = re.compile(r"\{\{#([^#{}\n]{1,300})#\}\}")


@dataclass(frozen=True)
class Node:
    """One node.

    Attributes:
        id: Id of the node, in most files a time in milliseconds.
        type: Type of the node ("llm").
        title: Title of the node.
        label: The title, with a number if several nodes have the same title; used in conditions and data.
        data: The settings of the node.
        path: Path of the node in the document.
        parent: Id of the iteration or loop around the node; "" if there is none.
    """

    id: str
    type: str
    title: str
    label: str
    data: dict[str, Any]
    path: Path
    parent: str = ""


@dataclass(frozen=True)
class Edge:
    """An edge of the graph; `handle` is the output of its source."""

    source: str
    handle: str
    target: str
    span: SourceSpan | None = None


@dataclass
class Graph:
    """All nodes and edges of one app.

    Attributes:
        document: The document of the graph.
        nodes: The nodes in the order of the file, without notes.
        edges: The edges, without edges of notes.
        diagnostics: The diagnostics about the graph.
    """

    document: Document
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """The nodes by id; if two nodes have the same id, the first one."""
        return {node.id: node for node in reversed(self.nodes)}

    def say(self, node: Node, severity: str, message: str, *keys: Key, fix: str | None = None) -> None:
        """Add a diagnostic about a node."""
        level: Any = severity
        self.diagnostics.append(self.document.diagnostic(level, message, *node.path, *keys, fix=fix))

    def called(self, selector: list[str]) -> str:
        """Return a reference with the title of its node; for the start node, only the name of the variable."""
        node = self.by_id.get(selector[0])
        if node is None:
            return ".".join(selector)
        return ".".join(selector[1:] if node.type == "start" else (node.label, *selector[1:]))

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
            return _TEMPLATE.sub(lambda found: f"{{{{#{self.called(found[1].split('.'))}#}}}}", value)
        return value


def is_selector(value: object) -> bool:
    """Return whether a value has the form of a reference: the id of a node, then a name in this node."""
    return isinstance(value, list) and len(value) > 1 and all(isinstance(part, str) and part for part in value)


def selectors(value: Any, path: Path, key: str = "") -> Iterator[tuple[list[str], Path, bool]]:
    """Yield all references in a value, each with its path and whether it is certainly a reference."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from selectors(inner, (*path, name), name)
    elif isinstance(value, list):
        if is_selector(value):
            yield value, path, key.endswith("selector")
        else:
            for place, inner in enumerate(value):
                yield from selectors(inner, (*path, place), key)
    elif isinstance(value, str):
        for found in _TEMPLATE.finditer(value):
            selector = found[1].split(".")
            if is_selector(selector):
                yield selector, path, True


def only_selector(value: object) -> list[str] | None:
    """Return the reference in a text if the text contains nothing else; None otherwise."""
    found = _TEMPLATE.fullmatch(value.strip()) if isinstance(value, str) else None
    selector = found[1].split(".") if found else None
    return selector if is_selector(selector) else None


def graph_of(document: Document, path: Path, data: object) -> Graph:
    """Return the nodes and edges of the graph `data`, which is at `path` in the document.

    Raises:
        FormatError: If a node or edge does not have the form in which Dify exports it.
    """
    root = Fields(document, path, data, what="the graph")
    graph = Graph(document)
    notes = set()
    titles: Counter[str] = Counter()
    for place, value in enumerate(root.entries("nodes")):
        entry = Fields(document, (*path, "nodes", place), value, what="a node")
        inner = entry.mapping("data")
        name, kind = entry.word("id"), inner.get("type")
        kind = kind if isinstance(kind, str) else ""
        if entry.value.get("type") == "custom-note" or kind in _NOTES:
            notes.add(name)
            continue
        title = inner.get("title")
        title = title.strip() if isinstance(title, str) and title.strip() else kind
        titles[title] += 1
        label = title if titles[title] == 1 else f"{title} ({titles[title]})"
        asked = entry.value.get("parentId") or inner.get("iteration_id") or inner.get("loop_id")
        parent = asked if isinstance(asked, str) else ""
        graph.nodes.append(Node(name, kind, title, label, inner, entry.path, parent))
    for place, value in enumerate(root.entries("edges")):
        entry = Fields(document, (*path, "edges", place), value, what="an edge")
        source, target = entry.word("source"), entry.word("target")
        handle = entry.value.get("sourceHandle")
        if not notes.isdisjoint((source, target)):
            message = "an edge of a note is not read, because a note is not a step"
            graph.diagnostics.append(document.diagnostic("warning", message, *entry.path))
            continue
        graph.edges.append(Edge(source, handle if isinstance(handle, str) else "source", target, entry_span(entry)))
    _check_parents(graph)
    return graph


def entry_span(entry: Fields) -> SourceSpan | None:
    """Return the position of an entry in the file."""
    return entry.document.span(*entry.path)


def _check_parents(graph: Graph) -> None:
    """Move a node out of its loop if the loop does not exist or the node contains itself."""
    fix = "correct or remove `parentId`"
    for place, node in enumerate(graph.nodes):
        parent = graph.by_id.get(node.parent)
        if node.parent and (parent is None or parent.type not in CONTAINERS):
            message = (
                f"the parent of {node.title[:80]!r} is {node.parent[:80]!r}, which is neither an iteration nor a loop"
            )
            graph.say(node, "warning", message, fix=fix)
            graph.nodes[place] = replace(node, parent="")
    graph.__dict__.pop("by_id", None)
    turning = _turning(graph)
    for node in turning:
        graph.say(node, "warning", f"{node.title[:80]!r} is nested in itself", fix=fix)
    out = {node.id for node in turning}
    graph.nodes = [replace(node, parent="") if node.id in out else node for node in graph.nodes]
    graph.__dict__.pop("by_id", None)


def _turning(graph: Graph) -> list[Node]:
    """Return one node of each cycle of loops that contain each other."""
    found, done = [], {""}
    for node in graph.by_id.values():
        way: dict[str, None] = {}
        at = node.id
        while at not in done and at not in way:
            way[at] = None
            at = graph.by_id[at].parent
        if at in way:
            found.append(graph.by_id[at])
        done |= way.keys()
    return found
