"""The parser of Mermaid flowcharts: statements to a drawing."""

import re
from dataclasses import dataclass

from wfgate.errors import FormatError
from wfgate.read.documents.document import Document
from wfgate.read.documents.yaml_text import parse_yaml
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.drawings.base import Arrow, Box, Drawing, Frame, Heads, Shape, Stroke
from wfgate.read.formats.drawings.words import cleaned
from wfgate.read.formats.mermaid.source import MermaidSource

LINK = re.compile(r"[xo<]?(?:--|==|-\.|\.++-)|~~~")
"""What an arrow begins with."""

_LINES: tuple[tuple[Stroke, str, str, str], ...] = (
    ("solid", r"--+([-xo>])", "--", "--"),
    ("solid", r"==+([=xo>])", "==", "=="),
    ("dotted", r"-?\.++-([xo>]?)", r"-\.", r"-?\.++-"),
)
"""Kinds of lines: a whole line, and where the text of a line (`-- text -->`) begins and ends."""
_LINKS: tuple[tuple[re.Pattern[str], Stroke], ...] = (
    *((re.compile(rf"([xo<]?){whole}\s*+"), stroke) for stroke, whole, *_ in _LINES),
    (re.compile(r"()~~~+()\s*+"), "invisible"),
    *(
        (
            re.compile(rf"([xo<]?){begin}\s*+(?:\"([^\"]++)\"\s*+|((?>(?:(?![xo<]?{end})[^\"])+)))[xo<]?{whole}\s*+"),
            stroke,
        )
        for stroke, whole, begin, end in _LINES
    ),
)
_LINK_TEXT = re.compile(r"[xo<]?(?:--|==|-\.)")
"""What an arrow with a text begins with."""
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
_SPACE = re.compile(r"\s*+")
_AND = re.compile(r"[ \t]++&[ \t]++")
_ENDS_HERE = re.compile(r"\s*+(?:[;\n]|\Z)")
_KEYWORD = re.compile(
    r"(?:style|linkStyle|classDef|class|interpolate|graph|flowchart|subgraph|_self|_blank|_parent|_top)\b"
    r"|end\b|(?:click|call|href)(?=\s)"
)
_STRING = r'(?>(?:[A-Za-z0-9!"#$%&\'*+.`?\\_/]|-(?=[^>\-.])|=(?!=))+)'
_ID = re.compile(
    rf'(?>(?:(?!"|{_KEYWORD.pattern}|{LINK.pattern})'
    rf"(?:(?:v|default)\b|[0-9]++|#|:(?!::)|[,*]|{_STRING}|-|(?![\x00-\x7f])[^\W\d_]))+)"
)
_EDGE_ID = re.compile(r'([^\s"@]++)@(?=[^{"\s])')
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
_PROPERTY = re.compile(r"\[\|[\w-]++:[\w-]++\|")
_QUOTED = re.compile(r'"([^"]*+)"')
_DATA = re.compile(r'@\{((?>(?:[^"}]++|"[^"]*+")*))\}')


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
    return cleaned(_ENTITY.sub(lambda match: f"&{'#' if match[1].isdigit() else ''}{match[1]};", text))


def _inner(match: re.Match[str]) -> str:
    return match[1] or match[2]


@dataclass
class _OpenSubgraph:
    """A subgraph that is not yet closed, and the ids that are mentioned inside it."""

    place: int
    at: int
    names: list[str]


def drawing_of(document: Document) -> Drawing:
    """Return the boxes, arrows and subgraphs of a flowchart.

    As in Mermaid, a subgraph at the start or end of an arrow is also returned as a box.

    Raises:
        FormatError: If Mermaid could not draw the flowchart.
    """
    return _MermaidParser(document).drawing()


class _MermaidParser(MermaidSource):
    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.drawn = Drawing(name=self.title)
        self.open: list[_OpenSubgraph] = []
        self.placed: set[str] = set()
        self.edge_ids: set[str] = set()

    def drawing(self) -> Drawing:
        while self.take(_SPACE) and self.at < len(self.text):
            if not self.skip(";"):
                self._statement()
        if self.open:
            raise self.error("the subgraph is not closed", self.open[-1].at, "close it with a line `end`")
        self.drawn.dotted_is_choice = "__start__" in self.drawn.boxes and "__end__" in self.drawn.boxes
        return self.drawn

    def _statement(self) -> None:
        """Read the statement at the current position."""
        begin = self.at
        if access := self.take(_ACCESS):
            said = " ".join((access[2] if access[2] is not None else access[3]).split())
            if access[1] == "Title":
                self.drawn.name = self.drawn.name or said
            else:
                self.drawn.description = self.drawn.description or said
        elif self.take(_DIRECTION):
            pass
        elif self.take(_SUBGRAPH):
            self._subgraph(begin)
        elif self.take(_END):
            self._end(begin)
        elif _STYLING.match(self.text, begin):
            self._styling(begin)
        else:
            self._chain()

    def _styling(self, begin: int) -> None:
        styled, numbers = _STYLED.match(self.text, begin), _NUMBERS.match(self.text, begin)
        if styled and styled[1] not in self.drawn.boxes:
            self._box(styled[1], begin).drawn = False
        for number in numbers[1].split(",") if numbers else ():
            if len(number) > 9 or int(number or 0) >= len(self.drawn.arrows):
                message = f"there is no arrow with the number {number[:12]} above this line"
                fix = "use the number of an arrow above this line; the first arrow has the number 0"
                raise self.error(message, begin, fix)
        self.take(_REST)
        if self.sees('"'):
            raise self.error("a text in quotes is not closed", self.at, 'close it with "')

    def _subgraph(self, begin: int) -> None:
        if len(self.open) >= MAX_FRAMES:
            message = f"subgraphs are nested deeper than {MAX_FRAMES} levels"
            raise self.error(message, begin, "use fewer levels of subgraphs")
        if self.sees('"'):
            title = self._quoted()
            said = title.strip("`").strip()
        else:
            words = self.take(_TITLE)
            title = said = words[0].strip() if words else ""
            if not said:
                raise self.error("the subgraph has no name", self.at, "write `subgraph NAME`")
        own = "" if any(map(str.isspace, said)) else said
        title = label_of(title)[0]
        if self.skip("["):
            own = said
            title = self._label(("]",), "[")[0]
        if self.text[self.at : self.at + 1] not in {"", ";", "\n"} and not _ENDS_HERE.match(self.text, self.at):
            message = "this text is not allowed in the name of a subgraph"
            raise self.error(message, self.at, 'put the title in quotes: subgraph id ["Title (x)"]')
        parent = self.open[-1].place if self.open else None
        self.open.append(_OpenSubgraph(len(self.drawn.frames), begin, []))
        self.drawn.frames.append(Frame(own, title, parent, self.span(begin)))

    def _end(self, begin: int) -> None:
        if not self.open:
            message = "'end' closes a subgraph, but no subgraph is open"
            raise self.error(message, begin, "write End instead, or use the word only in a text: id[end]")
        closed = self.open.pop()
        for name in closed.names:
            if name not in self.placed:
                self.placed.add(name)
                self.drawn.boxes[name].frame = closed.place

    def _chain(self) -> None:
        """Read boxes and the arrows between them."""
        sources = self._boxes()
        while True:
            begin = self.at
            self.take(_SPACE)
            after, apart = self.at, self.text[begin : self.at]
            named = self.take(_EDGE_ID) if apart and "\n" not in apart else None
            at = self.at
            link = self._link()
            if link is None:
                self.at = after
                break
            if named:
                self.edge_ids.add(named[1])
            stroke, heads, label = link
            if label is None:
                label = ""
                if self.skip("|"):
                    label = self._label(("|",), "|")[0]
                    self.skip(" ", "\t")
            if self.sees(";") or self.at == len(self.text):
                raise self.error("the arrow has no target step", at, "write the target step after the arrow")
            targets = self._boxes()
            check_size(self.document, 0, len(self.drawn.arrows) + len(sources) * len(targets))
            span = self.span(at)
            self.drawn.arrows += [
                Arrow(source, target, label, stroke, heads, span) for source in sources for target in targets
            ]
            sources = targets
        if not self.sees(";") and self.at < len(self.text) and "\n" not in apart:
            fix = "write one statement or comment per line, and put a text with special characters in quotes"
            raise self.error("expected an arrow, a line break or ';'", after, fix)

    def _link(self) -> tuple[Stroke, Heads, str | None] | None:
        """Read an arrow, and the text in the middle of it, if it has one."""
        for pattern, stroke in _LINKS:
            match = self.take(pattern)
            if match:
                first, *text, last = match.groups()
                label = next(filter(None, text), None)
                pointed = last in {">", "x", "o"}
                heads: Heads = "forward" if pointed else "none"
                if first:
                    heads = "both" if pointed else "back" if first == "<" else "none"
                return stroke, heads, None if label is None else label_of(label)[0]
        if _LINK_TEXT.match(self.text, self.at):
            message = "an arrow is missing after the text of the arrow"
            raise self.error(message, self.at, "write A -- text --> B, or A -->|text| B")
        return None

    def _boxes(self) -> list[str]:
        """Read `A & B`."""
        names = [self._vertex()]
        while self.take(_AND):
            names.append(self._vertex())
        return [name for name in names if name]

    def _vertex(self) -> str:
        """Read an id and what directly follows it: a shape with a text, a class, attributes."""
        begin = self.at
        name = self._id()
        if name in self.edge_ids and self.sees("@{"):
            self._attributes()
            return ""
        box = self._box(name, begin)
        for opener, closers, shape in OPENERS:
            if self.sees(opener):
                if not self.take(_PROPERTY):
                    self.skip(opener)
                box.label, box.details = self._label(closers, opener)
                box.shape, box.drawn = shape, True
                break
        if self.skip(":::"):
            self._id()
        if self.sees("@{"):
            self._dress(box, self._attributes())
        return name

    def _id(self) -> str:
        """Read the id of a box."""
        match = self.take(_ID)
        if keyword := _KEYWORD.match(self.text, self.at):
            message = f"{keyword[0]!r} is a keyword of Mermaid and cannot be the id of a step"
            fix = f"write {keyword[0].capitalize()}, or use the word only in a text: id[{keyword[0]}]"
            raise self.error(message, self.at, fix)
        if match is None:
            wrong = self.text[self.at : self.at + 1]
            message = "the text ends" if not wrong.strip() else f"{wrong!r} stands"
            fix = (
                "write an id and then the text: id[Text]; after an arrow, write a space before an id that starts with "
            )
            raise self.error(f"expected the id of a step, but {message} here", self.at, f"{fix}x or o")
        return match[0]

    def _box(self, name: str, at: int) -> Box:
        box = self.drawn.boxes.get(name)
        if box is None:
            box = self.drawn.boxes[name] = Box(name, name, span=self.span(at))
            check_size(self.document, len(self.drawn.boxes))
        box.drawn = True
        if self.open:
            self.open[-1].names.append(name)
        return box

    def _label(self, closers: tuple[str, ...], opener: str) -> tuple[str, str]:
        """Read a text up to one of the given closing brackets, which are all of the same length."""
        begin = self.at
        raw = self._quoted() if self.sees('"') else ""
        rest = self.take(_SLANTED if opener in _SLANTS else _TEXT)
        raw += rest[0] if rest else ""
        if not self.skip(*closers):
            if self.at == len(self.text):
                raise self.error(f"{opener} is not closed", begin, f"close it with {closers[0]}")
            message = f"{self.text[self.at]!r} is not allowed in a text without quotes"
            raise self.error(message, self.at, f'put the text into quotes: {opener}"..."{closers[0]}')
        if not raw:
            raise self.error("the label is empty", begin, 'write a label, or " " for a step without a label')
        return label_of(raw)

    def _quoted(self) -> str:
        """Read a text in quotes."""
        begin = self.at
        match = self.take(_QUOTED)
        if match is None:
            raise self.error("a text in quotes is not closed", begin, 'close it with "')
        if not match[1]:
            raise self.error("the label is empty", begin, 'write a label, or " " for a step without a label')
        return match[1]

    def _attributes(self) -> dict[str, object]:
        """Read `@{ shape: diamond, label: "..." }`."""
        begin = self.at
        match = self.take(_DATA)
        if match is None:
            raise self.error("@{ is not closed", begin, "close it with }")
        inner = match[1]
        written = inner.strip("\n") if "\n" in inner.strip() else "{" + inner + "}"
        fix = 'write @{ shape: rect, label: "Text" }'
        try:
            data = parse_yaml(written, self.document.name)[0] if inner.strip() else {}
        except FormatError as problem:
            raise self.error(f"the attributes cannot be read: {problem.message}", begin, fix) from None
        if not isinstance(data, dict):
            raise self.error("the attributes must be a mapping", begin, fix)
        return data

    def _dress(self, box: Box, said: dict[str, object]) -> None:
        shape = said.get("shape")
        if shape:
            if not isinstance(shape, str) or shape not in NAMED:
                message = f"Mermaid has no shape {str(shape)[:40]!r}"
                raise self.error(message, self.at, "use a shape of Mermaid's list, such as rect, stadium or diamond")
            box.shape = NAMED[shape]
        label = said.get("label")
        if label not in {None, ""} and not isinstance(label, dict | list):
            box.label, box.details = label_of(str(label))
