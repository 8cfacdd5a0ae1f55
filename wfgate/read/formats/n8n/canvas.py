"""The nodes of an n8n document, the connections between them, and the nodes attached to AI nodes."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.exits import Wire, Wiring, node_id
from wfgate.read.formats.n8n.shapes import Export, N8nNode

_NOTES = frozenset({"stickyNote"})


@dataclass
class Canvas(Wiring):
    """All nodes and connections of one workflow.

    Attributes:
        path: Path of the workflow in the document.
        nodes: The nodes in the order of the file, without notes.
        attached: The connections of AI nodes with their models, memories and tools, as (user, kind, used). They are
            not flow.
    """

    hint: ClassVar[str] = ', or set "onError": "continueErrorOutput" if this output is meant for errors'

    path: Path = ()
    nodes: list[N8nNode] = field(default_factory=list)
    attached: list[tuple[str, str, str]] = field(default_factory=list)

    def turns(self, wires: Sequence[Wire], order: str) -> tuple[tuple[str, int], ...]:
        """Return the targets of the connections from one node, in the order in which they run, with their outputs.

        With the execution order "v1" the position on the canvas decides: from top to bottom, then from left to right.
        Otherwise the order of the connections decides. Empty if there is one target, or if a position does not decide.

        Source: https://docs.n8n.io/build/flow-logic/understand-execution-order
        """
        first: dict[str, int] = {}
        for wire in wires:
            if isinstance(wire.output, int):
                first.setdefault(wire.target, wire.output)
        names = [name for name in first if name in self.by_name]
        if order == "v1":
            places = {name: self.by_name[name].place for name in names}
            if None in places.values() or len({*places.values()}) < len(names):
                return ()
            names.sort(key=lambda name: places[name] or ())
        return tuple((node_id(name), first[name]) for name in names) if len(names) > 1 else ()

    @cached_property
    def by_name(self) -> dict[str, N8nNode]:
        """The nodes by name; if two nodes have the same name, the later one."""
        return {node.name: node for node in self.nodes}


def canvas_of(document: Document, path: Path, export: Export) -> Canvas:
    """Return the nodes and connections of a workflow, which is at `path` in the document."""
    canvas = Canvas(document, path=path)
    for place, node in enumerate(export.nodes):
        if node.kind not in _NOTES:
            canvas.nodes.append(node.model_copy(update={"path": (*path, "nodes", place)}))
    for source, kinds in export.connections.items():
        for kind, outputs in (kinds or {}).items():
            at = (*path, "connections", source, kind)
            if kind != "main" and not kind.startswith("ai_"):
                message = f"connections of kind {kind[:40]!r} are not read; n8n has the types main and ai_..."
                canvas.say(at, "warning", message, "move the connections to `main`")
                continue
            for output, ends in enumerate(outputs):
                for place, end in enumerate(ends):
                    if end is not None and kind == "main":
                        span = document.span(*at, output, place)
                        canvas.wires.append(Wire(source, output, end.node, end.index, span=span))
                    elif end is not None:
                        canvas.attached.append((end.node, kind, source))
    return canvas
