"""Pictures as SVG, for light and dark backgrounds, without scripts and without external resources."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.resources import files

from rich.cells import cell_len

from wfgate.show.escape import markup, shortened
from wfgate.show.picture.layers import Place
from wfgate.show.picture.scene import NAMES, Line, Picture, Pieces, SceneBox, Side, Status, in_reading_order

WIDE = 190
"""Smallest width of a box."""
SIDE = 560
"""Width that the boxes of a side fill if they are few: a linear workflow has wide boxes, not a narrow strip."""
BESIDE = 28
"""Between two boxes of a layer."""
BELOW = 46
"""Between two layers; a condition has room there."""
CLOSE = 26
"""Between two boxes of a column without conditions."""
TEXT = 15
"""Height of a line of text."""
CHARACTERS = 25
"""Characters on a line in a box of the smallest width."""
LINES = 6
"""Lines of text in a box; longer texts are cut, and whole in the tooltip."""
ROUND = 34
"""Width and height of an operator."""
HEAD = 18
"""Height of a line of a title."""
TITLE = 3
"""Lines of a title; longer titles are cut, and whole in the tooltip."""
GUTTER = 56
"""Between two sides."""
SCREEN = (1360, 800)
"""A usual screen: two sides stand beside each other, or below each other if that is larger on it."""
LABEL = 6
"""Width of a character of a condition."""
EDGE = 36
"""Around a picture: what returns has room there."""
SAID = 30
"""Characters of a condition; longer ones are cut, and whole in the tooltip."""

_WORDS: dict[Status, str] = {**NAMES, "same": ""}
"""What is written on a box: no colour says anything alone."""
_ARROW = '<path d="M1 8H20"/><path class="tip" d="M19 4L25 8L19 12Z"/>'
_SAMPLE = '<text class="said" x="13" y="12">if</text>'
_LINES = {"missing": "gone", "extra": "new", "inverted": "inverted"}


def svg(pictures: Sequence[Picture], *, alone: bool = True) -> str:
    """Return one SVG with the pictures, one below the other.

    Args:
        pictures: The pictures, at least one.
        alone: Whether the SVG is a file of its own. Such an SVG contains the style sheet; in an HTML page, the page
            contains it.
    """
    parts: list[str] = []
    top, wide = 0, 0
    for picture in pictures:
        drawn = _Refused(picture) if picture.refused else _Drawn(picture)
        inner = "".join(drawn.parts())
        parts.append(f'<g transform="translate(0 {top})">{inner}</g>' if top else inner)
        top += drawn.height
        wide = max(wide, drawn.width)
    titles = "; ".join(side.title for picture in pictures[:1] for side in picture.sides)
    label = markup(f"{'Golden and candidate' if len(pictures[0].sides) > 1 else 'Workflow'}: {titles}")
    style = f"<style>{picture_style()}</style>" if alone else ""
    space = ' xmlns="http://www.w3.org/2000/svg"' if alone else ""
    return (
        f'<svg{space} class="picture" width="{wide}" height="{top}" viewBox="0 0 {wide} {top}" role="group" '
        f'aria-label="{label}">{style}{"".join(parts)}</svg>' + ("\n" if alone else "")
    )


def picture_style() -> str:
    """Return the style sheet of pictures: their colours, which a page may use too, and their shapes."""
    folder = files("wfgate.show.picture")
    return "".join((folder / name).read_text(encoding="utf-8") for name in ("palette.css", "picture.css"))


def legend(pictures: Iterable[Picture]) -> str:
    """Return the legend of pictures in HTML: what they mark, drawn as they draw it."""
    sides = [side for picture in pictures for side in picture.sides]
    boxes = {box.status for side in sides for box in side.boxes if _WORDS[box.status]}
    lines = {line.status for side in sides for line in side.lines if line.status in _LINES}
    drawn = [
        (f'<g class="box {status}"><rect x="1" y="1" width="24" height="14" rx="4"/></g>', f"step {_WORDS[status]}")
        for status in _WORDS
        if status in boxes
    ]
    dashed = any(line.arrow.exceptional for side in sides for line in side.lines)
    named: list[tuple[str, str]] = [(status, f"link {words}") for status, words in _LINES.items() if status in lines]
    named += [("same other", "another condition")] * any(line.other_words for side in sides for line in side.lines)
    named += [("same dashed", "taken after a failure")] * dashed
    drawn += [
        (f'<g class="line {status}">{_SAMPLE if "other" in status else _ARROW}</g>', words) for status, words in named
    ]
    return "".join(
        f'<li><svg class="picture key" width="26" height="16" aria-hidden="true">{shape}</svg>{words}</li>'
        for shape, words in drawn
    )


class _Refused:
    """The titles of a picture that is too large to be drawn, and why it is.

    Attributes:
        width: Total width.
        height: Total height.
    """

    def __init__(self, picture: Picture) -> None:
        self.width = SIDE + 2 * EDGE
        said = [_title(side) for side in picture.sides]
        heads = [("head", row) for words in said for row in _wrapped(((words, False),), SIDE, TITLE, _advance)]
        body = [("note", row) for row in _wrapped(((picture.refused, False),), SIDE, LINES, _advance)]
        self.rows = [*heads, *body]
        self.height = HEAD * len(self.rows) + EDGE

    def parts(self) -> Iterator[str]:
        """Yield the SVG elements."""
        for place, (name, row) in enumerate(self.rows, start=1):
            x, y = self.width // 2, EDGE // 2 + HEAD * place
            yield f'<text class="{name}" x="{x}" y="{y}">{_marked(row)}</text>'


class _Drawn:
    """The parts of one picture.

    Attributes:
        width: Total width.
        height: Total height.
    """

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        layers = picture.layers
        self.wide = max(WIDE, round((SIDE - layers.columns * BESIDE) / (layers.columns + 1)))
        self.characters = self.wide * CHARACTERS // WIDE
        self.texts = [
            {box.key: _lines(box, side.name, self.characters) for box in side.boxes} for side in picture.sides
        ]
        tall = [0] * layers.layers
        for side, texts in zip(picture.sides, self.texts, strict=True):
            for box in side.boxes:
                layer = layers.places[box.key][1]
                tall[layer] = max(tall[layer], _height(box, texts[box.key]))
        self.tall = tall
        self.inner = round(layers.columns * (self.wide + BESIDE)) + self.wide
        self.heads = [_wrapped(((_title(side), False),), self.inner, TITLE, _advance) for side in picture.sides]
        head = max(map(len, self.heads)) * HEAD + 16
        self.tops: list[int] = []
        y = head
        worded = any(line.arrow.words for side in picture.sides for line in side.lines)
        gap = BELOW if worded or layers.columns else CLOSE
        for height in tall:
            self.tops.append(y)
            y += height + gap
        height = y - gap + EDGE // 2
        said = [
            len(line.arrow.words)
            for side in picture.sides
            for line in side.lines
            if line.arrow.words and self._is_around(side, line)
        ]
        self.edge = EDGE + LABEL * min(SAID, max(said, default=0))
        width = self.inner + 2 * self.edge
        beside, below = _scale(2 * width, height), _scale(width, 2 * height)
        self.beside = beside >= below
        across, down = (width + GUTTER, 0) if self.beside else (0, height + GUTTER)
        self.starts = [(across * number, down * number) for number in range(len(picture.sides))]
        self.width = self.starts[-1][0] + width
        self.height = self.starts[-1][1] + height

        self.changes = _numbered(picture)
        self.common = [_common(side) for side in picture.sides]
        self.shifts = [self._shifted(side) for side in picture.sides]

    def parts(self) -> Iterator[str]:
        """Yield the SVG elements."""
        yield from self._brackets()
        for number, side in enumerate(self.picture.sides):
            left, top = self.starts[number]
            middle = left + self.edge + self.inner // 2
            yield f'<g class="side" data-side="{side.name}">'
            rows = "".join(
                f'<tspan x="{middle}" y="{top + HEAD * (place + 1)}">{_marked(row)}</tspan>'
                for place, row in enumerate(self.heads[number])
            )
            yield f'<text class="head"><title>{markup(_title(side))}</title>{rows}</text>'
            for line in side.lines:
                yield self._line(number, side, line)
            for box in in_reading_order(side.boxes, self.picture.layers):
                yield self._box(number, box)
            yield "</g>"

    # --- places -----------------------------------------------------------------------------------------------------

    def _middle(self, number: int, place: Place) -> tuple[int, int]:
        column, layer = place
        left, top = self.starts[number]
        x = left + self.edge + self.wide // 2 + round(column * (self.wide + BESIDE))
        return x, top + self.tops[layer] + self.tall[layer] // 2

    def _spot(self, number: int, box: SceneBox) -> tuple[int, int, int, int]:
        """Return the position of the middle of a box, its width and its height."""
        x, y = self._middle(number, self.picture.layers.places[box.key])
        wide = {"gateway": ROUND, "start": 76, "end": 76}.get(box.node.kind, self.wide)
        return x, y, wide, _height(box, self.texts[number][box.key])

    def _is_around(self, side: Side, line: Line) -> bool:
        """Return whether a line goes around the boxes: it returns, or a box of its side stands in its way."""
        if line.source == line.target or line.up or line.arrow.back:
            return True
        places = self.picture.layers.places
        (column, first), (_, last) = places[line.source], places[line.target]
        if line.route or last - first < 2:
            return False
        return any(places[box.key][0] == column and first < places[box.key][1] < last for box in side.boxes)

    def _shifted(self, side: Side) -> dict[tuple[int, int], int]:
        """Return how much lower a condition stands, so that those of neighbouring links do not cover each other."""
        out: dict[int, list[Line]] = {}
        for line in side.lines:
            if line.arrow.words and not line.up:
                out.setdefault(line.source, []).append(line)
        places = self.picture.layers.places
        return {
            (line.source, line.target): (place % 2) * TEXT - TEXT // 2
            for lines in out.values()
            if len(lines) > 1
            for place, line in enumerate(sorted(lines, key=lambda line: (places[line.target][0], line.target)))
        }

    # --- elements ---------------------------------------------------------------------------------------------------

    def _box(self, number: int, box: SceneBox) -> str:
        x, y, wide, tall = self._spot(number, box)
        left, top = x - wide // 2, y - tall // 2
        kind = box.node.kind
        if kind == "gateway":
            half = ROUND // 2
            shape = f'<path d="M{x} {y - half}L{x + half} {y}L{x} {y + half}L{x - half} {y}Z"/>'
        else:
            radius = tall // 2 if kind in {"start", "end", "event"} else 6
            shape = f'<rect x="{left}" y="{top}" width="{wide}" height="{tall}" rx="{radius}"/>'
        if kind == "composite":
            shape += f'<rect class="in" x="{left + 4}" y="{top + 4}" width="{wide - 8}" height="{tall - 8}" rx="3"/>'
        body, notes = self.texts[number][box.key]
        rows = len(body) + len(notes)
        at = y - (rows * TEXT) // 2 + 11
        text = "".join(
            f'<tspan x="{x}" y="{at + place * TEXT}">{_marked(pieces)}</tspan>' for place, pieces in enumerate(body)
        )
        text = f"<text>{text}</text>"
        if notes:
            first = at + len(body) * TEXT
            spans = [
                f'<tspan x="{x}" y="{first + place * TEXT}">{markup(note)}</tspan>' for place, note in enumerate(notes)
            ]
            text += f'<text class="note">{"".join(spans)}</text>'
        said = _said(box)
        kin = f' data-kin="{" ".join(map(str, box.kin))}"' if box.kin else ""
        side = self.picture.sides[number].name
        label = markup(f"{side}: {said}" if side else said)
        change = f' data-change="{self.changes[box.key]}"' if box.key in self.changes else ""
        role = 'role="img"'
        if box.view is not None:
            shut = kind == "group" or (kind == "composite" and not box.node.inside)
            role = f'role="button" data-opens="{box.view}"' if shut else f'{role} data-within="{box.view}"'
        return (
            f'<g class="box {kind} {box.status}" data-key="{box.key}"{kin}{change} tabindex="-1" {role} '
            f'aria-label="{label}"><title>{markup(said)}</title>{shape}{text}</g>'
        )

    def _line(self, number: int, side: Side, line: Line) -> str:
        source, target = side.box(line.source), side.box(line.target)
        if source is None or target is None:  # never: a line is drawn between boxes of its side
            return ""
        start, end = self._spot(number, source), self._spot(number, target)
        if self._is_around(side, line):
            left = line.status == "inverted"
            path, (x, y), tip = _around(start, end, left=left)
            anchor = "end" if left else "start"
        else:
            path, (x, y), tip = self._down(number, start, end, line)
            y, anchor = y + self.shifts[number].get((line.source, line.target), 0), "middle"
        names = ["line", line.status, "dashed" * line.arrow.exceptional, "other" * line.other_words]
        said = self._line_said(side, line)
        words = line.arrow.words
        label = ""
        if last := self.common[number].get(line.target):
            x, y, anchor = end[0], end[1] - end[3] // 2 - 14, "middle"
            words = words if line is last else ""
        if words:
            label = f'<text class="said {anchor}" x="{x}" y="{y}">{markup(_cut(words, SAID))}</text>'
        return (
            f'<g class="{" ".join(filter(None, names))}"><title>{markup(said)}</title>'
            f'<path d="{path}"/><path class="tip" d="{tip}"/>{label}</g>'
        )

    def _down(
        self, number: int, start: tuple[int, int, int, int], end: tuple[int, int, int, int], line: Line
    ) -> tuple[str, tuple[int, int], str]:
        """Return the path of a line that follows the layers, the position of its label, and its tip."""
        x, y = start[0], start[1] + start[3] // 2
        path = [f"M{x} {y}"]
        spot = None
        for place in line.route:
            bend, middle = self._middle(number, place)
            top = middle - self.tall[place[1]] // 2
            bottom = top + self.tall[place[1]]
            half = (y + top) // 2
            path.append(f"C{x} {half} {bend} {half} {bend} {top}V{bottom}")
            spot = spot or ((x + bend) // 2, half + 4)
            x, y = bend, bottom
        goal = end[1] - end[3] // 2
        half = (y + goal) // 2
        path.append(f"C{x} {half} {end[0]} {half} {end[0]} {goal - 5}")
        spot = spot or ((x + end[0]) // 2, half + 4)
        return "".join(path), spot, f"M{end[0] - 4} {goal - 8}L{end[0]} {goal}L{end[0] + 4} {goal - 8}Z"

    def _line_said(self, side: Side, line: Line) -> str:
        ends = [box.node.text for box in (side.box(line.source), side.box(line.target)) if box is not None]
        said = [f"{' → '.join(ends)}"]
        said += [line.arrow.words] * bool(line.arrow.words)
        said += ["returns"] * line.arrow.back
        said += [_LINES[line.status]] if line.status in _LINES else []
        said += ["in another case than on the other side"] * line.other_words
        return "; ".join(said)

    def _brackets(self) -> Iterator[str]:
        """Yield the brackets of merged or split steps, between the sides."""
        if len(self.picture.sides) < 2 or not self.beside:
            return
        gap = self.starts[1][0] - GUTTER // 2
        for place, bracket in enumerate(self.picture.brackets):
            x = gap - 12 + 8 * (place % 4)
            ends: list[tuple[int, int]] = []
            for number, keys in enumerate((bracket.golden, bracket.candidate)):
                side = self.picture.sides[number]
                for box in filter(None, map(side.box, keys)):
                    middle, y, wide, _ = self._spot(number, box)
                    ends.append((middle + (wide // 2 if number == 0 else -(wide // 2)), y))
            low, high = min(y for _, y in ends), max(y for _, y in ends)
            path = "".join(f"M{end} {y}H{x}" for end, y in ends)
            word = "merged" if len(bracket.golden) > 1 else "split"
            yield (f'<g class="bracket {word}"><title>{word}</title><path d="{path}M{x} {low}V{high}"/></g>')


def _around(
    start: tuple[int, int, int, int], end: tuple[int, int, int, int], *, left: bool
) -> tuple[str, tuple[int, int], str]:
    """Return the path of a line that goes up beside the boxes, the position of its label, and its tip."""
    sign = -1 if left else 1
    from_x, from_y = start[0] + sign * start[2] // 2, start[1]
    to_x, to_y = end[0] + sign * end[2] // 2, end[1]
    if start == end:
        from_y, to_y = from_y + 8, to_y - 8
    out = max(from_x * sign, to_x * sign) * sign + sign * 34
    path = f"M{from_x} {from_y}C{out} {from_y} {out} {to_y} {to_x + sign * 5} {to_y}"
    tip = f"M{to_x + sign * 8} {to_y - 4}L{to_x} {to_y}L{to_x + sign * 8} {to_y + 4}Z"
    return path, (out - sign * 6, (from_y + to_y) // 2), tip


def _said(box: SceneBox) -> str:
    """Return the description of a box."""
    text = "".join(piece for piece, _ in box.pieces) if box.pieces else box.node.text
    inside = [f"in {name}" for _, name in box.node.inside[-1:]]
    return "; ".join(filter(None, [shortened(text), _WORDS[box.status], *box.node.notes, *inside]))


def _numbered(picture: Picture) -> dict[int, int]:
    """Return the number of each changed box, by key, in reading order; merged or split boxes have one number."""
    united = picture.united
    boxes = in_reading_order([box for side in picture.sides for box in side.boxes], picture.layers)
    keys = dict.fromkeys(box.key for box in boxes if box.key in picture.changed)
    number = {key: place for place, key in enumerate(dict.fromkeys(united.get(key, key) for key in keys))}
    return {key: number[united.get(key, key)] for key in keys}


def _scale(width: int, height: int) -> float:
    """Return the scale at which a drawing fits on a screen, at most 1."""
    return min(1.0, SCREEN[0] / width, SCREEN[1] / height)


def _common(side: Side) -> dict[int, Line]:
    """Return the last of the lines into a box if all of them have the same condition, which is then said once."""
    into: dict[int, list[Line]] = {}
    for line in side.lines:
        into.setdefault(line.target, []).append(line)
    return {
        target: next((line for line in reversed(lines) if line.other_words), lines[-1])
        for target, lines in into.items()
        if len(lines) > 1 and len({(line.arrow.words, line.up) for line in lines}) == 1
    }


def _title(side: Side) -> str:
    return f"{side.name.capitalize()} · {side.title}" if side.name else side.title


def _height(box: SceneBox, texts: tuple[list[Pieces], list[str]]) -> int:
    if box.node.kind == "gateway":
        return ROUND
    body, notes = texts
    return max(30, (len(body) + len(notes)) * TEXT + 13)


def _lines(box: SceneBox, side: str, characters: int) -> tuple[list[Pieces], list[str]]:
    """Return the lines of a box: its text and its notes."""
    if box.node.kind == "gateway":
        return [((box.node.text, False),)], []
    notes = [_WORDS[box.status]] if _WORDS[box.status] else []
    notes = [] if box.status == "reworded" and side == "golden" else notes  # the candidate's words are the new ones
    notes += [_cut(f"in {name}", characters + 4) for _, name in box.node.inside[-1:]]
    if box.node.notes:
        notes.append(_cut("; ".join(box.node.notes), characters + 4))
    return _wrapped(box.pieces, characters, LINES, cell_len), notes


def _advance(text: str) -> int:
    """Return an upper bound of the width of a text in a title, in pixels: the widest of the usual sans-serif fonts."""
    broad = sum(1 for letter in text if letter in "mwMW@%&" or letter > "~")
    capital = sum(1 for letter in text if letter.isupper())
    return 10 * cell_len(text) + 6 * broad + 2 * capital


def _wrapped(pieces: Pieces, room: int, most: int, measure: Callable[[str], int]) -> list[Pieces]:
    """Return a text in lines. A text with too many lines is reduced to the lines around the first change.

    Args:
        pieces: The text.
        room: Width of a line, as `measure` returns it.
        most: Number of lines.
        measure: Returns the width of a text.
    """
    words = [(word, changed) for piece, changed in pieces for word in _folded(piece, room, measure)]
    lines: list[list[tuple[str, bool]]] = [[]]
    left, blank = room, measure(" ")
    for word, changed in words:
        size = measure(word)
        if lines[-1] and size + blank > left:
            lines.append([])
            left = room
        left -= size + (blank if lines[-1] else 0)
        lines[-1].append((word, changed))
    first = next((place for place, line in enumerate(lines) if any(changed for _, changed in line)), 0)
    skip = max(0, min(first - 1, len(lines) - most)) if first >= most else 0
    kept = lines[skip : skip + most]
    if skip:
        kept[0] = [("…", False), *kept[0]]
    if len(lines) > skip + most:
        kept[-1] = [*kept[-1], ("…", False)]
    return [_joined(line) for line in kept]


def _folded(piece: str, room: int, measure: Callable[[str], int]) -> Iterator[str]:
    """Yield the words of a text; words longer than a line are split."""
    for word in shortened(piece).split():
        while measure(word) > room:
            end = len(word) - 1
            while end > 1 and measure(word[:end]) > room:
                end -= 1
            yield word[:end]
            word = word[end:]  # noqa: PLW2901 - what is left of it
        yield word


def _joined(words: Iterable[tuple[str, bool]]) -> Pieces:
    """Return the words of a line; neighbouring words that are both changed or both unchanged are joined."""
    pieces: list[tuple[str, bool]] = []
    for word, changed in words:
        if pieces and pieces[-1][1] == changed:
            pieces[-1] = (f"{pieces[-1][0]} {word}", changed)
        else:
            pieces.append((word, changed))
    return tuple(pieces)


def _marked(pieces: Pieces) -> str:
    return " ".join(
        f'<tspan class="word">{markup(text)}</tspan>' if changed else markup(text) for text, changed in pieces
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
