"""Mermaid flowcharts."""

from typing import ClassVar

from wfgate.model import Workflow
from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, Reading


class MermaidFormat(Format):
    r"""A Mermaid flowchart (`flowchart TD` or `graph LR`) of boxes, arrows and diamonds.

    The reader accepts the texts that Mermaid's own parser accepts. A box is a step. When a step has ended, all its
    outgoing arrows without a label are taken. If a box has several incoming arrows, any one of them starts it. A box
    waits for all incoming arrows only if no decision lies between the point where these branches split and the box.

    A diamond with several outgoing arrows is a step after which exactly one of these arrows is taken. A label becomes
    the guard (the condition) of the link, in wfgate's plain condition language. A label that names the outcome of a
    step ("on failure") becomes the outcome of the link.

    A terminal (a round box, for example `([...])` or `((...))`) with the name Start or End is START or END; all other
    terminals are events. If START or END is not drawn, the reader adds it. A bar (shape `fork`) is an AND operator.

    A subgraph is a composite if an arrow begins or ends at the subgraph itself and no arrow crosses its border. The
    steps of any other subgraph belong to the flow around it and get the tag `group:TITLE`. Colours, classes, links to
    pages and directions are ignored.

    Example:
        >>> text = "flowchart TD\n  A[Build] --> B{OK?}\n  B -->|Yes| C[Ship]\n  B -->|No| A"
        >>> workflow = MermaidFormat().read(Document("example", text)).workflow
        >>> [(link.source, link.target, link.guard.expr if link.guard else "") for link in workflow.links]
        [('START', 'A', ''), ('A', 'B', ''), ('B', 'C', 'Yes'), ('B', 'A', 'No'), ('C', 'END', '')]
    """

    id: ClassVar[str] = "mermaid"
    writes: ClassVar[bool] = True
    signature: ClassVar[str] = "a first line `flowchart TD` or `graph LR`"
    words: ClassVar[tuple[tuple[str, ...], ...]] = (("-->",),)
    suffixes: ClassVar[tuple[str, ...]] = (".mmd", ".mermaid", ".md")

    def recognises(self, document: Document) -> bool:
        """Return whether the text is a Mermaid diagram of any kind; `read` fails if it is not a flowchart."""
        if document.kind != "text":
            return False
        from wfgate.read.formats.mermaid.source import is_flowchart, other_diagram

        return is_flowchart(document) or other_diagram(document) is not None

    def read(self, document: Document) -> Reading:
        """Read the flowchart.

        Raises:
            FormatError: If the diagram is not a flowchart, or Mermaid could not draw it.
        """
        from wfgate.read.formats.drawings.workflow import reading_of
        from wfgate.read.formats.mermaid.parser import drawing_of

        return reading_of(document, drawing_of(document), self.id)

    def write(self, workflow: Workflow) -> str:
        """Return the workflow as a flowchart; every workflow can be drawn.

        Guards and outcomes become labels. Gateways become diamonds and bars. Composites become subgraphs. A loop
        becomes a line of text in the box. Actions, parameters, data and all other attributes of tasks are left out.

        Example:
            >>> print(MermaidFormat().write(Workflow(name="w")), end="")
            ---
            title: "w"
            ---
            flowchart TD
        """
        from wfgate.read.formats.drawings.plan import plan_of
        from wfgate.read.formats.mermaid.writer import flowchart

        return flowchart(plan_of(workflow))
