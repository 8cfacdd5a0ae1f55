"""BPMN 2.0 models: processes, sub-processes and pools as workflows in which tokens flow."""

from typing import ClassVar

from wfgate.documents import Document
from wfgate.documents.xml_tree import root_of
from wfgate.formats.base import Format, Reading
from wfgate.formats.bpmn.file import read_model
from wfgate.formats.bpmn.model import MODEL, Model, elements_of


class BpmnFormat(Format):
    """BPMN 2.0 XML, whatever tool wrote it.

    Flow comes from sequence flows alone, never from `incoming`/`outgoing` or the diagram. Activities are tasks,
    sub-processes and call activities composites, events tasks of the kind event; a start or end event that has no
    name and says nothing else is START or END itself. Several start events are alternatives; what no flow leaves leads
    to END. Boundary events hang on their activity by outcome: a timer that interrupts by `timeout`, whatever else
    interrupts by `failure`, one that does not by `event`. An event sub-process hangs on START by `event`.

    Exclusive gateways (and those that wait for events) are XOR, parallel AND, inclusive OR; one that joins and splits
    at once is two, but for XOR. A condition is kept as it is written; where no flow behind a deciding gateway has one,
    the names of the flows are: «Approved? yes».

    Several pools with steps become composites of one main workflow, each linked with START and END. Message flows are
    no control flow: they are arguments of the steps at their ends. Lanes are tags.

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
    suffixes: ClassVar[tuple[str, ...]] = (".bpmn", ".xml")

    def recognises(self, document: Document) -> bool:
        """Return whether the root element is that of a BPMN model, of this version or of another one."""
        root = root_of(document.text)
        if root is None:  # cut off within its first tag, or a DOCTYPE stands before it: reading it says so
            before, found, _ = document.text.partition(MODEL)
            return document.text.lstrip()[:1] == "<" and bool(found) and "definitions" in before
        space, tag = root
        return tag == "definitions" and "bpmn" in space.casefold()

    def read(self, document: Document) -> Reading:
        """Read the processes of a model.

        Raises:
            FormatError: If it is no well-formed XML, has a DOCTYPE, is no BPMN 2.0, or has no process.
        """
        if not document.text.strip():
            raise document.error("the file is empty", fix="write a BPMN model into the file")
        tree = elements_of(document)
        if (tree.root.space, tree.root.tag) != (MODEL, "definitions"):
            where = f"in the namespace {tree.root.space[:120]!r}" if tree.root.space else "in no namespace"
            raise document.error_at(
                tree.root.span,
                f"the file is not a BPMN 2.0 model: its root is <{tree.root.tag[:80]}> {where}",
                fix=f"export the model as BPMN 2.0, with the root <definitions> in the namespace {MODEL}",
            )
        model = Model(document, tree)
        workflow = read_model(model, tree)
        return Reading(workflow, self.id, tuple(model.diagnostics))
