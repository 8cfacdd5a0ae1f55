"""One process or sub-process as a workflow: nodes, sequence flows, gateways, boundary events, starts and ends."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from wfgate.model import END, START, Gateway, Guard, Link, Names, Operator, Outcome, Task, Workflow
from wfgate.read.documents.xml_tree import XmlElement
from wfgate.read.formats.bpmn.data import data_items
from wfgate.read.formats.bpmn.model import (
    ACTIVITIES,
    DEFINITIONS,
    EVENTS,
    GATEWAYS,
    NODES,
    SCOPES,
    VENDORS,
    Model,
    kind_of_event,
)
from wfgate.read.formats.bpmn.tasks import LOOPS, PERFORMERS, read_task
from wfgate.read.formats.exits import label, node_id

_OPERATORS: dict[str, Operator] = {"parallelGateway": "AND", "inclusiveGateway": "OR", "complexGateway": "OR"}
"""Operators of gateways; all others are XOR."""
_DECIDING = {"exclusiveGateway", "inclusiveGateway", "complexGateway"}
_PLAIN = {"incoming", "outgoing", "extensionElements"}
_READ = {
    *(*NODES, *_PLAIN, *LOOPS, *PERFORMERS, "completionCondition", "sequenceFlow", "laneSet", "documentation"),
    *("textAnnotation", "association", "dataObject", "dataObjectReference", "dataStoreReference", "property"),
    *("ioSpecification", "dataInputAssociation", "dataOutputAssociation"),
}
"""Children of a process that are read, or that say nothing more."""
_READ_IN_STEPS = {*_READ, *DEFINITIONS, "eventDefinitionRef", "script"}
_READ_IN_STEPS |= {"dataInput", "dataOutput", "inputSet", "outputSet"}
_NOWHERE = XmlElement("", "", {}, 0, 0)
"""The source of sequence flows whose source is not in the file."""


class Scope:
    """Reads one process or sub-process.

    Args:
        model: The elements of the file.
        element: The process or sub-process.
        called: Returns the sub-workflow of an activity (None if it has none), and whether it is in another file.
    """

    def __init__(
        self, model: Model, element: XmlElement, called: Callable[[XmlElement], tuple[str | None, bool]]
    ) -> None:
        self.model = model
        self.element = element
        self.called = called
        self.gateways: list[Gateway] = []
        self.links: list[Link] = []
        self.behind: dict[str, str] = {}
        self.limits: dict[str, str] = {}
        self.nodes = element.of(*NODES)
        self.flows = element.of("sequenceFlow")
        self.ids = {node.id: node for node in reversed(self.nodes)}  # an id that is there twice is left to the checks
        self.names = Names((START, END, *self.ids))
        self.incoming = Counter(flow.attributes.get("targetRef", "") for flow in self.flows)
        self.outgoing = Counter(flow.attributes.get("sourceRef", "") for flow in self.flows)
        self.melted = self._melted()
        self.kept = [node for node in self.nodes if node.id not in self.melted]

    def read(self, name: str) -> Workflow:
        """Return the workflow with this name."""
        is_process = self.element.tag == "process"
        steps = [node for node in self.kept if node.tag not in GATEWAYS]
        plain = [node for node in steps if node.tag not in SCOPES]
        for parent, known in ((self.element, _READ), *((node, _READ_IN_STEPS) for node in plain)):
            for child in parent.children:
                if child.tag not in known and child.space not in VENDORS:
                    self.model.leave(f"<{child.tag}>", child)
        for node in self.kept:
            if node.tag in GATEWAYS:
                self._gateway(node)
        self._sequence()
        self._boundaries()
        self._compensations()
        self._link_events()
        self._start()
        self._end()
        lanes = self._lanes()
        return Workflow(
            name=name,
            description=self.model.description(self.element) if is_process else "",
            semantics="token",
            tasks=tuple(self._task(node, lanes[node.id]) for node in steps),
            gateways=tuple(self.gateways),
            links=tuple(self.links),
            data_items=data_items(self.model, self.element),
            path=self.model.path(self.element) if is_process else None,
        )

    def _task(self, node: XmlElement, lanes: Sequence[str]) -> Task:
        called, external = self.called(node)
        limit = self.limits.get(node.id)
        return read_task(self.model, node, called, [*dict.fromkeys(lanes)], external=external, timeout=limit)

    def _link(self, source: str, target: str, element: XmlElement | None = None, **more: Any) -> None:
        source, target = self.melted.get(source, source), self.melted.get(target, target)
        self.links.append(Link(source=source, target=target, span=element.span if element else None, **more))

    def _melted(self) -> dict[str, str]:
        """Return the start and end events that become START and END: those without a name and other content."""
        melted: dict[str, str] = {}
        one_start = sum(node.tag == "startEvent" for node in self.nodes) == 1
        handled = any(node.get("triggeredByEvent") == "true" for node in self.nodes)
        for own, node in self.ids.items():
            into, out = self.incoming[own], self.outgoing[own]
            if node.tag == "startEvent" and one_start and not handled and out and not into and self._is_bare(node):
                melted[own] = START
            if node.tag == "endEvent" and into and not out and self._is_bare(node):
                melted[own] = END
        return melted

    def _is_bare(self, node: XmlElement) -> bool:
        extensions = any(part.children for part in node.of("extensionElements"))
        vendors = any(name.rpartition(" ")[0] in VENDORS for name in node.attributes)
        said = node.get("name") or node.id in self.model.notes or node.id in self.model.messages
        return not (said or extensions or vendors) and all(child.tag in _PLAIN for child in node.children)

    def _gateway(self, node: XmlElement) -> None:
        """Add a gateway. An AND or OR gateway that joins and splits becomes two."""
        op = _OPERATORS.get(node.tag, "XOR")
        if node.tag == "complexGateway":
            message = "the rule of this complex gateway is not read; the gateway is read as an inclusive gateway"
            self.model.say("warning", message, node, "replace the complex gateway by inclusive and parallel gateways")
        if node.tag == "eventBasedGateway" and node.get("eventGatewayType") == "Parallel":
            op = "AND"
        into, out = self.incoming[node.id], self.outgoing[node.id]
        both = into > 1 and out > 1 and op != "XOR"
        converges = into > 1 or (into == out and node.get("gatewayDirection") == "Converging")
        self.gateways.append(
            Gateway(
                id=node.id,
                op=op,
                role="join" if both or (converges and out < 2) else "split",
                span=node.span,
                path=self.model.path(node),
            )
        )
        if both:
            split = self.behind[node.id] = self.names.free(f"{node.id} split")
            self.gateways.append(Gateway(id=split, op=op, role="split", span=node.span))
            self._link(node.id, split, node)

    def _sequence(self) -> None:
        leaving: defaultdict[str, list[XmlElement]] = defaultdict(list)
        for flow in self.flows:
            leaving[flow.attributes.get("sourceRef", "")].append(flow)
        guards: dict[XmlElement, Guard | None] = {}
        for source, flows in leaving.items():
            guards |= zip(flows, self._guards(self.ids.get(source, _NOWHERE), flows), strict=True)
        for flow in self.flows:
            source, target = (flow.attributes.get(name, "") for name in ("sourceRef", "targetRef"))
            if not source or not target:
                missing = "targetRef" if source else "sourceRef"
                message = f"a sequence flow has no {missing} and is not read"
                self.model.say("warning", message, flow, f"add {missing}")
                continue
            if flow.of("documentation"):
                self.model.leave("documentation of sequence flows", flow)
            self._link(self.behind.get(source, source), target, flow, guard=guards[flow])

    def _guards(self, source: XmlElement, flows: Sequence[XmlElement]) -> list[Guard | None]:
        """Return the guard (the condition) of each sequence flow that leaves one node.

        A condition keeps its text; if the text is empty, the name of the flow is used. If no flow after a deciding
        gateway has a condition, the name of each flow becomes the condition, together with the name of the gateway.
        """
        say, tag, default = self.model.say, source.tag, source.attributes.get("default", "")
        conditions = [self._condition(flow) for flow in flows]
        decides = tag in _DECIDING or tag in ACTIVITIES
        named = tag in _DECIDING and len(flows) > 1 and not any(conditions)
        question = source.get("name") if tag in GATEWAYS else ""
        lead = "" if not question else f"{question} " if question.endswith(("?", ":")) else f"{question}: "
        guards: list[Guard | None] = []
        for flow, condition in zip(flows, conditions, strict=True):
            is_default = bool(default) and flow.id == default and decides
            name = flow.get("name")
            guard = None
            if is_default and len(flows) > 1:
                guard = Guard(default=True)
                if condition:
                    say("warning", "the condition of a default flow is never evaluated", flow, "remove the condition")
            elif condition:
                guard = Guard(expr=condition, language="bpmn")
                if not decides and tag:
                    message = f"this condition is never evaluated, because the flow leaves a {tag}"
                    say("warning", message, flow, "use an exclusive gateway")
            elif name and not is_default and (named or (flow.of("conditionExpression") and decides)):
                guard = Guard(expr=label(lead + name))
                name = question = ""
            if name:
                self.model.leave("names of sequence flows that are not names of branches", flow)
            guards.append(guard)
        if question:
            self.model.leave("names of gateways whose branches have conditions or no names", source)
        if default and tag and all(flow.id != default for flow in flows):
            message = f"the default flow {default[:80]!r} does not start at this {tag}"
            say("warning", message, source, "correct `default`")
        return guards

    def _condition(self, flow: XmlElement) -> str:
        for condition in flow.of("conditionExpression"):
            if condition.text:
                return condition.text
            instead = "the name of the flow is used instead" if flow.get("name") else "the flow has no condition"
            self.model.say("info", f"the condition is empty; {instead}", condition)
        return ""

    def _boundaries(self) -> None:
        """Link each activity with its boundary events; the outcome of the link depends on the event."""
        boundaries: defaultdict[tuple[str, Outcome], list[XmlElement]] = defaultdict(list)
        for event in self.nodes:
            host = event.attributes.get("attachedToRef", "")
            if event.tag == "boundaryEvent" and host:
                boundaries[host, self._outcome(event, host)].append(event)
            elif event.tag == "boundaryEvent":
                message = "a boundary event is not attached to an activity"
                self.model.say("warning", message, event, "add attachedToRef")
        for (host, outcome), events in boundaries.items():
            # Events that interrupt exclude each other; those that do not are each on its own.
            choice = len(events) > 1 and outcome != "event"
            for event in events:
                guard = Guard(expr=label(read_task(self.model, event).name)) if choice else None
                self._link(host, event.id, event, guard=guard, outcome=outcome)

    def _outcome(self, event: XmlElement, host: str) -> Outcome:
        definitions = self.model.definitions(event)
        kind = kind_of_event(definitions)
        if kind == "compensation" or (event.get("cancelActivity") == "false" and kind != "error"):
            return "event"
        if kind == "timer":
            times = self.model.about(definitions[0])
            if "timeDuration" in times:
                self.limits.setdefault(host, times["timeDuration"])
            return "timeout"
        if kind not in {"error", "cancel"}:
            message = f"an event ({kind}) interrupts the activity; it is read as a failure of the activity"
            self.model.say("info", message, event)
        return "failure"

    def _compensations(self) -> None:
        """Link compensation events with their handlers, so that a handler can run only after its activity."""
        events = [own for own, node in self.ids.items() if node.tag == "boundaryEvent"]
        for association in [way for own in events for way in self.model.associations.get(own, ())]:
            target = association.attributes.get("targetRef", "")
            if target in self.ids:
                self._link(association.attributes["sourceRef"], target, association)
                message = "a compensation is read as an event that can follow the activity that it undoes"
                self.model.say("info", message, association)

    def _link_events(self) -> None:
        """Link each throwing link event with the catching link event of the same name."""
        ends: defaultdict[tuple[str, str], list[XmlElement]] = defaultdict(list)
        for event in self.nodes:
            definitions = self.model.definitions(event) if event.tag in EVENTS else []
            if len(definitions) == 1 and definitions[0].tag == "linkEventDefinition":
                ends[event.tag, definitions[0].get("name") or event.get("name")].append(event)
        for (tag, name), throws in [*ends.items()]:
            catches = ends.get(("intermediateCatchEvent", name), [])
            for throw in throws if tag == "intermediateThrowEvent" else ():
                if len(catches) != 1:
                    message = f"{len(catches) or 'no'} link events catch {name[:80]!r}"
                    self.model.say("warning", message, throw, "give exactly one catching link event this name")
                for catch in catches[:1]:
                    self._link(throw.id, catch.id, throw)

    def _start(self) -> None:
        """Link START with the start events (XOR split); without start events, with nodes without incoming links."""
        entered = {link.target for link in self.links}
        events = [node.id for node in self.kept if node.tag == "startEvent"]
        events += [node.id for node in self.kept if node.get("instantiate") == "true" and node.id not in entered]
        if events or all(link.source != START for link in self.links):
            first = events or [node.id for node in self.kept if node.id not in entered and not _is_aside(node)]
            source = START
            if len(first) > 1 and (events or self.element.tag == "adHocSubProcess"):  # ad hoc: in any order
                source = self.names.free("start")
                self.gateways.append(Gateway(id=source, op="XOR" if events else "AND", span=self.element.span))
                self._link(START, source)
            for own in first:
                self._link(source, own)
        for node in self.kept:
            if node.get("triggeredByEvent") == "true":
                self._event_sub_process(node, events)

    def _event_sub_process(self, node: XmlElement, begins: Sequence[str]) -> None:
        """Link an event sub-process with the outcome `event`: its event may occur after the process has started."""
        for source in begins or [START]:
            self._link(source, node.id, node, outcome="event")
        interrupting = any(start.get("isInterrupting") in {"", "true"} for start in node.of("startEvent"))
        message = "an event sub-process is read as a step that can run in parallel with the other steps"
        self.model.say("info", f"{message}; that it interrupts them is not read" if interrupting else message, node)

    def _end(self) -> None:
        """Link every node without an outgoing sequence flow with END."""
        left = {link.source for link in self.links if link.outcome == "success"}
        for node in self.kept:
            last = self.behind.get(node.id, node.id)
            if last not in left:
                self._link(last, END)
            if node.tag == "endEvent" and node.of("terminateEventDefinition"):
                message = "a terminate event is read as the end of its own branch only; the other branches continue"
                self.model.say("info", message, node)

    def _lanes(self) -> defaultdict[str, list[str]]:
        """Return the tags of each node: the lanes around it, the outer ones first."""
        tags: defaultdict[str, list[str]] = defaultdict(list)
        pending = [lane for lanes in self.element.of("laneSet") for lane in lanes.of("lane")]
        for lane in pending:
            for reference in lane.texts("flowNodeRef") if lane.get("name") else ():
                tags[node_id(reference)].append(f"lane:{lane.get('name')}")
            pending += [inner for lanes in lane.of("childLaneSet") for inner in lanes.of("lane")]
        return tags


def _is_aside(node: XmlElement) -> bool:
    """Return whether a node is started without a sequence flow: by an event, or to undo an activity."""
    started = "true" in {node.get("triggeredByEvent"), node.get("isForCompensation")}
    return started or node.tag == "boundaryEvent"
