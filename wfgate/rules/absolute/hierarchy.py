"""Checks of composites and the sub-workflows that they call."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

from wfgate.logic import Behaviour, DataFlow
from wfgate.model import SourceSpan, Task, Workflow, cycle_through, listed, reach, strongly_connected
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject, quoted
from wfgate.rules.file import File, mentioned, within


class MissingSubWorkflow(AbsoluteCheck):
    """A composite calls a sub-workflow that is not in the file.

    What it does:
        Reports composites (steps that call a sub-workflow) if the sub-workflow is not in the file. Calls of other
        files are not checked. These are the calls marked as external, and all calls in a file without sub-workflows.

    Why it matters:
        The steps of the sub-workflow do not run, or the engine rejects the file.

    Golden:
        ``{id: c, kind: composite, workflow: checks}``, and there is a workflow ``checks``.

    Candidate:
        ``{id: c, kind: composite, workflow: cheks}``, and there is only a workflow ``checks``.

    How to fix:
        Correct the name, or add the missing workflow.
    """

    id: ClassVar[str] = "WF501"
    defect: ClassVar[str] = "missing-sub-workflow"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per composite with an unknown sub-workflow."""
        for position, task in enumerate(subject.tasks):
            if task.workflow and not task.external and subject.defined and task.workflow not in subject.defined:
                message = f"{quoted(task)} calls the sub-workflow '{task.workflow}', which is not in the file"
                yield Observation(message, (position,), key=("sub-workflow", task.workflow))


class Recursion(AbsoluteCheck):
    """A workflow calls itself.

    What it does:
        Reports cycles of calls between the workflows of a file. The finding is an error if every call of the cycle is
        unconditional, so that the recursion never ends. It is a warning if a call of the cycle depends on a condition.
        Calls that are never reached do not count.

    Why it matters:
        An unconditional recursion runs until the engine stops the workflow. A conditional recursion ends only if its
        condition becomes false.

    Golden:
        ``release`` calls ``checks``; ``checks`` calls nothing.

    Candidate:
        ``release`` calls ``checks``; ``checks`` calls ``release``.

    How to fix:
        Call another workflow, or use a loop with a maximum number of iterations.
    """

    id: ClassVar[str] = "WF502"
    defect: ClassVar[str] = "recursion"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per set of workflows that call each other."""
        if subject.scope:
            return
        calls = _Calls(subject.file)
        for members in calls.circles:
            certain = _cycle(edge for edge in calls.within(members) if calls.must_run(*edge))
            cycle = certain or _cycle(calls.within(members))
            if cycle is None:
                continue
            names = [calls.name(place) for place in (*cycle, cycle[0])]
            message = f"{names[0]} calls itself" + (f" through {listed(names[1:-1])}" if len(names) > 2 else "")
            edges = list(zip(cycle, (*cycle[1:], cycle[0]), strict=True))
            if certain:
                message += " unconditionally"
            else:
                conditional = next(edge for edge in edges if not calls.must_run(*edge))
                message += calls.condition(*conditional)
            yield Observation(
                message,
                witness=tuple(names),
                key=tuple(sorted(calls.workflows[place].name for place in members)),
                severity=None if certain else "warning",
                location=calls.span(*edges[0]),
            )


class InterfaceMismatch(AbsoluteCheck):
    """The inputs or outputs of a composite do not match those of its sub-workflow.

    What it does:
        Compares a composite (a step that calls a sub-workflow) with its sub-workflow. Reports an output of the
        composite that no inner step writes. If the composite declares what it passes in (inputs, arguments, data
        links), reports an input of an inner step that no inner step writes and that the composite does not pass in.
        Reports, as a warning, an input of the composite that no inner step reads. Data that no step of the whole file
        produces are reported by WF401. A sub-workflow without data declarations is not checked.

    Why it matters:
        Steps inside the sub-workflow, or after the composite, run without data that they need.

    Golden:
        ``checks`` (inputs ``image``, outputs ``report``); inside, ``scan`` reads ``image`` and writes ``report``.

    Candidate:
        ``checks`` (inputs ``image``, outputs ``report``); inside, ``scan`` reads ``image`` and writes ``findings``.

    How to fix:
        Use the same name in the composite and in the sub-workflow, or declare the datum as an input or output of the
        composite.
    """

    id: ClassVar[str] = "WF503"
    defect: ClassVar[str] = "interface-mismatch"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per composite and datum."""
        if subject.scope:
            return
        inner: dict[str, _Inner] = {}
        for workflow in subject.file.workflows:
            brought: defaultdict[str, set[str]] = defaultdict(set)
            for link in workflow.data_links:
                brought[link.target].add(link.data)
            for task in workflow.tasks:
                part = subject.file.parts.get(task.workflow or "")
                if part is not None:
                    inside = inner.setdefault(part.name, _Inner(part, subject.file))
                    yield from _mismatches(task, inside, brought.get(task.id, set()))


def _mismatches(task: Task, inside: "_Inner", brought: set[str]) -> Iterator[Observation]:
    name = inside.part.name
    promised = [] if inside.opaque or not inside.models_data else dict.fromkeys(task.outputs)
    for datum in promised:
        if not within(datum, inside.written | inside.given | set(task.inputs)):
            message = (
                f"{quoted(task)} declares the output '{datum}', which nothing in its sub-workflow '{name}' writes"
            )
            yield _observed(task, name, "output", datum, message)
    handed = {*task.inputs, *task.params, *brought}
    if not handed:
        return
    for datum, readers in inside.needs.items():
        if not within(datum, handed):
            message = (
                f"{listed(readers)} in '{name}' {_reads(readers)} '{datum}', which {quoted(task)} does not pass in"
            )
            yield _observed(task, name, "need", datum, message)
    for datum in dict.fromkeys(task.inputs) if inside.reads else ():
        if not within(datum, inside.reads) and datum not in inside.mentioned:
            message = f"{quoted(task)} passes '{datum}' to its sub-workflow '{name}', but no step in '{name}' reads it"
            yield _observed(task, name, "input", datum, message, "warning")


def _observed(
    task: Task, name: str, kind: str, datum: str, message: str, severity: Severity | None = None
) -> Observation:
    # In a review the composite is expanded, so it has no position of its own.
    return Observation(
        message, witness=(task.name, name, datum), key=(kind, name, datum), severity=severity, location=task.span
    )


@dataclass(frozen=True)
class _Inner:
    """The data of a sub-workflow."""

    part: Workflow
    file: File

    @cached_property
    def data(self) -> DataFlow:
        return DataFlow.of(self.part, self.file.workflow.subworkflows)

    @cached_property
    def written(self) -> frozenset[str]:
        return frozenset[str]().union(*self.data.outputs)

    @cached_property
    def given(self) -> frozenset[str]:
        return self.data.params | self.data.declared | self.data.from_start

    @cached_property
    def reads(self) -> frozenset[str]:
        """Data read inside, nested sub-workflows included; if there are any, also the declared data and parameters."""
        read = {datum for part in self._all for task in part.tasks for datum in task.inputs}
        read |= {link.data for part in self._all for link in part.data_links}
        return frozenset(read | self.data.declared | self.data.params if read else read)

    @cached_property
    def mentioned(self) -> frozenset[str]:
        return frozenset(word for part in self._all for word in mentioned(part))

    @cached_property
    def models_data(self) -> bool:
        return bool(self.reads or self.written or self.given)

    @cached_property
    def opaque(self) -> bool:
        """Whether an inner composite without declared outputs calls a workflow that is not in the file."""
        return any(
            task.workflow and task.workflow not in self.file.parts and not task.outputs
            for part in self._all
            for task in part.tasks
        )

    @cached_property
    def needs(self) -> dict[str, list[str]]:
        """Inner tasks (quoted names) by the datum that they need from outside; only data that the file offers."""
        here = self.written | self.given
        tasks: defaultdict[str, list[str]] = defaultdict(list)
        for task, inputs in zip(self.part.tasks, self.data.stated_inputs, strict=True):
            for datum in sorted(inputs):
                if not within(datum, here) and datum not in task.params and within(datum, self.file.offered):
                    tasks[datum].append(quoted(task))
        return {datum: sorted(tasks[datum]) for datum in sorted(tasks)} if not self.opaque else {}

    @cached_property
    def _all(self) -> list[Workflow]:
        parts = {**self.file.parts, self.part.name: self.part}

        def called(name: str) -> list[str]:
            return [task.workflow for task in parts[name].tasks if task.workflow and task.workflow in parts]

        return [parts[name] for name in reach([self.part.name], called)]


class _Call(NamedTuple):
    caller: int
    position: int


@dataclass(frozen=True)
class _Calls:
    """The call graph of the workflows of a file. Workflows are numbered in the order of their names."""

    file: File

    @cached_property
    def workflows(self) -> list[Workflow]:
        parts = [part for _, part in sorted(self.file.parts.items())]
        return sorted([self.file.workflow, *parts], key=lambda part: part.name)

    @cached_property
    def calls(self) -> Mapping[tuple[int, int], list[_Call]]:
        """The composites by which one workflow calls another."""
        main = self.file.workflow
        number = {part.name: place for place, part in enumerate(self.workflows) if part is not main}
        number.setdefault(main.name, next(place for place, part in enumerate(self.workflows) if part is main))
        calls: defaultdict[tuple[int, int], list[_Call]] = defaultdict(list)
        for caller, part in enumerate(self.workflows):
            for position, task in enumerate(part.tasks):
                if task.workflow and task.workflow in number:
                    calls[caller, number[task.workflow]].append(_Call(caller, position))
        return calls

    @cached_property
    def circles(self) -> list[list[int]]:
        """Strongly connected components of the call graph that contain a cycle, in order of names."""
        components = [sorted(part) for part in strongly_connected((), self.calls)]
        return sorted(part for part in components if len(part) > 1 or (part[0], part[0]) in self.calls)

    def within(self, members: list[int]) -> list[tuple[int, int]]:
        """Return the calls between these workflows that can happen, sorted."""
        inside = set(members)
        return sorted(edge for edge in self.calls if inside.issuperset(edge) and self._can_run(*edge))

    def must_run(self, caller: int, called: int) -> bool:
        """Return whether a workflow always calls another one, provided that no step fails."""
        return any(
            self._behaviour[caller].must_run(call.position).value is True for call in self.calls[caller, called]
        )

    def condition(self, caller: int, called: int) -> str:
        """Return the condition of a call, as the end of a sentence."""
        words = {self._behaviour[caller].words(call.position) for call in self.calls[caller, called]}
        cases = sorted(word if word.startswith("unless ") else f"when {word}" for word in words - {"unknown", "never"})
        return f", {' or '.join(cases)}" if cases else ", under some condition"

    def span(self, caller: int, called: int) -> SourceSpan | None:
        """Return the source position of the first call."""
        return next((self.workflows[caller].tasks[call.position].span for call in self.calls[caller, called]), None)

    def name(self, place: int) -> str:
        """Return a workflow's name in quotes."""
        name = self.workflows[place].name
        return f"'{name}'" if name else "the workflow"

    def _can_run(self, caller: int, called: int) -> bool:
        behaviour = self._behaviour[caller]
        return any(behaviour.can_run(call.position).value is not False for call in self.calls[caller, called])

    @cached_property
    def _behaviour(self) -> dict[int, Behaviour]:
        return {place: Behaviour.of(self.workflows[place]) for circle in self.circles for place in circle}


def _cycle(edges: Iterable[tuple[int, int]]) -> list[int] | None:
    """Return the shortest cycle through the first node that is on one; None if there is none."""
    after: defaultdict[int, list[int]] = defaultdict(list)
    for source, target in edges:
        after[source].append(target)
    cycles = (cycle_through(first, lambda node: after.get(node, ())) for first in sorted(after))
    return next((cycle for cycle in cycles if cycle), None)


def _reads(readers: list[str]) -> str:
    return "reads" if len(readers) == 1 else "read"
