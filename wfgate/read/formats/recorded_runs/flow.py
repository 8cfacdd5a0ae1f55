"""The calls of a run as a workflow, and as the data that are compared."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from wfgate.errors import FormatError
from wfgate.model import Link, Loop, Names, SourceSpan, Task, Workflow
from wfgate.read.documents.document import Diagnostic, Document, Path
from wfgate.read.documents.json_text import parse_value
from wfgate.read.documents.values import check_plain
from wfgate.read.formats.base import Reading
from wfgate.read.formats.builder import check_size, with_ends
from wfgate.read.formats.recorded_runs.masks import masked, masked_text
from wfgate.read.formats.recorded_runs.messages import MessageReader
from wfgate.read.formats.recorded_runs.record import RunCall, records

_DEEPEST = 30
"""Agents inside agents."""
_UNREAD = "the arguments are not JSON, so they are compared as a text"


def reading_of(document: Document, format_id: str) -> Reading:
    """Return the run in a document.

    Raises:
        FormatError: If a record is not valid, the run is cut off, or the file has several runs.
    """
    parts = records(document)
    first = parts[0].value if parts else None
    spans = isinstance(first, dict) and (
        not {"resourceSpans", "resourceLogs"}.isdisjoint(first) or {"context", "parent_id"} <= first.keys()
    )
    if spans or (isinstance(first, dict) and "run_type" in first):
        from wfgate.read.formats.recorded_runs.spans import (  # noqa: PLC0415 - messages do not need it
            langsmith_calls,
            otel_calls,
        )

        calls = otel_calls(parts) if spans else langsmith_calls(parts)
    else:
        calls = MessageReader().read(parts)
    if not calls:
        raise document.error("the record has no tool call", fix="record a run in which the agent calls tools")
    return _Builder(document).build(calls, format_id)


@dataclass(eq=False)
class _Step:
    """A call, with the attempts to repeat it."""

    call: RunCall
    arguments: dict[str, Any]
    failed: bool
    attempts: int = 1


@dataclass
class _Builder:
    document: Document
    tasks: int = 0
    links: int = 0
    spans: dict[Path, SourceSpan] = field(default_factory=dict)
    subworkflows: list[Workflow] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)
    names: Names = field(default_factory=lambda: Names(("",)))
    times: Counter[tuple[Path, str]] = field(default_factory=Counter)

    def build(self, calls: Sequence[RunCall], format_id: str) -> Reading:
        data: dict[str, Any] = {"calls": {}}
        main = self._level(calls, data["calls"], ("calls",), 0)
        main = main.model_copy(update={"subworkflows": tuple(self.subworkflows)})
        effective = Document(self.document.name, kind="json", data=data, spans=self.spans)
        return Reading(main, format_id, tuple(self.notes), effective)

    def _level(self, calls: Sequence[RunCall], data: dict[str, Any], path: Path, depth: int) -> Workflow:
        """Return the calls of one agent as a workflow without a name."""
        if depth > _DEEPEST:
            raise calls[0].at.error(f"agents are nested deeper than {_DEEPEST} levels", "use fewer levels")
        groups = list(self._groups(calls))
        sizes = [len(group) for group in groups]
        self.tasks += sum(sizes)
        self.links += sum(before * after for before, after in pairwise(sizes))
        check_size(self.document, self.tasks, self.links)
        tasks: list[Task] = []
        ids: list[list[str]] = []
        for group in groups:
            first = len(tasks)
            tasks += [self._task(step, first + at, data, path, depth) for at, step in enumerate(group, start=1)]
            ids.append([task.id for task in tasks[first:]])
        links = [
            Link(source=source, target=target)
            for before, after in pairwise(ids)
            for source in before
            for target in after
        ]
        return Workflow(tasks=tuple(tasks), links=with_ends([task.id for task in tasks], links))

    def _groups(self, calls: Sequence[RunCall]) -> Iterator[list[_Step]]:
        """Yield the steps of each turn; a failed call that the next turn makes again is one step."""
        turn, group, before, repeated = None, list[_Step](), list[_Step](), set[int]()
        for call in calls:
            if call.turn != turn:
                if group:
                    yield group
                    before = group
                turn, group, repeated = call.turn, [], set()
            arguments = self._arguments(call)
            again = next(
                (
                    step
                    for step in before
                    if step.failed
                    and id(step) not in repeated
                    and (step.call.tool, step.arguments) == (call.tool, arguments)
                    and not (call.inner and step.call.inner)
                ),
                None,
            )
            if again is None:
                group.append(_Step(call, arguments, call.failed))
            else:
                repeated.add(id(again))
                again.attempts += 1
                again.failed = call.failed
                again.call.inner = again.call.inner or call.inner
        if group:
            yield group

    def _task(self, step: _Step, number: int, data: dict[str, Any], path: Path, depth: int) -> Task:
        call, tool = step.call, masked_text(step.call.tool)
        self.times[path, tool] += 1
        key = f"{tool} {self.times[path, tool]}"  # no position in a list: other calls before it do not change it
        place = (*path, key)
        written: dict[str, Any] = {"tool": tool, "arguments": step.arguments}
        data[key] = written
        span = call.at.span
        if span is not None:
            self.spans[place] = span
        workflow = None
        if call.inner:
            workflow = self.names.free(tool)
            at = len(self.subworkflows)
            self.subworkflows.append(Workflow(name=workflow))
            written["calls"] = {}
            level = self._level(call.inner, written["calls"], (*place, "calls"), depth + 1)
            self.subworkflows[at] = level.model_copy(update={"name": workflow, "path": (*place, "calls")})
        return Task(
            id=f"call {number}",
            name=tool,
            kind="composite" if workflow else "task",
            workflow=workflow,
            params=step.arguments,
            loop=Loop(mode="until", condition="it succeeds") if step.attempts > 1 else None,
            span=span,
            path=place,
        )

    def _arguments(self, call: RunCall) -> dict[str, Any]:
        """Return the arguments of a call as a mapping, without secrets."""
        given = call.arguments
        if isinstance(given, str):
            try:
                given = parse_value(given, self.document.name) if given.strip() else {}
            except FormatError:
                if given.lstrip().startswith("{"):
                    self.notes.append(call.at.document.diagnostic("warning", _UNREAD, *call.at.path))
        given = {} if given is None else given if isinstance(given, dict) else {"input": given}
        check_plain(given, self.document.name)
        plain: dict[str, Any] = masked(given)
        return plain
