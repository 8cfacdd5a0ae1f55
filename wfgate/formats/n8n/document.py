"""An n8n document: nodes, wires between them, and what is attached to AI nodes."""

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
        name: Its name: what wires and expressions call it by.
        type: Its type in full ("n8n-nodes-base.if").
        version: Its type's version; 1 where none is written.
        params: Its parameters.
        entry: All that is written about it.
        path: Where it stands.
    """

    name: str
    type: str
    version: float
    params: dict[str, Any]
    entry: dict[str, Any]
    path: Path

    @property
    def kind(self) -> str:
        """The type without the package that it comes from."""
        return self.type.rpartition(".")[2]

    @property
    def is_trigger(self) -> bool:
        """Whether it starts the workflow."""
        return self.kind in _TRIGGERS or self.kind.endswith(("Trigger", "trigger"))

    @property
    def is_event(self) -> bool:
        """Whether it waits for an event: a trigger, a pause, an answer of a person."""
        return self.is_trigger or self.kind in _WAITS or self.params.get("operation") == "sendAndWait"

    @property
    def disabled(self) -> bool:
        """Whether it is disabled: its input passes to its first output."""
        return self.entry.get("disabled") is True

    @property
    def on_error(self) -> str:
        """What happens where it fails: `stopWorkflow`, `continueRegularOutput` or `continueErrorOutput`."""
        said = self.entry.get("onError")
        if isinstance(said, str):
            return said
        return "continueRegularOutput" if self.entry.get("continueOnFail") is True else "stopWorkflow"


@dataclass(frozen=True)
class Wire:
    """A connection from an output of one node to an input of another; both count from 0."""

    source: str
    output: int
    target: str
    input: int = 0
    span: SourceSpan | None = None


@dataclass
class Canvas:
    """All nodes and wires of one workflow.

    Attributes:
        document: Where they stand.
        path: Path of the workflow in there.
        nodes: The nodes in listing order; notes are left out.
        wires: Connections that data take.
        attached: Connections of AI nodes with what they use, as (user, kind, used): no flow.
        diagnostics: What there is to say.
    """

    document: Document
    path: Path
    nodes: list[Node] = field(default_factory=list)
    wires: list[Wire] = field(default_factory=list)
    attached: list[tuple[str, str, str]] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @cached_property
    def by_name(self) -> dict[str, Node]:
        """The node that a name means: of two with one name the later."""
        return {node.name: node for node in self.nodes}

    def say(self, node: Node, severity: str, message: str, *keys: Key, fix: str | None = None) -> None:
        """Note something about a node."""
        level: Any = severity
        self.diagnostics.append(self.document.diagnostic(level, message, *node.path, *keys, fix=fix))


def canvas_of(document: Document, path: Path, data: dict[str, Any]) -> Canvas:
    """Read nodes and connections.

    Raises:
        FormatError: If one of them is not what n8n writes.
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
                "a connection comes from a node without a name",
                *at,
                fix="write the name of the node from which the connection starts",
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
    """Yield the workflows of a document: it is one, it wraps one, or it lists them as an export of all does."""
    data = document.data
    found = list(enumerate(data)) if isinstance(data, list) else [(None, data)]
    for place, value in found:
        at: Path = () if place is None else (place,)
        if is_workflow(value):
            yield at, value
        elif isinstance(value, dict) and is_workflow(value.get("workflow")):
            yield (*at, "workflow"), value["workflow"]


def is_workflow(value: object) -> bool:
    """Return whether a value has the nodes and connections of n8n."""
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
        FormatError: If there is none, or there are several.
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
    """Build the error that says that there are several workflows in a document."""
    return document.error(
        f"the file contains {len(paths)} workflows", *paths[1], fix="keep only one workflow in the file"
    )
