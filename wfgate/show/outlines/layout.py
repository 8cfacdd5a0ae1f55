"""The position and number of each step in the outline of a workflow."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from wfgate.model import END, START, Gateway, Task, Workflow
from wfgate.show.outlines.course import OutlineCourse, OutlineWay

DEEPEST = 8
"""Deepest nesting of branches and composites that is drawn; what is deeper is drawn further down."""


@dataclass
class Branch:
    """One branch after a step.

    Attributes:
        way: The links to the branch.
        steps: The steps of the branch; empty if the branch leads to a step that is elsewhere in the outline.
    """

    way: OutlineWay
    steps: list["LayoutStep"] = field(default_factory=list)


@dataclass
class LayoutStep:
    """One line of the outline.

    Attributes:
        node: Id of the node on this line.
        course: The workflow of the node.
        way: The link from the step on the line above, if it is the only outgoing link of that step.
        branches: The branches after the step; empty if there are fewer than two.
        next: The only outgoing link, if it leads to a step that is elsewhere in the outline.
        goes_on: Whether `next` leads to the next line of the outline.
        inside: The outline of the sub-workflow, if the step is a composite and its content is shown here.
        same: Where the content of the composite is shown, if not here.
        number: Number of the step; empty for an operator that only splits.
    """

    node: str
    course: OutlineCourse
    way: OutlineWay | None = None
    branches: list[Branch] = field(default_factory=list)
    next: OutlineWay | None = None
    goes_on: bool = False
    inside: "LayoutPart | None" = None
    same: str = ""
    number: str = ""


@dataclass
class LayoutPart:
    """The outline of one workflow.

    Attributes:
        course: The workflow.
        steps: Its steps from START.
        lost: The steps that START does not reach.
        numbered: All steps of the outline by id of the node.
    """

    course: OutlineCourse
    steps: list[LayoutStep] = field(default_factory=list)
    lost: list[LayoutStep] = field(default_factory=list)
    numbered: dict[str, LayoutStep] = field(default_factory=dict)


def outlined(workflow: Workflow) -> list[LayoutPart]:
    """Return the outline of a workflow, then the outlines of sub-workflows that are not shown inside it.

    The content of a sub-workflow is shown at its first call. Sub-workflows without a call come last.
    """
    layout = _Layout(workflow)
    parts = [layout.part(workflow, 0)]
    for part in workflow.subworkflows:
        if part.name not in layout.opened and layout.named[part.name] is part:
            layout.opened[part.name] = None
            parts.append(layout.part(part, 0))
    for outline in parts:
        _number(outline, "")
    for step, name in layout.again:
        opened = layout.opened[name]
        step.same = "drawn under its name" if opened is None else f"drawn under {opened.number}"
    return parts


class _Layout:
    def __init__(self, workflow: Workflow) -> None:
        self.named: dict[str, Workflow] = {}
        for part in workflow.subworkflows:
            self.named.setdefault(part.name, part)
        self.opened: dict[str, LayoutStep | None] = {}
        self.again: list[tuple[LayoutStep, str]] = []

    def part(self, workflow: Workflow, depth: int) -> LayoutPart:
        part = LayoutPart(OutlineCourse(workflow))
        part.steps = self._level([START], part, depth)
        part.lost = [step for root in part.course.lost for step in self._level([root], part, depth)]
        return part

    def _level(self, nodes: list[str], part: LayoutPart, depth: int) -> list[LayoutStep]:
        """Return the steps of one level of indentation."""
        steps: list[LayoutStep] = []
        pending: list[tuple[str, OutlineWay | None]] = [(node, None) for node in reversed(nodes)]
        while pending:
            node, way = pending.pop()
            step = part.numbered[node] = LayoutStep(node, part.course, way)
            steps.append(step)
            self._open(step, depth)
            pending += reversed(self._leave(step, part, depth))
        return steps

    def _open(self, step: LayoutStep, depth: int) -> None:
        task = step.course.nodes.get(step.node)
        if not isinstance(task, Task) or task.workflow is None or task.workflow not in self.named:
            return
        if task.workflow in self.opened:
            self.again.append((step, task.workflow))
        elif depth < DEEPEST:
            self.opened[task.workflow] = step
            step.inside = self.part(self.named[task.workflow], depth + 1)

    def _leave(self, step: LayoutStep, part: LayoutPart, depth: int) -> list[tuple[str, OutlineWay | None]]:
        """Add the branches of a step; return the next step of the same level."""
        course = step.course
        ways = course.ways.get(step.node, [])
        behind = course.behind[step.node]
        own = {node for node in behind if course.before[node] == [step.node]}
        if len(ways) == 1:
            way = ways[0]
            if way.back or way.target not in own:
                step.next = way
            return [(node, None if step.next else way) for node in behind]
        main = _main(ways, behind, own)
        drawn: set[str] = set()
        if main is not None and main.target in own:
            behind = [main.target, *(node for node in behind if node != main.target)]
            if main.plain and all(way.exceptional for way in ways if way is not main):
                ways = [way for way in ways if way is not main]  # it goes without saying
        for way in ways:
            here = way is not main and not way.back and way.target in own and depth < DEEPEST
            drawn |= {way.target} if here else set()
            step.branches.append(Branch(way, self._level([way.target], part, depth + 1) if here else []))
        return [(node, None) for node in behind if node not in drawn]


def _main(ways: list[OutlineWay], behind: list[str], own: set[str]) -> OutlineWay | None:
    """Return the branch whose steps are on the same level as the step before; None if there is none."""
    usual = [way for way in ways if not way.exceptional]
    if len(usual) == 1 and not usual[0].back and usual[0].target != END:
        return usual[0]
    going = [way for way in usual if not way.back and way.target in behind]
    return going[0] if len(going) == 1 and going[0].target in own else None


def all_steps(part: LayoutPart) -> Iterator[LayoutStep]:
    """Yield the steps of one workflow in outline order, without those inside composites."""
    pending = [*reversed(part.lost), *reversed(part.steps)]
    while pending:
        step = pending.pop()
        yield step
        pending += [inner for branch in reversed(step.branches) for inner in reversed(branch.steps)]


def _number(part: LayoutPart, above: str) -> None:
    number = letter = 0
    targets = part.course.returned | {
        branch.way.target for step in all_steps(part) for branch in step.branches if not branch.steps
    }
    for step in all_steps(part):
        node = part.course.nodes.get(step.node)
        if isinstance(node, Gateway):
            if len(part.course.before[step.node]) > 1 or step.node in targets:
                letter += 1
                step.number = above + _letters(letter)
        elif step.node != START:
            number += 1
            step.number = f"{above}{number}"
        if step.inside is not None:
            _number(step.inside, f"{step.number}.")
    _go_on(part.steps, END)
    _go_on(part.lost, END)


def _letters(number: int) -> str:
    """Return A, B, ..., Z, AA, ...

    Example:
        >>> _letters(1), _letters(27)
        ('A', 'AA')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _go_on(steps: list[LayoutStep], follow: str) -> None:
    """Set `goes_on` for each step."""
    for place, step in enumerate(steps):
        after = steps[place + 1].node if place + 1 < len(steps) else follow
        step.goes_on = step.next is not None and not step.next.back and step.next.target == after
        for branch in step.branches:
            _go_on(branch.steps, after)
