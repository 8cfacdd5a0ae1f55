"""Dify: the graph of a workflow or a chatflow, as Dify exports it (DSL)."""

from dataclasses import replace
from typing import Any, ClassVar

from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, Reading
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.typed import read_shape

_CASE = ("conditions", "logical_operator")
_GRAPHLESS = {"chat": "a chatbot", "agent-chat": "an agent", "completion": "a text generator"}


class DifyFormat(Format):
    """An app that Dify exports: `kind: app` with a graph under `workflow`, in the mode workflow or advanced-chat.

    The start node is START; its variables are the parameters of the workflow. An iteration or loop is a composite, and
    the nodes inside it are its sub-workflow. The branches of If/Else nodes, question classifiers and human-input nodes
    have guards (the conditions of the links). If a node reads a value of another node, there is a data link. If
    parallel branches meet at a node, the node waits for every branch that was started (OR join).

    Conditions, data and parameters use the titles of the nodes. Notes, the layout and features of the app, and the
    values of its environment are left out.

    Example:
        >>> node = lambda name, kind: {"id": name, "data": {"type": kind, "title": kind.title()}}
        >>> graph = {"nodes": [node("1", "start"), node("2", "llm")], "edges": [{"source": "1", "target": "2"}]}
        >>> data = {"kind": "app", "app": {"mode": "workflow", "name": "Ask"}, "workflow": {"graph": graph}}
        >>> workflow = DifyFormat().read(Document("example", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', '2'), ('2', 'END')]
    """

    id: ClassVar[str] = "dify"
    signature: ClassVar[str] = "`kind: app` with `app`, or a mapping with `app` and `workflow.graph`"
    keys: ClassVar[tuple[tuple[str, ...], ...]] = (("app", "kind", "workflow.graph"),)

    def recognises(self, document: Document) -> bool:
        """Return whether the document is an app of Dify, with or without a graph."""
        data = document.data
        if not isinstance(data, dict) or "wfgate" in data:
            return False
        inner = data.get("workflow")
        graph = isinstance(inner, dict) and isinstance(inner.get("graph"), dict)
        kind = data.get("kind")
        return graph if kind == "rag_pipeline" else isinstance(data.get("app"), dict) and (kind == "app" or graph)

    def read(self, document: Document) -> Reading:
        """Read the graph.

        Raises:
            FormatError: If there is no graph, or a node or edge does not have the form in which Dify exports it.
        """
        from wfgate.read.formats.dify.graph import graph_of
        from wfgate.read.formats.dify.parts import GraphReader
        from wfgate.read.formats.dify.shapes import App

        app = read_shape(App, document.mapping(), document, (), "the app")
        if not isinstance(app.graph, dict):
            what = _GRAPHLESS.get(str(app.mode))
            raise document.error(
                "the app has no workflow" + (f": it is {what}, which is a single prompt" if what else ""),
                *("app", "mode"),
                fix="give an app of mode workflow or advanced-chat",
            )
        graph = graph_of(document, app)
        check_size(document, len(graph.nodes), len(graph.wires))
        return Reading(GraphReader(graph, app).workflow(), self.id, tuple(graph.diagnostics), _with_cases_in(document))


def _with_cases_in(document: Document) -> Document:
    """Return an app in which If/Else nodes of the first version have their conditions in a case, as later ones."""
    graph = document.data["workflow"]["graph"]
    written = graph.get("nodes") or []
    nodes = [_with_cases(node) if isinstance(node, dict) else node for node in written]
    if nodes == written:
        return document
    workflow = document.data["workflow"] | {"graph": graph | {"nodes": nodes}}
    return replace(document, data=document.data | {"workflow": workflow})


def _with_cases(node: dict[str, Any]) -> dict[str, Any]:
    data = node.get("data")
    if not isinstance(data, dict) or data.get("type") != "if-else" or data.get("cases") or "conditions" not in data:
        return node
    case = {"case_id": "true"} | {key: data[key] for key in _CASE if key in data}
    kept = {key: value for key, value in data.items() if key not in {*_CASE, "cases"}}
    return node | {"data": kept | {"cases": [case]}}
