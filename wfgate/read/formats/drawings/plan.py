"""Workflow to drawing: every workflow can be drawn."""

import re
from collections import Counter, defaultdict
from itertools import count

from wfgate.model import END, START, Link, Loop, Operator, Task, Workflow
from wfgate.read.formats.builder import link_ends, link_starts
from wfgate.read.formats.drawings.base import Arrow, Box, Drawing, Frame, Shape
from wfgate.read.formats.drawings.words import OUTCOME_WORDS
from wfgate.read.formats.drawings.workflow import GROUP, named_ways

_SAFE = re.compile(r"[A-Za-z0-9_]++(?>(?:[.-][A-Za-z0-9_]++)*)")
_RESERVED = re.compile(
    r"(?:^|\d|[.-])(?:end|style|linkStyle|classDef|class|interpolate|graph|flowchart|subgraph|default|v|click|call|href"
    r"|direction|acc|_self|_blank|_parent|_top|node|edge|digraph|strict)(?![A-Za-z0-9_])",
    re.IGNORECASE,
)


def plan_of(workflow: Workflow) -> Drawing:
    """Return a drawing of a workflow. A reader of the drawing gets the same flow.

    A sub-workflow is drawn as a frame for the first composite that calls it. Each further call is drawn as a box, and
    so is a call of a sub-workflow that does not exist. A step and the XOR split that directly follows it are drawn as
    one diamond with the text of the step.

    Example:
        >>> drawing = plan_of(Workflow(tasks=(Task(id="a", name="Build"),), links=(Link(source="a", target="b"),)))
        >>> [(box.id, box.label) for box in drawing.boxes.values()]
        [('a', 'Build'), ('b', 'b')]
    """
    plan = _Drawer(workflow)
    plan.draw(workflow, None, [])
    return plan.drawing


def said(link: Link) -> str:
    """Return the label of a link: the outcome of its source, or its guard (the condition on the link).

    Example:
        >>> said(Link(source="a", target="b", outcome="failure")), said(Link(source="a", target="b"))
        ('on failure', '')
    """
    guard = link.guard
    condition = ""
    if guard is not None and guard.expr is not None:
        condition = " ".join(guard.expr.split())
        if condition.startswith("«") and condition.find("»") == len(condition) - 1:
            condition = condition[1:-1]
    elif guard is not None and guard.default:
        condition = "otherwise"
    outcome = OUTCOME_WORDS.get(link.outcome, "")
    return f"{outcome}, if {condition}" if outcome and condition else outcome or condition


def repetition(loop: Loop) -> str:
    """Return the loop of a step in words.

    Example:
        >>> repetition(Loop(mode="until", condition="status == 200", max=10))
        'repeats until status == 200, at most 10 times'
    """
    if loop.mode == "foreach":
        words = f"for each {loop.over}" if loop.over else "for each element"
    else:
        words = f"repeats {loop.mode} {loop.condition}" if loop.condition else "repeats"
    return words + (f", at most {loop.max} times" if loop.max is not None else "")


class _Drawer:
    def __init__(self, workflow: Workflow) -> None:
        self.parts = {part.name: part for part in reversed(workflow.subworkflows)}
        self.drawing = Drawing(name=workflow.name, description=workflow.description)
        self.used: set[str] = set()
        self.numbers = count(1)
        self.drawn: set[str] = set()

    def draw(self, workflow: Workflow, frame: int | None, above: list[str]) -> None:
        """Draw the boxes and arrows of one workflow, and the sub-workflows of its composites."""
        diamonds = _Diamonds(workflow)
        names: dict[str, str] = {}
        groups: dict[tuple[str, ...], int] = {}
        calls: list[tuple[Task, int]] = []
        for task in workflow.tasks:
            inside = self._group(task, frame, groups)
            part = self.parts.get(task.workflow or "")
            name = self._name(task.id, names)
            if part is not None and part.tasks and part.name not in self.drawn and len(above) < 40:
                self.drawn.add(part.name)
                self.drawing.frames.append(Frame(name, task.name or task.id, inside))
                calls.append((task, len(self.drawing.frames) - 1))
                continue
            shape: Shape = "decision" if task.id in diamonds.tasks else "box"
            if task.kind == "composite" or task.workflow:
                shape = "call"
            elif task.kind == "event":
                shape = "terminal"
            details = repetition(task.loop) if task.loop else ""
            self._box(name, task.name or task.id, shape, inside, details)
        for gateway in workflow.gateways:
            if gateway.id not in diamonds.hidden:
                op: Shape = "bar" if gateway.op == "AND" else "decision"
                self._box(self._name(gateway.id, names), gateway.op, op, frame)
        framed = {task.id for task, _ in calls}
        for link in diamonds.links if frame is None else _inner(workflow, diamonds.links, framed):
            ends = [self._end(end, names, frame) for end in (link.source, link.target)]
            stroke = "solid" if link.outcome == "success" else "dotted"
            self.drawing.arrows.append(Arrow(ends[0], ends[1], said(link), stroke))  # type: ignore[arg-type]
        for task, place in calls:
            self.draw(self.parts[task.workflow or ""], place, [*above, task.workflow or ""])

    def _box(self, name: str, label: str, shape: Shape, frame: int | None, details: str = "") -> None:
        self.drawing.boxes[name] = Box(name, " ".join(label.split()), shape, None, frame, " ".join(details.split()))

    def _name(self, own: str, names: dict[str, str]) -> str:
        """Return the id of a box: the id in the workflow if every drawing language allows it and no box has it."""
        name = own if _SAFE.fullmatch(own) and not _RESERVED.search(own) and len(own) < 100 else ""
        while not name or name in self.used:
            name = f"n{next(self.numbers)}"
        self.used.add(name)
        names.setdefault(own, name)
        return name

    def _end(self, end: str, names: dict[str, str], frame: int | None) -> str:
        """Return the box of a source or target of a link; START, END and missing nodes get a box at first use."""
        if end not in names:
            name = self._name(end, names)
            label = {START: "Start", END: "End"}.get(end, end)
            self._box(name, label, "terminal" if end in {START, END} else "box", frame)
        return names[end]

    def _group(self, task: Task, frame: int | None, groups: dict[tuple[str, ...], int]) -> int | None:
        """Return the frame around a task, from the tags of the task."""
        titles: tuple[str, ...] = ()
        for tag in task.tags:
            if tag.startswith(GROUP) and len(titles) < 40:
                titles += (tag.removeprefix(GROUP),)
                if titles not in groups:
                    self.drawing.frames.append(Frame(self._name("", {}), titles[-1], groups.get(titles[:-1], frame)))
                    groups[titles] = len(self.drawing.frames) - 1
        return groups.get(titles, frame)


def _inner(workflow: Workflow, shown: list[Link], framed: set[str]) -> list[Link]:
    """Return the links to draw in a sub-workflow: without links from START and to END that a reader adds anyway.

    A composite that is drawn as a frame keeps at least one arrow. Without an arrow, the frame would be only a border.
    """
    inner = [link for link in shown if link.source != START and link.target != END]
    outer = [link for link in shown if link.source == START or link.target == END]
    nodes = [*(task.id for task in workflow.tasks), *(gateway.id for gateway in workflow.gateways)]
    added = {(link.source, link.target) for link in (*link_starts(nodes, inner), *link_ends(nodes, inner))}
    plain = all(link.guard is None and link.outcome == "success" and not link.back for link in outer)
    touched = framed <= {end for link in inner for end in (link.source, link.target)}
    return inner if plain and touched and added == {(link.source, link.target) for link in outer} else shown


class _Diamonds:
    """The tasks of a workflow that are drawn as diamonds, because exactly one of their outgoing links is taken.

    Args:
        workflow: The workflow.

    Attributes:
        tasks: The ids of those tasks.
        links: The links to draw if these tasks are diamonds.
        hidden: The gateways that are not drawn, because the diamonds replace them.
    """

    def __init__(self, workflow: Workflow) -> None:
        self.gateways = {gateway.id: gateway for gateway in workflow.gateways}
        self.leaving: defaultdict[str, list[Link]] = defaultdict(list)
        self.entering: Counter[str] = Counter(link.target for link in workflow.links)
        self.hidden: set[str] = set()
        for link in workflow.links:
            self.leaving[link.source].append(link)
        ways = {
            task.id: self._ways(task.id) for task in workflow.tasks if task.kind == "task" and task.workflow is None
        }
        self.tasks = {task for task, links in ways.items() if links}
        self.links: list[Link] = []
        for link in workflow.links:
            if link.source in self.tasks:
                self.links += ways.pop(link.source, [])
            elif link.source not in self.hidden:
                self.links.append(link)

    def _ways(self, task: str) -> list[Link]:
        """Return the arrows that leave the diamond of a task; none if the task is not drawn as a diamond."""
        out = self.leaving[task]
        if len(out) == 1:
            return self._split_ways(task, out[0]) if out[0].guard is None else []
        plain = all(link.outcome == "success" for link in out)
        return [*out] if len(out) > 1 and plain and named_ways([*map(said, out)]) else []

    def _split_ways(self, task: str, only: Link) -> list[Link]:
        """Return the links that leave the XOR split directly after a task; none if there is no such split."""
        out = self.leaving[only.target]
        if not self._leads_to(only, "XOR") or len(out) < 2 or any(way.outcome != "success" for way in out):
            return []
        ways: list[Link] = []
        for way in out:
            both = self.leaving[way.target]
            plain = all(link.guard is None and link.outcome == "success" for link in both)
            if self._leads_to(way, "AND") and plain and len(both) > 1:
                self.hidden.add(way.target)
                ways += [link.model_copy(update={"guard": way.guard}) for link in both]
            else:
                ways.append(way)
        self.hidden.add(only.target)
        return [way.model_copy(update={"source": task}) for way in ways]

    def _leads_to(self, link: Link, op: Operator) -> bool:
        """Return whether the target of a link is a split with this operator and no other incoming link."""
        gateway = self.gateways.get(link.target)
        return (
            gateway is not None
            and (gateway.op, gateway.role) == (op, "split")
            and self.entering[link.target] == 1
            and link.outcome == "success"
        )
