"""Drawings as Graphviz digraphs."""

from wfgate.read.formats.drawings.base import Arrow, Box, Drawing, Shape
from wfgate.read.formats.drawings.words import is_end, is_start, one_line

_SHAPES: dict[Shape, str] = {
    "rounded": "box style=rounded",
    "terminal": "cds",
    "event": "cds",
    "decision": "diamond",
    "preparation": "hexagon",
    "bar": "diamond",
    "point": "point",
    "note": "note",
    "call": "component",
}


def digraph(drawing: Drawing) -> str:
    """Return the text of a digraph."""
    frames = [f"cluster_{place}" for place in range(len(drawing.frames))]
    whole = {frame.id: place for place, frame in enumerate(drawing.frames)}
    inside = _inside(drawing)
    lines = ["digraph {"]
    if one_line(drawing.name):
        lines.append(f"    label={quoted(drawing.name)} labelloc=t")
    if one_line(drawing.description):
        lines.append(f"    comment={quoted(drawing.description)}")
    if any(end in whole for arrow in drawing.arrows for end in (arrow.source, arrow.target)):
        lines.append("    compound=true")
    lines.append("    node [shape=box]")
    lines += drawing.lines(
        lambda place: [f"subgraph {frames[place]} {{", f"    label={quoted(drawing.frames[place].title)}"], _box, "}"
    )
    for arrow in drawing.arrows:
        ends, said = [], _said(arrow)
        for end, key in ((arrow.source, "ltail"), (arrow.target, "lhead")):
            place = whole.get(end, -1)
            ends.append(quoted(inside.get(place, end)))
            if place in inside:
                said.append(f"{key}={frames[place]}")
        lines.append(f"    {ends[0]} -> {ends[1]}" + (f" [{' '.join(said)}]" if said else ""))
    return "\n".join([*lines, "}", ""])


def quoted(text: str) -> str:
    r"""Return a text in quotes, with every escape and entity of Graphviz disabled.

    Example:
        >>> print(quoted('say "a\\b" & c'))
        "say \"a\\b\" &amp; c"
    """
    written = one_line(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{written}"'


def _inside(drawing: Drawing) -> dict[int, str]:
    """Return for each frame one box inside it, at any depth; an edge to the frame is drawn to this box."""
    boxes: dict[int, str] = {}
    for box in drawing.boxes.values():
        frame = box.frame
        while frame is not None and frame not in boxes:
            boxes[frame] = box.id
            frame = drawing.frames[frame].parent
    return boxes


def _box(box: Box) -> str:
    label = quoted(box.label)
    if box.details:
        label = f'{label[:-1]}\\n({quoted(box.details)[1:-1]})"'
    end = box.shape == "terminal" and (is_start(box.label) or is_end(box.label))
    shape = "oval" if end else _SHAPES.get(box.shape, "")
    return f"{quoted(box.id)} [label={label}{' shape=' * bool(shape)}{shape}]"


def _said(arrow: Arrow) -> list[str]:
    said = [f"label={quoted(arrow.label)}"] if arrow.label else []
    return [*said, "style=dotted"] if arrow.stroke == "dotted" else said
