"""A BPMN file: its elements by id, its diagnostics, and the names of BPMN elements."""

import html
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from wfgate.documents import Diagnostic, Document, Path, Severity
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
DEFINITIONS = {
    "messageEventDefinition": "message",
    "timerEventDefinition": "timer",
    "errorEventDefinition": "error",
    "escalationEventDefinition": "escalation",
    "cancelEventDefinition": "cancel",
    "compensateEventDefinition": "compensation",
    "conditionalEventDefinition": "condition",
    "linkEventDefinition": "link",
    "signalEventDefinition": "signal",
    "terminateEventDefinition": "terminate",
}
"""Kinds of event definitions, by tag."""
_POSITIONS = {
    "startEvent": ("Start", "Start on"),
    "endEvent": ("End", "End with"),
    "intermediateCatchEvent": ("Wait", "Wait for"),
    "intermediateThrowEvent": ("Reached", "Throw"),
    "boundaryEvent": ("Interrupt", "On"),
}
_TASKS = {
    "adHocSubProcess": "Ad hoc sub-process",
    "businessRuleTask": "Business rule task",
    "callActivity": "Call activity",
    "manualTask": "Manual task",
    "receiveTask": "Receive task",
    "scriptTask": "Script task",
    "sendTask": "Send task",
    "serviceTask": "Service task",
    "subProcess": "Sub-process",
    "userTask": "User task",
}
_TIMES = ("timeDuration", "timeDate", "timeCycle")
_REFERENCES = ("messageRef", "errorRef", "escalationRef", "signalRef", "operationRef", "activityRef")


@dataclass(frozen=True)
class Tree:
    """The elements of a file: its root, and the number of left-out extension elements by namespace."""

    root: Element
    foreign: Counter[str]


def elements_of(document: Document) -> Tree:
    """Return the elements of a document without the diagram and without the extensions of unknown tools.

    Raises:
        FormatError: If the text is not well-formed XML, has a DOCTYPE, or is too large or nested too deep.
    """
    foreign: Counter[str] = Counter()

    def leave_out(parent: Element, space: str) -> bool:
        if space == MODEL or space in VENDORS or (parent.space in VENDORS and not space):
            return False
        if not space.endswith(_DIAGRAM) and parent.tag == "extensionElements":
            foreign[space] += 1
        return True

    return Tree(parse(document, leave_out, _TEXTS), foreign)


def kind_of_event(definitions: Sequence[Element]) -> str:
    """Return the kind of an event: "none", "multiple", or the kind of its only event definition."""
    if len(definitions) > 1:
        return "multiple"
    return DEFINITIONS[definitions[0].tag] if definitions else "none"


def fallback_name(tag: str, kind: str = "none", about: str = "") -> str:
    """Return a name for a node that has no name.

    Example:
        >>> fallback_name("intermediateCatchEvent", "timer", "PT2H")
        'Wait for timer PT2H'
    """
    if tag in _POSITIONS:
        alone, lead = _POSITIONS[tag]
        return alone if kind == "none" else f"{lead} {kind} {about}".strip()
    return _TASKS.get(tag, tag[:1].upper() + tag[1:])


def branch_guard(question: str, name: str) -> str:
    """Return an opaque condition for a branch that has a name and no condition.

    Example:
        >>> branch_guard("Approved?", "yes"), branch_guard("Risk", "high"), branch_guard("", "in time")
        ('«Approved? yes»', '«Risk: high»', '«in time»')
    """
    lead = "" if not question else question + (" " if question.endswith(("?", ":")) else ": ")
    return f"«{lead}{name}»".replace("«", "").replace("»", "").join("«»")


def plain_text(element: Element) -> str:
    """Return the text of a documentation element, without HTML tags."""
    text = element.text
    if "html" in element.attributes.get("textFormat", ""):
        parts = text.split("<")
        text = html.unescape(" ".join([parts[0], *(part.partition(">")[2] for part in parts[1:])]))
    return " ".join(text.split())


class Model:
    """The elements of one file.

    Args:
        document: The file.
        tree: The elements of the file.
        paths: The path of each element in the data of the file, by line and column.
    """

    def __init__(self, document: Document, tree: Tree, paths: Mapping[tuple[int, int], Path]) -> None:
        self.document = document
        self.paths = paths
        self.root = tree.root
        self.diagnostics: list[Diagnostic] = []
        self.by_id: dict[str, Element] = {}
        self.notes: dict[str, list[str]] = {}
        self.messages: dict[str, dict[str, list[str]]] = {}
        self.data: frozenset[str] = frozenset()
        self._left: Counter[str] = Counter()
        self._first: dict[str, Element] = {}
        everything = [*walk(tree.root)]
        for element in everything:
            if "id" in element.attributes:
                self.by_id.setdefault(element.attributes["id"], element)
        self.associations: dict[str, list[Element]] = {}
        for element in everything:
            if element.tag == "association":
                self.associations.setdefault(element.attributes.get("sourceRef", ""), []).append(element)
        self._annotate()

    def say(self, severity: Severity, message: str, element: Element, fix: str | None = None) -> None:
        """Add a diagnostic about one element."""
        self.diagnostics.append(self.document.diagnostic_at(element.span, severity, message, fix=fix))

    def leave(self, what: str, element: Element) -> None:
        """Count something that is not read; each kind is reported once, with its first position."""
        self._left[what] += 1
        self._first.setdefault(what, element)

    def say_what_was_left(self) -> None:
        """Add the diagnostics about everything that was counted by `leave`."""
        for what, count in sorted(self._left.items()):
            self.say("info", f"not read: {what} ({count})", self._first[what])

    def path(self, element: Element) -> Path:
        """Return the path of an element in the data of the file."""
        return self.paths[element.line, element.column]

    def find(self, reference: str) -> Element | None:
        """Return the element of a reference, with or without a prefix."""
        return self.by_id.get(reference) or self.by_id.get(reference.rpartition(":")[2])

    def name_of(self, reference: str) -> str:
        """Return the name of the element of a reference; the reference itself if there is no such element."""
        element = self.find(reference)
        if element is None:
            return reference
        return element.get("name") or element.get("errorCode") or element.get("escalationCode")

    def description(self, element: Element) -> str:
        """Return the documentation of an element and its associated text annotations."""
        said = [plain_text(part) for part in element.of("documentation")]
        said += sorted(self.notes.get(element.attributes.get("id", ""), ()))
        return " ".join(part for part in said if part)

    def definitions(self, event: Element) -> list[Element]:
        """Return the event definitions of an event, including those that the event refers to."""
        found = event.of(*DEFINITIONS)
        for reference in event.texts("eventDefinitionRef"):
            element = self.find(reference)
            if element is not None and element.tag in DEFINITIONS:
                found.append(element)
        return found

    def about(self, definition: Element) -> dict[str, str]:
        """Return the content of an event definition, by kind: its message, its time, its condition.

        Example: ``{"timeDuration": "PT2H"}``.
        """
        said: dict[str, str] = {}
        for name in _REFERENCES:
            for reference in (definition.get(name), *definition.texts(name)):
                if reference and (called := self.name_of(reference)):
                    said[name.removesuffix("Ref")] = called
        for part in definition.of(*_TIMES, "condition"):
            if part.text:
                said[part.tag] = " ".join(part.text.split())
        if definition.tag == "linkEventDefinition" and definition.get("name"):
            said["link"] = definition.get("name")
        return said

    def _annotate(self) -> None:
        """Collect the text annotations of each element; the other associations are read elsewhere."""
        for association in (way for ways in self.associations.values() for way in ways):
            ends = [association.attributes.get(name, "") for name in ("sourceRef", "targetRef")]
            for here, there in (ends, ends[::-1]):
                note = self.by_id.get(here)
                if note is not None and note.tag == "textAnnotation":
                    said = " ".join(" ".join(note.texts("text")).split())
                    self.notes.setdefault(there, []).append(said)


def walk(element: Element) -> Iterator[Element]:
    """Yield an element and all elements inside it, in document order."""
    pending = [element]
    while pending:
        found = pending.pop()
        yield found
        pending += reversed(found.children)
