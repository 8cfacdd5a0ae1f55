"""Mermaid's arrows: `-->`, `-- text -->`, `==>`, `-.->`, `~~~` and their kin."""

import re
from dataclasses import dataclass

from wfgate.formats.drawings import Heads, Stroke
from wfgate.formats.mermaid.source import Source
from wfgate.formats.mermaid.words import label_of

LINK = re.compile(r"[xo<]?(?:--|==|-\.|\.++-)|~~~")
"""What an arrow begins with."""

_WHOLE: tuple[tuple[re.Pattern[str], Stroke], ...] = (
    (re.compile(r"([xo<]?)--+([-xo>])\s*+"), "solid"),
    (re.compile(r"([xo<]?)==+([=xo>])\s*+"), "solid"),
    (re.compile(r"([xo<]?)-?\.++-([xo>]?)\s*+"), "dotted"),
    (re.compile(r"()~~~+()\s*+"), "invisible"),
)
_BEGIN: tuple[tuple[re.Pattern[str], Stroke, str, re.Pattern[str]], ...] = (
    (re.compile(r"([xo<]?)--\s*+"), "solid", "--", _WHOLE[0][0]),
    (re.compile(r"([xo<]?)==\s*+"), "solid", "==", _WHOLE[1][0]),
    (re.compile(r"([xo<]?)-\.\s*+"), "dotted", ".-", _WHOLE[2][0]),
)
_SPACE = re.compile(r"\s*+")


@dataclass(frozen=True)
class Link:
    """An arrow as written.

    Attributes:
        stroke: How it is drawn.
        heads: Where it points.
        label: The text in the middle of it.
        written: Whether there is one.
        end: Where what follows begins.
    """

    stroke: Stroke
    heads: Heads
    label: str
    written: bool
    end: int


def link_at(source: Source, at: int) -> Link | None:
    """Return the arrow that begins at an offset; None if none does.

    Raises:
        FormatError: If its text is not followed by the rest of it.
    """
    text = source.text
    for pattern, stroke in _WHOLE:
        found = pattern.match(text, at)
        if found:
            return Link(stroke, _heads(found[1], found[2]), "", written=False, end=found.end())
    for begin, stroke, mark, closing in _BEGIN:
        found = begin.match(text, at)
        if found:
            return _with_text(source, found, stroke, mark, closing)
    return None


def _with_text(source: Source, found: re.Match[str], stroke: Stroke, mark: str, closing: re.Pattern[str]) -> Link:
    """Read the text of an arrow like `-- text -->`, and its end."""
    text, begin = source.text, found.end()
    if text.startswith('"', begin):
        end = text.find('"', begin + 1)
        label = text[begin + 1 : end]
        close = closing.match(text, _SPACE.match(text, end + 1).end()) if end > begin + 1 else None  # type: ignore[union-attr]
    else:
        at = text.find(mark, begin)
        while mark == ".-" and at > begin and text[at - 1] == ".":
            at -= 1
        at -= mark == ".-" and at > begin and text[at - 1] == "-"
        at -= at > begin and text[at - 1] in "xo<"
        close = closing.match(text, at) if at >= begin else None
        label = text[begin:at]
        if not label.strip() or '"' in label:
            close = None
    if close is None:
        raise source.error(
            "the text of the arrow has no arrow behind it", found.start(), "write A -- text --> B, or A -->|text| B"
        )
    return Link(stroke, _heads(found[1], close[2]), label_of(label)[0], written=True, end=close.end())


def _heads(first: str, last: str) -> Heads:
    pointed = last in {">", "x", "o"}
    if first and pointed:
        return "both"
    if first:
        return "back" if first == "<" else "none"
    return "forward" if pointed else "none"
