"""Checks of the data flow: inputs that no step writes (in time), and outputs that no step reads."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import ClassVar

from rapidfuzz import fuzz, process

from wfgate.logic import can_miss
from wfgate.model import listed, members
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject
from wfgate.rules.file import within

_NEAR = 80.0
"""Smallest similarity (`rapidfuzz.fuzz.ratio`, 0 to 100) of a suggested name."""


class NeverProduced(AbsoluteCheck):
    """A step reads data that nothing produces.

    What it does:
        Reports inputs that no step of the file writes and that no parameter and no entry under `data` provides. A
        workflow is not checked if it declares no data sources at all, or if a composite without declared outputs calls
        a workflow of another file.

    Why it matters:
        The step runs without its input, or with data that an earlier run left behind.

    Golden:
        ``build`` writes ``image``, ``deploy`` reads ``image``.

    Candidate:
        ``build`` writes ``image``, ``deploy`` reads ``imgae``.

    How to fix:
        Correct the name of the datum, or add the step that writes the datum. If the datum comes from outside the
        workflow, declare it under `data`.
    """

    id: ClassVar[str] = "WF401"
    defect: ClassVar[str] = "data-never-produced"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per datum that no step produces."""
        file = subject.file
        if not file.offered or file.opaque or (subject.scope and subject.scope not in file.callers):
            return
        passed = {datum for call in file.callers.get(subject.scope, ()) for datum in call.inputs}
        offered = file.offered | passed | subject.data.from_start
        for datum in subject.data.names:
            tasks = [
                task
                for task in subject.data.consumers(datum)
                if (task, datum) not in subject.data.linked and datum not in subject.tasks[task].params
            ]
            stated = [task for task in tasks if datum in subject.data.stated_inputs[task]]
            if stated and not within(datum, offered):
                near = process.extractOne(datum, sorted(offered), scorer=fuzz.ratio, score_cutoff=_NEAR)
                meant = f": did you mean '{near[0]}'?" if near else ""
                readers = subject.sorted(stated)
                message = f"{_read(subject, readers)} '{datum}', which nothing produces{meant}"
                yield Observation(message, tuple(readers), key=(datum,))


class UsedBeforeProduced(AbsoluteCheck):
    """A step reads data that are produced only after it.

    What it does:
        Reports steps that read a datum if all steps that write this datum run later. Not reported if a loop leads back
        to the step, if the datum also comes from outside the workflow, or if the step reads its own output.

    Why it matters:
        The step runs without data, or with data that an earlier run left behind.

    Golden:
        ``build`` (writes ``image``) ``-> deploy`` (reads ``image``)

    Candidate:
        ``deploy`` (reads ``image``) ``-> build`` (writes ``image``)

    How to fix:
        Move the producer before the reader, or let the step read a datum that an earlier step writes.
    """

    id: ClassVar[str] = "WF402"
    defect: ClassVar[str] = "data-used-before-produced"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per datum and set of late producers."""
        given = subject.data.given | subject.file.given
        late: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        after, before = subject.flow.descendants, subject.flow.ancestors
        for reader, data in enumerate(subject.data.inputs):
            only_after = after[reader] & ~before[reader]
            for datum in data:
                sources = subject.data.source_bits(reader, datum)
                named = (reader, datum) in subject.data.linked
                if not sources or (not named and (datum in given or datum in subject.data.outputs[reader])):
                    continue
                if sources & only_after == sources:
                    late[datum, sources].append(reader)
        for (datum, sources), tasks in sorted(late.items(), key=lambda item: (item[0][0], _places(subject, item[1]))):
            readers, writers = subject.sorted(tasks), subject.sorted(members(sources))
            verb = "writes" if len(writers) == 1 else "write"
            message = f"{_read(subject, readers)} '{datum}' before {listed(subject.named(writers))} {verb} it"
            yield Observation(message, (*readers, *writers), key=(datum,))


class NeverUsed(AbsoluteCheck):
    """Data are produced that nothing uses.

    What it does:
        Reports data that a step writes and that no step, data link, condition or argument uses. Results are not
        reported: data declared under `data`, outputs of composites, and data that a last step writes. A workflow in
        which no step reads data is not checked.

    Why it matters:
        The output is superfluous, or the step that should read it is missing.

    Golden:
        ``scan`` writes ``findings``, ``report`` reads ``findings``.

    Candidate:
        ``scan`` writes ``findings``, which nothing reads.

    How to fix:
        Remove the output, or add the step that reads it. If the datum is a result, declare it under `data`.
    """

    id: ClassVar[str] = "WF403"
    defect: ClassVar[str] = "data-never-used"
    severity: ClassVar[Severity] = "info"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per datum that nothing uses."""
        file, data = subject.file, subject.data
        if not file.read:
            return
        used = file.read | data.declared | data.to_end
        successors = subject.flow.successors
        last = {task for task, after in enumerate(successors) if not after} | set(subject.graph.ends)
        for datum in data.names:
            writers = data.producers(datum)
            if not writers or not last.isdisjoint(writers) or within(datum, used):
                continue
            if datum in file.mentioned or datum.rpartition(".")[2] in file.mentioned:
                continue
            tasks = subject.sorted(writers)
            verb = "writes" if len(tasks) == 1 else "write"
            yield Observation(
                f"{listed(subject.named(tasks))} {verb} '{datum}', which nothing reads", tuple(tasks), key=(datum,)
            )


class NotProducedOnEveryPath(AbsoluteCheck):
    """A step can run without the data that it reads.

    What it does:
        Reports a step if in some situation the step runs and none of the steps that write its input runs. Not reported
        if the step is always skipped together with these producers. Parallel branches do not count as alternatives.
        The finding is a warning if the situation depends on a condition that cannot be analysed.

    Why it matters:
        The workflow works until the branch without the producer is taken.

    Golden:
        ``check -> build`` (writes ``image``), ``check -> fetch`` (writes ``image``), both ``-> deploy``

    Candidate:
        ``check -> build`` (writes ``image``), ``check -> skip``, both ``-> deploy`` (reads ``image``)

    How to fix:
        Write the datum on the other branch too, or give the reader the condition of the producer.
    """

    id: ClassVar[str] = "WF407"
    defect: ClassVar[str] = "data-not-on-every-path"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per datum that can be missing."""
        data = subject.data
        given = data.given | subject.file.given
        if not any(data.inputs) or not any(data.outputs) or not subject.behaviour.conditional:
            return
        before, after = subject.flow.ancestors, subject.flow.descendants
        for datum in data.names:
            missing = []
            for reader in data.consumers(datum):
                sources = data.source_bits(reader, datum)
                named = (reader, datum) in data.linked
                if not named and (datum in given or datum in data.outputs[reader]):
                    continue
                if not sources & before[reader]:
                    continue
                in_time = members(sources & (before[reader] | ~after[reader]))
                answer = can_miss(subject.behaviour, reader, in_time)
                hinges = answer.situation is not None and answer.situation.opaque == 1
                if answer.value or (answer.value is None and hinges):
                    missing.append((reader, in_time, answer))
            if missing:
                missing.sort(key=lambda miss: (not miss[2].value, subject.place[miss[0]]))
                first, in_time, answer = missing[0]
                writers = listed(subject.named(subject.sorted(in_time)))
                message = (
                    f"{listed(subject.named([first]))} reads '{datum}' even when {answer.situation}, but then "
                    f"{writers}, which {'produces' if len(in_time) == 1 else 'produce'} '{datum}', "
                    f"{'does' if len(in_time) == 1 else 'do'} not run"
                )
                yield Observation(
                    message,
                    tuple(subject.sorted(miss[0] for miss in missing)),
                    witness=answer.situation.conditions if answer.situation else (),
                    key=(datum,),
                    severity=None if answer.value else "warning",
                )


def _read(subject: Subject, readers: list[int]) -> str:
    return f"{listed(subject.named(readers))} {'reads' if len(readers) == 1 else 'read'}"


def _places(subject: Subject, tasks: Iterable[int]) -> list[int]:
    return sorted(subject.place[task] for task in tasks)
