"""One workflow as boxes and arrows."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from wfgate.model import END, START, Gateway, Task, Workflow
from wfgate.show.escape import visible
from wfgate.show.outlines.course import OutlineCourse
from wfgate.show.outlines.words import LONGEST, details, way_words

Kind = Literal["start", "end", "task", "event", "composite", "gateway", "unknown", "group"]
"""Kinds of boxes. "group": several unchanged steps, where only the changes are drawn."""

_OPERATORS = {
    ("AND", "split"): ("+", "all of what follows"),
    ("AND", "join"): ("+", "waits for all before it"),
    ("XOR", "split"): ("\u00d7", "exactly one of what follows"),
    ("XOR", "join"): ("\u00d7", "goes on with any one before it"),
    ("OR", "split"): ("○", "one or more of what follows"),
    ("OR", "join"): ("○", "waits for all before it that were started"),
}


@dataclass(frozen=True)
class PictureNode:
    """One box.

    Attributes:
        key: Id of the node, or an unused id if another box has the same id.
        kind: Kind of the node.
        text: Text of the box.
        notes: Notes below the text.
        steps: Positions of the steps in the box: one step, or all steps of a folded composite.
        inside: The composites that contain the node, the outermost first, by path and name.
        operator: Operator and direction of a gateway.
    """

    key: str
    kind: Kind
    text: str
    notes: tuple[str, ...] = ()
    steps: tuple[int, ...] = ()
    inside: tuple[tuple[str, str], ...] = ()
    operator: tuple[str, str] | None = None


@dataclass(frozen=True)
class FlowArrow:
    """One arrow: all links with the same source and target.

    Attributes:
        source: Key of the source box.
        target: Key of the target box.
        words: Condition of the links; empty if there is none.
        exceptional: Whether the links are taken only after a failure.
        back: Whether the arrow is a back edge, which closes a loop.
    """

    source: str
    target: str
    words: str = ""
    exceptional: bool = False
    back: bool = False


@dataclass(frozen=True)
class PictureFlow:
    """A workflow as boxes (by key, START first) and arrows."""

    nodes: dict[str, PictureNode]
    arrows: tuple[FlowArrow, ...]


def flow_of(workflow: Workflow, file: Workflow | None = None) -> PictureFlow:
    """Return the boxes and arrows of a workflow; its graph may be broken.

    Args:
        workflow: The workflow; its sub-workflows are not drawn.
        file: The workflow before the expansion, if `workflow` is the result of an expansion (each composite replaced
            by its sub-workflow).

    Example:
        >>> from wfgate.model import Link
        >>> flow = flow_of(Workflow(tasks=(Task(id="a", name="Build"),), links=(Link(source="START", target="a"),)))
        >>> [node.text for node in flow.nodes.values()], [(arrow.source, arrow.target) for arrow in flow.arrows]
        (['START', 'Build', 'END'], [('START', 'a')])
    """
    course = OutlineCourse(workflow)
    named = {part.name for part in workflow.subworkflows}
    around = dict(_composites(file, {task.id for task in workflow.tasks})) if file is not None else {}
    nodes = {START: PictureNode(START, "start", START)}
    first: dict[str, int] = {}
    for position, task in enumerate(workflow.tasks):
        if first.setdefault(task.id, position) == position and task.id not in {START, END}:
            key = task.id
        else:
            key = f"{task.id}\0{position}"
        nodes[key] = _step(task, key, position, named, around)
    for own, element in course.nodes.items():
        if isinstance(element, Gateway):
            sign, says = _OPERATORS[element.op, element.role]
            shown = PictureNode(own, "gateway", sign, (says,), (), _inside(own, around), (element.op, element.role))
            nodes.setdefault(own, shown)
        elif element is None:
            nodes.setdefault(own, PictureNode(own, "unknown", visible(own, LONGEST), ("is not defined",)))
    nodes[END] = PictureNode(END, "end", END)
    arrows = tuple(
        FlowArrow(source, way.target, way_words(way), way.exceptional, way.back)
        for source, ways in course.ways.items()
        for way in ways
    )
    return PictureFlow(nodes, arrows)


def folded(flow: PictureFlow, opened: Collection[str] = ()) -> PictureFlow:
    """Return the flow with each composite as one box.

    Composites whose path is in `opened` stay open.
    """
    standing: dict[str, str] = {}
    members: dict[str, list[PictureNode]] = {}
    for node in flow.nodes.values():
        path = outermost(node, opened)
        standing[node.key] = node.key if path is None else path
        if path is not None:
            members.setdefault(path, []).append(node)
    nodes: dict[str, PictureNode] = {}
    for node in flow.nodes.values():
        path = outermost(node, opened)
        if path is None:
            nodes[node.key] = node
        elif path not in nodes:
            name = node.inside[0][1]
            steps = tuple(step for member in members[path] for step in member.steps)
            nodes[path] = PictureNode(path, "composite", name, (f"{len(steps)} steps inside",), steps)
    arrows: dict[tuple[str, str, bool], FlowArrow] = {}
    for arrow in flow.arrows:
        source, target = standing[arrow.source], standing[arrow.target]
        if source == target and source in members:
            continue
        moved = replace(arrow, source=source, target=target)
        known = arrows.get((source, target, arrow.back))
        arrows[source, target, arrow.back] = moved if known is None else both(known, moved)
    return PictureFlow(nodes, tuple(arrows.values()))


def outermost(node: PictureNode, opened: Collection[str] = ()) -> str | None:
    """Return the path of the outermost composite around a box; None if there is none, or if it is in `opened`."""
    path = node.inside[0][0] if node.inside else None
    return None if path in opened else path


def both(one: FlowArrow, other: FlowArrow) -> FlowArrow:
    """Return one arrow instead of two with the same source and target."""
    words = "" if not one.words or not other.words else " or ".join(dict.fromkeys((one.words, other.words)))
    return replace(one, words=words, exceptional=one.exceptional and other.exceptional)


def _step(task: Task, key: str, position: int, named: set[str], around: dict[str, str]) -> PictureNode:
    kind: Kind = "event" if task.kind == "event" else "task"
    if task.kind == "composite" or task.workflow is not None:
        kind = "composite"
    notes = [note for note in details(task, named) if note != "event"]
    name = visible(" ".join(task.name.split()) or task.id, LONGEST)
    return PictureNode(key, kind, name, tuple(notes), (position,), _inside(task.id, around))


def _inside(own: str, around: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the composites that contain the node with an id, the outermost first."""
    composites = []
    place = own.find("/")
    while place >= 0:
        path = own[: place + 1]
        if path in around:
            composites.append((path, around[path]))
        place = own.find("/", place + 1)
    return tuple(composites)


def _composites(file: Workflow, opened: set[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the name of each composite that was expanded."""
    parts = {part.name: part for part in file.subworkflows}
    paths = {own[: place + 1] for own in opened for place, sign in enumerate(own) if sign == "/"}
    pending = [("", file)]
    while pending:
        prefix, workflow = pending.pop()
        for task in workflow.tasks:
            path = f"{prefix}{task.id}/"
            if task.workflow in parts and path in paths:  # paths are finite, so is this
                yield path, visible(" ".join(task.name.split()) or task.id, LONGEST)
                pending.append((path, parts[task.workflow]))
