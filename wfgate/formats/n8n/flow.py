"""The links of an n8n workflow: from its triggers along its wires to where nothing follows."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from wfgate.formats.base import MAX_LINKS
from wfgate.formats.ends import check_size
from wfgate.formats.n8n.document import Canvas, Node, Wire
from wfgate.formats.n8n.outputs import Exit, exits_of, loop_output
from wfgate.model import END, START, Gateway, Guard, Link, SourceSpan
from wfgate.model.workflow import Operator, Outcome

MAX_STEPS = 2_000_000
"""Steps along wires that are made to find what the bodies of loops are."""

_OUTER = ("append", "combineBySql")
_KEEPS_ALL = ("keepEverything", "enrichInput1", "enrichInput2", "outer", "left")


def task_id(name: str) -> str:
    """Return the id of a node: its name, unless that is the name of a virtual node.

    Example:
        >>> task_id("Build"), task_id("END")
        ('Build', 'END (node)')
    """
    return f"{name} (node)" if name in {START, END} else name


def without_disabled(canvas: Canvas) -> list[Wire]:
    """Return the wires past the nodes that are switched off: what comes in goes out at their first output.

    Raises:
        FormatError: If there are too many wires.
    """
    off = {name for name, node in canvas.by_name.items() if node.disabled}
    if not off:
        return canvas.wires
    behind: defaultdict[str, list[Wire]] = defaultdict(list)
    for wire in canvas.wires:
        if wire.source in off and wire.output == 0:
            behind[wire.source].append(wire)
    found: list[Wire] = []
    ends: dict[str, list[Wire]] = {}
    for wire in canvas.wires:
        if wire.source in off:
            continue
        if wire.target not in off:
            found.append(wire)
            continue
        if wire.target not in ends:
            ends[wire.target] = _past(wire.target, off, behind)
        found += [Wire(wire.source, wire.output, end.target, end.input, wire.span) for end in ends[wire.target]]
        check_size(canvas.document, 0, len(found))
    return found


def _past(start: str, off: set[str], behind: Mapping[str, list[Wire]]) -> list[Wire]:
    found: list[Wire] = []
    seen, pending = {start}, [start]
    while pending:
        for wire in behind.get(pending.pop(), ()):
            if wire.target not in off:
                found.append(wire)
            elif wire.target not in seen:
                seen.add(wire.target)
                pending.append(wire.target)
    return found


@dataclass
class FlowReader:
    """Builds links and gateways.

    Attributes:
        canvas: Nodes and wires.
        nodes: The nodes that are steps, by name.
        wires: The wires among them, those past disabled nodes included.
        links: What was built.
        gateways: What was built.
        joins: By step that waits for all its inputs: "all".
    """

    canvas: Canvas
    nodes: Mapping[str, Node]
    wires: list[Wire]
    links: list[Link] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    joins: dict[str, str] = field(default_factory=dict)

    def read(self) -> None:
        """Build everything.

        Raises:
            FormatError: If there are too many links.
        """
        self.taken = {START, END, *(task_id(name) for name in self.nodes)}
        self._starts()
        into: defaultdict[str, list[Wire]] = defaultdict(list)
        out: defaultdict[str, list[Wire]] = defaultdict(list)
        for wire in self.wires:
            into[wire.target].append(wire)
            out[wire.source].append(wire)
        self.back = self._returning(out)
        self.entry = {
            name: self._entries(self.nodes[name], wires) for name, wires in into.items() if name in self.nodes
        }
        for node in self.nodes.values():
            if out[node.name]:
                self._leave(node, out[node.name])
            elif into[node.name] or node.is_trigger:
                outcome: Outcome = "always" if node.on_error == "continueRegularOutput" else "success"
                self._link(task_id(node.name), END, Guard(), outcome, self._span(node))
        for source, wires in out.items():
            if source not in self.nodes:  # a connection from nowhere
                self.links += [
                    Link(source=task_id(source), target=task_id(wire.target), span=wire.span) for wire in wires
                ]

    def _starts(self) -> None:
        triggers = [node for node in self.nodes.values() if node.is_trigger]
        source = START
        if len(triggers) > 1:
            source = self._gateway("any trigger", "XOR", "split", None)
            self.links.append(Link(source=START, target=source))
        self.links += [Link(source=source, target=task_id(node.name), span=self._span(node)) for node in triggers]

    def _entries(self, node: Node, wires: list[Wire]) -> dict[int, str]:
        """Return by which node each input of a node is reached: itself, or a gateway before it."""
        numbers = sorted({wire.input for wire in wires})
        own = task_id(node.name)
        waits = _waits(node)
        if waits == "" or len(numbers) < 2:
            return dict.fromkeys(numbers, own)
        span = self._span(node)
        if waits == "any":
            gateway = self._gateway(f"inputs of {node.name}", "OR", "join", span)
            self.links.append(Link(source=gateway, target=own, span=span))
            return dict.fromkeys(numbers, gateway)
        self.joins[node.name] = "all"
        found = {}
        for number in numbers:
            found[number] = own
            if len({wire.source for wire in wires if wire.input == number}) > 1:
                found[number] = self._gateway(f"input {number + 1} of {node.name}", "XOR", "join", span)
                self.links.append(Link(source=found[number], target=own, span=span))
        return found

    def _leave(self, node: Node, wires: list[Wire]) -> None:
        at: defaultdict[int, list[Wire]] = defaultdict(list)
        for wire in wires:
            at[wire.output].append(wire)
        exits = exits_of(node, self.canvas, max(at) + 1)
        unwired = [way for output, way in exits.numbered.items() if output not in at] + exits.nowhere
        labels = [way for way in unwired if way.label]
        source, span = task_id(node.name), self._span(node)
        for output, found in sorted(at.items()):
            way = exits.numbered.get(output, Exit((Guard(expr="false"),)))
            self._follow(node, way, found)
        for way in unwired:
            if not way.label and not any(guard.expr == "false" for guard in way.guards):
                for guard in way.guards or (Guard(),):
                    self._link(source, END, guard, way.outcome, span)
        if labels:
            text = labels[0].label if len(labels) == 1 else "«another output»"
            self._link(source, END, Guard(expr=text), labels[0].outcome, span)

    def _follow(self, node: Node, way: Exit, wires: list[Wire]) -> None:
        """Link one output with what it leads to: several nodes all follow, behind a gateway that says so."""
        source, guards = task_id(node.name), way.guards
        if way.label:
            guards = (Guard(expr=way.label),)
        outcome: Outcome = way.outcome
        if len({self._end(wire) for wire in wires}) > 1:
            name = f"{node.name} {way.label.strip('«»')}".strip()
            gateway = self._gateway(f"{name}: all", "AND", "split", wires[0].span)
            for guard in guards or (Guard(),):
                self._link(source, gateway, guard, outcome, wires[0].span)
            source, guards, outcome = gateway, (), "success"
        inputs: dict[str, int] = {}
        for wire in wires:
            target = self._end(wire)
            # One output on several inputs of a node is one way; the same wire twice is for a check to tell.
            if inputs.setdefault(target, wire.input) == wire.input:
                for guard in guards or (Guard(),):
                    self._link(source, target, guard, outcome, wire.span, back=wire in self.back)

    def _span(self, node: Node) -> SourceSpan | None:
        return self.canvas.document.span(*node.path)

    def _end(self, wire: Wire) -> str:
        return self.entry.get(wire.target, {}).get(wire.input, task_id(wire.target))

    def _link(
        self, source: str, target: str, guard: Guard, outcome: Outcome, span: SourceSpan | None, *, back: bool = False
    ) -> None:
        if len(self.links) > MAX_LINKS:
            check_size(self.canvas.document, 0, len(self.links))
        said = None if guard == Guard() else guard
        self.links.append(Link(source=source, target=target, guard=said, outcome=outcome, back=back, span=span))

    def _gateway(self, name: str, op: Operator, role: Literal["split", "join"], span: SourceSpan | None) -> str:
        name = next(each for each in _numbered(name) if each not in self.taken)
        self.taken.add(name)
        self.gateways.append(Gateway(id=name, op=op, role=role, span=span))
        return name

    def _returning(self, out: Mapping[str, list[Wire]]) -> frozenset[Wire]:
        """Return the wires that lead from the body of a loop back to the node that hands out its items."""
        found: set[Wire] = set()
        steps = 0
        for name, node in self.nodes.items():
            number = loop_output(node)
            if number is None:
                continue
            seen = {name}
            pending = [wire for wire in out.get(name, ()) if wire.output == number]
            while pending and steps <= MAX_STEPS:
                wire = pending.pop()
                steps += 1
                if wire.target == name:
                    found.add(wire)
                elif wire.target not in seen:
                    seen.add(wire.target)
                    pending += out.get(wire.target, ())
            if steps > MAX_STEPS:
                self.canvas.say(node, "warning", "there are too many loops: not all returning links are marked")
                break
        return frozenset(found)


def _waits(node: Node) -> str:
    """Return whether a node waits for "all" of its inputs, for "any" that data come on, or does not wait.

    What is joined item by item gives nothing unless every input does; what is appended, kept or enriched does.
    """
    if node.kind == "compareDatasets":
        return "all"
    if node.kind != "merge":
        return ""
    params, options = node.params, node.params.get("options")
    mode = params.get("mode", "append")
    if mode in _OUTER or params.get("combineBy") in _OUTER or params.get("joinMode") in _KEEPS_ALL:
        return "any"
    if isinstance(options, dict) and options.get("includeUnpaired") is True:
        return "any"
    return "all"


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name} ({number})"
        number += 1


def reachable(starts: Iterable[str], after: Mapping[str, Iterable[str]]) -> set[str]:
    """Return what can be reached from some nodes, themselves included."""
    seen = set(starts)
    pending = list(seen)
    while pending:
        for name in after.get(pending.pop(), ()):
            if name not in seen:
                seen.add(name)
                pending.append(name)
    return seen
