"""The parser of Mermaid flowcharts: statements to a drawing."""

import re
from dataclasses import dataclass

from wfgate.documents import Document
from wfgate.documents.yaml_text import parse_yaml
from wfgate.errors import FormatError
from wfgate.formats.drawings import Arrow, Box, Drawing, Frame, Heads, Shape, Stroke
from wfgate.formats.drawings.words import cleaned
from wfgate.formats.mermaid.source import Source, source_of

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
OPENERS: tuple[tuple[str, tuple[str, ...], Shape], ...] = (
    ("(-", ("-)", "/)", "))"), "rounded"),
    ("([", ("])",), "terminal"),
    ("[[", ("]]",), "box"),
    (">", ("]",), "box"),
    ("[(", (")]",), "box"),
    ("(((", (")))",), "terminal"),
    ("[/", ("/]", "\\]"), "box"),
    ("[\\", ("\\]", "/]"), "box"),
    ("((", ("))",), "terminal"),
    ("(", (")",), "rounded"),
    ("[", ("]",), "box"),
    ("{{", ("}}",), "preparation"),
    ("{", ("}",), "decision"),
)
"""How a box begins, how it ends, and what it is; longer beginnings stand before those that they begin with."""
_BY_SHAPE: dict[Shape, str] = {
    "terminal": "stadium terminal pill circle circ dbl-circ double-circle doublecircle sm-circ start small-circle "
    "stateStart fr-circ stop framed-circle stateEnd",
    "rounded": "rounded event roundedRect",
    "event": "delay half-rounded-rectangle",
    "decision": "diam diamond decision question choice",
    "preparation": "hex hexagon prepare",
    "bar": "fork join forkJoin",
    "point": "f-circ junction filled-circle",
    "note": "brace comment brace-l brace-r braces text note",
    "box": "rect proc process rectangle squareRect fr-rect subprocess subproc framed-rectangle subroutine cyl db "
    "database cylinder lean-r lean-right in-out lean_right lean-l lean-left out-in lean_left trap-b priority "
    "trapezoid-bottom trapezoid trap-t manual trapezoid-top inv-trapezoid inv_trapezoid notch-rect card "
    "notched-rectangle lin-rect lined-rectangle lined-process lin-proc shaded-process hourglass collate bolt com-link "
    "lightning-bolt doc document h-cyl das horizontal-cylinder lin-cyl disk lined-cylinder curv-trap curved-trapezoid "
    "display div-rect div-proc divided-rectangle divided-process tri extract triangle win-pane internal-storage "
    "window-pane notch-pent loop-limit notched-pentagon flip-tri manual-file flipped-triangle sl-rect manual-input "
    "sloped-rectangle docs documents st-doc stacked-document st-rect procs processes stacked-rectangle bow-rect "
    "stored-data bow-tie-rectangle cross-circ summary crossed-circle tag-doc tagged-document tag-rect "
    "tagged-rectangle tag-proc tagged-process flag paper-tape odd rect_left_inv_arrow lin-doc lined-document classBox "
    "class-box datastore data-store bang cloud state rectWithTitle labelRect iconSquare iconCircle icon iconRounded "
    "imageSquare kanbanItem anchor ellipse",
}
NAMED: dict[str, Shape] = {name: shape for shape, names in _BY_SHAPE.items() for name in names.split()}
"""What the shapes are that `@{ shape: NAME }` names."""
_ENTITY = re.compile(r"#(\d{1,7}|[a-zA-Z]\w{1,30});")
_STRONG = re.compile(r"\*\*([^*\n]++)\*\*|(?<!\w)__([^_\n]++)__(?!\w)")
_EMPHASIS = re.compile(r"(?<![*\w])\*([^*\s][^*\n]*+)\*(?![*\w])|(?<![_\w])_([^_\s][^_\n]*+)_(?![_\w])")
MAX_FRAMES = 50
"""Deepest nesting of subgraphs that is read."""
_BLANK = re.compile(r"[ \t]*+")
_SPACE = re.compile(r"\s*+")
_ENDS_HERE = re.compile(r"\s*+(?:[;\n]|\Z)")
_KEYWORDS = (
    r"(?:style|linkStyle|classDef|class|interpolate|graph|flowchart|subgraph|_self|_blank|_parent|_top)\b"
    r"|end\b|(?:click|call|href)(?=\s)"
)
_KEYWORD = re.compile(_KEYWORDS)
_STRING = r'(?>(?:[A-Za-z0-9!"#$%&\'*+.`?\\_/]|-(?=[^>\-.])|=(?!=))+)'
_ID_PART = re.compile(rf"(?:v|default)\b|[0-9]++|#|:(?!::)|[,*]|{_STRING}|-")
_EDGE_ID = re.compile(r'[^\s"@]++@(?=[^{"\s])')
_SUBGRAPH = re.compile(r"subgraph\b[ \t]*+")
_TITLE = re.compile(r"[^\[\]{}()<>|;\n\",]*+")
_STYLING = re.compile(r"(?:style|linkStyle|classDef|class|click)\b(?=[ \t])")
_REST = re.compile(r'(?>(?:[^";\n]|"[^"]*+")*)')
_STYLED = re.compile(r"style[ \t]++([^\s]++)")
_NUMBERS = re.compile(r"linkStyle[ \t]++(\d[\d,]*+)")
_END = re.compile(r"end\b")
_ACCESS = re.compile(r"acc(Title|Descr)\s*+(?::[ \t]*+([^\n]*+)|\{([^}]*+)\})")
_DIRECTION = re.compile(r"direction[ \t]++(?:TB|TD|BT|RL|LR)\b[^\n]*+")
_TEXT = re.compile(r'[^\[\](){}|"]*+')
_SLANTED = re.compile(r"(?>(?:[^\\\[\](){}/]|/(?!\])|\\(?!\]))*)")
_SLANTS = ("[/", "[\\")
_OPENING = frozenset("([{>")
_PROPERTY = re.compile(r"\[\|[\w-]++:[\w-]++\|")


@dataclass(frozen=True)
class Link:
    """An arrow as it is written.

    Attributes:
        stroke: Kind of line.
        heads: Direction of the arrow heads.
        label: The text in the middle of the arrow.
        written: Whether the arrow has such a text.
        end: Offset of the first character after the arrow.
    """

    stroke: Stroke
    heads: Heads
    label: str
    written: bool
    end: int


def link_at(source: Source, at: int) -> Link | None:
    """Return the arrow that begins at an offset; None if no arrow begins there.

    Raises:
        FormatError: If the arrow has a text but the second part of the arrow is missing.
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
    """Read the text and the second part of an arrow such as `-- text -->`."""
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
            "an arrow is missing after the text of the arrow", found.start(), "write A -- text --> B, or A -->|text| B"
        )
    return Link(stroke, _heads(found[1], close[2]), label_of(label)[0], written=True, end=close.end())


def _heads(first: str, last: str) -> Heads:
    pointed = last in {">", "x", "o"}
    if first and pointed:
        return "both"
    if first:
        return "back" if first == "<" else "none"
    return "forward" if pointed else "none"


def label_of(raw: str) -> tuple[str, str]:
    r"""Return the text of a label, and the text below the horizontal rule in the label.

    Example:
        >>> label_of("`The **cat**\n  in the _hat_`"), label_of("5 #lt; 6<br>really")
        (('The cat in the hat', ''), ('5 < 6 really', ''))
    """
    text = raw.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    if len(text) > 1 and text[0] == text[-1] == "`":
        text = _EMPHASIS.sub(_inner, _STRONG.sub(_inner, text[1:-1]))
    return cleaned(_ENTITY.sub(lambda found: f"&{'#' if found[1].isdigit() else ''}{found[1]};", text))


def _inner(found: re.Match[str]) -> str:
    return found[1] or found[2]


@dataclass
class _Open:
    """A subgraph that is not yet closed, and the ids that are mentioned inside it."""

    place: int
    at: int
    names: list[str]
    frames: list[int]


def drawing_of(document: Document) -> Drawing:
    """Return the boxes, arrows and subgraphs of a flowchart.

    As in Mermaid, a subgraph at the start or end of an arrow is also returned as a box.

    Raises:
        FormatError: If Mermaid could not draw the flowchart.
    """
    return _Parser(document, source_of(document)).drawing()


class _Parser:
    def __init__(self, document: Document, source: Source) -> None:
        self.document = document
        self.source = source
        self.text = source.text
        self.at = source.start
        self.found = Drawing(name=source.title)
        self.open: list[_Open] = []
        self.placed: set[str] = set()
        self.edge_ids: set[str] = set()

    def drawing(self) -> Drawing:
        text = self.text
        while True:
            self.at = _SPACE.match(text, self.at).end()  # type: ignore[union-attr]
            if self.at >= len(text):
                break
            if text[self.at] == ";":
                self.at += 1
                continue
            self._statement()
        if self.open:
            raise self._error("the subgraph is never closed", "close it with a line `end`", at=self.open[-1].at)
        self.found.dotted_is_choice = "__start__" in self.found.boxes and "__end__" in self.found.boxes
        return self.found

    def _statement(self) -> None:
        """Read the statement at the current position."""
        text = self.text
        access = _ACCESS.match(text, self.at)
        direction = _DIRECTION.match(text, self.at)
        if access:
            self._access(access)
        elif direction:
            self.at = direction.end()
        elif _SUBGRAPH.match(text, self.at):
            self._subgraph()
        elif _END.match(text, self.at):
            self._end()
        elif _STYLING.match(text, self.at):
            styled = _STYLED.match(text, self.at)
            if styled and styled[1] not in self.found.boxes:
                self._box(styled[1], self.at).drawn = False
            numbers = _NUMBERS.match(text, self.at)
            for number in numbers[1].split(",") if numbers else ():
                if len(number) > 9 or int(number or 0) >= len(self.found.arrows):
                    raise self._error(
                        f"there is no arrow with the number {number[:12]} above this line",
                        "use the number of an arrow above this line; the first arrow has the number 0",
                    )
            self.at = _REST.match(text, self.at).end()  # type: ignore[union-attr]
            if text[self.at : self.at + 1] == '"':
                raise self._error("a text in quotes is never closed", 'close it with "')
        else:
            self._chain()

    def _access(self, found: re.Match[str]) -> None:
        said = " ".join((found[2] if found[2] is not None else found[3]).split())
        if found[1] == "Title":
            self.found.name = self.found.name or said
        else:
            self.found.description = self.found.description or said
        self.at = found.end()

    def _subgraph(self) -> None:
        begin = self.at
        self.at = _SUBGRAPH.match(self.text, begin).end()  # type: ignore[union-attr]
        if len(self.open) >= MAX_FRAMES:
            raise self._error(
                f"subgraphs are nested deeper than {MAX_FRAMES} levels", "use fewer levels of subgraphs", at=begin
            )
        own: str | None
        if self.text[self.at : self.at + 1] == '"':
            title, said = self._quoted()
            own = None if any(map(str.isspace, said)) else said
        else:
            words = _TITLE.match(self.text, self.at)
            said = words[0].strip() if words else ""
            self.at = words.end() if words else self.at
            title, own = label_of(said)[0], None if not said or any(map(str.isspace, said)) else said
            if not said:
                raise self._error("the subgraph has no name", "write `subgraph NAME`")
        if self.text[self.at : self.at + 1] == "[":
            own = said
            self.at += 1
            title = self._label(("]",), "[")[0]
        if self.text[self.at : self.at + 1] not in {"", ";", "\n"} and not _ENDS_HERE.match(self.text, self.at):
            raise self._error(
                "this text is not allowed in the name of a subgraph",
                'put the title in quotes: subgraph id ["Title (x)"]',
            )
        parent = self.open[-1].place if self.open else None
        place = len(self.found.frames)
        self.found.frames.append(Frame(own, title, parent, self.source.span(begin)))
        self.open.append(_Open(place, begin, [], []))

    def _end(self) -> None:
        if not self.open:
            raise self._error(
                "'end' closes a subgraph, but no subgraph is open",
                "write End instead, or use the word only in a text: id[end]",
            )
        closed = self.open.pop()
        for name in closed.names:
            if name not in self.placed:
                self.placed.add(name)
                self.found.boxes[name].frame = closed.place
        if self.open:
            self.open[-1].frames.append(closed.place)
        self.at += 3

    def _chain(self) -> None:
        """Read boxes and the arrows between them."""
        sources = self._boxes()
        while True:
            after = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            apart = self.text[self.at : after]
            named = _EDGE_ID.match(self.text, after) if apart and "\n" not in apart else None
            at = named.end() if named else after
            link = link_at(self.source, at)
            if link is None:
                break
            if named:
                self.edge_ids.add(named[0][:-1])
            self.at = link.end
            label = link.label
            if self.text[self.at : self.at + 1] == "|" and not link.written:
                self.at += 1
                label = self._label(("|",), "|")[0]
                self.at += self.text[self.at : self.at + 1] in {" ", "\t"}
            if self.text[self.at : self.at + 1] in {"", ";"}:
                raise self._error("the arrow has no target step", "write the target step after the arrow", at=at)
            targets = self._boxes()
            self._connect(sources, targets, link, label, at)
            sources = targets
        if self.text[after : after + 1] not in {"", ";"} and "\n" not in apart:
            raise self._error(
                "expected an arrow, a line break or ';'",
                "write one statement or comment per line, and put a text with special characters in quotes",
                at=after,
            )

    def _connect(self, sources: list[str], targets: list[str], link: Link, label: str, at: int) -> None:
        self.found.check_size(self.document, len(sources) * len(targets))
        span = self.source.span(at)
        self.found.arrows += [
            Arrow(source, target, label, link.stroke, link.heads, span) for source in sources for target in targets
        ]

    def _boxes(self) -> list[str]:
        """Read `A & B`."""
        found = [self._vertex()]
        while True:
            after = _BLANK.match(self.text, self.at).end()  # type: ignore[union-attr]
            behind = _BLANK.match(self.text, after + 1)
            if self.text[after : after + 1] != "&" or after == self.at or not behind or behind.end() == after + 1:
                return [name for name in found if name]
            self.at = behind.end()
            found.append(self._vertex())

    def _vertex(self) -> str:
        """Read an id and what directly follows it: a shape with a text, a class, attributes."""
        begin = self.at
        name = self._id()
        shaped = False
        if name in self.edge_ids and self.text.startswith("@{", self.at):
            self._attributes()
            return ""
        box = self._box(name, begin)
        for opener, closers, shape in OPENERS if self.text[self.at : self.at + 1] in _OPENING else ():
            if self.text.startswith(opener, self.at):
                shaped = True
                self._shape(box, opener, closers, shape)
                break
        if self.text.startswith(":::", self.at):
            self.at += 3
            self._id()
        if self.text.startswith("@{", self.at):
            self._dress(box, self._attributes())
        box.drawn = box.drawn or shaped
        return name

    def _id(self) -> str:
        """Read the id of a box."""
        begin = self.at
        while self.at < len(self.text):
            keyword = _KEYWORD.match(self.text, self.at)
            if keyword:
                raise self._error(
                    f"{keyword[0]!r} is a keyword of Mermaid and cannot be the id of a step",
                    f"write {keyword[0].capitalize()}, or use the word only in a text: id[{keyword[0]}]",
                )
            if LINK.match(self.text, self.at):
                break
            part = _ID_PART.match(self.text, self.at)
            if part and part[0][0] != '"':
                self.at = part.end()
            elif self.text[self.at] > "\x7f" and self.text[self.at].isalpha():
                self.at += 1
            else:
                break
        if self.at == begin:
            wrong = self.text[begin : begin + 1]
            message = "the text ends" if not wrong.strip() else f"{wrong!r} stands"
            raise self._error(
                f"expected the id of a step, but {message} here",
                "write an id and then the text: id[Text]; "
                "after an arrow, write a space before an id that starts with x or o",
            )
        return self.text[begin : self.at]

    def _box(self, name: str, at: int) -> Box:
        box = self.found.boxes.get(name)
        if box is None:
            box = self.found.boxes[name] = Box(name, name, span=self.source.span(at))
            self.found.check_size(self.document)
        box.drawn = True
        if self.open:
            self.open[-1].names.append(name)
        return box

    def _shape(self, box: Box, opener: str, closers: tuple[str, ...], shape: Shape) -> None:
        prefix = _PROPERTY.match(self.text, self.at)
        self.at = prefix.end() if prefix else self.at + len(opener)
        box.label, box.details = self._label(closers, opener)
        box.shape = shape

    def _label(self, closers: tuple[str, ...], opener: str) -> tuple[str, str]:
        """Read a text up to one of the given closing brackets."""
        begin = self.at
        pattern = _SLANTED if opener in _SLANTS else _TEXT
        label: tuple[str, str] | None = None
        if self.text[self.at : self.at + 1] == '"':
            label = self._quoted()[0], ""
            label = label_of(self.text[begin + 1 : self.at - 1])
        inner = self.at
        rest = pattern.match(self.text, self.at)
        self.at = rest.end() if rest else self.at
        closer = next((closer for closer in closers if self.text.startswith(closer, self.at)), None)
        if closer is None:
            self._refuse_text(begin, opener, closers)
        raw = self.text[inner : self.at]
        self.at += len(closer or "")
        if label is None:
            if not raw:
                raise self._error("the label is empty", 'write a label, or " " for a step without a label', at=begin)
            return label_of(raw)
        return label_of(self.text[begin + 1 : inner - 1] + raw) if raw.strip() else label

    def _refuse_text(self, begin: int, opener: str, closers: tuple[str, ...]) -> None:
        wrong = self.text[self.at : self.at + 1]
        if not wrong:
            raise self._error(f"{opener} is never closed", f"close it with {closers[0]}", at=begin)
        raise self._error(
            f"{wrong!r} is not allowed in a text without quotes",
            f'put the text into quotes: {opener}"..."{closers[0]}',
        )

    def _quoted(self) -> tuple[str, str]:
        """Read a text in quotes; return it without markup and as it is written."""
        end = self.text.find('"', self.at + 1)
        if end < 0:
            raise self._error("a text in quotes is never closed", 'close it with "')
        raw = self.text[self.at + 1 : end]
        if not raw:
            raise self._error("the label is empty", 'write a label, or " " for a step without a label')
        self.at = end + 1
        return label_of(raw)[0], raw.strip("`").strip()

    def _attributes(self) -> dict[str, object]:
        """Read `@{ shape: diamond, label: "..." }`."""
        begin = self.at
        end = begin + 2
        while end < len(self.text) and self.text[end] != "}":
            if self.text[end] == '"':
                close = self.text.find('"', end + 1)
                end = close if close >= 0 else len(self.text)
            end += 1
        if end >= len(self.text):
            raise self._error("@{ is never closed", "close it with }")
        inner = self.text[begin + 2 : end]
        self.at = end + 1
        written = inner.strip("\n") if "\n" in inner.strip() else "{" + inner + "}"
        try:
            data = parse_yaml(written, self.document.name)[0] if inner.strip() else {}
        except FormatError as problem:
            raise self._error(
                f"the attributes cannot be read: {problem.message}", 'write @{ shape: rect, label: "Text" }', at=begin
            ) from None
        if not isinstance(data, dict):
            raise self._error("the attributes must be a mapping", 'write @{ shape: rect, label: "Text" }', at=begin)
        return data

    def _dress(self, box: Box, said: dict[str, object]) -> None:
        shape = said.get("shape")
        if shape:
            if not isinstance(shape, str) or shape not in NAMED:
                known = f"Mermaid has no shape {str(shape)[:40]!r}"
                raise self._error(known, "use a shape of Mermaid's list, such as rect, stadium or diamond")
            box.shape = NAMED[shape]
        label = said.get("label")
        if label not in {None, ""} and not isinstance(label, dict | list):
            box.label, box.details = label_of(str(label))

    def _error(self, message: str, fix: str, *, at: int | None = None) -> FormatError:
        return self.source.error(message, self.at if at is None else at, fix)
