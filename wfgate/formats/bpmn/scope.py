"""One process or sub-process as a workflow: nodes, sequence flows, gateways, boundary events, starts and ends."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wfgate.documents.xml_tree import Element
from wfgate.formats.bpmn.data import data_items
from wfgate.formats.bpmn.model import DEFINITIONS, VENDORS, Model, branch_guard, kind_of_event
from wfgate.formats.bpmn.tasks import ACTIVITIES, EVENTS, SCOPES, read_task
from wfgate.model import END, START, Gateway, Guard, Link, Names, Task, Workflow
from wfgate.model.workflow import Operator, Outcome

_OPERATORS: dict[str, Operator] = {
    "exclusiveGateway": "XOR",
    "parallelGateway": "AND",
    "inclusiveGateway": "OR",
    "eventBasedGateway": "XOR",
    "complexGateway": "OR",
}
GATEWAYS = tuple(_OPERATORS)
_DECIDING = {"exclusiveGateway", "inclusiveGateway", "complexGateway"}
NODES = (*ACTIVITIES, *EVENTS, *GATEWAYS)
_PLAIN = {"incoming", "outgoing", "extensionElements"}
_KNOWN = {
    *NODES,
    *("sequenceFlow", "laneSet", "documentation", "extensionElements", "incoming", "outgoing", "ioSpecification"),
    *("dataObject", "dataObjectReference", "dataStoreReference", "property", "textAnnotation", "association"),
    *("dataInputAssociation", "dataOutputAssociation", "completionCondition"),
    *("standardLoopCharacteristics", "multiInstanceLoopCharacteristics"),
    *("performer", "humanPerformer", "potentialOwner", "resourceRole"),
}
_INSIDE = {
    *_KNOWN,
    *DEFINITIONS,
    *("eventDefinitionRef", "dataInput", "dataOutput", "inputSet", "outputSet", "script", "property"),
}
"""Children of a node that are read, or that say nothing more."""
Called = Callable[[Element], tuple[str | None, bool]]


def operator(model: Model, element: Element) -> Operator:
    """Return the operator of a gateway. A complex gateway, which has its own rule, is read as OR, with a warning."""
    if element.tag == "complexGateway":
        model.say(
            "warning",
            "the rule of this complex gateway is not read; the gateway is read as an inclusive gateway",
            element,
            "replace the complex gateway by inclusive and parallel gateways",
        )
    if element.tag == "eventBasedGateway" and element.get("eventGatewayType") == "Parallel":
        return "AND"
    return _OPERATORS[element.tag]


def guards(model: Model, source: Element | None, flows: Sequence[Element]) -> list[Guard | None]:
    """Return the guard (the condition) of each sequence flow that leaves one node.

    A condition keeps its text; if the text is empty, the name of the flow is used. If no flow after a deciding gateway
    has a condition, the name of each flow becomes the condition, together with the name of the gateway.
    """
    conditions = [_condition(model, flow) for flow in flows]
    default = source.attributes.get("default", "") if source is not None else ""
    tag = source.tag if source is not None else ""
    decides = tag in _DECIDING or tag in ACTIVITIES
    named = tag in _DECIDING and len(flows) > 1 and not any(conditions)
    question = source.get("name") if source is not None and tag in GATEWAYS else ""
    used = False
    found: list[Guard | None] = []
    for flow, condition in zip(flows, conditions, strict=True):
        is_default = bool(default) and flow.attributes.get("id") == default and decides
        name = flow.get("name")
        if is_default and len(flows) > 1:
            found.append(Guard(default=True))
            if condition:
                model.say(
                    "warning", "the condition of a default flow is never evaluated", flow, "remove the condition"
                )
        elif condition:
            found.append(Guard(expr=condition, language="bpmn"))
            if not decides and source is not None:
                model.say(
                    "warning",
                    f"this condition is never evaluated, because the flow leaves a {tag}",
                    flow,
                    "use an exclusive gateway",
                )
        elif name and not is_default and (named or (flow.of("conditionExpression") and decides)):
            found.append(Guard(expr=branch_guard(question, name)))
            used = True
            continue
        else:
            found.append(None)
        if name:
            model.leave("names of sequence flows that are not names of branches", flow)
    if question and source is not None and not used:
        model.leave("names of gateways whose branches have conditions or no names", source)
    if default and source is not None and all(flow.attributes.get("id") != default for flow in flows):
        model.say(
            "warning", f"the default flow {default[:80]!r} does not start at this {tag}", source, "correct `default`"
        )
    return found


def _condition(model: Model, flow: Element) -> str:
    for condition in flow.of("conditionExpression"):
        text = condition.text
        if text:
            return text
        instead = "the name of the flow is used instead" if flow.get("name") else "the flow has no condition"
        model.say("info", f"the condition is empty; {instead}", condition)
    return ""


@dataclass
class Scope:
    """Reads one process or sub-process.

    Attributes:
        model: The elements of the file.
        element: The process or sub-process.
        called: Returns the sub-workflow of an activity (None if it has none), and whether it is in another file.
    """

    model: Model
    element: Element
    called: Called
    address: dict[str, str] = field(default_factory=dict)
    names: Names = field(default_factory=lambda: Names((START, END)))
    gateways: list[Gateway] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    behind: dict[str, str] = field(default_factory=dict)
    limits: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.flows = self.element.of("sequenceFlow")
        self.incoming = Counter(flow.attributes.get("targetRef", "") for flow in self.flows)
        self.outgoing = Counter(flow.attributes.get("sourceRef", "") for flow in self.flows)
        self.nodes = self.element.of(*NODES)
        self.ids = {node.attributes["id"]: node for node in reversed(self.nodes) if "id" in node.attributes}

    def read(self, name: str) -> Workflow:
        """Return the workflow with this name."""
        for child in self.element.children:
            if child.tag not in _KNOWN and child.space not in VENDORS:
                self.model.leave(f"<{child.tag}>", child)
        addresses = [self._address(node) for node in self.nodes]
        melted = self._melted()
        self.address.update(melted)
        kept = [
            (node, own)
            for node, own in zip(self.nodes, addresses, strict=True)
            if node.attributes.get("id", "") not in melted
        ]
        for node, own in kept:
            if node.tag in GATEWAYS:
                self._gateway(node, own)
        self._sequence()
        self._boundaries()
        self._compensations()
        self._link_events()
        self._start(kept)
        self._end(kept)
        lanes = self._lanes()
        tasks = [self._task(node, own, lanes) for node, own in kept if node.tag not in GATEWAYS]
        return Workflow(
            name=name,
            description=self.model.description(self.element) if self.element.tag == "process" else "",
            semantics="token",
            tasks=tuple(tasks),
            gateways=tuple(self.gateways),
            links=tuple(self.links),
            data_items=data_items(self.model, self.element),
            path=self.model.path(self.element) if self.element.tag == "process" else None,
        )

    def _task(self, node: Element, own: str, lanes: dict[str, list[str]]) -> Task:
        for child in node.children if node.tag not in SCOPES else ():
            if child.tag not in _INSIDE:
                self.model.leave(f"<{child.tag}>", child)
        called, external = self.called(node)
        in_lanes = lanes.get(node.attributes.get("id", ""), ())
        task = read_task(self.model, node, own, called, in_lanes, external=external)
        return task.model_copy(update={"timeout": self.limits[own]}) if own in self.limits else task

    def _address(self, node: Element) -> str:
        """Give a node its id in the workflow: its own id (changed if START or END); without id, its position."""
        own = node.attributes.get("id", "") or f"{node.tag} at {node.line}:{node.column}"
        if own in {START, END} or "id" not in node.attributes:
            address = self.names.free(own)
        else:  # an id that is there twice is left to the checks
            address = own
            self.names.take(own)
        self.address.setdefault(own, address)
        return address

    def _melted(self) -> dict[str, str]:
        """Return the start and end events that become START and END: those without a name and other content."""
        found: dict[str, str] = {}
        starts = [node for node in self.nodes if node.tag == "startEvent"]
        handled = any(node.attributes.get("triggeredByEvent") == "true" for node in self.nodes)
        for node in self.nodes:
            own = node.attributes.get("id", "")
            if node.tag not in {"startEvent", "endEvent"} or not self._is_bare(node) or self.ids.get(own) is not node:
                continue
            if node.tag == "startEvent":
                if len(starts) == 1 and not handled and not self.incoming[own] and self.outgoing[own]:
                    found[own] = START
            elif not self.outgoing[own] and self.incoming[own]:
                found[own] = END
        return found

    def _is_bare(self, node: Element) -> bool:
        extensions = any(part.children for part in node.of("extensionElements"))
        own = node.attributes.get("id", "")
        vendors = any(name.rpartition(" ")[0] in VENDORS for name in node.attributes)
        said = node.get("name") or own in self.model.notes or own in self.model.messages or extensions or vendors
        return not said and all(child.tag in _PLAIN for child in node.children)

    def _gateway(self, node: Element, own: str) -> None:
        op = operator(self.model, node)
        into, out = (count[node.attributes.get("id", "")] for count in (self.incoming, self.outgoing))
        converges = into > 1 or (into == out and node.get("gatewayDirection") == "Converging")
        if into > 1 and out > 1 and op != "XOR":
            split = self.names.free(f"{own} split")
            self.behind[own] = split
            path = self.model.path(node)
            self.gateways.append(Gateway(id=own, op=op, role="join", span=node.span, path=path))
            self.gateways.append(Gateway(id=split, op=op, role="split", span=node.span))
            self.links.append(Link(source=own, target=split, span=node.span))
            return
        joins = converges and out < 2
        role: Literal["split", "join"] = "join" if joins else "split"
        self.gateways.append(Gateway(id=own, op=op, role=role, span=node.span, path=self.model.path(node)))

    def _sequence(self) -> None:
        leaving: defaultdict[str, list[Element]] = defaultdict(list)
        for flow in self.flows:
            leaving[flow.attributes.get("sourceRef", "")].append(flow)
        said = {
            id(flow): guard
            for source, flows in leaving.items()
            for flow, guard in zip(flows, guards(self.model, self.ids.get(source), flows), strict=True)
        }
        for flow in self.flows:
            source, target = (flow.attributes.get(name, "") for name in ("sourceRef", "targetRef"))
            if not source or not target:
                missing = "targetRef" if source else "sourceRef"
                self.model.say("warning", f"a sequence flow has no {missing} and is not read", flow, f"add {missing}")
                continue
            if flow.of("documentation"):
                self.model.leave("documentation of sequence flows", flow)
            source, target = self.address.get(source, source), self.address.get(target, target)
            self.links.append(
                Link(
                    source=self.behind.get(source, source),
                    target=f"{START}'" if target == START else target,  # leads nowhere: what was there is START now
                    guard=said[id(flow)],
                    span=flow.span,
                )
            )

    def _boundaries(self) -> None:
        """Link each activity with its boundary events; the outcome of the link depends on the event."""
        found: defaultdict[tuple[str, Outcome], list[Element]] = defaultdict(list)
        for event in self.nodes:
            if event.tag == "boundaryEvent":
                host = event.attributes.get("attachedToRef", "")
                if not host:
                    self.model.say(
                        "warning", "a boundary event is not attached to an activity", event, "add attachedToRef"
                    )
                    continue
                found[host, self._outcome(event)].append(event)
        for (host, outcome), events in found.items():
            own = self.address.get(host, host)
            # Events that interrupt exclude each other; those that do not are each on its own.
            choice = len(events) > 1 and outcome != "event"
            for event in events:
                target = self.address[event.attributes.get("id", "") or f"{event.tag} at {event.line}:{event.column}"]
                guard = Guard(expr=branch_guard("", self._called(event))) if choice else None
                self.links.append(Link(source=own, target=target, guard=guard, outcome=outcome, span=event.span))

    def _called(self, event: Element) -> str:
        return read_task(self.model, event, "").name

    def _outcome(self, event: Element) -> Outcome:
        definitions = self.model.definitions(event)
        kind = kind_of_event(definitions)
        if kind == "compensation" or (event.attributes.get("cancelActivity") == "false" and kind != "error"):
            return "event"
        if kind == "timer":
            times = self.model.about(definitions[0])
            host = event.attributes.get("attachedToRef", "")
            if "timeDuration" in times:
                self.limits.setdefault(self.address.get(host, host), times["timeDuration"])
            return "timeout"
        if kind not in {"error", "cancel"}:
            self.model.say(
                "info", f"an event ({kind}) interrupts the activity; it is read as a failure of the activity", event
            )
        return "failure"

    def _compensations(self) -> None:
        """Link compensation events with their handlers, so that a handler can run only after its activity."""
        events = [own for own, node in self.ids.items() if node.tag == "boundaryEvent"]
        for association in [way for own in events for way in self.model.associations.get(own, ())]:
            source, target = (association.attributes.get(name, "") for name in ("sourceRef", "targetRef"))
            if target in self.ids:
                self.links.append(
                    Link(source=self.address[source], target=self.address[target], span=association.span)
                )
                self.model.say(
                    "info",
                    "a compensation is read as an event that can follow the activity that it undoes",
                    association,
                )

    def _link_events(self) -> None:
        """Link each throwing link event with the catching link event of the same name."""
        ends: dict[str, defaultdict[str, list[Element]]] = {tag: defaultdict(list) for tag in EVENTS}
        for event in self.nodes:
            definitions = self.model.definitions(event) if event.tag in EVENTS else []
            if len(definitions) == 1 and definitions[0].tag == "linkEventDefinition":
                name = definitions[0].get("name") or event.get("name")
                ends[event.tag][name].append(event)
        for name, throws in ends["intermediateThrowEvent"].items():
            catches = ends["intermediateCatchEvent"].get(name, [])
            for throw in throws:
                if len(catches) != 1:
                    message = f"{len(catches) or 'no'} link events catch {name[:80]!r}"
                    self.model.say("warning", message, throw, "give exactly one catching link event this name")
                for catch in catches[:1]:
                    source, target = (self.address[part.attributes["id"]] for part in (throw, catch))
                    self.links.append(Link(source=source, target=target, span=throw.span))

    def _start(self, kept: Iterable[tuple[Element, str]]) -> None:
        """Link START with the start events (XOR split); without start events, with nodes without incoming links."""
        kept = list(kept)
        entered = {link.target for link in self.links}
        events = [own for node, own in kept if node.tag == "startEvent"]
        events += [own for node, own in kept if node.get("instantiate") == "true" and own not in entered]
        if len(events) > 1:
            choice = self.names.free("start")
            self.gateways.append(Gateway(id=choice, op="XOR", span=self.element.span))
            self.links.append(Link(source=START, target=choice))
            self.links += [Link(source=choice, target=own) for own in events]
        elif events:
            self.links.append(Link(source=START, target=events[0]))
        elif not any(link.source == START for link in self.links):
            first = [
                own
                for node, own in kept
                if own not in entered and node.tag != "boundaryEvent" and not self._is_aside(node)
            ]
            source = START
            if self.element.tag == "adHocSubProcess" and len(first) > 1:  # meant to be in any order
                source = self.names.free("start")
                self.gateways.append(Gateway(id=source, op="AND", span=self.element.span))
                self.links.append(Link(source=START, target=source))
            self.links += [Link(source=source, target=own) for own in first]
        for node, own in kept:
            if node.attributes.get("triggeredByEvent") == "true":
                self._event_sub_process(node, own, events)

    def _is_aside(self, node: Element) -> bool:
        """Return whether a node is started without a sequence flow: an event sub-process or a compensation handler."""
        return "true" in {node.attributes.get("triggeredByEvent"), node.attributes.get("isForCompensation")}

    def _event_sub_process(self, node: Element, own: str, begins: Sequence[str]) -> None:
        """Link an event sub-process with the outcome `event`: its event may occur after the process has started."""
        for source in begins or [START]:
            self.links.append(Link(source=source, target=own, outcome="event", span=node.span))
        starts = node.of("startEvent")
        interrupting = any(start.attributes.get("isInterrupting", "true") == "true" for start in starts)
        message = "an event sub-process is read as a step that can run in parallel with the other steps"
        self.model.say("info", f"{message}; that it interrupts them is not read" if interrupting else message, node)

    def _end(self, kept: Iterable[tuple[Element, str]]) -> None:
        """Link every node without an outgoing sequence flow with END."""
        left = {link.source for link in self.links if link.outcome == "success"}
        for node, own in kept:
            last = self.behind.get(own, own)
            if last not in left:
                self.links.append(Link(source=last, target=END))
            definitions = node.of(*DEFINITIONS)
            if node.tag == "endEvent" and any(part.tag == "terminateEventDefinition" for part in definitions):
                self.model.say(
                    "info",
                    "a terminate event is read as the end of its own branch only; the other branches continue",
                    node,
                )

    def _lanes(self) -> dict[str, list[str]]:
        found: defaultdict[str, list[str]] = defaultdict(list)
        pending = [lane for lanes in self.element.of("laneSet") for lane in lanes.of("lane")]
        for lane in pending:  # outer ones first
            for reference in lane.texts("flowNodeRef"):
                if lane.get("name"):
                    found[reference].append(f"lane:{lane.get('name')}")
            pending += [inner for lanes in lane.of("childLaneSet") for inner in lanes.of("lane")]
        return {node: list(dict.fromkeys(names)) for node, names in found.items()}
