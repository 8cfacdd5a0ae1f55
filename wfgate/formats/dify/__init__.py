"""Dify: the graph of a workflow or a chatflow, as Dify exports it (DSL)."""

from typing import Any, ClassVar

from wfgate.documents import Document
from wfgate.formats.base import Format, Reading
from wfgate.formats.builder import check_size
from wfgate.formats.dify.document import graph_of
from wfgate.formats.dify.parts import GraphReader

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
        if data.get("kind") == "rag_pipeline":
            return graph
        return isinstance(data.get("app"), dict) and (data.get("kind") == "app" or graph)

    def read(self, document: Document) -> Reading:
        """Read the graph.

        Raises:
            FormatError: If there is no graph, or a node or edge does not have the form in which Dify exports it.
        """
        data = document.mapping()
        about = data.get("app") if isinstance(data.get("app"), dict) else data.get("rag_pipeline")
        app: dict[str, Any] = about if isinstance(about, dict) else {}
        inner = data.get("workflow")
        if not isinstance(inner, dict) or "graph" not in inner:
            mode = app.get("mode")
            message = (
                f": it is {_GRAPHLESS[mode]}, which is a single prompt"
                if isinstance(mode, str) and mode in _GRAPHLESS
                else ""
            )
            raise document.error(
                f"the app has no workflow{message}", "app", "mode", fix="give an app of mode workflow or advanced-chat"
            )
        graph = graph_of(document, ("workflow", "graph"), inner["graph"])
        check_size(document, len(graph.nodes), len(graph.edges))
        workflow = GraphReader(graph, inner).workflow(_text(app, "name"), _text(app, "description"))
        return Reading(workflow, self.id, tuple(graph.diagnostics))


def _text(mapping: dict[str, Any], key: str) -> str:
    value = mapping.get(key)
    return value if isinstance(value, str) else ""
