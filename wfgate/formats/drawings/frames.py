"""Frames: which frames are sub-workflows, and which boxes an arrow to any other frame connects."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from wfgate.documents import Document
from wfgate.formats.builder import check_size
from wfgate.formats.drawings.base import Arrow, Drawing

Unit = str | int
"""What an arrow connects: a box by its id, or a frame by its place."""


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
            if drawn.id is not None:
                self.place.setdefault(drawn.id, at)
        self.filled = {
            at
            for box in drawing.boxes.values()
            if box.id not in self.place and box.frame is not None
            for at in self.chains[box.frame]
        }
        self.arrows = [arrow for arrow in drawing.arrows if arrow.stroke != "invisible"]
        touched = {self.place[end] for arrow in self.arrows for end in self._ends(arrow) if end in self.place}
        crossed = {
            frame for arrow in self.arrows for frame in {*self.around(arrow.source)} ^ {*self.around(arrow.target)}
        }
        self.composites = frozenset((touched & self.filled) - crossed)
        self.entered = frozenset((touched & self.filled) - self.composites)
        self._units: defaultdict[int, list[Unit]] = defaultdict(list)
        units: list[Unit] = [box for box in drawing.boxes if self.is_box(box)]
        for unit in units + sorted(self.composites):
            for frame in self._borders(unit):
                self._units[frame].append(unit)

    @staticmethod
    def _ends(arrow: Arrow) -> tuple[str, str]:
        return arrow.source, arrow.target

    def is_box(self, name: str) -> bool:
        """Return whether a name is the name of a box, or of a frame that contains nothing."""
        return name not in self.place or self.place[name] not in self.filled

    def around(self, name: str) -> tuple[int, ...]:
        """Return the frames around a box or frame, the innermost first."""
        if name in self.place:
            return self.chains[self.place[name]][1:]
        box = self.drawing.boxes[name]
        return () if box.frame is None else self.chains[box.frame]

    def scope(self, unit: Unit) -> int | None:
        """Return the workflow that contains a box or frame: the index of a frame, or None for the main workflow."""
        chain = self.chains[unit][1:] if isinstance(unit, int) else self.around(unit)
        return next((frame for frame in chain if frame in self.composites), None)

    def titles(self, unit: Unit) -> tuple[str, ...]:
        """Return the titles of the borders around a box or frame in its workflow, the outermost first."""
        found = [self.drawing.frames[frame].title for frame in self._borders(unit)]
        return tuple(dict.fromkeys(title for title in reversed(found) if title))

    def _borders(self, unit: Unit) -> Iterator[int]:
        for frame in self.chains[unit][1:] if isinstance(unit, int) else self.around(unit):
            if frame in self.composites:
                return
            yield frame

    def connected(self) -> Iterator[tuple[Unit, Unit, Arrow]]:
        """Yield the source and target of each arrow; an arrow at a border is yielded once for each box it connects.

        Raises:
            FormatError: If this makes too many arrows.
        """
        left, entered = self._inside()
        first_of: dict[str, list[Unit]] = {}
        last_of: dict[str, list[Unit]] = {}
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

    def _meant(self, name: str, busy: dict[int, set[Unit]]) -> list[Unit]:
        if self.is_box(name):
            return [name]
        frame = self.place[name]
        if frame in self.composites:
            return [frame]
        units = self._units[frame]
        left, shut = busy.get(frame, set()), busy.get(~frame, set())
        free = [unit for unit in units if unit not in left and not (shut and shut.intersection(self._borders(unit)))]
        return free or units[:1]

    def _inside(self) -> tuple[dict[int, set[Unit]], dict[int, set[Unit]]]:
        """Return for each border the inner boxes that are the source of an inner arrow, and those that are the target.

        If a border inside the border is such a source or target, it is stored under the complement (`~index`) of the
        index of the outer border.
        """
        left: defaultdict[int, set[Unit]] = defaultdict(set)
        entered: defaultdict[int, set[Unit]] = defaultdict(set)
        if not self.entered:
            return left, entered
        for arrow in self.arrows:
            common = {*self.around(arrow.source)}.intersection(self.around(arrow.target)) & self.entered
            for frame in common:
                for name, busy in ((arrow.source, left), (arrow.target, entered)):
                    place = self.place.get(name)
                    if place is None or place in self.composites or place not in self.filled:
                        busy[frame].add(name if place is None or place not in self.filled else place)
                    else:
                        busy[~frame].add(place)
        return left, entered


def pointed(arrow: Arrow) -> Arrow:
    """Return an arrow that points forward: if its head points back, source and target are exchanged."""
    if arrow.heads != "back":
        return arrow
    return replace(arrow, source=arrow.target, target=arrow.source)
