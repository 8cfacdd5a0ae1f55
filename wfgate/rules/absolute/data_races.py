"""Checks of data races and lost writes."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from wfgate.logic import can_meet, terms
from wfgate.model import listed, members
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject


class ParallelWrites(AbsoluteCheck):
    """Parallel steps write the same data.

    What it does:
        Reports steps that write the same datum if no path leads from one of these steps to the other. Not reported if
        the conditions of the steps are known to exclude each other.

    Why it matters:
        The final value depends on which step finishes last.

    Golden:
        ``lint`` writes ``lint report``, in parallel ``test`` writes ``test report``.

    Candidate:
        ``lint`` writes ``report``, in parallel ``test`` writes ``report``.

    How to fix:
        Give each step its own datum, or link the steps so that they run one after the other.
    """

    id: ClassVar[str] = "WF404"
    defect: ClassVar[str] = "parallel-writes"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per datum."""
        races = _Races(subject)
        for datum in subject.data.names:
            writers = races.writers(datum)
            together = races.bits(writers)
            racing = [task for task in writers if races.any_meets(task, together)]
            if racing:
                tasks = subject.sorted(racing)
                message = f"{listed(subject.named(tasks))} write '{datum}' in parallel: no path connects these steps"
                yield Observation(message, tuple(tasks), key=(datum,))


class ReadWhileWritten(AbsoluteCheck):
    """A step reads data while a parallel step writes them.

    What it does:
        Reports a step that reads a datum, and a step that writes this datum, if no path leads from one step to the
        other. Not reported if the conditions of the two steps are known to exclude each other. The finding is only
        information if a data link connects the two steps, because some engines also wait for data. Two steps that
        write the same datum are reported by WF404.

    Why it matters:
        The reader gets the old value, the new value or no value, depending on timing.

    Golden:
        ``build`` (writes ``image``) ``-> scan`` (reads ``image``)

    Candidate:
        ``build`` (writes ``image``), in parallel ``scan`` (reads ``image``)

    How to fix:
        Link the writer to the reader, so that the reader waits.
    """

    id: ClassVar[str] = "WF405"
    defect: ClassVar[str] = "read-while-written"
    severity: ClassVar[Severity] = "warning"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per datum and set of writers for which a reader does not wait."""
        races = _Races(subject)
        data = subject.data
        for datum in data.names:
            readers_of: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
            writing = set(data.producers(datum))
            for reader in data.consumers(datum):
                aside = data.source_bits(reader, datum) & races.parallel(reader)
                if not aside or reader in writing or reader not in races.live:
                    continue
                writers = tuple(races.meeting(reader, aside))
                if writers:
                    readers_of[writers].append(reader)
            for tasks, readers in sorted(readers_of.items(), key=lambda item: races.places(item[1])):
                first, last = subject.sorted(readers), subject.sorted(tasks)
                message = (
                    f"{listed(subject.named(first))} {'reads' if len(first) == 1 else 'read'} '{datum}' without "
                    f"waiting for {listed(subject.named(last))}, which {'writes' if len(last) == 1 else 'write'} it"
                )
                linked = all((reader, datum) in data.linked for reader in readers)
                yield Observation(message, (*first, *last), key=(datum,), severity="info" if linked else None)


class OverwrittenUnread(AbsoluteCheck):
    """Data are overwritten before anything reads them.

    What it does:
        Reports a step that writes a datum if on every path after it another step overwrites the datum before any step
        reads it. Readers are also: a step that reads and writes the datum, a parallel step, and a condition after the
        step.

    Why it matters:
        The first value is lost. The first write is superfluous, or the step that should read the first value is
        missing.

    Golden:
        ``build`` (writes ``image``) ``-> scan`` (reads ``image``) ``-> rebuild`` (writes ``image``)

    Candidate:
        ``build`` (writes ``image``) ``-> rebuild`` (writes ``image``) ``-> scan`` (reads ``image``)

    How to fix:
        Give the two values different names, or remove the first writer.
    """

    id: ClassVar[str] = "WF406"
    defect: ClassVar[str] = "overwritten-unread"
    severity: ClassVar[Severity] = "warning"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per write that is lost."""
        data, flow = subject.data, subject.flow
        races = _Races(subject)
        for datum in data.names:
            writers = races.writers(datum)
            if len(writers) < 2:
                continue
            readers = frozenset(data.consumers(datum))
            reading, writing, asking = races.bits(readers), races.bits(writers), races.asking(datum)
            for writer in subject.sorted(writers):
                seen = (races.parallel(writer) & reading) | ((flow.descendants[writer] | 1 << writer) & asking)
                if seen or flow.precedes(writer, writer) or not writing & flow.descendants[writer]:
                    continue
                lost = races.overwriters(writer, frozenset(writers) - readers, readers)
                if lost:
                    tasks = subject.sorted(lost)
                    message = (
                        f"{listed(subject.named([writer]))} writes '{datum}', which {listed(subject.named(tasks))} "
                        f"{'overwrites' if len(tasks) == 1 else 'overwrite'} before anything reads it"
                    )
                    yield Observation(message, (writer, *tasks), key=(datum,))


@dataclass(frozen=True)
class _Races:
    """Queries about steps that run in parallel."""

    subject: Subject

    def writers(self, datum: str) -> list[int]:
        """Return the reachable tasks that declare a datum as output, or whose sub-workflow writes the datum."""
        data = self.subject.data
        return [task for task in data.producers(datum) if datum in data.stated_outputs[task] and task in self.live]

    def asking(self, datum: str) -> int:
        """Return the tasks directly before a guard that reads a datum, as a bit set."""
        flow = self.subject.behaviour.flow
        asked = {
            task
            for (source, _, _), guard in zip(flow.links, self.subject.behaviour.selections.guards, strict=True)
            for term in (terms(guard) if guard is not None else ())
            if datum in {term.text, term.text.partition(".")[0]}
            for task in flow.tasks_before(source)
        }
        return self.bits(task for task in asked if flow.task(task) is not None)

    @property
    def live(self) -> frozenset[int]:
        """Tasks reachable from START."""
        return self.subject.reachable

    @cached_property
    def live_bits(self) -> int:
        """Tasks reachable from START, as a bit set."""
        return self.bits(self.live)

    @staticmethod
    def bits(tasks: Iterable[int]) -> int:
        """Return the bit set of some tasks."""
        bits = 0
        for task in tasks:
            bits |= 1 << task
        return bits

    def parallel(self, task: int) -> int:
        """Return the tasks that no path orders with this one, as a bit set."""
        flow = self.subject.flow
        return ~(flow.descendants[task] | flow.ancestors[task] | 1 << task)

    def meeting(self, task: int, aside: int) -> list[int]:
        """Return the reachable tasks in the bit set `aside` that can run in the same run as a task."""
        return [other for other in members(aside & self.live_bits) if self._meet(task, other)]

    def any_meets(self, task: int, others: int) -> bool:
        """Return whether a task of the bit set `others` can run in parallel with a task."""
        aside = others & self.parallel(task)
        if not self.subject.behaviour.conditional:
            return bool(aside)
        return any(self._meet(task, other) for other in members(aside))

    def overwriters(self, writer: int, overwriting: frozenset[int], readers: frozenset[int]) -> list[int]:
        """Return the tasks that overwrite a task's output; empty if a task reads the output or a path avoids them."""
        successors = self.subject.flow.successors
        ends = set(self.subject.graph.ends)
        overwriters = set()
        seen = {writer}
        pending = [writer]
        while pending:
            task = pending.pop()
            if task in ends or not successors[task]:
                return []
            for near in successors[task]:
                if near in readers:
                    return []
                if near in seen:
                    continue
                seen.add(near)
                if near in overwriting:
                    overwriters.add(near)
                else:
                    pending.append(near)
        return sorted(overwriters)

    def places(self, tasks: Iterable[int]) -> list[int]:
        """Return the topological ranks of tasks, ascending."""
        return sorted(self.subject.place[task] for task in tasks)

    def _meet(self, first: int, second: int) -> bool:
        behaviour = self.subject.behaviour
        return not behaviour.conditional or can_meet(behaviour, first, second)
