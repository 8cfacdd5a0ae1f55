"""Links and gateways for formats in which nodes have named or numbered outputs."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from wfgate.model import END, START, Gateway, Guard, Link, Names, Operator, Outcome, SourceSpan
from wfgate.read.documents.document import Diagnostic, Document, Path, Severity
from wfgate.read.formats.builder import MAX_LINKS, check_size, grouped

NEVER = Guard(expr="false")
"""The guard of a way that nothing ever takes: an output that does not exist."""


@dataclass(frozen=True)
class Exit:
    """One output of a node.

    Attributes:
        guards: The conditions of the output, one link for each; empty if the output is always taken.
        outcome: The outcome of the node after which the output is taken.
        label: Name of the output, if only the name tells it from the other outputs. Exactly one of the outputs with a
            label is taken.
    """

    guards: tuple[Guard, ...] = ()
    outcome: Outcome = "success"
    label: str = ""


Output = int | str
"""Number or name of an output of a node."""


@dataclass(frozen=True)
class Wire:
    """A connection from an output of one node to an input of another node.

    Inputs have numbers from 0. `back` marks a connection that returns to the node of a loop.
    """

    source: str
    output: Output
    target: str
    input: int = 0
    back: bool = False
    span: SourceSpan | None = None


@dataclass
class Wiring:
    """The connections of a workflow.

    Attributes:
        document: The document of the workflow.
        wires: The connections in the order of the file.
        diagnostics: The diagnostics about the workflow.
        hint: What else can be done if a connection comes from an output that the node does not have.
    """

    hint: ClassVar[str] = ""

    document: Document
    wires: list[Wire] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def say(self, path: Path, severity: Severity, message: str, fix: str | None = None) -> None:
        """Add a diagnostic about the value at a path of the document."""
        self.diagnostics.append(self.document.diagnostic(severity, message, *path, fix=fix))


def label(text: str) -> str:
    """Return a text as an opaque condition in «».

    Example:
        >>> label("a > b")
        '«a > b»'
    """
    return f"«{' '.join(text.replace('«', ' ').replace('»', ' ').split()) or 'unnamed'}»"


def labelled(names: Sequence[str]) -> list[Exit]:
    """Return one output for each name; equal names get a number.

    Example:
        >>> [way.label for way in labelled(["yes", "no", "no"])]
        ['«yes»', '«no»', '«no (2)»']
    """
    free = Names(fold=True).free
    return [Exit(label=label(free(" ".join(name.split())))) for name in names]


def node_id(name: str) -> str:
    """Return the id of a step: its name in the format, with " (node)" added if the name is empty, START or END.

    Example:
        >>> node_id("Build"), node_id("END"), node_id("")
        ('Build', 'END (node)', '(node)')
    """
    return f"{name} (node)".strip() if name in {START, END, ""} else name


@dataclass
class Exits:
    """Collects the links and gateways of one workflow.

    Attributes:
        wiring: The workflow as written.
        nodes: Title and path of each step, by the name that the connections use for their source.
        links: The links that have been added.
        gateways: The gateways that have been added.
    """

    wiring: Wiring
    nodes: Mapping[str, tuple[str, Path]]
    links: list[Link] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Reserve the ids of the steps."""
        self._names = Names((START, END, *map(node_id, self.nodes)))

    def begin(self, names: Collection[str]) -> None:
        """Link START with the given first steps. If there are several, exactly one of them starts (XOR split)."""
        source = START
        if len(names) > 1:
            source = self._gateway("any trigger", "XOR", "split", None)
            self._link(START, source)
        for name in names:
            self._link(source, node_id(name), span=self._span(name))

    def join(self, name: str, title: str, op: Operator) -> str:
        """Add a join before a step, and return its id."""
        gateway = self._gateway(title, op, "join", self._span(name))
        self._link(gateway, node_id(name), span=self._span(name))
        return gateway

    def run(self, wires: Sequence[Wire], exits_of: Callable[[str, list[Output]], Mapping[Output, Exit]]) -> None:
        """Link all steps along the connections.

        Args:
            wires: The connections. Their targets are ids.
            exits_of: Returns the outputs of the step with a name, some of which are connected.

        Raises:
            FormatError: If there are too many links.
        """
        ways = grouped((wire.source, wire) for wire in wires)
        reached = {link.target for link in self.links} | {wire.target for wire in wires}
        for name in self.nodes:
            if ways[name] or node_id(name) in reached:
                leaving = grouped((wire.output, wire) for wire in ways[name])
                self._leave(name, leaving, exits_of(name, [*leaving]))
        for wire in wires:
            if wire.source not in self.nodes:
                self._link(node_id(wire.source), wire.target, span=wire.span)

    def _span(self, name: str) -> SourceSpan | None:
        return self.wiring.document.span(*self.nodes[name][1])

    def _leave(self, name: str, ways: Mapping[Output, Sequence[Wire]], exits: Mapping[Output, Exit]) -> None:
        """Link a step with the targets of its outputs, and with END for outputs without a target."""
        title, path = self.nodes[name]
        for output, targets in ways.items():
            if output not in exits:
                shown = output + 1 if isinstance(output, int) else repr(output[:80])
                message = f"{title[:80]!r} has no output {shown}, so this link is never taken"
                self.wiring.say(path, "warning", message, f"connect an output that the node has{self.wiring.hint}")
            self.follow(node_id(name), title, exits.get(output, Exit((NEVER,))), targets)
        unused = [way for output, way in exits.items() if output not in ways]
        if not ways:
            unused = [Exit(outcome=unused[0].outcome if unused else "success")]
        labels = [way for way in unused if way.label]
        for way in unused:
            if not way.label and NEVER not in way.guards:
                for guard in way.guards or (None,):
                    self._link(node_id(name), END, guard=guard, outcome=way.outcome, span=self._span(name))
        if labels:
            guard = Guard(expr=labels[0].label if len(labels) == 1 else "«any other way»")
            self._link(node_id(name), END, guard=guard, outcome=labels[0].outcome, span=self._span(name))

    def _link(self, source: str, target: str, **more: Any) -> None:
        if len(self.links) >= MAX_LINKS:
            check_size(self.wiring.document, 0, len(self.links) + 1)
        self.links.append(Link(source=source, target=target, **more))

    def _gateway(self, name: str, op: Operator, role: Literal["split", "join"], span: SourceSpan | None) -> str:
        """Add a gateway and return its id: the name, with a number added if this id is already used."""
        own = self._names.free(name)
        self.gateways.append(Gateway(id=own, op=op, role=role, span=span))
        return own

    def follow(self, source: str, name: str, way: Exit, targets: Sequence[Wire]) -> None:
        """Link one output with its targets. If there are several targets, all of them follow (AND split)."""
        guards: tuple[Guard | None, ...] = (Guard(expr=way.label),) if way.label else (way.guards or (None,))
        outcome: Outcome = way.outcome
        if len({target.target for target in targets}) > 1:
            span = targets[0].span
            gateway = self._gateway(f"{name} {way.label.strip('«»')}".strip() + ": all", "AND", "split", span)
            for guard in guards:
                self._link(source, gateway, guard=guard, outcome=outcome, span=span)
            source, guards, outcome = gateway, (None,), "success"
        inputs: dict[str, int] = {}
        for target in targets:
            # One output on several inputs of a node is one way; the same link twice is for a check to tell.
            if inputs.setdefault(target.target, target.input) == target.input:
                for guard in guards:
                    self._link(source, target.target, guard=guard, outcome=outcome, back=target.back, span=target.span)
