"""Links and gateways for formats in which nodes have named or numbered outputs."""

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


@dataclass(frozen=True)
class Way:
    """The target of one connection of an output.

    `input` is the number of the input at the target. `back` marks the link of a loop that returns to an earlier node.
    """

    target: str
    input: int = 0
    back: bool = False
    span: SourceSpan | None = None


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
    seen: dict[str, int] = {}
    found = []
    for name in names:
        key = " ".join(name.casefold().split())
        seen[key] = seen.get(key, 0) + 1
        found.append(Exit(label=label(name if seen[key] == 1 else f"{name} ({seen[key]})")))
    return found


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
        document: The document that is read.
        taken: Ids that no gateway may use.
        links: The links that have been added.
        gateways: The gateways that have been added.
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
        """Link a node with the targets of its outputs.

        Args:
            source: Id of the node.
            name: Name of the node.
            ways: The outputs, each with its targets.
            unused: The outputs without a target. They are linked to END.
            span: Position of the node.

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
            FormatError: If there are too many links.
        """
        if len(self.links) >= MAX_LINKS:
            check_size(self.document, 0, len(self.links) + 1)
        self.links.append(Link(source=source, target=target, guard=guard, outcome=outcome, back=back, span=span))

    def gateway(self, name: str, op: Operator, role: Literal["split", "join"], span: SourceSpan | None) -> str:
        """Add a gateway and return its id: the name, with a number added if this id is already used."""
        found = self.taken.free(name)
        self.gateways.append(Gateway(id=found, op=op, role=role, span=span))
        return found

    def begin(self, nodes: Mapping[str, SourceSpan | None]) -> None:
        """Link START with the given first nodes. If there are several, exactly one of them starts (XOR split)."""
        source = START
        if len(nodes) > 1:
            source = self.gateway("any trigger", "XOR", "split", None)
            self.link(START, source)
        for name, span in nodes.items():
            self.link(source, name, span=span)

    def _follow(self, source: str, name: str, way: Exit, targets: Sequence[Way]) -> None:
        """Link one output with its targets. If there are several targets, all of them follow (AND split)."""
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
