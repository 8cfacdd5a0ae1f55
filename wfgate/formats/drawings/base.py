"""The parts of a drawing: boxes, arrows and frames. Their meaning is decided later, in `workflow`."""

from dataclasses import dataclass, field
from typing import Literal

from wfgate.documents import Diagnostic, Document
from wfgate.errors import FormatError
from wfgate.formats.builder import MAX_LINKS, MAX_TASKS
from wfgate.model import SourceSpan

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
        id: Id of the frame, which arrows use; None if arrows cannot use this frame.
        title: Title of the frame.
        parent: Index of the frame around this frame in `Drawing.frames`; None if there is no such frame.
        span: Position where the frame begins.
    """

    id: str | None
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

    def check_size(self, document: Document, more: int = 0) -> None:
        """Check that the drawing is not larger than the limits.

        Raises:
            FormatError: If the drawing has too many boxes, or would have too many arrows after `more` arrows are
                added.
        """
        counts = ((len(self.boxes), MAX_TASKS, "nodes"), (len(self.arrows) + more, MAX_LINKS, "edges"))
        for count, limit, what in counts:
            if count > limit:
                raise FormatError(
                    f"the diagram has {count:,} {what}; the limit is {limit:,}",
                    path=document.name,
                    fix="split the diagram into smaller diagrams",
                )
