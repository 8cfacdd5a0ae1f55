"""Drawings as Mermaid flowcharts."""

import json
import re

from wfgate.read.formats.drawings.base import Box, Drawing, Shape
from wfgate.read.formats.drawings.words import one_line

_BRACKETS: dict[Shape, tuple[str, str]] = {
    "box": ("[", "]"),
    "rounded": ("(", ")"),
    "terminal": ("([", "])"),
    "decision": ("{", "}"),
    "preparation": ("{{", "}}"),
    "call": ("[[", "]]"),
}
_SHAPES: dict[Shape, str] = {"bar": "fork", "point": "f-circ", "note": "comment", "event": "delay"}
_SPECIAL = re.compile(r'[#"<>&`\\*_{}]|%(?=%)|(?<=%)%|:(?=fa-)|(?<=fa):')
_LIST = re.compile(r"(\d++[.)]|[-+])(?=\s)")
_STYLES = re.compile(r"style|classDef")


def flowchart(drawing: Drawing) -> str:
    """Return the text of a flowchart that GitHub can draw."""
    lines = ["---", f"title: {json.dumps(one_line(drawing.name), ensure_ascii=False)}", "---"] if drawing.name else []
    lines.append("flowchart TD")
    if drawing.description.strip():
        said = one_line(drawing.description).replace("%%{", "%% {")  # that would begin a directive
        lines.append(f"    accDescr: {said}")
    frames = [f'subgraph {frame.id} ["{label(frame.title)}"]' for frame in drawing.frames]
    lines += drawing.lines(lambda place: [frames[place]], _box, "end")
    for arrow in drawing.arrows:
        line = "-.->" if arrow.stroke == "dotted" else "-->"
        said = f'|"{label(arrow.label)}"|' if arrow.label else ""
        lines.append(f"    {arrow.source} {line}{said} {arrow.target}")
    return "\n".join([*lines, ""])


def _box(box: Box) -> str:
    words = label(box.label) + (f"<hr/>{label(box.details)}" if box.details else "")
    if box.shape in _SHAPES:
        return f'{box.id}@{{ shape: {_SHAPES[box.shape]}, label: "{words}" }}'
    opening, closing = _BRACKETS[box.shape]
    return f'{box.id}{opening}"{words}"{closing}'


def label(text: str) -> str:
    """Return a text for use in quotes, with all markup escaped."""
    written = _SPECIAL.sub(lambda match: f"#{ord(match[0])};", one_line(text))
    item = _LIST.match(written)
    if item:  # would be drawn as "Unsupported markdown: list"
        written = f"{item[0][:-1]}#{ord(item[0][-1])};{written[item.end() :]}"
    if _STYLES.search(written):  # Mermaid cuts the last entity off such lines
        written = written.replace(":", "#58;")
    return written or " "
