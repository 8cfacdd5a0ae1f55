"""Markdown to sections and list items, line by line.

The lists of people and language models are looser than CommonMark: `Step 1:`, `(1)`, `a)`, `1.2` and `•` are items
too, and any deeper indentation is a list inside an item. So the lines are read here, not by a parser of CommonMark.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document
from wfgate.read.documents.fences import Block, fenced_blocks
from wfgate.read.documents.limits import MAX_DEPTH
from wfgate.read.formats.builder import MAX_TASKS
from wfgate.read.formats.code import open_quote
from wfgate.read.formats.markdown.tables import Table, table_at
from wfgate.read.formats.markdown.words import DECLARATION, LABEL, NOT_RENDERED, end_of, hidden_element, plain, shown

Kind = Literal["number", "box", "bullet"]

_NUMBER = re.compile(
    r"(?:\**(\d{1,4}(?>(?:\.\d{1,4})*))[.):]\**|\((\d{1,4})\)|(\d{1,4}(?>(?:\.\d{1,4})+))(?= ))(?: +(?=\S)|$)"
)
_LETTER = re.compile(r"(?:\(([a-z]|[ivx]{2,4})\)|([a-z]|[ivx]{2,4})[.)]) +(?=\S)", re.IGNORECASE)
_BULLET = re.compile(r"[-*+•] +(?=\S)")
_BOX = re.compile(r"\\?\[([xXvV]|[^\w\[\]\\]?)\\?\]([^\w\s\[\]()`:\\]{0,3})(?: +|$)")
"""The box of a checklist, with any sign in it, and the signs glued to it; a letter or digit is a reference, except for
`x` and `v`, and so is what has a colon or a target behind it."""
_DEFINITION = re.compile(r"\[[^\]^][^\]]*\]:[ \t]*\S+(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?$")
"""The definition of a link, which a renderer does not show."""
_STEP = re.compile(
    r"(\**)(?:step|phase|stage) +(\d{1,4}(?>(?:\.\d{1,4})*))(\**) *[:.)\u2013\u2014-](\**) *(?=\S)", re.IGNORECASE
)
_HEADING = re.compile(r"(#{1,6}) +(?=\S)")
_UNDERLINE = re.compile(r" {0,3}(?:={2,}|-{3,})")
_RULE = re.compile(r"(?:[-*_][ \t]*){3,}$")
_OPEN = frozenset({"", " ", "~", "/"})
"""Signs in the box of an item that is open or in progress."""
_TICKED = frozenset("xXvV\u2713\u2714\u2705\u2611")
_SHELLS = frozenset({"", "bash", "sh", "shell", "zsh", "console", "shell-session", "terminal"})
"""Languages of code blocks with commands."""
_IN_WORD = re.compile(r"\w['\"]\w")
"""A quote inside a word, as in "don't"; the line is text, or output."""
_TAB = 4
_LONGEST = 2000
"""Characters of a step beyond which further lines are its description."""
_INSIDE = 2
"""Columns by which a text must stand to the right of its item's marker."""
_WRAPPED = 100
"""Most lines of one command."""
BOLD_LEVEL = 7
"""Level of a line in bold that stands alone: below all headings."""


@dataclass(eq=False, slots=True)
class Item:
    """One item of a list.

    Attributes:
        number: Number as it is written ("2", "2.1", "a"); empty if the item has no number.
        text: Text of the item, with the lines that continue its first sentence.
        line: Line of the marker.
        indent: Columns before the marker.
        box: The box, if it says more than that the item is open, in progress or done: `[-]` (cancelled, or in progress
            in Kiro), `[>]` (deferred), `[ ]*` (optional, as Kiro writes it).
        hidden: Whether nothing of the text is shown: it is struck out, a comment, or the definition of a link.
        more: The other lines of the item, including code.
        code: The lines of code.
    """

    kind: Kind
    number: str
    text: str
    line: int
    indent: int
    ticked: bool = False
    box: str = ""
    hidden: bool = False
    more: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    items: list["Item"] = field(default_factory=list)

    @property
    def marked(self) -> str:
        """The text and the other lines, with their marks; lines of code are marked as inline code."""
        text = f"{self.box} {self.text}" if self.box else self.text
        return "\n".join([text, *self.more, *(f"`{line}`" for line in self.code)])

    @property
    def span(self) -> SourceSpan:
        """Position of the marker. It is not stored: a text may have a million items."""
        return SourceSpan(line=self.line, column=self.indent + 1)

    def holds(self, indent: int) -> bool:
        """Return whether a text at this indentation stands inside the item."""
        return indent >= self.indent + _INSIDE


@dataclass(eq=False)
class Section:
    """The text under a heading.

    Attributes:
        name: The heading without emphasis and code marks.
        title: The heading with all marks.
        span: Position of the heading.
        settings: The lines of the front matter.
        prose: The text above the first list.
        rest: The text between and below the lists, with line numbers.
        code: The lines of code above the first list.
        rest_code: The lines of code in `rest`.
        tables: The tables that look like steps and are read as text; those of the whole text are in the first section.
    """

    level: int
    name: str
    span: SourceSpan
    title: str = ""
    settings: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    rest: list[tuple[int, str]] = field(default_factory=list)
    code: list[str] = field(default_factory=list)
    rest_code: list[str] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    sections: list["Section"] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @property
    def marked(self) -> str:
        """The text above the first list with its marks; lines of code are marked as inline code."""
        return "\n".join([*self.prose, *(f"`{line}`" for line in self.code)])

    @property
    def marked_rest(self) -> list[str]:
        """The text between and below the lists with its marks; lines of code are also marked as inline code."""
        return [*(text for _, text in self.rest), *(f"`{line}`" for line in self.rest_code)]


def walk(section: Section) -> Iterator[Section]:
    """Yield a section and all sections inside it, in order."""
    yield section
    for inner in section.sections:
        yield from walk(inner)


def walk_items(items: Iterable[Item]) -> Iterator[Item]:
    """Yield items and all items inside them, in order."""
    for item in items:
        yield item
        yield from walk_items(item.items)


def scan(document: Document, *, tables: bool = False) -> tuple[Section, set[int]]:
    r"""Return the whole text as one section, and the first lines of the code blocks inside items.

    Args:
        document: The text.
        tables: Whether the rows of tables of steps outside of lists are items with numbers, and no text.

    Raises:
        FormatError: If lists are nested deeper than `MAX_DEPTH`, or there are more than `MAX_TASKS` headings.

    Cost: linear in the text.

    Example:
        >>> root, _ = scan(Document("example", "# Plan\n1. Build\n   - image\n2. Test\n"))
        >>> [(item.number, item.text, len(item.items)) for item in root.sections[0].items]
        [('1', 'Build', 1), ('2', 'Test', 0)]
    """
    scanner = _Scanner(document)
    blocks = {block.line: block for block in fenced_blocks(document.text)}
    end = looked = 0
    lines = document.text.split("\n")
    for number, raw in enumerate(lines, start=1):
        line = _clean(raw)
        bare = line.strip()
        span = SourceSpan(line=number + document.lines_above, column=1 + len(line) - len(line.lstrip()))
        if number <= end or scanner.hides(number, bare):
            continue
        if number in blocks:
            scanner.code(blocks[number], span)
            end = blocks[number].end
        elif number > looked and (table := table_at(lines, number)):
            looked = table.end
            if tables and scanner.table(table, span):
                end = table.end
            else:
                scanner.root.tables += [table] if table.rows is not None else []
                scanner.line(" ".join(bare.split()), span)
                scanner.blank = False
        elif not bare or _RULE.match(bare):
            scanner.blank, scanner.flows = True, False
        elif scanner.blank and (level := _underlined(bare, lines[number] if number < len(lines) else "")):
            scanner.line(f"{'#' * level} {' '.join(bare.split())}", span)
            end = number + 1  # the underline
        else:
            scanner.line(" ".join(bare.split()), span)  # runs of blanks would cost the patterns dear
            scanner.blank = False
    return scanner.root, scanner.inner


class _Scanner:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.root = Section(0, "", document.top)
        self.sections = [self.root]
        self.open: list[Item] = []
        self.inner: set[int] = set()
        self.blank = True
        self.headings = 0
        self.hidden = ""
        self.depth = 0
        """How deep a hidden element is nested in elements of the same name."""
        self.flows = False
        """Whether the line above is text that the next line may continue."""

    def hides(self, number: int, bare: str) -> bool:
        """Return whether a line is front matter, or in a comment or the like that begins at the start of a line.

        A hidden element, such as `<div hidden>`, ends with its own closing tag.
        """
        if self.hidden == "---" and bare != "---":
            self.root.settings.append(bare)
        first = number == 1 and bare == "---"
        end = self.hidden or ("---" if first else _hidden_until(bare))
        if end.startswith("</"):
            self.depth, after = end_of(end[2:], bare, depth=self.depth)
            closed = after >= 0
        else:
            closed = end == bare and not first if end == "---" else bool(end) and end in bare
        self.hidden = "" if closed else end
        return bool(end)

    def code(self, block: Block, span: SourceSpan) -> None:
        """Add a code block to the item or section that contains it."""
        margin = span.column - 1
        cleaned = map(_clean, block.text.split("\n") if block.text else ())
        lines = [line[min(margin, len(line) - len(line.lstrip())) :].rstrip() for line in cleaned]
        if block.language in _SHELLS:
            lines = list(_commands(lines))
        section = self.sections[-1]
        if self.open:
            while len(self.open) > 1 and not self.open[-1].holds(margin):
                self.open.pop()
            if self.open[-1].holds(margin):
                self.inner.add(span.line)
            self.open[-1].more += lines
            self.open[-1].code += lines
        elif section.items:
            section.rest += [(span.line, line) for line in lines]
            section.rest_code += lines
        else:
            section.prose += lines
            section.code += lines
        self.blank = self.flows = False

    def table(self, table: Table, span: SourceSpan) -> bool:
        """Add the rows of a table to the section as items; return whether they are steps and stand in no list."""
        if not table.rows or (self.open and self.open[-1].holds(span.column - 1)):
            return False
        first = (span.line or 0) + 2  # below the header and the line under it
        for line, row in enumerate(table.rows, start=first):
            text = _said(row.text)
            item = Item("number", row.number, text, line, 0, hidden=not text, more=[shown(each) for each in row.more])
            self.sections[-1].items.append(item)
        self.open, self.blank, self.flows = [], True, False
        return True

    def line(self, bare: str, span: SourceSpan) -> None:
        """Add a line of text to the item or section that contains it."""
        indent, flows = span.column - 1, self.flows
        self.flows = False
        heading = _HEADING.match(bare) if indent <= _INSIDE + 1 else None
        if heading:
            self._section(len(heading[1]), shown(bare[heading.end() :].rstrip("# ")), span)
        elif item := self._item(bare, span):
            self._place(item)
        elif (not self.open or indent < _INSIDE) and _is_bold(bare):
            self._section(BOLD_LEVEL, shown(bare.strip("*_: ")), span)
        elif bare := shown(bare):
            self._text(bare, span, flows=flows)
            self.flows = True

    def _section(self, level: int, title: str, span: SourceSpan) -> None:
        if not title:
            return
        while self.sections[-1].level >= level:
            self.sections.pop()
        self.headings += 1
        if self.headings > MAX_TASKS:
            raise self.document.error_at(
                span, f"the text has more than {MAX_TASKS:,} headings", fix="split the plan into several files"
            )
        section = Section(level, plain(title), span, title)
        self.sections[-1].sections.append(section)
        self.sections.append(section)
        self.open = []

    def _item(self, bare: str, span: SourceSpan) -> Item | None:
        """Return the item that begins in this line; None if no item does."""
        number = lead = ""
        if match := _NUMBER.match(bare):
            number = match[1] or match[2] or match[3]
        elif (match := _STEP.match(bare)) and not _is_bold(bare):
            number = match[2]
            lead = "**" if match[1] and not (match[3] or match[4]) else ""
        elif (match := _LETTER.match(bare)) and self._goes_on((match[1] or match[2]).lower()):
            number = (match[1] or match[2]).lower()
        elif not (match := _BULLET.match(bare)):
            return None
        written, place = lead + bare[match.end() :], (span.line, span.column - 1)
        box = _BOX.match(written)
        written = written[box.end() :] if box else written
        text = _said(written)
        hidden = bool(written) and not text
        if box:
            plain = box[1] in _OPEN | _TICKED
            sign = " " if plain else box[1]
            shown_box = f"[{sign}]{box[2]}" if box[2] or not plain else ""
            return Item("box", number, text, *place, ticked=box[1] in _TICKED, box=shown_box, hidden=hidden)
        return Item("number" if number else "bullet", number, text, *place, hidden=hidden)

    def _goes_on(self, letter: str) -> bool:
        """Whether a letter is the first of a list or follows the last letter; `A. Miller` is a name, not an item."""
        return letter in {"a", "i"} or any(upper.number.isalpha() for upper in self.open)

    def _place(self, item: Item) -> None:
        """Add an item to the open item that contains it, or to the section."""
        section = self.sections[-1]
        prefix = item.number.rpartition(".")[0]
        parents = [at for at, upper in enumerate(self.open) if upper.number == prefix] if prefix else []
        below: Item | None = None
        if parents:
            del self.open[parents[-1] + 1 :]
        while not parents and self.open and self.open[-1].indent >= item.indent and not self._takes(item, below):
            below = self.open.pop()
        if len(self.open) >= MAX_DEPTH:
            raise self.document.error_at(
                item.span, f"the list is nested deeper than {MAX_DEPTH} levels", fix="use fewer levels of nesting"
            )
        before = section.items[-1] if section.items and not self.open else None
        if before and section.rest and item.kind == "number" and _follows(before.number, item.number):
            before.more += [text for _, text in section.rest]
            before.code += section.rest_code
            section.rest, section.rest_code = [], []
        (self.open[-1] if self.open else section).items.append(item)
        self.open.append(item)

    def _takes(self, item: Item, below: Item | None) -> bool:
        """Whether bullets in the same column as the numbered item above them belong to that item."""
        upper = self.open[-1]
        if upper.kind != "number" or item.kind == "number" or item.number:
            return False
        return not self.blank or (below is not None and bool(upper.items) and upper.items[-1] is below)

    def _text(self, bare: str, span: SourceSpan, *, flows: bool) -> None:
        section = self.sections[-1]
        while self.blank and self.open and not self.open[-1].holds(span.column - 1):
            self.open.pop()
        if not self.open and section.items:
            if flows and section.rest and _continues(section.rest[-1][1], bare):
                section.rest[-1] = (section.rest[-1][0], f"{section.rest[-1][1]} {bare}")
            else:
                section.rest.append((span.line, bare))
        elif not self.open:
            _add(section.prose, bare, flows=flows)
        else:
            item = self.open[-1]
            said_all = item.text.endswith((".", ":", "!", "?", "**")) and not _is_in_code(item.text)
            if self.blank or item.more or item.items or said_all or not 0 < len(item.text) < _LONGEST:
                if said := _said(bare):
                    _add(item.more, said, flows=flows)
            else:
                item.text = _said(f"{item.text} {bare}")
                item.hidden = not item.text


def _underlined(bare: str, below: str) -> int:
    """Return the level of a heading that is written as a line of text with a line of `=` or `-` below it; else 0.

    Below a sentence, an item or a row of a table, `---` is a rule.
    """
    match = _UNDERLINE.fullmatch(below.rstrip())
    if (
        not match
        or bare.startswith(("#", ">", "|"))
        or any(begin.match(bare) for begin in (_NUMBER, _LETTER, _BULLET))
    ):
        return 0
    if match[0].endswith("-"):
        return 0 if bare.endswith((".", ":", ";", ",", "!", "?")) or _STEP.match(bare) else 2
    return 1


def _hidden_until(bare: str) -> str:
    """Return the end of what a renderer does not show, if it begins at the start of a line; otherwise empty."""
    if not bare.startswith("<"):
        return ""
    if name := hidden_element(bare):
        return f"</{name}"
    end = next((end for opening, end in NOT_RENDERED.items() if bare.startswith(opening)), "")
    return end or (">" if DECLARATION.match(bare) else "")


def _add(lines: list[str], text: str, *, flows: bool) -> None:
    """Add a line of text, to the line above if it goes on in the next one."""
    if flows and lines and _continues(lines[-1], text):
        lines[-1] = f"{lines[-1]} {text}"
    else:
        lines.append(text)


def _commands(lines: Sequence[str]) -> Iterator[str]:
    r"""Yield the lines of a shell; a command over several lines, by a backslash or in a quote, becomes one.

    Example:
        >>> list(_commands(["rm \\", "  -r x", "jq '.a |", "  .b' x", "echo 'a"]))
        ['rm -r x', "jq '.a | .b' x", "echo 'a"]
    """
    here = any("<<" in line for line in lines)  # the lines of a here-document are data
    at = 0
    while at < len(lines):
        parts, end = [lines[at]], at + 1
        quote = "" if here or _IN_WORD.search(lines[at]) else open_quote(lines[at], "")
        while end < len(lines) and end - at < _WRAPPED and (quote or _is_cut(parts[-1])):
            quote = open_quote(lines[end], quote)
            parts.append(lines[end])
            end += 1
        if quote:
            parts, end = [lines[at]], at + 1
        first, *more = (part[:-1] if _is_cut(part) else part for part in parts)
        yield " ".join([first.rstrip(), *(part.strip() for part in more)]) if more else lines[at]
        at = end


def _is_cut(line: str) -> bool:
    """Return whether a command goes on in the next line."""
    return line.endswith("\\") and not line.endswith("\\\\")


def _continues(line: str, text: str) -> bool:
    """Whether a sentence goes on in the next line, so that a comparison by sentences sees it whole."""
    ended = line.endswith((".", ":", ";", "!", "?", "**", "|")) and not _is_in_code(line)
    ended = ended or len(line) > _LONGEST
    return not ended and not text.startswith(("|", ">", "*", "_")) and LABEL.match(text) is None


def _is_in_code(text: str) -> bool:
    """Return whether inline code begins in a text and goes on in the next line."""
    return text.count("`") % 2 == 1


def _clean(line: str) -> str:
    return line.rstrip("\r").expandtabs(_TAB)


def _said(text: str) -> str:
    """Return what a renderer shows of the text of an item."""
    text = shown(text)
    return "" if _DEFINITION.match(text) else text


def _is_bold(bare: str) -> bool:
    """Whether the line consists of one bold text."""
    inner = bare.rstrip(":")
    return inner.startswith("**") and inner.endswith("**") and len(inner) > 4 and "**" not in inner[2:-2]


def _follows(before: str, after: str) -> bool:
    return before.isdigit() and after.isdigit() and int(after) == int(before) + 1
