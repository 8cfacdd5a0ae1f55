"""The links between steps: sequence, parallel steps, stated dependencies, conditions."""

from collections.abc import Callable
from dataclasses import dataclass, field

from wfgate.documents import Document
from wfgate.formats.builder import MAX_LINKS, check_size
from wfgate.formats.markdown.refs import Ref
from wfgate.formats.markdown.steps import Say, Step
from wfgate.model import END, START, Gateway, Guard, Link
from wfgate.model.workflow import Operator

Find = Callable[[Ref, Step], Step | None]


@dataclass
class Flow:
    """Links the steps of one list.

    Attributes:
        find: Returns the step that a reference of a step means.
        joins: The join of each step that does not wait for all incoming links.
    """

    document: Document
    steps: list[Step]
    all_parallel: bool
    find: Find
    say: Say
    links: list[Link] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    joins: dict[str, str] = field(default_factory=dict)

    def build(self) -> None:
        """Fill `links`, `gateways` and `joins`."""
        marked = any(step.parallel or step.own_id for step in self.steps)
        stated = any(
            step.dependencies.none or any(source is not before for source in step.needs.values())
            for before, step in zip([None, *self.steps[:-1]], self.steps, strict=True)
        )
        if stated and not marked and not self.all_parallel:
            self._by_needs()
        else:
            self._in_order()
        for step in self.steps:
            if step.hint:
                self.say(step.span, step.hint)
        entered = {link.target for link in self.links}
        left = {link.source for link in self.links}
        starts = [_link(START, step) for step in self.steps if step.key not in entered]
        ends = [Link(source=step.key, target=END) for step in self.steps if step.key not in left]
        self.links = [*starts, *self.links, *ends]

    def _by_needs(self) -> None:
        """Link each step after its stated dependencies; a step without dependencies comes after the step before it."""
        message = "a step with dependencies runs after them; any other step runs after the step above it"
        self.say(self.steps[0].span, message)
        before: list[Step] = []
        for step in self.steps:
            sources = list(step.needs.values()) or ([] if step.dependencies.none else before)
            self.links += [_link(source.key, step) for source in sources]
            check_size(self.document, 0, len(self.links))
            if step.condition or step.otherwise:
                self.restore(step)
            before = [step]

    def _in_order(self) -> None:
        groups = self._groups()
        place = {step.key: number for number, group in enumerate(groups) for step in group}
        inside: dict[str, list[Step]] = {}
        held: set[str] = set()
        extra: list[Link] = []
        for step in self.steps:
            for source in step.needs.values():
                if place.get(source.key, MAX_LINKS) == place[step.key] and source is not step:
                    inside.setdefault(step.key, []).append(source)
                    held.add(source.key)
                elif source.key not in place or place[source.key] > place[step.key]:
                    extra.append(_link(source.key, step))
        course = _Course(self, inside, held)
        for group in groups:
            course.add(group)
        course.end()
        self.links += extra
        check_size(self.document, 0, len(self.links))

    def _groups(self) -> list[list[Step]]:
        """Return the steps in groups; the steps of one group run in parallel."""
        if self.all_parallel:
            return [list(self.steps)] if self.steps else []
        groups: list[list[Step]] = []
        parallel, members = False, set[int]()  # of the last group
        for step in self.steps:
            beside = {id(found) for ref in step.dependencies.beside if (found := self.find(ref, step)) is not None}
            if groups and ((step.parallel and parallel) or (beside and beside <= members)):
                groups[-1].append(step)
                step.hint = "" if step.beside else step.hint
                parallel = parallel and step.parallel
                members.add(id(step))
            else:
                groups.append([step])
                parallel, members = step.parallel, {id(step)}
        return groups

    def restore(self, step: Step) -> None:
        """Keep a condition as text if it cannot become a guard (the condition of a link)."""
        step.name = step.whole
        step.condition, step.otherwise = "", False
        self.say(step.span, "the condition is kept as text only and does not become a guard")


@dataclass
class _Course:
    """The state while the steps of a list are linked one after the other.

    Attributes:
        ends: The nodes to which the next step is linked, each with the guard of this link.
        either: Whether the next step waits for only one of these nodes.
        choice: The node before a step with a condition, at which the flow branches; empty after the next step.
    """

    flow: Flow
    inside: dict[str, list[Step]]
    held: set[str]
    ends: list[tuple[str, Guard | None]] = field(default_factory=lambda: [(START, None)])
    either: bool = False
    choice: str = ""

    def add(self, group: list[Step]) -> None:
        first = group[0]
        if len(group) == 1 and first.condition and not self.inside.get(first.key):
            self._if(first)
            return
        if len(group) == 1 and first.otherwise and self.choice:
            last = self.ends[-1]
            self.flow.say(first.span, "this step is read as the other branch of the previous condition")
            self._enter(first, [(self.choice, Guard(default=True))])
            self.ends, self.choice = [last, (first.key, None)], ""
            return
        for step in group:
            if step.condition or step.otherwise:
                self.flow.restore(step)
        check_size(self.flow.document, 0, len(self.flow.links) + len(group) * len(self.ends))
        for step in group:
            sources: list[tuple[str, Guard | None]] = [(source.key, None) for source in self.inside.get(step.key, [])]
            self._enter(step, sources or self.ends)
            if not sources and self.either and len(self.ends) > 1:
                self.flow.joins[step.key] = "any"
        left = [step for step in group if step.key not in self.held] or group
        self.ends, self.either, self.choice = [(step.key, None) for step in left], False, ""

    def end(self) -> None:
        """Link the branches that skip a step to END."""
        if any(guard is not None for _, guard in self.ends):
            self.flow.links += [Link(source=node, target=END, guard=guard) for node, guard in self.ends]

    def _if(self, step: Step) -> None:
        """Link a step with a condition, and add the branch that skips the step."""
        source = self.ends[0][0]
        if len(self.ends) > 1 or self.ends[0][1] is not None:
            source = f"before-{step.key}"
            op: Operator = "XOR" if self.either else "AND"
            self.flow.gateways.append(Gateway(id=source, op=op, role="join", span=step.span))
            self.flow.links += [Link(source=node, target=source, guard=guard) for node, guard in self.ends]
        self.flow.say(step.span, f"this text is read as a condition: {step.condition}")
        self._enter(step, [(source, Guard(expr=step.condition))])
        self.ends = [(source, Guard(default=True)), (step.key, None)]
        self.either, self.choice = True, source

    def _enter(self, step: Step, sources: list[tuple[str, Guard | None]]) -> None:
        self.flow.links += [Link(source=node, target=step.key, guard=guard, span=step.span) for node, guard in sources]


def _link(source: str, step: Step) -> Link:
    return Link(source=source, target=step.key, span=step.span)
