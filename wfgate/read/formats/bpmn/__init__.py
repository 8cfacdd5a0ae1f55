"""BPMN 2.0 models: processes, sub-processes and pools as workflows."""

from dataclasses import replace
from typing import ClassVar

from wfgate.read.documents.document import Document
from wfgate.read.documents.xml_tree import root_of
from wfgate.read.formats.base import Format, Reading

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
"""The namespace of BPMN 2.0."""


class BpmnFormat(Format):
    """BPMN 2.0 XML, from any tool.

    The links come only from sequence flows; `incoming`, `outgoing` and the diagram are not read. Activities are tasks.
    Sub-processes and call activities are composites. Events are tasks of the kind event. A start or end event without
    a name and without other content is START or END itself. If there are several start events, exactly one of them
    starts the process. A node without an outgoing sequence flow leads to END.

    A boundary event is linked with its activity by an outcome: `timeout` for an interrupting timer, `failure` for any
    other interrupting event, `event` for an event that does not interrupt. An event sub-process is linked with START
    by the outcome `event`.

    Exclusive and event-based gateways are XOR, parallel gateways are AND, inclusive gateways are OR. An AND or OR
    gateway that joins and splits becomes two gateways. A condition keeps its text. If no flow after a deciding gateway
    has a condition, the names of the flows become the conditions, with the name of the gateway: «Approved? yes».

    If several pools contain steps, they become composites of one main workflow, and each composite is linked with
    START and END. Message flows are not control flow; they become arguments of their source and target steps. Lanes
    are tags.

    Example:
        >>> text = '''<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"><process name="Order">
        ... <startEvent id="s"/><task id="t" name="Pack"/><endEvent id="e" name="Packed"/>
        ... <sequenceFlow sourceRef="s" targetRef="t"/><sequenceFlow sourceRef="t" targetRef="e"/>
        ... </process></definitions>'''
        >>> workflow = BpmnFormat().read(Document("example", text)).workflow
        >>> workflow.name, [(link.source, link.target) for link in workflow.links]
        ('Order', [('START', 't'), ('t', 'e'), ('e', 'END')])
    """

    id: ClassVar[str] = "bpmn"
    signature: ClassVar[str] = f"XML with the root <definitions> in the namespace {MODEL}"
    words: ClassVar[tuple[tuple[str, ...], ...]] = (("<definitions", "<process"), ("bpmn:definitions", "bpmn:process"))
    suffixes: ClassVar[tuple[str, ...]] = (".bpmn", ".xml")

    def recognises(self, document: Document) -> bool:
        """Return whether the root element is the root element of a BPMN model, in any version of BPMN."""
        if document.text.lstrip()[:1] != "<":
            return False
        root = root_of(document.text)
        if root is None:  # cut off within its first tag, or a DOCTYPE stands before it: reading it says so
            before, namespace, _ = document.text.partition(MODEL)
            return bool(namespace) and "definitions" in before
        space, tag = root
        return tag == "definitions" and "bpmn" in space.casefold()

    def read(self, document: Document) -> Reading:
        """Read the processes of a model.

        Raises:
            FormatError: If the text is not well-formed XML, has a DOCTYPE, is not BPMN 2.0, or has no process.
        """
        from wfgate.read.formats.bpmn.file import FileReader
        from wfgate.read.formats.bpmn.model import Model
        from wfgate.read.formats.bpmn.view import view_of

        if not document.text.strip():
            raise document.error("the file is empty", fix="write a BPMN model into the file")
        model = Model(document)
        root = model.root
        if (root.space, root.tag) != (MODEL, "definitions"):
            where = f"in the namespace {root.space[:120]!r}" if root.space else "in no namespace"
            raise document.error_at(
                root.span,
                f"the file is not a BPMN 2.0 model: its root is <{root.tag[:80]}> {where}",
                fix=f"export the model as BPMN 2.0, with the root <definitions> in the namespace {MODEL}",
            )
        data, model.paths = view_of(document)
        workflow = FileReader(model).read()
        return Reading(workflow, self.id, tuple(model.diagnostics), replace(document, data=data))
