"""A BPMN file: its elements by id, its diagnostics, and the names of BPMN elements."""

import html
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from wfgate.read.documents.document import Diagnostic, Document, Path, Severity
from wfgate.read.documents.xml_tree import XmlElement, parse, walk
from wfgate.read.formats.bpmn import MODEL
from wfgate.read.formats.exits import node_id

DIAGRAM = "http://www.omg.org/spec/BPMN/20100524/DI"
"""The namespace of the diagrams."""

VENDORS = {
    "http://camunda.org/schema/1.0/bpmn": "camunda",
    "http://camunda.org/schema/zeebe/1.0": "zeebe",
    "http://activiti.org/bpmn": "activiti",
    "http://flowable.org/bpmn": "flowable",
    "http://operaton.org/schema/1.0/bpmn": "operaton",
    "http://www.jboss.org/drools": "drools",
}
"""Namespaces of extensions that say how a step is carried out; elements of all others are counted and left out."""

WORK = ("task", "userTask", "serviceTask", "scriptTask", "sendTask", "receiveTask", "manualTask", "businessRuleTask")
SCOPES = ("subProcess", "transaction", "adHocSubProcess")
ACTIVITIES = (*WORK, *SCOPES, "callActivity")
EVENTS = ("startEvent", "endEvent", "intermediateCatchEvent", "intermediateThrowEvent", "boundaryEvent")
GATEWAYS = ("exclusiveGateway", "parallelGateway", "inclusiveGateway", "eventBasedGateway", "complexGateway")
NODES = (*ACTIVITIES, *EVENTS, *GATEWAYS)
DEFINITIONS = {f"{kind}EventDefinition": kind for kind in ("message", "timer", "error", "escalation", "cancel")}
DEFINITIONS |= {f"{kind}EventDefinition": kind for kind in ("link", "signal", "terminate")}
DEFINITIONS |= {"compensateEventDefinition": "compensation", "conditionalEventDefinition": "condition"}
"""Kinds of event definitions, by tag."""

_POSITIONS = {
    "startEvent": ("Start", "Start on"),
    "endEvent": ("End", "End with"),
    "intermediateCatchEvent": ("Wait", "Wait for"),
    "intermediateThrowEvent": ("Reached", "Throw"),
    "boundaryEvent": ("Interrupt", "On"),
}
_TEXTS = {"documentation", "text", "conditionExpression", "script"}
_REFERENCES = ("messageRef", "errorRef", "escalationRef", "signalRef", "operationRef", "activityRef")
_TO_NODES = ("sourceRef", "targetRef", "attachedToRef", "default")


def kind_of_event(definitions: Sequence[XmlElement]) -> str:
    """Return the kind of an event: "none", "multiple", or the kind of its only event definition."""
    if len(definitions) > 1:
        return "multiple"
    return DEFINITIONS[definitions[0].tag] if definitions else "none"


def fallback_name(tag: str, kind: str = "none", about: str = "") -> str:
    """Return a name for a node that has no name.

    Example:
        >>> fallback_name("intermediateCatchEvent", "timer", "PT2H"), fallback_name("businessRuleTask")
        ('Wait for timer PT2H', 'Business rule task')
    """
    if tag in _POSITIONS:
        alone, lead = _POSITIONS[tag]
        return alone if kind == "none" else f"{lead} {kind} {about}".strip()
    return re.sub("[A-Z]", r" \g<0>", tag).capitalize().replace("ub process", "ub-process")


def plain_text(element: XmlElement) -> str:
    """Return the text of a documentation element, without HTML tags."""
    text = element.text
    if "html" in element.attributes.get("textFormat", ""):
        parts = text.split("<")
        text = html.unescape(" ".join([parts[0], *(part.partition(">")[2] for part in parts[1:])]))
    return " ".join(text.split())


class Model:
    """The elements of one file, without the diagram and without the extensions of unknown tools.

    Every element of BPMN has an id: one without is named after its position, and no id is START or END.

    Attributes:
        paths: The path of each element in the data of the file, by line and column.
        elements: All elements, in document order.
        foreign: The number of left-out extension elements by namespace.
        notes: The text annotations of each element, by its id.
        messages: What each step sends and receives, by its id.
        data: The names of all data that the processes declare.

    Raises:
        FormatError: If the text is not well-formed XML, has a DOCTYPE, or is too large or nested too deep.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.foreign: Counter[str] = Counter()
        self.root = parse(document, self._is_foreign, _TEXTS)
        self.paths: Mapping[tuple[int, int], Path] = {}
        self.diagnostics: list[Diagnostic] = []
        self.elements = [*walk(self.root)]
        self.by_id: dict[str, XmlElement] = {}
        self.associations: defaultdict[str, list[XmlElement]] = defaultdict(list)
        self.notes: defaultdict[str, list[str]] = defaultdict(list)
        self.messages: defaultdict[str, dict[str, list[str]]] = defaultdict(dict)
        self.data: frozenset[str] = frozenset()
        self._left: defaultdict[str, list[XmlElement]] = defaultdict(list)
        for element in (element for element in self.elements if element.space == MODEL):
            own = element.id or f"{element.tag} at {element.line}:{element.column}"
            for name in _TO_NODES:
                if element.attributes.get(name):
                    element.attributes[name] = node_id(element.attributes[name])
            element.attributes["id"] = node_id(own)
            self.by_id.setdefault(element.id, element)
            if element.tag == "association":
                self.associations[element.attributes.get("sourceRef", "")].append(element)
        for association in (way for ways in self.associations.values() for way in ways):
            ends = [association.attributes.get(name, "") for name in ("sourceRef", "targetRef")]
            for here, there in (ends, ends[::-1]):
                note = self.by_id.get(here)
                if note is not None and note.tag == "textAnnotation":
                    self.notes[there].append(" ".join(" ".join(note.texts("text")).split()))

    def _is_foreign(self, parent: XmlElement, space: str) -> bool:
        if space == MODEL or space in VENDORS or (parent.space in VENDORS and not space):
            return False
        if space != DIAGRAM and parent.tag == "extensionElements":
            self.foreign[space] += 1
        return True

    def say(self, severity: Severity, message: str, element: XmlElement, fix: str | None = None) -> None:
        """Add a diagnostic about one element."""
        self.diagnostics.append(self.document.diagnostic_at(element.span, severity, message, fix=fix))

    def leave(self, what: str, element: XmlElement) -> None:
        """Count something that is not read; each kind is reported once, with its first position."""
        self._left[what].append(element)

    def say_what_was_left(self) -> None:
        """Add the diagnostics about everything that is not read."""
        for space, count in sorted(self.foreign.items()):
            self.say("info", f"extension elements of {space or 'no namespace'} are not read ({count})", self.root)
        for what, elements in sorted(self._left.items()):
            self.say("info", f"not read: {what} ({len(elements)})", elements[0])

    def path(self, element: XmlElement) -> Path:
        """Return the path of an element in the data of the file."""
        return self.paths[element.line, element.column]

    def find(self, reference: str) -> XmlElement | None:
        """Return the element of a reference, with or without a prefix."""
        return self.by_id.get(node_id(reference)) or self.by_id.get(node_id(reference.rpartition(":")[2]))

    def name_of(self, reference: str) -> str:
        """Return the name of the element of a reference; the reference itself if there is no such element."""
        element = self.find(reference)
        if element is None:
            return reference
        return element.get("name") or element.get("errorCode") or element.get("escalationCode")

    def description(self, element: XmlElement) -> str:
        """Return the documentation of an element and its associated text annotations."""
        said = [*map(plain_text, element.of("documentation")), *sorted(self.notes.get(element.id, ()))]
        return " ".join(filter(None, said))

    def definitions(self, event: XmlElement) -> list[XmlElement]:
        """Return the event definitions of an event, including those that the event refers to."""
        referred = [self.find(reference) for reference in event.texts("eventDefinitionRef")]
        return event.of(*DEFINITIONS) + [part for part in referred if part is not None and part.tag in DEFINITIONS]

    def about(self, definition: XmlElement) -> dict[str, str]:
        """Return the content of an event definition, by kind: its message, its time, its condition.

        Example: ``{"timeDuration": "PT2H"}``.
        """
        said: dict[str, str] = {}
        for name in _REFERENCES:
            for reference in (definition.get(name), *definition.texts(name)):
                if reference and (called := self.name_of(reference)):
                    said[name.removesuffix("Ref")] = called
        for part in definition.of("timeDuration", "timeDate", "timeCycle", "condition"):
            if part.text:
                said[part.tag] = " ".join(part.text.split())
        if definition.tag == "linkEventDefinition" and definition.get("name"):
            said["link"] = definition.get("name")
        return said
