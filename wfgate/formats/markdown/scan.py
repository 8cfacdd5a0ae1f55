"""Markdown to sections and list items, line by line."""

import re
from dataclasses import dataclass, field
from typing import Literal

from wfgate.documents import MAX_DEPTH, Document
from wfgate.formats.builder import MAX_TASKS
from wfgate.formats.markdown.words import plain
from wfgate.model import SourceSpan

Kind = Literal["number", "box", "bullet"]

_FENCES = ("```", "~~~")
_NUMBER = re.compile(
    r"(?:\**(\d{1,4}(?>(?:\.\d{1,4})*))(?:[.):]|(?<=\d)(?=[ \t]))\**|\((\d{1,4})\))(?:[ \t]+(?=\S)|$)"
)
_LETTER = re.compile(r"(?:\(([a-z]|[ivx]{2,4})\)|([a-z]|[ivx]{2,4})[.)])[ \t]+(?=\S)", re.IGNORECASE)
_BULLET = re.compile(r"[-*+•][ \t]+(?=\S)")
_BOX = re.compile(r"\\?\[([ xX~-])\\?\](?:[ \t]+|$)")
_STEP = re.compile(
    r"(\**)(?:step|phase|stage)[ \t]+(\d{1,4}(?>(?:\.\d{1,4})*))(\**)[ \t]*[:.)\u2013\u2014-](\**)[ \t]*(?=\S)",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_RULE = re.compile(r"(?:[-*_][ \t]*){3,}$")
_TAB = 4
_LONGEST = 2000
"""Characters of a step beyond which further lines are its description."""
_INSIDE = 2
"""Columns by which a text must stand to the right of its item's marker."""
BOLD_LEVEL = 7
"""Level of a line in bold that stands alone: below all headings."""


@dataclass(eq=False)
class Item:
    """One item of a list.

    Attributes:
        number: Number as it is written ("2", "2.1", "a"); empty if the item has no number.
        text: Text of the item, with the lines that continue its first sentence.
        more: The other lines of the item, including code.
    """

    kind: Kind
    number: str
    indent: int
    text: str
    line: int
    ticked: bool = False
    more: list[str] = field(default_factory=list)
    items: list["Item"] = field(default_factory=list)

    @property
    def span(self) -> SourceSpan:
        """Position of the marker of the item."""
        return SourceSpan(line=self.line, column=self.indent + 1)


@dataclass(eq=False)
class Section:
    """The text under a heading.

    Attributes:
        name: The heading without emphasis and code marks.
        prose: The text above the first list.
        rest: The text between and below the lists, with line numbers.
    """

    level: int
    title: str
    line: int
    indent: int = 0
    name: str = ""
    prose: list[str] = field(default_factory=list)
    rest: list[tuple[int, str]] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    sections: list["Section"] = field(default_factory=list)

    @property
    def span(self) -> SourceSpan:
        """Position of the heading."""
        return SourceSpan(line=self.line, column=self.indent + 1)


def scan(document: Document) -> tuple[Section, set[int]]:
    r"""Return the whole text as one section, and the first lines of the code blocks inside items.

    Raises:
        FormatError: If lists are nested deeper than `MAX_DEPTH`, or there are more than `MAX_TASKS` headings.

    Cost: linear in the text.

    Example:
        >>> root, _ = scan(Document("example", "# Plan\n1. Build\n   - image\n2. Test\n"))
        >>> [(item.number, item.text, len(item.items)) for item in root.sections[0].items]
        [('1', 'Build', 1), ('2', 'Test', 0)]
    """
    scanner = _Scanner(document)
    for number, line in enumerate(document.text.split("\n"), start=1):
        scanner.take(number, line)
    scanner.close()
    return scanner.root, scanner.inner


class _Scanner:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.root = Section(0, "", document.lines_above + 1)
        self.sections = [self.root]
        self.open: list[Item] = []
        self.inner: set[int] = set()
        self.blank = True
        self.fence = ""
        self.margin = self.headings = 0
        self.loose = 0
        self.code: list[str] | None = None
        self.hidden = ""

    def take(self, number: int, raw: str) -> None:
        line = raw.rstrip("\r").expandtabs(_TAB)
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if self.hidden or (number == 1 and bare == "---") or (bare.startswith("<!--") and not self.fence):
            self._hide(number, bare)
        elif self.fence:
            self._in_fence(bare, line)
        elif bare.startswith(_FENCES):
            self._fence(number, bare, indent)
        elif not bare or _RULE.match(bare):
            self.blank = True
        else:
            self._line(number, " ".join(bare.split()), indent)  # runs of blanks would cost the patterns dear
            self.blank = False

    def _hide(self, number: int, bare: str) -> None:
        """Skip front matter, and comments at the beginning of a line."""
        if number == 1 and bare == "---":
            self.hidden = "---"
            return
        self.hidden = self.hidden or "-->"
        if self.hidden in bare and (self.hidden == "-->" or bare == "---"):
            self.hidden = ""

    def _fence(self, number: int, bare: str, indent: int) -> None:
        self.fence, self.margin = bare[: len(bare) - len(bare.lstrip(bare[0]))], indent
        if self.open:
            while len(self.open) > 1 and self.open[-1].indent + _INSIDE > indent:
                self.open.pop()
            if indent >= self.open[-1].indent + _INSIDE:
                self.inner.add(number + self.document.lines_above)
            self.code = self.open[-1].more
        else:
            section = self.sections[-1]
            self.code = [] if section.items else section.prose
            self.loose = number if section.items else 0

    def _in_fence(self, bare: str, line: str) -> None:
        if bare.startswith(self.fence) and not bare.strip(self.fence[0]):
            self.close()
        elif self.code is not None:
            self.code.append(line[min(self.margin, len(line) - len(line.lstrip())) :].rstrip())

    def close(self) -> None:
        """End a code block. The text below a list is kept until the scanner knows to which item it belongs."""
        if self.loose and self.code:
            self.sections[-1].rest += [(self.loose + self.document.lines_above, line) for line in self.code]
        self.fence, self.loose = "", 0
        self.blank = False

    def _line(self, number: int, bare: str, indent: int) -> None:
        heading = _HEADING.match(bare) if indent <= _INSIDE + 1 else None
        bold = not self.open or indent < _INSIDE
        if heading:
            self._section(number, len(heading[1]), bare[heading.end() :].rstrip("# \t"), indent)
        elif (item := self._item(number, bare, indent)) is not None:
            self._place(item)
        elif bold and _all_bold(bare):
            self._section(number, BOLD_LEVEL, bare.rstrip(":").strip("*_: \t"), indent)
        else:
            self._text(number, bare, indent)

    def _section(self, number: int, level: int, title: str, indent: int) -> None:
        while self.sections[-1].level >= level:
            self.sections.pop()
        self.headings += 1
        if self.headings > MAX_TASKS:
            span = SourceSpan(line=number + self.document.lines_above, column=indent + 1)
            raise self.document.error_at(
                span, f"the text has more than {MAX_TASKS:,} headings", fix="split the plan into several files"
            )
        section = Section(level, title, number + self.document.lines_above, indent, plain(title))
        self.sections[-1].sections.append(section)
        self.sections.append(section)
        self.open = []

    def _item(self, number: int, bare: str, indent: int) -> Item | None:
        line = number + self.document.lines_above
        if match := _NUMBER.match(bare):
            found = Item("number", match[1] or match[2], indent, bare[match.end() :], line)
            dotted = "." in found.number and bare[len(found.number) : len(found.number) + 1] == " "
            if match[1] and not dotted and bare[match.end(1) : match.end(1) + 1].isspace():
                return None  # a bare number begins a sentence
        elif match := _STEP.match(bare):
            if _all_bold(bare):
                return None
            text = bare[match.end() :]
            opened = match[1] and not match[3] and not match[4]
            found = Item("number", match[2], indent, f"**{text}" if opened else text, line)
        elif (match := _LETTER.match(bare)) and self._goes_on((match[1] or match[2]).lower()):
            found = Item("number", (match[1] or match[2]).lower(), indent, bare[match.end() :], line)
        elif match := _BULLET.match(bare):
            found = Item("bullet", "", indent, bare[match.end() :], line)
        else:
            return None
        if box := _BOX.match(found.text):
            found.ticked = box[1] in "xX"
            found.text = found.text[box.end() :]
            found.kind = "box"
        return found

    def _goes_on(self, letter: str) -> bool:
        """Whether a letter is the first of a list or follows the last letter; `A. Miller` is a name, not an item."""
        return letter in {"a", "i"} or any(upper.number.isalpha() for upper in self.open)

    def _place(self, item: Item) -> None:
        """Add an item to the open item that contains it, or to the section."""
        section = self.sections[-1]
        parent = self._by_number(item) if "." in item.number else None
        if parent is not None:
            del self.open[self.open.index(parent) + 1 :]
        else:
            below: Item | None = None
            while self.open and self.open[-1].indent >= item.indent and not self._holds(self.open[-1], item, below):
                below = self.open.pop()
        if len(self.open) >= MAX_DEPTH:
            raise self.document.error_at(
                item.span, f"the list is nested deeper than {MAX_DEPTH} levels", fix="use fewer levels of nesting"
            )
        if self.open:
            self.open[-1].items.append(item)
        else:
            if section.rest and section.items and item.kind == "number" and _follows(section.items[-1], item):
                section.items[-1].more += [text for _, text in section.rest]
                section.rest = []
            section.items.append(item)
        self.open.append(item)

    def _by_number(self, item: Item) -> Item | None:
        prefix = item.number.rpartition(".")[0]
        return next((upper for upper in reversed(self.open) if upper.number == prefix), None)

    def _holds(self, upper: Item, item: Item, below: Item | None) -> bool:
        """Whether bullets in the same column as the numbered item above them belong to that item."""
        if upper.kind != "number" or item.kind == "number" or item.number:
            return False
        return not self.blank or (below is not None and bool(upper.items) and upper.items[-1] is below)

    def _text(self, number: int, bare: str, indent: int) -> None:
        section = self.sections[-1]
        if self.open and self.blank:
            while self.open and self.open[-1].indent + _INSIDE > indent:
                self.open.pop()
        if not self.open:
            if section.items:
                section.rest.append((number + self.document.lines_above, bare))
            else:
                section.prose.append(bare)
            return
        item = self.open[-1]
        going_on = len(item.text) < _LONGEST and item.text[-1:] not in {".", ":", "!", "?", ""}
        if going_on and not self.blank and not item.more and not item.items:
            item.text = f"{item.text} {bare}" if not item.text.endswith("**") else item.text
            if item.text.endswith("**"):
                item.more.append(bare)
        else:
            item.more.append(bare)


def _all_bold(bare: str) -> bool:
    """Whether the line consists of one bold text."""
    inner = bare.rstrip(":")
    return inner.startswith("**") and inner.endswith("**") and len(inner) > 4 and "**" not in inner[2:-2]


def _follows(before: Item, after: Item) -> bool:
    if not (before.number.isdigit() and after.number.isdigit()):
        return False
    return int(after.number) == int(before.number) + 1
