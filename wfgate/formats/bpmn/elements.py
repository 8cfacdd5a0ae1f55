"""The XML elements of a BPMN model that are read: those of BPMN itself and of known engines."""

from collections import Counter
from dataclasses import dataclass

from wfgate.documents import Document
from wfgate.documents.xml_tree import Element, parse

MODEL = "http://www.omg.org/spec/BPMN/20100524/MODEL"
"""The namespace of BPMN 2.0."""

VENDORS = {
    "http://camunda.org/schema/1.0/bpmn": "camunda",
    "http://camunda.org/schema/zeebe/1.0": "zeebe",
    "http://activiti.org/bpmn": "activiti",
    "http://flowable.org/bpmn": "flowable",
    "http://operaton.org/schema/1.0/bpmn": "operaton",
    "http://www.jboss.org/drools": "drools",
}
"""Namespaces of extensions that say how a step is carried out; elements of all others are counted and left out."""

_DIAGRAM = "/20100524/DI"
_TEXTS = {"documentation", "text", "conditionExpression", "script"}


@dataclass(frozen=True)
class Tree:
    """The elements of a file: its root, and the number of left-out extension elements by namespace."""

    root: Element
    foreign: Counter[str]


def elements_of(document: Document) -> Tree:
    """Return the elements of a document without the diagram and the extensions of unknown tools.

    Raises:
        FormatError: If it is not well-formed XML, has a DOCTYPE, or is too large or too deep; with the position.
    """
    foreign: Counter[str] = Counter()

    def leave_out(parent: Element, space: str) -> bool:
        if space == MODEL or space in VENDORS or (parent.space in VENDORS and not space):
            return False
        if not space.endswith(_DIAGRAM) and parent.tag == "extensionElements":
            foreign[space] += 1
        return True

    return Tree(parse(document, leave_out, _TEXTS), foreign)
