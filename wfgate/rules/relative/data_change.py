"""Checks of lost data flow and changed calls of sub-workflows."""

from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from wfgate.compare import Comparison
from wfgate.logic import DataFlow
from wfgate.model import Task, Workflow, canonical_form, listed
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity, quoted


class NoLongerProduced(RelativeCheck):
    """A datum that steps still read is no longer produced.

    What it does:
        Reports data that a shared step writes in the golden, and that the candidate still reads but no longer writes.
        A datum that is renamed in all steps counts as the same datum.

    Why it matters:
        The steps that read the datum get no data, or data that an earlier run left behind.

    Golden:
        ``build`` writes ``image``, ``deploy`` reads ``image``.

    Candidate:
        ``build`` writes nothing, ``deploy`` reads ``image``.

    How to fix:
        Let the step write the datum again, or correct the name of the datum.
    """

    id: ClassVar[str] = "WR401"
    defect: ClassVar[str] = "data-no-longer-produced"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "data"
    rank: ClassVar[int] = 70
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per datum."""
        uses = _Uses(comparison)
        for datum, now in uses.data:
            readers = uses.candidate.consumers(now)
            writers = [task for task in uses.golden.producers(datum) if uses.images[task]]
            if not writers or not readers or uses.candidate.producers(now):
                continue
            writers.sort(key=uses.place.__getitem__)
            readers = tuple(sorted(readers, key=comparison.candidate_order.index))
            given = now in uses.candidate.params | uses.candidate.from_start and datum not in uses.golden.params
            message = (
                f"nothing produces '{now}' any more: {listed(uses.was(writers))} no longer "
                f"{'writes' if len(writers) == 1 else 'write'} it, but {listed(uses.now(readers))} "
                f"{'reads' if len(readers) == 1 else 'read'} it"
            )
            yield Observation(
                message + ("; it is now an input of the workflow" if given else ""),
                golden=tuple(writers),
                key=(datum,),
                severity="warning" if given else None,
            )


class ConsumerLost(RelativeCheck):
    """A step no longer reads a datum.

    What it does:
        Reports steps that read a datum in the golden but not in the candidate, although the datum is still available.
        If the candidate declares no inputs at all, one finding is reported for all steps. A datum that is renamed in
        all steps counts as the same datum.

    Why it matters:
        The step uses other data than in the golden, or no data.

    Golden:
        ``build`` writes ``image``, ``scan`` and ``deploy`` read ``image``.

    Candidate:
        ``build`` writes ``image``, ``deploy`` reads ``image``, ``scan`` reads nothing.

    How to fix:
        Restore the input, or approve the candidate.
    """

    id: ClassVar[str] = "WR402"
    defect: ClassVar[str] = "data-consumer-lost"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "data"
    rank: ClassVar[int] = 72

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step and datum."""
        uses = _Uses(comparison)
        lost = []
        for datum, now in uses.data:
            if uses.in_reach(now) or not any(uses.candidate.inputs):
                readers = [task for task in uses.golden.consumers(datum) if uses.lost(task, datum)]
                lost += [(datum, now, task) for task in sorted(readers, key=uses.place.__getitem__)]
        if not any(uses.candidate.inputs) and lost:
            readers = sorted({task for _, _, task in lost}, key=uses.place.__getitem__)
            message = f"no step reads data any more; in the golden {listed(uses.was(readers))} did"
            data = {datum for datum, _, _ in lost}
            value = data.pop() if len(data) == 1 else None
            yield Observation(message, golden=tuple(readers), key=("any",), golden_value=value)
            return
        for datum, now, task in lost:
            message = f"{uses.step(task)} no longer reads '{now}'"
            yield Observation(message, golden=(task,), key=(datum,), golden_value=datum)


class DependencyLost(RelativeCheck):
    """Data no longer flow from one step to another.

    What it does:
        Reports a data link between two shared steps if their order is unchanged but no datum flows between them in the
        candidate. Reports a step that no longer writes a datum which other steps still write. Reports a datum that the
        candidate neither writes nor reads, although the candidate has the steps that wrote and read it. Changes
        reported by WR401 and WR402 are not repeated. A changed order is reported by WR203 and WR204.

    Why it matters:
        The second step uses other data than in the golden.

    Golden:
        ``build`` writes ``image``, which flows to ``deploy``.

    Candidate:
        The steps ``build`` and ``deploy`` exist, but no datum flows between them.

    How to fix:
        Restore the data flow, or approve the candidate.
    """

    id: ClassVar[str] = "WR403"
    defect: ClassVar[str] = "data-dependency-lost"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "data"
    rank: ClassVar[int] = 71

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that no longer writes a datum, and per lost data link."""
        uses = _Uses(comparison)
        golden, candidate = uses.golden, uses.candidate
        for datum, now in uses.data:
            readers = [task for task in golden.consumers(datum) if uses.images[task]]
            writers = [task for task in golden.producers(datum) if uses.images[task]]
            dropped = [task for task in writers if not uses.writes(task, datum)]
            stated = [task for task in dropped if datum in golden.stated_outputs[task]]
            still = candidate.producers(now), candidate.consumers(now)
            if stated and readers and (all(still) or not any(still)) and any(candidate.inputs):
                # With neither writers nor readers left the datum is gone; with both, other steps write it.
                kept = [task for task in readers if not uses.gets(task, stated)]
                if kept:
                    stated.sort(key=uses.place.__getitem__)
                    kept.sort(key=uses.place.__getitem__)
                    verb = "writes" if len(stated) == 1 else "write"
                    message = (
                        f"{listed(uses.was(stated))} no longer {verb} '{now}', which {listed(uses.was(kept))} read"
                    )
                    yield Observation(message, golden=(*stated, *kept), key=(datum,))
        links = ((source, target, datum) for (target, datum), sources in golden.linked.items() for source in sources)
        place = uses.place
        for source, target, datum in sorted(links, key=lambda link: (place[link[0]], place[link[1]], link[2])):
            if uses.images[source] and uses.images[target] and uses.link_lost(source, target):
                message = f"'{datum}' no longer flows from {uses.step(source)} to {uses.step(target)}"
                yield Observation(message, golden=(source, target), key=(datum,), golden_value=datum)


class SubWorkflowChanged(RelativeCheck):
    """A step calls another sub-workflow.

    What it does:
        Sub-workflows in the file are compared step by step. This check is for calls that cannot be followed: calls of
        other files, and recursion. Reports a composite (a step that calls a sub-workflow) if it now calls another
        workflow, no longer calls a workflow, or calls a workflow for the first time. A step that became a composite,
        or is no longer a composite, is reported by WR103. Calls reported by WF501 or WF502 are not repeated.

    Why it matters:
        wfgate does not know the steps of the other workflow.

    Golden:
        ``{name: Checks, kind: composite, workflow: org/checks}``

    Candidate:
        ``{name: Checks, kind: composite, workflow: org/quick-checks}``

    How to fix:
        Restore the name of the sub-workflow, or approve the candidate.
    """

    id: ClassVar[str] = "WR501"
    defect: ClassVar[str] = "sub-workflow-changed"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "value"
    rank: ClassVar[int] = 62

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per matched step whose call changed."""
        for golden, candidate in comparison.pairs:
            was, now = comparison.golden.tasks[golden], comparison.candidate.tasks[candidate]
            if was.workflow == now.workflow or was.kind != now.kind or _same_content(was, now, comparison):
                continue
            if now.workflow and not now.external and comparison.candidate.subworkflows:
                continue  # WF501 or WF502 reports why the call could not be followed
            if was.workflow and now.workflow:
                change = f"calls the sub-workflow '{now.workflow}' instead of '{was.workflow}'"
            elif was.workflow:
                change = f"no longer calls the sub-workflow '{was.workflow}'"
            else:
                change = f"now calls the sub-workflow '{now.workflow}'"
            yield Observation(
                f"{quoted(was)} {change}",
                golden=(golden,),
                golden_value=was.workflow or None,
                candidate_value=now.workflow or None,
            )


def _same_content(was: Task, now: Task, comparison: Comparison) -> bool:
    """Return whether both steps call sub-workflows of their files that are equal except for their names."""
    one = _called(was, comparison.golden, comparison.golden_file)
    other = _called(now, comparison.candidate, comparison.candidate_file)
    if one is None or other is None:
        return False
    if len(one.tasks) != len(other.tasks):
        return False
    unnamed = (part.model_copy(update={"name": "", "subworkflows": ()}) for part in (one, other))
    forms = [canonical_form(part) for part in unnamed]
    return forms[0].certificate == forms[1].certificate


def _called(task: Task, workflow: Workflow, written: Workflow | None) -> Workflow | None:
    main = written or workflow
    named = {main.name: main, **{part.name: part for part in workflow.subworkflows}}
    return named.get(task.workflow) if task.workflow else None


@dataclass(frozen=True)
class _Uses:
    """The data of golden and candidate, and the name of each golden datum in the candidate."""

    comparison: Comparison

    @cached_property
    def golden(self) -> DataFlow:
        return DataFlow.of(self.comparison.golden)

    @cached_property
    def candidate(self) -> DataFlow:
        return DataFlow.of(self.comparison.candidate)

    @cached_property
    def place(self) -> dict[int, int]:
        """The topological rank of each golden step."""
        return {task: place for place, task in enumerate(self.comparison.golden_order)}

    @cached_property
    def images(self) -> tuple[frozenset[int], ...]:
        """The candidate steps that do the work of each golden step: matched, merged, or parts of a split step."""
        return tuple(fate.aligned for fate in self.comparison.fates)

    @cached_property
    def data(self) -> list[tuple[str, str]]:
        """Every datum of the golden with its name in the candidate, sorted."""
        return [(datum, self.renamed.get(datum, datum)) for datum in self.golden.names]

    @cached_property
    def renamed(self) -> dict[str, str]:
        """The new names of data that are renamed in all shared steps.

        A new datum is the renamed form of a missing datum if the same matched steps write both and the same matched
        steps read both. Data with the same writers and readers are interchangeable.
        """
        gone = [datum for datum in self.golden.names if not self._in_use(datum)]
        new = [datum for datum in self.candidate.names if datum not in set(self.golden.names)]
        if not gone or not new:
            return {}
        known = self.comparison.golden_of
        candidates: defaultdict[tuple[AbstractSet[int], AbstractSet[int]], list[str]] = defaultdict(list)
        for datum in reversed(new):
            sides = self.candidate.producers(datum), self.candidate.consumers(datum)
            writers, readers = (frozenset(known[task] for task in side if task in known) for side in sides)
            candidates[writers, readers].append(datum)
        new_names = {}
        same = self.comparison.candidate_of
        for datum in gone:
            sides = self.golden.producers(datum), self.golden.consumers(datum)
            writers, readers = (frozenset(task for task in side if task in same) for side in sides)
            names = candidates.get((writers, readers))
            if names and (writers or readers):
                new_names[datum] = names.pop()
        return new_names

    def lost(self, task: int, datum: str) -> bool:
        """Return whether a golden step is in the candidate but no longer reads one of its declared inputs.

        Returns False for a step that reads an unavailable datum: its name is probably misspelled, and WF401 reports
        it.
        """
        if not self.images[task] or datum not in self.golden.stated_inputs[task]:
            return False
        reads = frozenset[str]().union(*(self.candidate.inputs[step] for step in self.images[task]))
        if self._now(datum) in reads or any(not self.in_reach(name) for name in reads - self._known):
            return False
        return not self.gets(task, self.golden.sources(task, datum))

    def writes(self, task: int, datum: str) -> bool:
        """Return whether a golden step still writes a datum."""
        return any(self._now(datum) in self.candidate.outputs[step] for step in self.images[task])

    def gets(self, task: int, sources: list[int] | tuple[int, ...]) -> bool:
        """Return whether data with a new name flow from the golden steps `sources` to the step `task`."""
        writers = frozenset[int]().union(*(self.images[source] for source in sources)) if sources else frozenset()
        if writers & self.images[task]:
            return True
        return any(
            datum not in self._known and not writers.isdisjoint(self.candidate.sources(step, datum))
            for step in self.images[task]
            for datum in self.candidate.inputs[step]
        )

    def link_lost(self, source: int, target: int) -> bool:
        """Return whether no datum flows between two golden steps any more, although their order is unchanged."""
        writers, readers = self.images[source], self.images[target]
        if writers & readers:
            return False
        golden, candidate = self.comparison.golden_graph, self.comparison.candidate_graph
        ordered = any(candidate.precedes(writer, reader) for writer in writers for reader in readers)
        if golden.precedes(source, target) and not ordered:
            return False
        return not any(
            not writers.isdisjoint(self.candidate.sources(reader, datum))
            for reader in readers
            for datum in self.candidate.inputs[reader]
        )

    def was(self, tasks: list[int]) -> list[str]:
        """Return the names of golden steps in quotes."""
        return [quoted(self.comparison.golden.tasks[task]) for task in tasks]

    def now(self, tasks: tuple[int, ...]) -> list[str]:
        """Return the names of candidate steps in quotes."""
        return [quoted(self.comparison.candidate.tasks[task]) for task in tasks]

    def step(self, task: int) -> str:
        """Return the name of a golden step in quotes."""
        return quoted(self.comparison.golden.tasks[task])

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(now for _, now in self.data)

    def _now(self, datum: str) -> str:
        return self.renamed.get(datum, datum)

    def in_reach(self, datum: str) -> bool:
        """Return whether a datum is available in the candidate: a step writes it, or it comes from outside."""
        return bool(self.candidate.producers(datum)) or datum in self.candidate.given

    def _in_use(self, datum: str) -> bool:
        return (
            bool(self.candidate.producers(datum) or self.candidate.consumers(datum)) or datum in self.candidate.given
        )
