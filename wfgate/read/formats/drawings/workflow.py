"""Drawing to workflow: the meaning of boxes, arrows and frames."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from wfgate.model import END, START, Gateway, Guard, Link, Names, Operator, SourceSpan, Task, TaskKind, Workflow
from wfgate.read.documents.document import Diagnostic, Document
from wfgate.read.formats.base import Reading
from wfgate.read.formats.builder import check_size, link_ends, link_starts
from wfgate.read.formats.drawings.base import Arrow, Box, Drawing, Frame
from wfgate.read.formats.drawings.frames import Frames
from wfgate.read.formats.drawings.joins import waiting
from wfgate.read.formats.drawings.words import guard_of, is_default, is_end, is_name, is_start, outcome_of
from wfgate.read.formats.exits import node_id

OPERATORS: tuple[Operator, ...] = ("AND", "OR", "XOR")
GROUP = "group:"
"""Tag of a task that stands inside a border: this, and what the border says."""

_TERMINALS = {"terminal", "rounded", "event"}
_MOST = 20
"""Remarks of one kind that are made."""
_LINES = {
    "invisible": "{} invisible lines are not read, because they only arrange the drawing",
    "both": "{} lines have heads at both ends and are read as forward arrows",
    "none": "{} lines have no head and are read as forward arrows",
    "back": "{} lines point backward and are read with source and target exchanged",
}
"""The remarks about lines that are not read as drawn."""

Way = tuple[str, Arrow]
"""Where an arrow leads once terminals are START and END, and the arrow."""


@dataclass
class _Scope:
    """The parts of one workflow."""

    tasks: list[Task] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    events: set[str] = field(default_factory=set)
    points: set[str] = field(default_factory=set)


def reading_of(document: Document, drawing: Drawing, format_id: str) -> Reading:
    """Return the workflow that a drawing shows.

    A step starts when any of its incoming arrows is taken. When the step has ended, all its outgoing arrows without a
    label are taken. A join waits for all incoming arrows only if no decision lies between the point where these
    branches split and the join.

    A decision with several outgoing arrows is a step after which exactly one of these arrows is taken. If all labels
    are names and no two labels are equal, the labels become guards (the conditions on the links). One condition and a
    default label ("otherwise") become guards too. In all other cases, an XOR split is added after the step.

    At other steps, a label that names the outcome of the step ("on failure") becomes the outcome of the link. Any
    other label becomes a guard. A terminal (a box in the shape of a start or an end) with the name Start or End is
    START or END. All other terminals are events.

    Args:
        document: The document of the drawing.
        drawing: The drawing.
        format_id: Id of the format of the drawing.

    Raises:
        FormatError: If the drawing is too large.
    """
    return _Mapping(document, drawing).reading(format_id)


class _Mapping:
    def __init__(self, document: Document, drawing: Drawing) -> None:
        self.document = document
        self.drawing = drawing
        _normalise(drawing)
        self.frames = Frames(document, drawing)
        self.diagnostics: list[Diagnostic] = [*drawing.diagnostics]
        self.ways: defaultdict[str, list[Way]] = defaultdict(list)
        self.said: Counter[str] = Counter()
        self.ends: dict[str, str] = {}
        self.scopes: defaultdict[int | None, _Scope] = defaultdict(_Scope)
        self.names = Names([*drawing.boxes, *self.frames.place])

    def reading(self, format_id: str) -> Reading:
        connected = [*self.frames.connected()]
        sources = {source for source, _, _ in connected}
        targets = {target for _, target, _ in connected}
        linked = sources | targets
        boxes = [box for box in self.drawing.boxes.values() if self.frames.is_box(box.id)]
        self._find_ends(boxes, sources, targets)
        for source, target, arrow in connected:
            self.ways[self.ends.get(source, source)].append((self.ends.get(target, target), arrow))
        for box in boxes:
            if box.shape == "note" and box.id not in linked:
                self._say(box.span, f"the remark {_quoted(box.label)} is not read", "remarks")
            elif box.id not in self.ends:
                self._box(box)
        free = Names([self.drawing.name])
        frames = {frame: self.drawing.frames[frame] for frame in sorted(self.frames.composites)}
        names = {place: free.free(frame.title or frame.id) for place, frame in frames.items()}
        for place, frame in frames.items():
            self._composite(frame, names[place])
        for source, target, arrow in connected:
            if self.ends.get(source) == START:
                way = (self.ends.get(target, target), arrow)
                self._links(self.scopes[self.frames.scope(source)], START, [way], outcomes=False)
        self._remarks()
        subworkflows = tuple(self._workflow(frame, name=names[frame]) for frame in sorted(names))
        description = self.drawing.description
        workflow = self._workflow(None, name=self.drawing.name, description=description, subworkflows=subworkflows)
        everything = (workflow, *subworkflows)
        check_size(self.document, sum(len(w.tasks) for w in everything), sum(len(w.links) for w in everything))
        return Reading(workflow, format_id, tuple(self.diagnostics))

    def _find_ends(self, boxes: Iterable[Box], sources: set[str], targets: set[str]) -> None:
        for box in boxes:
            if box.shape not in _TERMINALS and box.id not in {"__start__", "__end__"}:
                continue
            if (is_start(box.label) or box.id == "__start__") and box.id in sources and box.id not in targets:
                self.ends[box.id] = START
            elif (is_end(box.label) or box.id == "__end__") and box.id in targets and box.id not in sources:
                self.ends[box.id] = END

    def _box(self, box: Box) -> None:
        scope = self.scopes[self.frames.scope(box.id)]
        ways = self.ways[box.id]
        op = _operator(box, len(ways))
        if op is not None:
            scope.gateways.append(Gateway(id=box.id, op=op, role="split" if len(ways) > 1 else "join", span=box.span))
            if box.shape == "point":
                scope.points.add(box.id)
            if box.shape != "decision" and box.label not in {box.id, *OPERATORS}:
                message = f"{_quoted(box.label)} is read as an {op} operator, so its text is not read"
                self._say(box.span, message, "bars")
            self._links(scope, box.id, ways, outcomes=False)
            return
        tags = tuple(GROUP + title for title in self.frames.titles(box.id))
        event = box.shape in {"terminal", "event"} or is_start(box.label) or is_end(box.label)
        if event:
            scope.events.add(box.id)
        kind: TaskKind = "event" if event else "task"
        task = Task(id=box.id, name=box.label, description=box.details, kind=kind, tags=tags, span=box.span)
        scope.tasks.append(task)
        labelled = all(arrow.label for _, arrow in ways)
        if len(ways) > 1 and (box.shape == "decision" or (box.shape == "preparation" and labelled)):
            self._decided(scope, box, ways)
        elif self.drawing.dotted_is_choice and sum(arrow.stroke == "dotted" for _, arrow in ways) > 1:
            self._decided(scope, box, [way for way in ways if way[1].stroke == "dotted"])
            self._links(scope, box.id, [way for way in ways if way[1].stroke != "dotted"])
        else:
            self._links(scope, box.id, ways)

    def _composite(self, frame: Frame, name: str) -> None:
        tags = tuple(GROUP + title for title in self.frames.titles(frame.id))
        title = frame.title or frame.id
        task = Task(id=frame.id, name=title, kind="composite", workflow=name, tags=tags, span=frame.span)
        scope = self.scopes[self.frames.scope(frame.id)]
        scope.tasks.append(task)
        self._links(scope, frame.id, self.ways[frame.id])

    def _links(self, scope: _Scope, source: str, ways: list[Way], *, outcomes: bool = True) -> None:
        """Link the arrows that leave a box: labels become outcomes of the box, or guards."""
        said = [outcome_of(arrow.label) if outcomes else None for _, arrow in ways]
        if {"failure", "timeout"}.isdisjoint(said):
            said = [None if outcome == "success" else outcome for outcome in said]
        default = len(ways) > 1 and sum(is_default(arrow.label) for _, arrow in ways) == 1
        for (target, arrow), outcome in zip(ways, said, strict=True):
            if outcome not in {None, "success"}:
                message = f"the label {_quoted(arrow.label)} is read as the outcome {outcome} of the step"
                self._say(arrow.span, message, "labels that are read as outcomes")
            meaning: dict[str, Any] = (
                {"outcome": outcome} if outcome else {"guard": _guard(arrow.label, default=default)}
            )
            scope.links.append(Link(source=source, target=target, span=arrow.span, **meaning))

    def _decided(self, scope: _Scope, box: Box, ways: list[Way]) -> None:
        """Link a step after which exactly one arrow is taken: without a split if the labels alone say so."""
        groups: dict[tuple[str, int], list[Way]] = {}
        for place, way in enumerate(ways):
            label = way[1].label.casefold()
            groups.setdefault((label, 0 if label else place + 1), []).append(way)
        if named_ways([arrow.label for _, arrow in ways]):
            self._links(scope, box.id, ways, outcomes=False)
            return
        split = self.names.free(f"{box.id} XOR")
        scope.gateways.append(Gateway(id=split, op="XOR", span=box.span))
        scope.links.append(Link(source=box.id, target=split, span=box.span))
        for number, group in enumerate(groups.values(), 1):
            arrow = group[0][1]
            guard = _guard(arrow.label, default=len(groups) > 1)
            if len(group) == 1:
                scope.links.append(Link(source=split, target=group[0][0], guard=guard, span=arrow.span))
                continue
            both = self.names.free(f"{box.id} AND {number}")
            scope.gateways.append(Gateway(id=both, op="AND", span=box.span))
            scope.links.append(Link(source=split, target=both, guard=guard, span=arrow.span))
            scope.links += [Link(source=both, target=target, span=way.span) for target, way in group]

    def _workflow(self, frame: int | None, **more: Any) -> Workflow:
        scope = self.scopes[frame]
        nodes = [*(task.id for task in scope.tasks), *(gateway.id for gateway in scope.gateways)]
        given = any(link.source == START for link in scope.links)
        starts = link_starts([node for node in nodes if not given or node in scope.events], scope.links)
        if nodes and not starts and not given:
            drawn: list[Task | Gateway] = [*scope.tasks, *scope.gateways]
            first = min(drawn, key=lambda node: _place(node.span))
            name = first.name if isinstance(first, Task) else first.op
            message = f"every step has an incoming arrow; {_quoted(name)}, which is drawn first, is read as the start"
            self._say(first.span, message, "starts")
            starts = [Link(source=START, target=first.id)]
        links = (*starts, *scope.links, *link_ends(nodes, scope.links))
        waits = waiting(nodes, scope.gateways, links, scope.events)
        tasks = tuple(task.model_copy(update={"join": "all"}) if task.id in waits else task for task in scope.tasks)
        gateways = tuple(
            gateway.model_copy(update={"op": "AND"}) if gateway.id in waits & scope.points else gateway
            for gateway in scope.gateways
        )
        return Workflow(semantics="token", tasks=tasks, gateways=gateways, links=links, **more)

    def _remarks(self) -> None:
        """Report the lines and frames of the drawing that are ignored or are not read as drawn."""
        lines: defaultdict[str, list[Arrow]] = defaultdict(list)
        for arrow in self.drawing.arrows:
            lines["invisible" if arrow.stroke == "invisible" else arrow.heads].append(arrow)
        for kind, said in _LINES.items():
            if lines[kind]:
                self._say(lines[kind][0].span, said.format(len(lines[kind])))
        for frame in sorted(self.frames.entered):
            drawn = self.drawing.frames[frame]
            self._say(
                drawn.span,
                f"arrows cross the border of {_quoted(drawn.title or drawn.id)}: it is read as part of the "
                "flow around it, and its own arrows as those of its first and last steps",
                "borders",
            )

    def _say(self, span: SourceSpan | None, message: str, kind: str = "") -> None:
        if kind:
            self.said[kind] += 1
            if self.said[kind] > _MOST:
                return
            if self.said[kind] == _MOST:
                message = f"{message}; further {kind} are not listed"
        self.diagnostics.append(self.document.diagnostic_at(span, "info", message))


def named_ways(labels: list[str]) -> bool:
    """Return whether the labels of several arrows alone say that exactly one arrow is taken.

    This is so if all labels are names and no two are equal. One default label is allowed ("else"). This is also so if
    there are two labels, a condition and a default label.

    Example:
        >>> named_ways(["Yes", "No"]), named_ways(["n < 3", "else"]), named_ways(["n < 3", "n > 2"])
        (True, True, False)
    """
    if not all(labels) or len({label.casefold() for label in labels}) < len(labels):
        return False
    guards = [guard_of(label) for label in labels if not is_default(label)]
    if len(labels) - len(guards) > 1:
        return False
    return len(guards) == 1 or (len({guard.expr for guard in guards}) == len(guards) and all(map(is_name, guards)))


def _guard(label: str, *, default: bool) -> Guard | None:
    """Return the guard that a label says; `default` says that one of the labels may mean the default branch."""
    if default and is_default(label):
        return Guard(default=True)
    return guard_of(label) if label else None


def _normalise(drawing: Drawing) -> None:
    """Rename boxes and frames whose ids are empty, START or END, and let all arrows point forward."""
    ids = {own: node_id(own) for own in (START, END, "")}
    for box in drawing.boxes.values():
        box.id = ids.get(box.id, box.id)
    drawing.boxes = {box.id: box for box in drawing.boxes.values()}
    for frame in drawing.frames:
        frame.id = frame.id and ids.get(frame.id, frame.id)
    for place, arrow in enumerate(drawing.arrows):
        source, target = (ids.get(end, end) for end in (arrow.source, arrow.target))
        if arrow.heads == "back":
            source, target = target, source
        if (source, target) != (arrow.source, arrow.target):
            drawing.arrows[place] = replace(arrow, source=source, target=target)


def _place(span: SourceSpan | None) -> tuple[int, int]:
    return (span.line, span.column) if span is not None else (0, 0)


def _operator(box: Box, ways: int) -> Operator | None:
    if box.shape == "bar":
        return "AND"
    if box.shape == "point":
        return "AND" if ways > 1 else "XOR"
    return next((op for op in OPERATORS if box.shape == "decision" and box.label == op), None)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
