"""The links of an n8n workflow, from its triggers along its connections to END."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from wfgate.formats.builder import check_size
from wfgate.formats.exits import NEVER, Exit, Exits, Way, node_id
from wfgate.formats.n8n.document import Canvas, Node, Wire
from wfgate.formats.n8n.outputs import loop_output, outputs_of
from wfgate.model import END, START, Names, SourceSpan
from wfgate.model.workflow import Outcome

MAX_STEPS = 2_000_000
"""Steps along wires that are made to find what the bodies of loops are."""

_OUTER = ("append", "combineBySql")
_KEEPS_ALL = ("keepEverything", "enrichInput1", "enrichInput2", "outer", "left")


def without_disabled(canvas: Canvas) -> list[Wire]:
    """Return the connections without disabled nodes.

    The input of a disabled node goes to the targets of its first output.

    Raises:
        FormatError: If there are too many connections.
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
        canvas: The nodes and connections.
        nodes: The nodes that are steps, by name.
        wires: The connections between these steps, after disabled nodes have been removed.
        joins: "all" for each step that waits for all its inputs.
    """

    canvas: Canvas
    nodes: Mapping[str, Node]
    wires: list[Wire]
    joins: dict[str, str] = field(default_factory=dict)

    def read(self) -> Exits:
        """Build the links and gateways.

        Raises:
            FormatError: If there are too many links.
        """
        self.built = Exits(self.canvas.document, Names((START, END, *map(node_id, self.nodes))))
        self.built.begin({node_id(node.name): self._span(node) for node in self.nodes.values() if node.is_trigger})
        into: defaultdict[str, list[Wire]] = defaultdict(list)
        out: defaultdict[str, list[Wire]] = defaultdict(list)
        for wire in self.wires:
            into[wire.target].append(wire)
            out[wire.source].append(wire)
        back = self._returning(out)
        entry = {name: self._entries(self.nodes[name], wires) for name, wires in into.items() if name in self.nodes}
        for node in self.nodes.values():
            if out[node.name]:
                self._leave(node, out[node.name], entry, back)
            elif into[node.name] or node.is_trigger:
                outcome: Outcome = "always" if node.on_error == "continueRegularOutput" else "success"
                self.built.link(node_id(node.name), END, None, outcome, self._span(node))
        for source, wires in out.items():
            for wire in wires if source not in self.nodes else ():  # a connection from nowhere
                self.built.link(node_id(source), node_id(wire.target), span=wire.span)
        return self.built

    def _entries(self, node: Node, wires: list[Wire]) -> dict[int, str]:
        """Return for each input of a node the target of its links: the node, or a gateway before the node."""
        numbers = sorted({wire.input for wire in wires})
        own = node_id(node.name)
        waits = _waits(node)
        if not waits or len(numbers) < 2:
            return dict.fromkeys(numbers, own)
        span = self._span(node)
        if waits == "any":
            gateway = self.built.gateway(f"inputs of {node.name}", "OR", "join", span)
            self.built.link(gateway, own, span=span)
            return dict.fromkeys(numbers, gateway)
        self.joins[node.name] = "all"
        found = {}
        for number in numbers:
            found[number] = own
            if len({wire.source for wire in wires if wire.input == number}) > 1:
                found[number] = self.built.gateway(f"input {number + 1} of {node.name}", "XOR", "join", span)
                self.built.link(found[number], own, span=span)
        return found

    def _leave(
        self, node: Node, wires: list[Wire], entry: Mapping[str, Mapping[int, str]], back: frozenset[Wire]
    ) -> None:
        at: defaultdict[int, list[Way]] = defaultdict(list)
        for wire in wires:
            target = entry.get(wire.target, {}).get(wire.input, node_id(wire.target))
            at[wire.output].append(Way(target, wire.input, wire in back, wire.span))
        outputs = outputs_of(node, self.canvas, max(at) + 1)
        ways = [(outputs.numbered.get(output, Exit((NEVER,))), targets) for output, targets in sorted(at.items())]
        unused = [way for output, way in outputs.numbered.items() if output not in at] + outputs.nowhere
        self.built.leave(node_id(node.name), node.name, ways, unused, self._span(node))

    def _span(self, node: Node) -> SourceSpan | None:
        return self.canvas.document.span(*node.path)

    def _returning(self, out: Mapping[str, list[Wire]]) -> frozenset[Wire]:
        """Return the connections from the body of a loop back to the node of the loop."""
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
                self.canvas.say(node, "warning", "the workflow has too many loops, so some back edges are not marked")
                break
        return frozenset(found)


def _waits(node: Node) -> str:
    """Return whether a node waits for "all" its inputs or for "any" input; "" if the node does not wait.

    A Merge that combines items in pairs has no result unless every input has data. A Merge that appends, keeps or
    enriches items has a result if any input has data.
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


def reachable(starts: Iterable[str], after: Mapping[str, Iterable[str]]) -> set[str]:
    """Return all names that can be reached from some names, including these names."""
    seen = set(starts)
    pending = list(seen)
    while pending:
        for name in after.get(pending.pop(), ()):
            if name not in seen:
                seen.add(name)
                pending.append(name)
    return seen
