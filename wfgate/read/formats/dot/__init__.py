"""Graphviz DOT."""

from typing import ClassVar

from wfgate.model import Workflow
from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, Reading


class DotFormat(Format):
    r"""A Graphviz graph (`digraph NAME { a -> b }`), drawn by people or exported by schedulers.

    A node is a step. When a step has ended, all its outgoing edges without a label are taken. If a node has several
    incoming edges, any one of them starts it. A node waits for all incoming edges only if no decision lies between the
    point where these branches split and the node.

    A diamond with several outgoing edges is a step after which exactly one of these edges is taken. A label becomes
    the guard (the condition) of the link, in wfgate's plain condition language. A label that names the outcome of a
    step ("on failure") becomes the outcome of the link.

    A node with the name Start or End is START or END. A point is a node of shape `point`, or a circle or an invisible
    node without a label. A point without incoming edges is START, a point without outgoing edges is END, and any other
    point is an operator. If START or END is not drawn, the reader adds it.

    A cluster is a composite if an edge begins or ends at the cluster itself (`lhead`, `ltail`) and no edge crosses its
    border. The steps of any other cluster belong to the flow around it and get the tag `group:TITLE`. In graphs that
    LangGraph draws, exactly one of the dotted edges of a node is taken. Attributes that only change the look are
    ignored.

    Example:
        >>> text = "digraph { build -> ok; ok [shape=diamond]; ok -> ship [label=Yes]; ok -> build [label=No] }"
        >>> workflow = DotFormat().read(Document("example", text)).workflow
        >>> [(link.source, link.target, link.guard.expr) for link in workflow.links if link.guard]
        [('ok', 'ship', 'Yes'), ('ok', 'build', 'No')]
    """

    id: ClassVar[str] = "dot"
    writes: ClassVar[bool] = True
    signature: ClassVar[str] = "`digraph NAME {` or `graph NAME {` at the beginning"
    words: ClassVar[tuple[tuple[str, ...], ...]] = (("digraph ",), ("->", ";\n", ";\n "))
    suffixes: ClassVar[tuple[str, ...]] = (".dot", ".gv")

    def recognises(self, document: Document) -> bool:
        """Return whether the text begins with a graph."""
        if document.kind != "text":
            return False
        from wfgate.read.formats.dot.parser import begins_graph

        return begins_graph(document.text)

    def read(self, document: Document) -> Reading:
        """Read the first graph.

        Raises:
            FormatError: If Graphviz could not draw the graph.
        """
        from wfgate.read.formats.dot.drawing import drawing_of
        from wfgate.read.formats.drawings.workflow import reading_of

        return reading_of(document, drawing_of(document), self.id)

    def write(self, workflow: Workflow) -> str:
        """Return the workflow as a digraph; every workflow can be drawn.

        Guards and outcomes become labels. Gateways become diamonds and bars. Composites become clusters. Actions,
        parameters, data and all other attributes of tasks are left out.

        Example:
            >>> print(DotFormat().write(Workflow(name="w")), end="")
            digraph {
                label="w" labelloc=t
                node [shape=box]
            }
        """
        from wfgate.read.formats.dot.writer import digraph
        from wfgate.read.formats.drawings.plan import plan_of

        return digraph(plan_of(workflow))
