"""Preparation of a Mermaid text: kind of diagram, front matter, comments."""

import re
from dataclasses import dataclass
from typing import Any

from wfgate.documents import Document, Positions
from wfgate.documents.yaml_text import parse_yaml
from wfgate.errors import FormatError
from wfgate.model import SourceSpan

HEAD = 100_000
"""Characters within which a diagram says what it is."""

_RULE = re.compile(r"---[ \t]*+\n")
_RULE_BELOW = re.compile(r"\n---[ \t]*+(?:\n|\Z)")
_NO_BREAK = re.compile(r"[^\n]")
_COMMENT = re.compile(r"^[ \t]*+%%(?!\{)[^\n]*+", re.MULTILINE)
_ATTRIBUTE = re.compile(r"(<\w++)([^<>\n]*+)(?=>)")
_KEYWORD = re.compile(r"\s*+([A-Za-z][\w-]*+)")
_HEADER = re.compile(r"\s*+(?:flowchart-elk|flowchart|graph)\b")
_DIRECTION = re.compile(r"[ \t]*+(?:\n|\Z)|\s*+(?:(?:LR|RL|TB|BT|TD|BR|v)\b|[<>^])[ \t]*+(?:[;\n]|\Z)")

OTHERS = {
    "sequenceDiagram": "a sequence diagram",
    "classDiagram": "a class diagram",
    "classDiagram-v2": "a class diagram",
    "stateDiagram": "a state diagram",
    "stateDiagram-v2": "a state diagram",
    "erDiagram": "an entity relationship diagram",
    "gantt": "a Gantt chart",
    "journey": "a user journey",
    "pie": "a pie chart",
    "quadrantChart": "a quadrant chart",
    "requirementDiagram": "a requirement diagram",
    "requirement": "a requirement diagram",
    "gitGraph": "a git graph",
    "C4Context": "a C4 diagram",
    "C4Container": "a C4 diagram",
    "C4Component": "a C4 diagram",
    "C4Dynamic": "a C4 diagram",
    "C4Deployment": "a C4 diagram",
    "mindmap": "a mind map",
    "timeline": "a timeline",
    "zenuml": "a ZenUML diagram",
    "sankey": "a Sankey diagram",
    "sankey-beta": "a Sankey diagram",
    "xychart": "a chart",
    "xychart-beta": "a chart",
    "block": "a block diagram",
    "block-beta": "a block diagram",
    "packet": "a packet diagram",
    "packet-beta": "a packet diagram",
    "kanban": "a kanban board",
    "architecture": "an architecture diagram",
    "architecture-beta": "an architecture diagram",
    "radar-beta": "a radar chart",
    "treemap": "a treemap",
    "treemap-beta": "a treemap",
}
"""Mermaid's other diagrams by the word that they begin with."""
_AMBIGUOUS = frozenset({"pie", "journey", "timeline", "requirement", "block", "packet", "kanban", "sankey", "radar"})
"""Words with which prose or data may begin as well."""


@dataclass(frozen=True)
class Source:
    """The text of a flowchart. Front matter, comments and directives are replaced by blanks of the same length.

    Attributes:
        document: The original document.
        text: The text with blanks.
        start: Offset of the first statement.
        title: The title in the front matter.
        places: Converts offsets to lines and columns.
    """

    document: Document
    text: str
    start: int
    title: str
    positions: Positions

    def span(self, offset: int) -> SourceSpan:
        """Return the position of an offset in the file."""
        found = self.positions.span(offset)
        above = self.document.lines_above
        return SourceSpan(line=found.line + above, column=found.column) if above else found

    def error(self, message: str, offset: int, fix: str) -> FormatError:
        """Return the error about the text at an offset."""
        return self.document.error_at(self.span(min(offset, len(self.text))), message, fix=fix)


def is_flowchart(document: Document) -> bool:
    """Return whether a text begins with the header of a flowchart; comments and front matter may come first."""
    text, _, body = _prepared(document.text[:HEAD])
    header = _HEADER.match(text, body)
    direction = _DIRECTION.match(text, header.end()) if header else None
    # In another language for graphs a bracket follows: graph { a -- b }
    return direction is not None and text[direction.end() : direction.end() + 200].lstrip()[:1] != "{"


def other_diagram(document: Document) -> str | None:
    """Return the keyword of a Mermaid diagram that is not a flowchart; None if there is no such keyword."""
    text, _, body = _prepared(document.text[:HEAD])
    keyword = _KEYWORD.match(text, body)
    return keyword[1] if keyword and keyword[1] in OTHERS and keyword[1] not in _AMBIGUOUS else None


def source_of(document: Document) -> Source:
    """Return the text of a flowchart, prepared for the parser.

    Raises:
        FormatError: If the text is another Mermaid diagram, or not a diagram.
    """
    text, (above, below), body = _prepared(document.text)
    source = Source(document, text, body, "", Positions(text))
    header = _HEADER.match(text, body)
    if header is None:
        keyword = _KEYWORD.match(text, body)
        word = keyword[1] if keyword else ""
        at = keyword.start(1) if keyword else body
        if word in OTHERS:
            raise source.error(
                f"this is {OTHERS[word]} ({word}), but only flowcharts can be read",
                at,
                "draw the workflow as a flowchart",
            )
        raise source.error("the text does not begin with a flowchart", at, "begin with `flowchart TD` or `graph LR`")
    direction = _DIRECTION.match(text, header.end())
    if direction is None:
        raise source.error(
            "the flowchart has no direction, or the line goes on after the direction",
            header.end(),
            "write `flowchart TD` on its own line, and the first step on the next line",
        )
    return Source(document, text, direction.end(), _title(document, document.text[above:below]), source.positions)


def _prepared(text: str) -> tuple[str, tuple[int, int], int]:
    """Return the text with blanks for comments, the start and end of the front matter, and the start of the rest."""
    blank = text.replace("\r", " ")
    start = len(blank) - len(blank.lstrip())
    front, body = (0, 0), start
    opening = _RULE.match(blank, start)
    closing = _RULE_BELOW.search(blank, opening.end() - 1) if opening else None
    if opening and closing:
        front, body = (opening.end(), max(opening.end(), closing.start())), closing.end()
    head, rest = _NO_BREAK.sub(" ", blank[:body]), blank[body:]
    rest = _COMMENT.sub(lambda found: " " * len(found[0]), _undirected(rest))
    rest = _ATTRIBUTE.sub(lambda found: found[1] + found[2].replace('="', "='").replace('"', "'"), rest)
    return head + rest, front, body


def _undirected(text: str) -> str:
    """Replace directives (`%%{init: ...}%%`) by blanks; a directive may have several lines."""
    parts: list[str] = []
    at = 0
    begin = text.find("%%{")
    while begin >= 0:
        end = text.find("}%%", begin)
        if end < 0:
            break
        parts += [text[at:begin], *(("\n" if character == "\n" else " ") for character in text[begin : end + 3])]
        at = end + 3
        begin = text.find("%%{", at)
    return "".join([*parts, text[at:]])


def _title(document: Document, front: str) -> str:
    """Return the title in the front matter; errors in the front matter are ignored."""
    if "title" not in front:
        return ""
    try:
        data: Any = parse_yaml(front, document.name)[0]
    except FormatError:
        return ""
    title = data.get("title") if isinstance(data, dict) else None
    return " ".join(title.split()) if isinstance(title, str) else ""
