"""A whole BPMN file while it is read: its elements by id, what was said about it, and what it calls things."""

from collections import Counter
from collections.abc import Iterator

from wfgate.documents import Diagnostic, Document, Severity
from wfgate.documents.xml_tree import Element
from wfgate.formats.bpmn.elements import Tree
from wfgate.formats.bpmn.words import DEFINITIONS, plain_text

_TIMES = ("timeDuration", "timeDate", "timeCycle")
_REFERENCES = ("messageRef", "errorRef", "escalationRef", "signalRef", "operationRef", "activityRef")


class Model:
    """The elements of one file.

    Args:
        document: The file.
        tree: What stands in it.
    """

    def __init__(self, document: Document, tree: Tree) -> None:
        self.document = document
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
        """Count something that is not expressed; it is said once for each kind, where it stands first."""
        self._left[what] += 1
        self._first.setdefault(what, element)

    def say_what_was_left(self) -> None:
        """Add the diagnostics about all that was counted."""
        for what, count in sorted(self._left.items()):
            self.say("info", f"not expressed: {what} ({count})", self._first[what])

    def find(self, reference: str) -> Element | None:
        """Return the element that a reference names, with or without a prefix."""
        return self.by_id.get(reference) or self.by_id.get(reference.rpartition(":")[2])

    def name_of(self, reference: str) -> str:
        """Return what the element is called that a reference names; the reference itself if it is unknown."""
        element = self.find(reference)
        if element is None:
            return reference
        return element.get("name") or element.get("errorCode") or element.get("escalationCode")

    def description(self, element: Element) -> str:
        """Return documentation and the text annotations that are associated."""
        said = [plain_text(part) for part in element.of("documentation")]
        said += sorted(self.notes.get(element.attributes.get("id", ""), ()))
        return " ".join(part for part in said if part)

    def definitions(self, event: Element) -> list[Element]:
        """Return the event definitions of an event, those it refers to too."""
        found = event.of(*DEFINITIONS)
        for reference in event.texts("eventDefinitionRef"):
            element = self.find(reference)
            if element is not None and element.tag in DEFINITIONS:
                found.append(element)
        return found

    def about(self, definition: Element) -> dict[str, str]:
        """Return what an event definition refers to, by kind: its message, its time, its condition.

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
        """Collect text annotations for what they are about, and leave all other associations to their readers."""
        for association in (way for ways in self.associations.values() for way in ways):
            ends = [association.attributes.get(name, "") for name in ("sourceRef", "targetRef")]
            for here, there in (ends, ends[::-1]):
                note = self.by_id.get(here)
                if note is not None and note.tag == "textAnnotation":
                    said = " ".join(" ".join(note.texts("text")).split())
                    self.notes.setdefault(there, []).append(said)


def walk(element: Element) -> Iterator[Element]:
    """Yield an element and everything in it, in document order."""
    pending = [element]
    while pending:
        found = pending.pop()
        yield found
        pending += reversed(found.children)
