"""A drawing: boxes, arrows and frames, before anything is known of what they mean."""

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
        id: What arrows call it.
        label: What it says: the id if nothing is written.
        shape: Its shape, by meaning.
        span: Where it is first named.
        frame: Place of the frame that it stands in; None if in none.
        details: What is written below a rule inside the box.
        drawn: Whether it was drawn, not only given a colour.
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
        source: Where it comes from.
        target: Where it leads.
        label: What is written on it.
        stroke: How it is drawn.
        heads: Whether it points forward, both ways, back, or nowhere.
        span: Where it stands.
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
        id: What arrows call it; None if they cannot.
        title: What it says.
        parent: Place of the frame around it.
        span: Where it begins.
    """

    id: str | None
    title: str
    parent: int | None = None
    span: SourceSpan | None = None


@dataclass
class Drawing:
    """One drawing, as its own program sees it.

    Attributes:
        name: Its title.
        description: What it says about itself.
        boxes: Its boxes by id, in the order in which they are first named.
        arrows: Its arrows.
        frames: Its frames, each behind the one around it.
        dotted_is_choice: Whether dotted arrows are those among which one is chosen.
        diagnostics: What the parser had to say.
    """

    name: str = ""
    description: str = ""
    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    dotted_is_choice: bool = False
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def check_size(self, document: Document, more: int = 0) -> None:
        """Refuse a drawing that is too large, before it is too late.

        Raises:
            FormatError: If there are too many boxes, or too many arrows with `more` added to them.
        """
        counts = ((len(self.boxes), MAX_TASKS, "nodes"), (len(self.arrows) + more, MAX_LINKS, "edges"))
        for count, limit, what in counts:
            if count > limit:
                raise FormatError(
                    f"the diagram has {count:,} {what}; the limit is {limit:,}",
                    path=document.name,
                    fix="split the diagram into smaller diagrams",
                )
