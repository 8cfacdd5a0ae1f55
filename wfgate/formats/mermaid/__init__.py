"""Mermaid flowcharts."""

from typing import ClassVar

from wfgate.documents import Document
from wfgate.formats.base import Format, Reading
from wfgate.formats.drawings import plan_of, reading_of
from wfgate.formats.mermaid.parser import drawing_of
from wfgate.formats.mermaid.source import is_flowchart, other_diagram
from wfgate.formats.mermaid.writer import flowchart
from wfgate.model import Workflow


class MermaidFormat(Format):
    r"""A Mermaid flowchart: `flowchart TD` or `graph LR`, boxes and arrows; decisions are diamonds with labelled ways.

    Tokens flow along the arrows. What is read and what is refused is what Mermaid's own parser reads and refuses.
    A diamond with several ways out is a step behind which exactly one of them is taken. Labels are guards in the
    plain language, or outcomes where they say how a step ended ("on failure"). Terminals called Start and End are
    START and END, others events; a bar is an AND operator. A subgraph is a composite if arrows lead to and from it as
    a whole and none crosses its border; otherwise its steps belong to the flow around it, with the tag `group:TITLE`.
    Colours, classes, links to pages and directions say nothing about a workflow and are not read.

    Example:
        >>> text = "flowchart TD\n  A[Build] --> B{OK?}\n  B -->|Yes| C[Ship]\n  B -->|No| A"
        >>> workflow = MermaidFormat().read(Document("example", text)).workflow
        >>> [(link.source, link.target, link.guard.expr if link.guard else "") for link in workflow.links]
        [('START', 'A', ''), ('A', 'B', ''), ('B', 'C', 'Yes'), ('B', 'A', 'No'), ('C', 'END', '')]
    """

    id: ClassVar[str] = "mermaid"
    writes: ClassVar[bool] = True
    signature: ClassVar[str] = "a first line `flowchart TD` or `graph LR`"
    suffixes: ClassVar[tuple[str, ...]] = (".mmd", ".mermaid", ".md")

    def recognises(self, document: Document) -> bool:
        """Return whether the text is a Mermaid diagram; of those that are not flowcharts, `read` reports it."""
        return document.kind == "text" and (is_flowchart(document) or other_diagram(document) is not None)

    def read(self, document: Document) -> Reading:
        """Read the flowchart.

        Raises:
            FormatError: If it is another diagram, or Mermaid would refuse to draw it.
        """
        return reading_of(document, drawing_of(document), self.id)

    def write(self, workflow: Workflow) -> str:
        """Draw the workflow; every workflow can be drawn.

        Guards and outcomes become labels, gateways diamonds and bars, composites subgraphs, loops a line in the box.
        Left out are actions, parameters, data and all other attributes of tasks: it is a picture of the flow.

        Example:
            >>> print(MermaidFormat().write(Workflow(name="w")), end="")
            ---
            title: "w"
            ---
            flowchart TD
        """
        return flowchart(plan_of(workflow))
