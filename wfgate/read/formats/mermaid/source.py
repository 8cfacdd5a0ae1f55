"""Preparation of a Mermaid text: kind of diagram, front matter, comments."""

import re
from typing import Any

from wfgate.errors import FormatError
from wfgate.read.documents.document import Document
from wfgate.read.documents.yaml_text import parse_yaml
from wfgate.read.formats.tokens import CodeText

HEAD = 100_000
"""Characters within which a diagram says what it is."""

_RULE = re.compile(r"---[ \t]*+\n")
_RULE_BELOW = re.compile(r"\n---[ \t]*+(?:\n|\Z)")
_NO_BREAK = re.compile(r"[^\n]")
_COMMENT = re.compile(r"^[ \t]*+%%(?!\{)[^\n]*+", re.MULTILINE)
_DIRECTIVE = re.compile(r"%%\{.*?\}%%", re.DOTALL)
_ATTRIBUTE = re.compile(r"(<\w++)([^<>\n]*+)(?=>)")
_KEYWORD = re.compile(r"\s*+([A-Za-z][\w-]*+)")
_HEADER = re.compile(r"\s*+(?:flowchart-elk|flowchart|graph)\b")
_DIRECTION = re.compile(r"[ \t]*+(?:\n|\Z)|\s*+(?:(?:LR|RL|TB|BT|TD|BR|v)\b|[<>^])[ \t]*+(?:[;\n]|\Z)")

OTHERS = {
    word: what
    for what, words in {
        "a sequence diagram": "sequenceDiagram",
        "a class diagram": "classDiagram classDiagram-v2",
        "a state diagram": "stateDiagram stateDiagram-v2",
        "an entity relationship diagram": "erDiagram",
        "a Gantt chart": "gantt",
        "a user journey": "journey",
        "a pie chart": "pie",
        "a quadrant chart": "quadrantChart",
        "a requirement diagram": "requirementDiagram requirement",
        "a git graph": "gitGraph",
        "a C4 diagram": "C4Context C4Container C4Component C4Dynamic C4Deployment",
        "a mind map": "mindmap",
        "a timeline": "timeline",
        "a ZenUML diagram": "zenuml",
        "a Sankey diagram": "sankey sankey-beta",
        "a chart": "xychart xychart-beta",
        "a block diagram": "block block-beta",
        "a packet diagram": "packet packet-beta",
        "a kanban board": "kanban",
        "an architecture diagram": "architecture architecture-beta",
        "a radar chart": "radar-beta",
        "a treemap": "treemap treemap-beta",
    }.items()
    for word in words.split()
}
"""Mermaid's other diagrams by the word that they begin with."""
_AMBIGUOUS = frozenset({"pie", "journey", "timeline", "requirement", "block", "packet", "kanban", "sankey", "radar"})
"""Words with which prose or data may begin as well."""


class MermaidSource(CodeText):
    """The text of a flowchart, read from its first statement on.

    Attributes:
        text: The text. Front matter, comments and directives are replaced by blanks of the same length.
        at: Offset of what is read next.
        title: The title in the front matter.

    Raises:
        FormatError: If the text is another Mermaid diagram, or not a diagram.
    """

    def __init__(self, document: Document) -> None:
        text, (above, below), body = _prepared(document.text)
        super().__init__(document, text)
        self.at = body
        if self.take(_HEADER) is None:
            keyword = _KEYWORD.match(text, body)
            if keyword and keyword[1] in OTHERS:
                message = f"this is {OTHERS[keyword[1]]} ({keyword[1]}), but only flowcharts can be read"
                raise self.error(message, keyword.start(1), "draw the workflow as a flowchart")
            at, fix = keyword.start(1) if keyword else body, "begin with `flowchart TD` or `graph LR`"
            raise self.error("the text does not begin with a flowchart", at, fix)
        if self.take(_DIRECTION) is None:
            message = "the flowchart has no direction, or the line goes on after the direction"
            fix = "write `flowchart TD` on its own line, and the first step on the next line"
            raise self.error(message, self.at, fix)
        self.title = _title(document, document.text[above:below])

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the match of a pattern at the current offset and move behind it; None if it does not match."""
        match = pattern.match(self.text, self.at)
        if match:
            self.at = match.end()
        return match

    def sees(self, *marks: str) -> bool:
        """Return whether one of these texts is next."""
        return self.text.startswith(marks, self.at)

    def skip(self, *marks: str) -> bool:
        """Skip one of these texts, all of the same length, if it is next; return whether it was skipped."""
        seen = self.sees(*marks)
        self.at += len(marks[0]) * seen
        return seen


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
    rest = _COMMENT.sub(lambda match: " " * len(match[0]), _undirected(rest))
    rest = _ATTRIBUTE.sub(lambda match: match[1] + match[2].replace('="', "='").replace('"', "'"), rest)
    return head + rest, front, body


def _undirected(text: str) -> str:
    """Replace directives (`%%{init: ...}%%`) by blanks; a directive may have several lines."""
    end = text.rfind("}%%") + 3  # behind it, no directive is closed
    return _DIRECTIVE.sub(lambda match: _NO_BREAK.sub(" ", match[0]), text[:end]) + text[end:]


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
