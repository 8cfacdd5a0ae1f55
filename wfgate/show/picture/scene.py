"""The content of a picture: boxes and lines with positions and status."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from wfgate.compare import State
from wfgate.model import Workflow
from wfgate.show.picture.flow import FlowArrow, PictureNode, flow_of
from wfgate.show.picture.layers import Layers, Place, arranged
from wfgate.show.steps import KEPT, STATES
from wfgate.show.wording import count

Status = State | Literal["extra", "inside"]
"""What became of a box. "inside": a folded composite with a changed step, or a step with another value."""
NAMES: dict[Status, str] = dict([*STATES.items(), ("inside", "changed inside"), ("extra", "added")])
"""Names of statuses, the worst first."""
LineStatus = Literal["same", "missing", "extra", "inverted"]
"""What became of a link."""
Pieces = tuple[tuple[str, bool], ...]
"""A text in pieces, each with whether it is changed."""


@dataclass(frozen=True)
class SceneBox:
    """A box with its position.

    Attributes:
        key: Number of the box. The box that it belongs to on the other side has the same number.
        node: The drawn node.
        status: Status in the comparison.
        pieces: Text in pieces, each changed or unchanged.
        kin: Keys of the other boxes of the same merge or split.
        view: For a composite or a part of it, the number of the picture in which the composite is open.
    """

    key: int
    node: PictureNode
    status: Status = "same"
    pieces: Pieces = ()
    kin: tuple[int, ...] = ()
    view: int | None = None


@dataclass(frozen=True)
class Line:
    """A link with its route.

    Attributes:
        source: Key of the source box.
        target: Key of the target box.
        arrow: The drawn arrow.
        status: Status in the comparison.
        other_words: Whether the condition differs from that of the same link on the other side.
        up: Whether the link goes from a lower to a higher layer.
        route: Positions at which the link crosses the layers.
    """

    source: int
    target: int
    arrow: FlowArrow
    status: LineStatus = "same"
    other_words: bool = False
    up: bool = False
    route: tuple[Place, ...] = ()

    @property
    def is_changed(self) -> bool:
        """Whether the other side does not have the link, or has it with another condition."""
        return self.status != "same" or self.other_words


@dataclass(frozen=True)
class Side:
    """One workflow of a picture; its name is "golden", "candidate", or empty for a single one."""

    name: str
    title: str
    boxes: tuple[SceneBox, ...]
    lines: tuple[Line, ...]

    @cached_property
    def ends(self) -> frozenset[tuple[int, int]]:
        """The ends of its lines, in both directions."""
        ways = {(line.source, line.target) for line in self.lines}
        return frozenset(ways | {(target, source) for source, target in ways})

    def box(self, key: int) -> SceneBox | None:
        """Return the box with this key, if this side has it."""
        return self._by_key.get(key)

    @cached_property
    def _by_key(self) -> dict[int, SceneBox]:
        return {box.key: box for box in self.boxes}


@dataclass(frozen=True)
class Bracket:
    """The boxes of a merge or a split, by key."""

    golden: tuple[int, ...]
    candidate: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """What became of a box of the golden.

    Attributes:
        golden: Its text.
        candidate: The texts of the steps that do it in the candidate, or are nearest to it.
        notes: Further words: "merged", "split", "moved".
    """

    golden: Pieces
    candidate: tuple[Pieces, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Picture:
    """One or two sides with one common layout, so that aligned steps have the same height.

    Attributes:
        sides: The sides, the golden first.
        layers: The layout.
        brackets: The boxes of merges and splits.
        outcomes: What became of the boxes of the golden, by key.
    """

    sides: tuple[Side, ...]
    layers: Layers
    brackets: tuple[Bracket, ...] = field(default=())
    outcomes: Mapping[int, Outcome] = field(default_factory=dict)

    @cached_property
    def changed(self) -> frozenset[int]:
        """Keys of the changed boxes, and of the boxes to which a changed link leads that is beside no changed box."""
        keys = {box.key for side in self.sides for box in side.boxes if box.status not in KEPT}
        keys |= {key for key, outcome in self.outcomes.items() if outcome.notes}
        keys |= set(self.united)
        beside = keys | self.beside(keys)
        return frozenset(
            keys
            | {
                line.target
                for side in self.sides
                for line in side.lines
                if line.is_changed and not {line.source, line.target} & beside
            }
        )

    @cached_property
    def united(self) -> Mapping[int, int]:
        """The common key of the boxes of a merge or a split, by key."""
        return {key: min(bracket.golden) for bracket in self.brackets for key in (*bracket.golden, *bracket.candidate)}

    def beside(self, keys: Collection[int]) -> set[int]:
        """Return the keys of the boxes that a link connects with one of these boxes."""
        return {other for side in self.sides for one, other in side.ends if one in keys}

    @property
    def refused(self) -> str:
        """Why the picture is too large to be drawn, as a sentence without a full stop; empty if it is drawn."""
        why = self.layers.refused
        return f"The workflow is not drawn: {why}" if why else ""


def pictures_of(workflow: Workflow) -> tuple[Picture, ...]:
    """Return a picture of a workflow, then a picture of each of its sub-workflows."""
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
    boxes = tuple(SceneBox(number[key], node, pieces=((node.text, False),)) for key, node in flow.nodes.items())
    lines = tuple(drawn_line(number, arrow, layers) for arrow in flow.arrows)
    return Picture((Side("", title_of(workflow), boxes, lines),), layers)


def drawn_line(
    number: dict[str, int],
    arrow: FlowArrow,
    layers: Layers,
    status: LineStatus = "same",
    other_words: bool = False,  # noqa: FBT001, FBT002 - what became of the link, in one go
) -> Line:
    """Return an arrow with its route."""
    return routed(Line(number[arrow.source], number[arrow.target], arrow, status, other_words), layers)


def routed(line: Line, layers: Layers) -> Line:
    """Return a line with its route in a layout."""
    source, target = line.source, line.target
    up = layers.places[source][1] >= layers.places[target][1]
    return replace(line, up=up, route=() if up else layers.routes.get((source, target), ()))


def title_of(workflow: Workflow) -> str:
    """Return the title of a workflow."""
    name = " ".join(workflow.name.split()) or "Workflow without a name"
    return f"{name}: {count(len(workflow.tasks), 'step')}"


def in_reading_order(boxes: Sequence[SceneBox], layers: Layers) -> list[SceneBox]:
    """Return boxes in reading order: from top to bottom, and from left to right."""
    return sorted(boxes, key=lambda box: (layers.places[box.key][1], layers.places[box.key][0], box.key))
