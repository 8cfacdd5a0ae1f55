"""Pictures as SVG, for light and dark backgrounds, without scripts and without external resources."""

from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files

from rich.cells import cell_len

from wfgate.report.escape import markup, shortened
from wfgate.report.picture.layers import Place
from wfgate.report.picture.scene import Box, Line, Picture, Pieces, Side, in_reading_order

WIDE = 190
"""Width of a box."""
BESIDE = 28
"""Between two boxes of a layer."""
BELOW = 46
"""Between two layers; a condition has room there."""
TEXT = 15
"""Height of a line of text."""
CHARACTERS = 25
"""Characters on a line in a box."""
LINES = 4
"""Lines of text in a box; longer texts are cut, and whole in the tooltip."""
ROUND = 34
"""Width and height of an operator."""
HEAD = 34
"""Above the boxes of a side."""
GUTTER = 56
"""Between two sides."""
EDGE = 36
"""Around a picture: what returns has room there."""
SAID = 30
"""Characters of a condition; longer ones are cut, and whole in the tooltip."""

_WORDS = {
    "same": "",
    "reworded": "reworded",
    "drifted": "changed meaning",
    "missing": "missing",
    "extra": "added",
    "merged": "merged",
    "split": "split",
    "changed": "changed inside",
}
"""What is written on a box: no colour says anything alone."""
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
        drawn = _Drawn(picture)
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
    """Return the style sheet of pictures."""
    return (files("wfgate.report.picture") / "picture.css").read_text(encoding="utf-8")


class _Drawn:
    """The parts of one picture.

    Attributes:
        width: Total width.
        height: Total height.
    """

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        layers = picture.layers
        self.texts = [{box.key: _lines(box, side.name) for box in side.boxes} for side in picture.sides]
        tall = [0] * layers.layers
        for side, texts in zip(picture.sides, self.texts, strict=True):
            for box in side.boxes:
                layer = layers.places[box.key][1]
                tall[layer] = max(tall[layer], _height(box, texts[box.key]))
        self.tall = tall
        self.tops: list[int] = []
        y = HEAD
        for height in tall:
            self.tops.append(y)
            y += height + BELOW
        self.height = y - BELOW + EDGE // 2
        self.inner = round(layers.columns * (WIDE + BESIDE)) + WIDE
        self.lefts = [EDGE + number * (self.inner + 2 * EDGE + GUTTER) for number in range(len(picture.sides))]
        self.width = self.lefts[-1] + self.inner + EDGE

    def parts(self) -> Iterator[str]:
        """Yield the SVG elements."""
        yield from self._brackets()
        for number, side in enumerate(self.picture.sides):
            left = self.lefts[number]
            middle = left + self.inner // 2
            yield f'<g class="side" data-side="{side.name}">'
            said = f"{side.name.capitalize()} · {side.title}" if side.name else side.title
            yield f'<text class="head" x="{middle}" y="18">{markup(said, 60)}</text>'
            for line in side.lines:
                yield self._line(number, side, line)
            for box in in_reading_order(side.boxes, self.picture.layers):
                yield self._box(number, box)
            yield "</g>"

    # --- places -----------------------------------------------------------------------------------------------------

    def _middle(self, number: int, place: Place) -> tuple[int, int]:
        column, layer = place
        x = self.lefts[number] + WIDE // 2 + round(column * (WIDE + BESIDE))
        return x, self.tops[layer] + self.tall[layer] // 2

    def _spot(self, number: int, box: Box) -> tuple[int, int, int, int]:
        """Return the position of the middle of a box, its width and its height."""
        x, y = self._middle(number, self.picture.layers.places[box.key])
        return x, y, _width(box), _height(box, self.texts[number][box.key])

    # --- elements ---------------------------------------------------------------------------------------------------

    def _box(self, number: int, box: Box) -> str:
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
        role = 'role="img"'
        if box.view is not None:
            shut = kind == "composite" and not box.node.inside
            role = f'role="button" data-opens="{box.view}"' if shut else f'{role} data-within="{box.view}"'
        return (
            f'<g class="box {kind} {box.status}" data-key="{box.key}"{kin} tabindex="-1" {role} '
            f'aria-label="{label}"><title>{markup(said)}</title>{shape}{text}</g>'
        )

    def _line(self, number: int, side: Side, line: Line) -> str:
        source, target = side.box(line.source), side.box(line.target)
        if source is None or target is None:  # never: a line is drawn between boxes of its side
            return ""
        start, end = self._spot(number, source), self._spot(number, target)
        if line.source == line.target or line.up or line.arrow.back:
            path, (x, y), tip = _around(start, end, left=line.status == "inverted")
        else:
            path, (x, y), tip = self._down(number, start, end, line)
        names = ["line", line.status, "dashed" * line.arrow.exceptional, "other" * line.other_words]
        said = self._line_said(side, line)
        words = line.arrow.words
        label = ""
        if words:
            label = f'<text class="said" x="{x}" y="{y}">{markup(_cut(words, SAID))}</text>'
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
            bend, _ = self._middle(number, place)
            top = self.tops[place[1]]
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
        if len(self.picture.sides) < 2:
            return
        gap = (self.lefts[0] + self.inner + self.lefts[1]) // 2
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
    return path, (out, (from_y + to_y) // 2), tip


def _said(box: Box) -> str:
    """Return the description of a box."""
    text = "".join(piece for piece, _ in box.pieces) if box.pieces else box.node.text
    inside = [f"in {name}" for _, name in box.node.inside[-1:]]
    return "; ".join(filter(None, [shortened(text), _WORDS[box.status], *box.node.notes, *inside]))


def _width(box: Box) -> int:
    return {"gateway": ROUND, "start": 76, "end": 76}.get(box.node.kind, WIDE)


def _height(box: Box, texts: tuple[list[Pieces], list[str]]) -> int:
    if box.node.kind == "gateway":
        return ROUND
    body, notes = texts
    return max(30, (len(body) + len(notes)) * TEXT + 13)


def _lines(box: Box, side: str) -> tuple[list[Pieces], list[str]]:
    """Return the lines of a box: its text and its notes."""
    if box.node.kind == "gateway":
        return [((box.node.text, False),)], []
    notes = [_WORDS[box.status]] if _WORDS[box.status] else []
    notes = [] if box.status == "reworded" and side == "golden" else notes  # the candidate's words are the new ones
    notes += [_cut(f"in {name}", CHARACTERS + 4) for _, name in box.node.inside[-1:]]
    if box.node.notes:
        notes.append(_cut("; ".join(box.node.notes), CHARACTERS + 4))
    return _wrapped(box.pieces), notes


def _wrapped(pieces: Pieces) -> list[Pieces]:
    """Return a text in lines. A text with too many lines is reduced to the lines around the first change."""
    words = [(word, changed) for piece, changed in pieces for word in _folded(piece)]
    lines: list[list[tuple[str, bool]]] = [[]]
    room = CHARACTERS
    for word, changed in words:
        size = cell_len(word)
        if size + (1 if lines[-1] else 0) > room and lines[-1]:
            lines.append([])
            room = CHARACTERS
        room -= size + (1 if lines[-1] else 0)
        lines[-1].append((word, changed))
    first = next((place for place, line in enumerate(lines) if any(changed for _, changed in line)), 0)
    skip = max(0, min(first - 1, len(lines) - LINES)) if first >= LINES else 0
    kept = lines[skip : skip + LINES]
    if skip:
        kept[0] = [("…", False), *kept[0]]
    if len(lines) > skip + LINES:
        kept[-1] = [*kept[-1], ("…", False)]
    return [_joined(line) for line in kept]


def _folded(piece: str) -> Iterator[str]:
    """Yield the words of a text; words longer than a line are split."""
    for word in shortened(piece).split():
        while cell_len(word) > CHARACTERS:
            end = CHARACTERS
            while cell_len(word[:end]) > CHARACTERS:
                end -= 1
            yield word[:end]
            word = word[end:]  # noqa: PLW2901 - what is left of it
        yield word


def _joined(words: Iterable[tuple[str, bool]]) -> Pieces:
    """Return the words of a line; neighbouring words that are both changed or both unchanged are joined."""
    found: list[tuple[str, bool]] = []
    for word, changed in words:
        if found and found[-1][1] == changed:
            found[-1] = (f"{found[-1][0]} {word}", changed)
        else:
            found.append((word, changed))
    return tuple(found)


def _marked(pieces: Pieces) -> str:
    return " ".join(
        f'<tspan class="word">{markup(text)}</tspan>' if changed else markup(text) for text, changed in pieces
    )


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
