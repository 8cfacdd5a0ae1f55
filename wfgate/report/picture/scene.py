"""The content of a picture: boxes and lines with positions and status."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from wfgate.model import Workflow
from wfgate.report.picture.flow import Arrow, Node, flow_of
from wfgate.report.picture.layers import Layers, Place, arranged
from wfgate.report.wording import count

Status = Literal["same", "reworded", "drifted", "missing", "extra", "merged", "split", "changed"]
"""What became of a box. "changed" is said of a folded composite only."""
LineStatus = Literal["same", "missing", "extra", "inverted"]
"""What became of a link."""
Pieces = tuple[tuple[str, bool], ...]
"""A text in pieces, each with whether it is changed."""


@dataclass(frozen=True)
class Box:
    """A box with its position.

    Attributes:
        key: Its number; its partner on the other side has the same.
        node: The drawn node.
        status: Its status.
        pieces: Its text.
        kin: Keys of the boxes that it was merged from or split into.
        view: For a composite or its content, the picture in which it is open.
    """

    key: int
    node: Node
    status: Status = "same"
    pieces: Pieces = ()
    kin: tuple[int, ...] = ()
    view: int | None = None


@dataclass(frozen=True)
class Line:
    """A link with its route.

    Attributes:
        source: Key of a box.
        target: Key of a box.
        arrow: The drawn arrow.
        status: Its status.
        other_words: Whether its condition differs from that of its partner.
        up: Whether it points against the direction of the layers.
        route: Positions at which it passes the layers.
    """

    source: int
    target: int
    arrow: Arrow
    status: LineStatus = "same"
    other_words: bool = False
    up: bool = False
    route: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Side:
    """One workflow of a picture; its name is "golden", "candidate", or empty for a single one."""

    name: str
    title: str
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]

    def box(self, key: int) -> Box | None:
        """Return the box with this key, if this side has it."""
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> dict[int, Box]:
        return {box.key: box for box in self.boxes}


@dataclass(frozen=True)
class Bracket:
    """Merged or split steps, by key."""

    golden: tuple[int, ...]
    candidate: tuple[int, ...]


@dataclass(frozen=True)
class Picture:
    """Sides with one layout, so that aligned steps are level."""

    sides: tuple[Side, ...]
    layers: Layers
    brackets: tuple[Bracket, ...] = field(default=())


def pictures_of(workflow: Workflow) -> tuple[Picture, ...]:
    """Return a picture of a workflow, then one of each of its sub-workflows."""
    return tuple(_single(part) for part in (workflow, *workflow.subworkflows))


def _single(workflow: Workflow) -> Picture:
    flow = flow_of(workflow)
    number = {key: place for place, key in enumerate(flow.nodes)}
    forward = [
        (number[arrow.source], number[arrow.target])
        for arrow in flow.arrows
        if not arrow.back and arrow.source != arrow.target
    ]
    layers = arranged(range(len(number)), forward)
    boxes = tuple(Box(number[key], node, pieces=((node.text, False),)) for key, node in flow.nodes.items())
    lines = tuple(drawn_line(number, arrow, layers) for arrow in flow.arrows)
    return Picture((Side("", title_of(workflow), boxes, lines),), layers)


def drawn_line(
    number: dict[str, int],
    arrow: Arrow,
    layers: Layers,
    status: LineStatus = "same",
    other_words: bool = False,  # noqa: FBT001, FBT002 - what became of the link, in one go
) -> Line:
    """Return an arrow with its route."""
    source, target = number[arrow.source], number[arrow.target]
    up = layers.places[source][1] >= layers.places[target][1]
    route = () if up else layers.routes.get((source, target), ())
    return Line(source, target, arrow, status, other_words, up, route)


def title_of(workflow: Workflow) -> str:
    """Return the title of a workflow."""
    name = " ".join(workflow.name.split()) or "Workflow without a name"
    return f"{name}: {count(len(workflow.tasks), 'step')}"


def in_reading_order(boxes: Sequence[Box], layers: Layers) -> list[Box]:
    """Return boxes in reading order: from the top, then from the left."""
    return sorted(boxes, key=lambda box: (layers.places[box.key][1], layers.places[box.key][0], box.key))
