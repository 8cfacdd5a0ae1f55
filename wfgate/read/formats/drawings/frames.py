"""Frames: which frames are sub-workflows, and which boxes an arrow to any other frame connects."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import takewhile

from wfgate.read.documents.document import Document
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.drawings.base import Arrow, Drawing


class Frames:
    """The frames of a drawing.

    A frame is a sub-workflow if two things hold: an arrow begins or ends at the frame itself, and no arrow crosses the
    border of the frame. Any other frame is only a border. The boxes inside a border belong to the flow around the
    border. An arrow to a border leads to the first boxes inside the border; an arrow from a border leaves its last
    boxes.

    Args:
        document: The document of the drawing.
        drawing: The drawing. Its frames must not be nested deeper than a few dozen levels.

    Attributes:
        composites: Indices of the frames that are sub-workflows.
        entered: Indices of the frames that are only a border and at which an arrow begins or ends.
    """

    def __init__(self, document: Document, drawing: Drawing) -> None:
        self.document = document
        self.drawing = drawing
        self.place: dict[str, int] = {}
        self.chains: list[tuple[int, ...]] = []
        for at, drawn in enumerate(drawing.frames):
            self.chains.append((at, *(self.chains[drawn.parent] if drawn.parent is not None else ())))
            if drawn.id:
                self.place.setdefault(drawn.id, at)
        self.filled = {
            at
            for box in drawing.boxes.values()
            if box.id not in self.place and box.frame is not None
            for at in self.chains[box.frame]
        }
        self.arrows = [arrow for arrow in drawing.arrows if arrow.stroke != "invisible"]
        ends = {end for arrow in self.arrows for end in (arrow.source, arrow.target)}
        touched = {self.place[end] for end in ends if end in self.place}
        crossed = {
            frame for arrow in self.arrows for frame in {*self.around(arrow.source)} ^ {*self.around(arrow.target)}
        }
        self.composites = frozenset((touched & self.filled) - crossed)
        self.entered = frozenset((touched & self.filled) - self.composites)
        self._units: defaultdict[int, list[str]] = defaultdict(list)
        whole = [drawing.frames[frame].id for frame in sorted(self.composites)]
        for name in [*filter(self.is_box, drawing.boxes), *whole]:
            for frame in self._borders(name):
                self._units[frame].append(name)

    def is_box(self, name: str) -> bool:
        """Return whether a name is the name of a box, or of a frame that contains nothing."""
        return name not in self.place or self.place[name] not in self.filled

    def around(self, name: str) -> tuple[int, ...]:
        """Return the frames around a box or frame, the innermost first."""
        if name in self.place:
            return self.chains[self.place[name]][1:]
        box = self.drawing.boxes[name]
        return () if box.frame is None else self.chains[box.frame]

    def scope(self, name: str) -> int | None:
        """Return the workflow that contains a box or frame: the index of a frame, or None for the main workflow."""
        return next((frame for frame in self.around(name) if frame in self.composites), None)

    def titles(self, name: str) -> tuple[str, ...]:
        """Return the titles of the borders around a box or frame in its workflow, the outermost first."""
        titles = [self.drawing.frames[frame].title for frame in self._borders(name)]
        return tuple(dict.fromkeys(title for title in reversed(titles) if title))

    def _borders(self, name: str) -> Iterator[int]:
        return takewhile(lambda frame: frame not in self.composites, self.around(name))

    def _border_ids(self, name: str) -> Iterator[str]:
        return (self.drawing.frames[frame].id for frame in self._borders(name))

    def connected(self) -> Iterator[tuple[str, str, Arrow]]:
        """Yield the source and target of each arrow; an arrow at a border is yielded once for each box it connects.

        Raises:
            FormatError: If this makes too many arrows.
        """
        left, entered = self._inside()
        first_of: dict[str, list[str]] = {}
        last_of: dict[str, list[str]] = {}
        count = 0
        for arrow in self.arrows:
            for name, meant, busy in ((arrow.source, last_of, left), (arrow.target, first_of, entered)):
                if name not in meant:
                    meant[name] = self._meant(name, busy)
            sources, targets = last_of[arrow.source], first_of[arrow.target]
            count += len(sources) * len(targets)
            check_size(self.document, 0, count)
            for first in sources:
                for second in targets:
                    yield first, second, arrow

    def _meant(self, name: str, busy: dict[int, set[str]]) -> list[str]:
        if self.is_box(name) or self.place[name] in self.composites:
            return [name]
        units = self._units[self.place[name]]
        taken = busy[self.place[name]]
        within = (unit for unit in units if taken.isdisjoint((unit, *self._border_ids(unit))))
        return list(within) or units[:1]

    def _inside(self) -> tuple[dict[int, set[str]], dict[int, set[str]]]:
        """Return for each border the ids of the boxes where arrows inside it start, and of those where they end."""
        left: defaultdict[int, set[str]] = defaultdict(set)
        entered: defaultdict[int, set[str]] = defaultdict(set)
        for arrow in self.arrows if self.entered else ():
            for frame in self.entered.intersection(self.around(arrow.source)).intersection(self.around(arrow.target)):
                left[frame].add(arrow.source)
                entered[frame].add(arrow.target)
        return left, entered
