"""Graphviz DOT."""

from typing import ClassVar

from wfgate.documents import Document
from wfgate.formats.base import Format, Reading
from wfgate.formats.dot.drawing import drawing_of
from wfgate.formats.dot.parser import begins_graph
from wfgate.formats.dot.writer import digraph
from wfgate.formats.drawings import plan_of, reading_of
from wfgate.model import Workflow


class DotFormat(Format):
    r"""A Graphviz graph: `digraph NAME { a -> b }`, as people draw workflows and schedulers export them.

    Tokens flow along the edges. A diamond with several ways out is a step behind which exactly one of them is taken;
    labels are guards in the plain language, or outcomes where they say how a step ended ("on failure"). Nodes that are
    called Start and End are START and END, and so are points without a label at which nothing arrives or from which
    nothing leaves; a point between others is an operator. A cluster is a composite if edges lead to or from it as a
    whole (`lhead`, `ltail`) and none crosses its border; otherwise its steps belong to the flow around it, with the
    tag `group:TITLE`. Dotted edges are a choice in the graphs that LangGraph draws. Everything that is only looks
    is not read.

    Example:
        >>> text = "digraph { build -> ok; ok [shape=diamond]; ok -> ship [label=Yes]; ok -> build [label=No] }"
        >>> workflow = DotFormat().read(Document("example", text)).workflow
        >>> [(link.source, link.target, link.guard.expr) for link in workflow.links if link.guard]
        [('ok', 'ship', 'Yes'), ('ok', 'build', 'No')]
    """

    id: ClassVar[str] = "dot"
    writes: ClassVar[bool] = True
    signature: ClassVar[str] = "`digraph NAME {` or `graph NAME {` at the beginning"
    suffixes: ClassVar[tuple[str, ...]] = (".dot", ".gv")

    def recognises(self, document: Document) -> bool:
        """Return whether a graph begins here."""
        return document.kind == "text" and begins_graph(document.text)

    def read(self, document: Document) -> Reading:
        """Read the first graph.

        Raises:
            FormatError: If Graphviz would refuse to draw it.
        """
        return reading_of(document, drawing_of(document), self.id)

    def write(self, workflow: Workflow) -> str:
        """Draw the workflow; every workflow can be drawn.

        Guards and outcomes become labels, gateways diamonds and bars, composites clusters. Left out are actions,
        parameters, data and all other attributes of tasks: it is a picture of the flow.

        Example:
            >>> print(DotFormat().write(Workflow(name="w")), end="")
            digraph {
                label="w" labelloc=t
                node [shape=box]
            }
        """
        return digraph(plan_of(workflow))
