"""The parts of a drawing: boxes, arrows and frames. Their meaning is decided later, in `workflow`."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Diagnostic

Shape = Literal[
    "box",  # a step
    "rounded",  # a step, or a terminal if it is called one
    "terminal",  # where the flow starts or ends, or an event
    "event",  # something that happens
    "decision",  # one way on is taken
    "preparation",  # a decision if its ways on are labelled
    "bar",  # fork or join
    "point",  # where lines meet
    "note",  # a remark
    "call",  # a step that stands for a workflow
]
Stroke = Literal["solid", "dotted", "invisible"]
Heads = Literal["forward", "both", "back", "none"]


@dataclass
class Box:
    """One node of a drawing.

    Attributes:
        id: Id of the box, which arrows use.
        label: Text in the box; the id if the box has no text.
        shape: Meaning of the shape.
        span: Position where the box is first mentioned.
        frame: Index of the frame around the box in `Drawing.frames`; None if no frame is around it.
        details: Text below a horizontal rule inside the box.
        drawn: Whether the drawing contains the box itself; False if the drawing only gives it a colour.
    """

    id: str
    label: str
    shape: Shape = "box"
    span: SourceSpan | None = None
    frame: int | None = None
    details: str = ""
    drawn: bool = True


@dataclass(frozen=True)
class Arrow:
    """One line from a box or frame to another.

    Attributes:
        source: Id of the box or frame at which the arrow begins.
        target: Id of the box or frame at which the arrow ends.
        label: Text on the arrow.
        stroke: Kind of line.
        heads: Direction of the arrow heads: forward, both ways, back, or no head.
        span: Position of the arrow in the file.
    """

    source: str
    target: str
    label: str = ""
    stroke: Stroke = "solid"
    heads: Heads = "forward"
    span: SourceSpan | None = None


@dataclass
class Frame:
    """A border around boxes and other frames.

    Attributes:
        id: Id of the frame, which arrows use; empty if arrows cannot use this frame.
        title: Title of the frame.
        parent: Index of the frame around this frame in `Drawing.frames`; None if there is no such frame.
        span: Position where the frame begins.
    """

    id: str
    title: str
    parent: int | None = None
    span: SourceSpan | None = None


@dataclass
class Drawing:
    """One drawing, with the boxes and arrows that its drawing program (Mermaid or Graphviz) would draw.

    Attributes:
        name: Title of the drawing.
        description: Description that the drawing contains.
        boxes: The boxes by id, in the order of their first mention.
        arrows: The arrows.
        frames: The frames; an outer frame stands before the frames inside it.
        dotted_is_choice: Whether exactly one of the dotted arrows that leave a box is taken.
        diagnostics: Diagnostics of the parser.
    """

    name: str = ""
    description: str = ""
    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    dotted_is_choice: bool = False
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def lines(self, begin: Callable[[int], list[str]], box: Callable[[Box], str], end: str) -> list[str]:
        """Return the lines of a text with all boxes and frames; lines inside a frame are indented.

        Args:
            begin: Returns the first lines of a frame, from its index.
            box: Returns the line of a box.
            end: The last line of a frame.
        """
        boxes: defaultdict[int | None, list[Box]] = defaultdict(list)
        for each in self.boxes.values():
            boxes[each.frame].append(each)
        inside: defaultdict[int | None, list[int]] = defaultdict(list)
        for place, frame in enumerate(self.frames):
            inside[frame.parent].append(place)
        lines = [f"    {box(each)}" for each in boxes[None]]
        pending = [(place, "    ") for place in reversed(inside[None])]
        while pending:
            place, blank = pending.pop()
            if place < 0:
                lines.append(f"{blank}{end}")
                continue
            lines += [f"{blank}{line}" for line in begin(place)]
            lines += [f"{blank}    {box(each)}" for each in boxes[place]]
            pending.append((-1, blank))
            pending += [(inner, f"{blank}    ") for inner in reversed(inside[place])]
        return lines
