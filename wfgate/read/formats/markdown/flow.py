"""The links between steps: sequence, parallel steps, stated dependencies, conditions."""

from collections.abc import Callable
from dataclasses import dataclass, field

from wfgate.model import END, START, Gateway, Guard, Link, Operator
from wfgate.read.documents.document import Document
from wfgate.read.formats.builder import MAX_LINKS, check_size
from wfgate.read.formats.markdown.refs import Ref
from wfgate.read.formats.markdown.steps import MarkdownStep, Say

Find = Callable[[Ref, MarkdownStep], MarkdownStep | None]


@dataclass
class MarkdownFlow:
    """Links the steps of one list.

    Attributes:
        find: Returns the step that a reference of a step means.
        joins: The join of each step that does not wait for all incoming links.
        ends: The nodes to which the next step is linked, each with the guard of this link.
        either: Whether the next step waits for only one of these nodes.
        choice: The node before a step with a condition, at which the flow branches; empty after the next step.
    """

    document: Document
    steps: list[MarkdownStep]
    all_parallel: bool
    find: Find
    say: Say
    links: list[Link] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    joins: dict[str, str] = field(default_factory=dict)
    ends: list[tuple[str, Guard | None]] = field(default_factory=lambda: [(START, None)])
    either: bool = False
    choice: str = ""

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
        before: list[MarkdownStep] = []
        for step in self.steps:
            sources = list(step.needs.values()) or ([] if step.dependencies.none else before)
            self.links += [_link(source.key, step) for source in sources]
            check_size(self.document, 0, len(self.links))
            self._restore(step)
            before = [step]

    def _in_order(self) -> None:
        """Link the groups of steps one after the other, and add the stated dependencies that contradict the order."""
        groups = self._groups()
        place = {step.key: number for number, group in enumerate(groups) for step in group}
        extra: list[Link] = []
        for group in groups:
            inside: dict[str, list[MarkdownStep]] = {step.key: [] for step in group}
            for step in group:
                for source in step.needs.values():
                    if source.key in inside and source is not step:
                        inside[step.key].append(source)
                    elif place.get(source.key, MAX_LINKS) > place[step.key]:
                        extra.append(_link(source.key, step))
            self._add(group, inside)
        if any(guard is not None for _, guard in self.ends):  # branches that skip a step lead to END
            self.links += [Link(source=node, target=END, guard=guard) for node, guard in self.ends]
        self.links += extra
        check_size(self.document, 0, len(self.links))

    def _groups(self) -> list[list[MarkdownStep]]:
        """Return the steps in groups; the steps of one group run in parallel."""
        if self.all_parallel:
            return [list(self.steps)] if self.steps else []
        groups: list[list[MarkdownStep]] = []
        parallel, members = False, set[int]()  # of the last group
        for step in self.steps:
            beside = {id(other) for ref in step.dependencies.beside if (other := self.find(ref, step)) is not None}
            if groups and ((step.parallel and parallel) or (beside and beside <= members)):
                groups[-1].append(step)
                step.hint = "" if step.beside else step.hint
                parallel = parallel and step.parallel
                members.add(id(step))
            else:
                groups.append([step])
                parallel, members = step.parallel, {id(step)}
        return groups

    def _restore(self, step: MarkdownStep) -> None:
        """Keep a condition as text if it cannot become a guard (the condition of a link)."""
        if step.condition or step.otherwise:
            step.condition, step.otherwise = "", False
            self.say(step.span, "the condition is kept as text only and does not become a guard")

    def _add(self, group: list[MarkdownStep], inside: dict[str, list[MarkdownStep]]) -> None:
        """Link a group after the groups before it; `inside` are the dependencies between its steps."""
        first = group[0]
        if len(group) == 1 and first.condition:
            self._if(first)
            return
        if len(group) == 1 and first.otherwise and self.choice:
            self.say(first.span, "this step is read as the other branch of the previous condition")
            self._enter(first, [(self.choice, Guard(default=True))])
            self.ends, self.choice = [self.ends[-1], (first.key, None)], ""
            return
        check_size(self.document, 0, len(self.links) + len(group) * len(self.ends))
        for step in group:
            self._restore(step)
            self._enter(step, [(source.key, None) for source in inside[step.key]] or self.ends)
            if not inside[step.key] and self.either and len(self.ends) > 1:
                self.joins[step.key] = "any"
        held = {source.key for sources in inside.values() for source in sources}
        left = [step for step in group if step.key not in held] or group
        self.ends, self.either, self.choice = [(step.key, None) for step in left], False, ""

    def _if(self, step: MarkdownStep) -> None:
        """Link a step with a condition, and add the branch that skips the step."""
        source = self.ends[0][0]
        if len(self.ends) > 1 or self.ends[0][1] is not None:
            source = f"before-{step.key}"
            op: Operator = "XOR" if self.either else "AND"
            self.gateways.append(Gateway(id=source, op=op, role="join", span=step.span))
            self.links += [Link(source=node, target=source, guard=guard) for node, guard in self.ends]
        self.say(step.span, f"this text is read as a condition: {step.condition}")
        self._enter(step, [(source, Guard(expr=step.condition))])
        self.ends = [(source, Guard(default=True)), (step.key, None)]
        self.either, self.choice = True, source

    def _enter(self, step: MarkdownStep, sources: list[tuple[str, Guard | None]]) -> None:
        self.links += [Link(source=node, target=step.key, guard=guard, span=step.span) for node, guard in sources]


def _link(source: str, step: MarkdownStep) -> Link:
    return Link(source=source, target=step.key, span=step.span)
