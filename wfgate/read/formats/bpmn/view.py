"""A BPMN file as data, so that every value of it can be compared.

Two files that differ only in ids, prefixes of namespaces, or written-out default values have the same data.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from wfgate.read.documents.document import Document, Path
from wfgate.read.documents.xml_data import xml_data
from wfgate.read.documents.xml_tree import XmlElement, parse, walk
from wfgate.read.formats.bpmn import MODEL
from wfgate.read.formats.bpmn.model import ACTIVITIES, DIAGRAM, EVENTS, VENDORS

_XSI = "http://www.w3.org/2001/XMLSchema-instance"
_PREFIXES: Mapping[str, str] = {
    **VENDORS,
    MODEL: "bpmn",
    DIAGRAM: "bpmndi",
    "http://www.omg.org/spec/DD/20100524/DI": "di",
    "http://www.omg.org/spec/DD/20100524/DC": "dc",
    _XSI: "xsi",
    "http://www.w3.org/2001/XMLSchema": "xsd",
    "http://www.w3.org/XML/1998/namespace": "xml",
    "http://camunda.org/schema/modeler/1.0": "modeler",
    "http://bpmn.io/schema/bpmn/biocolor/1.0": "bioc",
    "http://www.omg.org/spec/BPMN/non-normative/color/1.0": "color",
    "http://www.omg.org/spec/BPMN/non-normative/extensions/i18n/1.0": "i18n",
    "https://openapis.org/omg/extension/1.0": "openapi",
    "https://www.omg.org/spec/DMN/20191111/MODEL/": "dmn",
    "http://knowprocess.com/bpmn": "knowprocess",
    "http://www.signavio.com": "signavio",
    "http://www.trisotech.com/2014/triso/bpmn": "trisobpmn",
    "http://www.trisotech.com/2015/triso/modeling": "triso",
    "http://www.itp-commerce.com/BPMN2.0": "itp",
    "http://www.w4.eu/spec/BPMN/20110701/MODEL": "w4",
    "http://www.w4.eu/spec/BPMN/20110930/GRAPH": "w4graph",
    "http://www.boc-group.com": "boc",
}
"""Prefixes of namespaces in the data; other namespaces stand there in full."""

_REFERENCE = re.compile(
    r".*Refs?|default|calledElement|incoming|outgoing|source|target|bpmnElement|labelStyle|sourceElement|targetElement"
)
"""Names of attributes and child elements of BPMN that refer to elements."""
_STEPS = {*ACTIVITIES, *EVENTS}
_FLOWS = {"incoming", "outgoing"}
_POINTERS = {"dataObjectReference": "dataObjectRef", "dataStoreReference": "dataStoreRef"}
_NAMELESS = {"sequenceFlow", "lane", "laneSet"}
"""Elements whose names say nothing about what a reference to them means; gateways are others."""
_FALSE = ("instantiate", "isClosed", "isCollection", "isForCompensation", "isSequential", "mustUnderstand")
_DEFAULTS = dict.fromkeys((*_FALSE, "parallelMultiple", "testBefore", "triggeredByEvent"), "false")
_DEFAULTS |= dict.fromkeys(("cancelActivity", "cancelRemainingInstances", "isInterrupting"), "true")
_DEFAULTS |= dict.fromkeys(("completionQuantity", "maximum", "startQuantity"), "1") | {"minimum": "0"}
_DEFAULTS |= {"associationDirection": "None", "behavior": "All", "eventGatewayType": "Exclusive"}
_DEFAULTS |= {"gatewayDirection": "Unspecified", "itemKind": "Information", "ordering": "Parallel"}
_DEFAULTS |= {"textFormat": "text/plain"}
"""Default values of attributes in the XML schema of BPMN 2.0."""
_IMPLEMENTATIONS = {"userTask": "##unspecified", "globalUserTask": "##unspecified"}
_IMPLEMENTATIONS |= {"businessRuleTask": "##unspecified", "globalBusinessRuleTask": "##unspecified"}
_IMPLEMENTATIONS |= dict.fromkeys(("serviceTask", "sendTask", "receiveTask"), "##WebService")
_DEPTH = 2
"""How many references deep the content of an element without a name is shown."""
_LONGEST = 200


def view_of(document: Document) -> tuple[dict[str, Any], dict[tuple[int, int], Path]]:
    """Return the content of a BPMN file as data, and the path of each element in it by line and column.

    The data are those of `xml_data`, with these differences:

    - Ids are left out, except of executable processes, which an engine starts by their id. A reference to a step is
      "#" and its id. A reference to another element is its tag and its name. A reference to an element that is not in
      the file stays as it is. `incoming` and `outgoing` are left out if they name sequence flows.
    - A sequence flow is under its source, not under its process.
    - An activity has its tag in "@element", and the names of its lanes in "@lane", instead of a list of activities in
      each lane.
    - Attributes with the default value of the schema are left out.
    - A diagram is one text.

    Raises:
        FormatError: If the text is not well-formed XML, has a DOCTYPE, or is too large or nested too deep.

    Cost: linear in the text.
    """
    root = parse(document, lambda _parent, _space: False)
    _View(root).rewrite(root)
    return xml_data(root, _PREFIXES)


class _View:
    def __init__(self, root: XmlElement) -> None:
        self.target = root.get("targetNamespace")
        everything = [*walk(root)]
        self.by_id = {element.id: element for element in reversed(everything) if element.space == MODEL and element.id}
        self.flows: defaultdict[str, list[XmlElement]] = defaultdict(list)
        self.lanes: defaultdict[str, list[str]] = defaultdict(list)
        self.labels: dict[tuple[XmlElement, int], str] = {}
        self.number: dict[XmlElement, int] = {}
        for element in everything:
            self._collect(element)
        self.moved = {flow for flows in self.flows.values() for flow in flows}

    def _collect(self, element: XmlElement) -> None:
        """Collect the sequence flows of each source, the lanes of each activity, and the number of each twin."""
        for reference in element.texts("flowNodeRef") if element.tag == "lane" else ():
            self.lanes[reference].append(element.get("name"))
        nodes = set(element.children)
        twins: Counter[str] = Counter()
        for child in element.children:
            source = child.attributes.get("sourceRef", "")
            if child.tag == "sequenceFlow" and self.by_id.get(source) in nodes:
                self.flows[source].append(child)
            if "id" in child.attributes:
                label = self._label(child)
                self.number[child] = twins[label]
                twins[label] += 1

    def rewrite(self, root: XmlElement) -> None:
        """Put references in the place of ids, in an element and all that is in it."""
        pending: list[tuple[XmlElement, dict[str, str]]] = [(root, {})]
        while pending:
            element, spaces = pending.pop()
            if element.declared:
                spaces = spaces | element.declared
            if element.space == DIAGRAM:
                self._rewrite_diagram(element)
                continue
            own = element.id
            element.children = [child for child in element.children if not self._is_elsewhere(child)]
            if self.by_id.get(own) is element:
                element.children += self.flows.get(own, ())
            element.attributes = {
                name: self._value(element, name, value, spaces)
                for name, value in element.attributes.items()
                if not self._is_left_out(element, name, value)
            }
            if element.tag in ACTIVITIES:
                element.attributes["element"] = element.tag  # a person does a userTask; a manualTask is passed at once
                if own in self.lanes:
                    element.attributes["lane"] = " / ".join(self.lanes[own])
            if element.space == MODEL and _REFERENCE.fullmatch(element.tag):
                element.strings = [self.reference("".join(element.strings), spaces)]
            pending += [(child, spaces) for child in element.children]

    def _rewrite_diagram(self, element: XmlElement) -> None:
        """Put the content of a diagram in one text, without ids and with names instead of references."""
        for part in walk(element):
            part.attributes = {
                name: self._shown(value) if _REFERENCE.fullmatch(name) else value
                for name, value in part.attributes.items()
                if name != "id"
            }
        data, _ = xml_data(element, _PREFIXES)
        element.attributes, element.children, element.strings = {}, [], [json.dumps(data, sort_keys=True)]

    def _is_left_out(self, element: XmlElement, name: str, value: str) -> bool:
        if element.space != MODEL:
            return False
        if name == "id":
            return not (element.tag == "process" and element.get("isExecutable") == "true")
        if name == "sourceRef" and element in self.moved:
            return True
        default = _IMPLEMENTATIONS.get(element.tag) if name == "implementation" else _DEFAULTS.get(name)
        return value == default

    def _is_elsewhere(self, child: XmlElement) -> bool:
        if child.space != MODEL:
            return False
        if child.tag in _FLOWS:
            flow = self.by_id.get(child.text) or self.by_id.get(child.text.rpartition(":")[2])
            return flow is not None and flow.tag == "sequenceFlow"
        if child.tag == "flowNodeRef":
            return child.text in self.by_id
        if child.tag == "extensionElements":
            return not child.children and not child.attributes
        return child in self.moved

    def _value(self, element: XmlElement, name: str, value: str, spaces: Mapping[str, str]) -> str:
        space, _, local = name.rpartition(" ")
        if (space, local) == (_XSI, "type"):
            name = value.strip()
            return _qualified(name if ":" in name else f":{name}", spaces)
        return self.reference(value, spaces) if element.space == MODEL and _REFERENCE.fullmatch(name) else value

    def reference(self, text: str, spaces: Mapping[str, str]) -> str:
        """Return a reference in terms of the element that it names."""
        text = text.strip()
        prefix, _, local = text.rpartition(":")
        element = self.by_id.get(text)
        if element is None and prefix and spaces.get(prefix, self.target) == self.target:
            element = self.by_id.get(local)
        if element is None:
            return _qualified(text, spaces)
        number = self.number.get(element, 0)
        return self._label(element) + (f" ({number + 1})" if number else "")

    def _label(self, element: XmlElement, depth: int = 0) -> str:
        """Return what a reference to an element says: "#" and the id of a step, otherwise tag and content."""
        known = self.labels.get((element, depth))
        if known is None:
            known = self.labels[element, depth] = _short(self._new_label(element, depth))
        return known

    def _new_label(self, element: XmlElement, depth: int) -> str:
        if element.space == MODEL and element.tag in _STEPS:
            return f"#{element.id}" if element.id else element.tag
        if element.tag in _NAMELESS or element.tag.endswith("Gateway"):
            return element.tag
        state = "".join(f" [{part.get('name')}]" for part in element.of("dataState"))
        pointed = self.by_id.get(element.get(_POINTERS.get(element.tag, "")))
        if pointed is not None and depth < _DEPTH:
            return self._label(pointed, depth + 1) + state
        if element.get("name"):
            return f"{element.tag} {element.get('name')}{state}"
        said = [element.tag]
        for name, value in sorted(element.attributes.items()):
            target = self.by_id.get(value) if _REFERENCE.fullmatch(name) else None
            if target is not None:
                said += [f"{name}={self._label(target, depth + 1)}"] if depth < _DEPTH else []
            elif name != "id" and " " not in name:
                said.append(f"{name}={value}")
        return " ".join(said) + state

    def _shown(self, reference: str) -> str:
        element = self.by_id.get(reference.rpartition(":")[2])
        return "" if element is None else _short(f"{element.tag} {element.get('name')}".strip())


def _short(label: str) -> str:
    """Return a label; a long one with a hash instead of its end, because it can stand in many places."""
    if len(label) <= _LONGEST:
        return label
    return f"{label[:_LONGEST]} {hashlib.sha256(label.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _qualified(text: str, spaces: Mapping[str, str]) -> str:
    """Return a qualified name with the prefix of the data instead of the prefix of the file."""
    prefix, colon, local = text.partition(":")
    space = spaces.get(prefix, "") if colon else ""
    return f"{_PREFIXES.get(space) or f'{{{space}}}'}:{local}" if space else text
