"""Links and gateways for formats whose nodes have named or numbered outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wfgate.documents import Document
from wfgate.formats.builder import MAX_LINKS, check_size
from wfgate.model import END, START, Gateway, Guard, Link, Names, SourceSpan
from wfgate.model.workflow import Operator, Outcome

NEVER = Guard(expr="false")
"""The guard of a way that nothing ever takes: an output that does not exist."""


@dataclass(frozen=True)
class Exit:
    """One way out of a node.

    Attributes:
        guards: The conditions under which it is taken, one link each; none: always.
        outcome: After which outcome.
        label: What the way is called where that alone tells it from its siblings; exactly one of those is taken.
    """

    guards: tuple[Guard, ...] = ()
    outcome: Outcome = "success"
    label: str = ""


@dataclass(frozen=True)
class Way:
    """Where one connection of an output leads.

    `input` tells the inputs of the target apart, `back` marks the returning edge of a loop.
    """

    target: str
    input: int = 0
    back: bool = False
    span: SourceSpan | None = None


def label(text: str) -> str:
    """Return a text as an opaque condition.

    Example:
        >>> label("a > b")
        '«a > b»'
    """
    return f"«{' '.join(text.replace('«', ' ').replace('»', ' ').split()) or 'unnamed'}»"


def labelled(names: Sequence[str]) -> list[Exit]:
    """Return one way per name, equal names numbered.

    Example:
        >>> [way.label for way in labelled(["yes", "no", "no"])]
        ['«yes»', '«no»', '«no (2)»']
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        key = " ".join(name.casefold().split())
        seen[key] = seen.get(key, 0) + 1
        found.append(Exit(label=label(name if seen[key] == 1 else f"{name} ({seen[key]})")))
    return found


def node_id(name: str) -> str:
    """Return the id of a step: its name in the format, unless that is empty or the name of a virtual node.

    Example:
        >>> node_id("Build"), node_id("END"), node_id("")
        ('Build', 'END (node)', '(node)')
    """
    return f"{name} (node)".strip() if name in {START, END, ""} else name


@dataclass
class Exits:
    """Collects links and gateways.

    Attributes:
        document: What is read.
        taken: Ids that a gateway must not have.
        links: The links so far.
        gateways: The gateways so far.
    """

    document: Document
    taken: Names
    links: list[Link] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)

    def leave(
        self,
        source: str,
        name: str,
        ways: Sequence[tuple[Exit, Sequence[Way]]],
        unused: Sequence[Exit],
        span: SourceSpan | None,
    ) -> None:
        """Link a node with what its outputs lead to.

        Args:
            source: The node's id.
            name: Its name.
            ways: Its outputs, each with what it leads to.
            unused: Ways out that lead nowhere: what takes them is at the END.
            span: Where the node stands.

        Raises:
            FormatError: If there are too many links.
        """
        for way, targets in ways:
            self._follow(source, name, way, targets)
        labels = [way for way in unused if way.label]
        for way in unused:
            if not way.label and NEVER not in way.guards:
                for guard in way.guards or (None,):
                    self.link(source, END, guard, way.outcome, span)
        if labels:
            text = labels[0].label if len(labels) == 1 else "«any other way»"
            self.link(source, END, Guard(expr=text), labels[0].outcome, span)

    def link(
        self,
        source: str,
        target: str,
        guard: Guard | None = None,
        outcome: Outcome = "success",
        span: SourceSpan | None = None,
        *,
        back: bool = False,
    ) -> None:
        """Add a link.

        Raises:
            FormatError: If there are too many.
        """
        if len(self.links) >= MAX_LINKS:
            check_size(self.document, 0, len(self.links) + 1)
        self.links.append(Link(source=source, target=target, guard=guard, outcome=outcome, back=back, span=span))

    def gateway(self, name: str, op: Operator, role: Literal["split", "join"], span: SourceSpan | None) -> str:
        """Add a gateway and return its id: the name, or the name with a number if that is taken."""
        found = self.taken.free(name)
        self.gateways.append(Gateway(id=found, op=op, role=role, span=span))
        return found

    def begin(self, nodes: Mapping[str, SourceSpan | None]) -> None:
        """Link START with the nodes that start the workflow: several are alternatives."""
        source = START
        if len(nodes) > 1:
            source = self.gateway("any trigger", "XOR", "split", None)
            self.link(START, source)
        for name, span in nodes.items():
            self.link(source, name, span=span)

    def _follow(self, source: str, name: str, way: Exit, targets: Sequence[Way]) -> None:
        """Link one output with what it leads to: several nodes all follow, behind a gateway that says so."""
        guards: tuple[Guard | None, ...] = (Guard(expr=way.label),) if way.label else (way.guards or (None,))
        outcome: Outcome = way.outcome
        if len({target.target for target in targets}) > 1:
            span = targets[0].span
            gateway = self.gateway(f"{name} {way.label.strip('«»')}".strip() + ": all", "AND", "split", span)
            for guard in guards:
                self.link(source, gateway, guard, outcome, span)
            source, guards, outcome = gateway, (None,), "success"
        inputs: dict[str, int] = {}
        for target in targets:
            # One output on several inputs of a node is one way; the same link twice is for a check to tell.
            if inputs.setdefault(target.target, target.input) == target.input:
                for guard in guards:
                    self.link(source, target.target, guard, outcome, target.span, back=target.back)
