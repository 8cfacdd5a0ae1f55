"""The parts of an n8n document: nodes, connections between them, and the nodes attached to AI nodes."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wfgate.documents import Diagnostic, Document, Key, Path
from wfgate.errors import FormatError
from wfgate.formats.fields import Fields
from wfgate.model import SourceSpan

_NOTES = frozenset({"stickyNote"})
_TRIGGERS = frozenset({"webhook", "cron", "interval", "start", "emailReadImap"})
_WAITS = frozenset({"wait", "form"})


@dataclass(frozen=True)
class Node:
    """One node.

    Attributes:
        name: Name of the node, which connections and expressions use.
        type: Full type of the node ("n8n-nodes-base.if").
        version: Version of the type; 1 if the file has no version.
        params: Parameters of the node.
        entry: The complete mapping of the node.
        path: Path of the node in the document.
    """

    name: str
    type: str
    version: float
    params: dict[str, Any]
    entry: dict[str, Any]
    path: Path

    @property
    def kind(self) -> str:
        """The type without its package."""
        return self.type.rpartition(".")[2]

    @property
    def is_trigger(self) -> bool:
        """Whether the node starts the workflow."""
        return self.kind in _TRIGGERS or self.kind.endswith(("Trigger", "trigger"))

    @property
    def is_event(self) -> bool:
        """Whether the node waits for an event: a trigger, a pause, a person's answer."""
        return self.is_trigger or self.kind in _WAITS or self.params.get("operation") == "sendAndWait"

    @property
    def disabled(self) -> bool:
        """Whether the node is disabled. A disabled node passes its input to its first output."""
        return self.entry.get("disabled") is True

    @property
    def on_error(self) -> str:
        """Behaviour of the node after an error: `stopWorkflow`, `continueRegularOutput` or `continueErrorOutput`."""
        said = self.entry.get("onError")
        if isinstance(said, str):
            return said
        return "continueRegularOutput" if self.entry.get("continueOnFail") is True else "stopWorkflow"


@dataclass(frozen=True)
class Wire:
    """A connection from an output of one node to an input of another node; both numbers start at 0."""

    source: str
    output: int
    target: str
    input: int = 0
    span: SourceSpan | None = None


@dataclass
class Canvas:
    """All nodes and wires of one workflow.

    Attributes:
        document: The document of the workflow.
        path: Path of the workflow in the document.
        nodes: The nodes in the order of the file, without notes.
        wires: The connections for data.
        attached: The connections of AI nodes with their models, memories and tools, as (user, kind, used). They are
            not flow.
        diagnostics: The diagnostics about the workflow.
    """

    document: Document
    path: Path
    nodes: list[Node] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    attached: list[tuple[str, str, str]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @cached_property
    def by_name(self) -> dict[str, Node]:
        """The nodes by name; if two nodes have the same name, the later one."""
        return {node.name: node for node in self.nodes}

    def say(self, node: Node, severity: str, message: str, *keys: Key, fix: str | None = None) -> None:
        """Add a diagnostic about a node."""
        level: Any = severity
        self.diagnostics.append(self.document.diagnostic(level, message, *node.path, *keys, fix=fix))


def canvas_of(document: Document, path: Path, data: dict[str, Any]) -> Canvas:
    """Return the nodes and connections of the workflow `data`, which is at `path` in the document.

    Raises:
        FormatError: If a node or connection does not have the form that n8n writes.
    """
    root = Fields(document, path, data, what="an n8n workflow")
    canvas = Canvas(document, path)
    for place, entry in enumerate(root.entries("nodes")):
        node = _node(document, (*path, "nodes", place), entry)
        if node.kind not in _NOTES:
            canvas.nodes.append(node)
    for source, kinds in root.mapping("connections").items():
        at: Path = (*path, "connections", source)
        if kinds is None:
            continue
        if not source:
            raise document.error(
                "the name of the source node of a connection is empty",
                *at,
                fix="write the name of the source node",
            )
        for kind, outputs in Fields(document, at, kinds, what="a connection").value.items():
            _connect(canvas, source, kind, _listed(document, (*at, kind), outputs))
    return canvas


def _node(document: Document, path: Path, value: object) -> Node:
    entry = Fields(document, path, value, what="a node")
    name = entry.word("name")
    kind = entry.text("type")
    if not kind:
        raise entry.error(f"the node {name[:80]!r} has no 'type'", fix="add 'type'")
    version = entry.value.get("typeVersion", 1)
    if isinstance(version, bool) or not isinstance(version, int | float) or abs(version) > sys.float_info.max:
        raise entry.wrong("typeVersion", "a number", "write a number, without quotes")
    parameters = entry.value.get("parameters")
    params = entry.mapping("parameters") if parameters not in (None, []) else {}
    return Node(name, kind, float(version), params, entry.value, path)


def _connect(canvas: Canvas, source: str, kind: str, outputs: list[Any]) -> None:
    document = canvas.document
    at: Path = (*canvas.path, "connections", source, kind)
    flows = kind == "main"
    if not flows and not kind.startswith("ai_"):
        message = f"connections of kind {kind[:40]!r} are not read; n8n has the types main and ai_..."
        canvas.diagnostics.append(document.diagnostic("warning", message, *at, fix="move the connections to `main`"))
        return
    for output, targets in enumerate(outputs):
        for place, target in enumerate(_listed(document, (*at, output), targets)):
            if target is None:
                continue
            entry = Fields(document, (*at, output, place), target, what="the end of a connection")
            name, number = entry.word("node"), entry.whole_number("index") or 0
            if flows:
                canvas.wires.append(Wire(source, output, name, number, document.span(*entry.path)))
            else:
                canvas.attached.append((name, kind, source))


def _listed(document: Document, path: Path, value: object) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise document.error(
            "the outputs of a node must be a list of lists", *path, fix='write [[{"node": ..., "index": 0}]]'
        )
    return value


def workflows_in(document: Document) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the workflows of a document: the document itself, a workflow inside it, or a list of workflows."""
    data = document.data
    found = list(enumerate(data)) if isinstance(data, list) else [(None, data)]
    for place, value in found:
        at: Path = () if place is None else (place,)
        if is_workflow(value):
            yield at, value
        elif isinstance(value, dict) and is_workflow(value.get("workflow")):
            yield (*at, "workflow"), value["workflow"]


def is_workflow(value: object) -> bool:
    """Return whether a value has the keys for nodes and connections of n8n."""
    return (
        isinstance(value, dict)
        and "wfgate" not in value
        and "edges" not in value
        and isinstance(value.get("nodes"), list)
        and isinstance(value.get("connections"), dict)
    )


def only_workflow(document: Document) -> tuple[Path, dict[str, Any]]:
    """Return the one workflow of a document.

    Raises:
        FormatError: If the document has no workflow or several.
    """
    if document.problem is not None:
        raise document.problem
    found = list(workflows_in(document))
    if not found:
        raise document.error(
            "the file has no workflow with `nodes` and `connections`", fix="give a workflow that n8n exported"
        )
    if len(found) > 1:
        raise several(document, [path for path, _ in found])
    return found[0]


def several(document: Document, paths: list[Path]) -> FormatError:
    """Return the error about a document with several workflows."""
    return document.error(
        f"the file contains {len(paths)} workflows", *paths[1], fix="keep only one workflow in the file"
    )
