"""Data and calls of sub-workflows that the candidate lost."""

from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from wfgate.alignment import Comparison
from wfgate.behaviour.data import DataFlow
from wfgate.checks.base import Observation, RelativeCheck, Severity, listed, quoted
from wfgate.model import Task, Workflow, canonical_form


class NoLongerProduced(RelativeCheck):
    """Nothing produces a datum any more that steps still read.

    What it does:
        Reports data that a step of the golden writes, and that the candidate reads but writes nowhere, though it
        has the step that wrote them. A datum that all steps call by another name now is the same datum.

    Why it matters:
        The readers get nothing, or what an earlier run left behind.

    Golden:
        ``build`` writes ``image``, ``deploy`` reads ``image``.

    Candidate:
        ``build`` writes nothing, ``deploy`` reads ``image``.

    How to fix:
        Let the step write the datum again, or correct its name.
    """

    id: ClassVar[str] = "WR401"
    defect: ClassVar[str] = "data-no-longer-produced"
    severity: ClassVar[Severity] = "error"
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
                f"nothing produces '{now}' any more, which {listed(uses.now(readers))} "
                f"{'reads' if len(readers) == 1 else 'read'}: {listed(uses.was(writers))} no longer "
                f"{'writes' if len(writers) == 1 else 'write'} it"
            )
            yield Observation(
                message + (", it is given from outside" if given else ""),
                golden=tuple(writers),
                key=(datum,),
                severity="warning" if given else None,
            )


class ConsumerLost(RelativeCheck):
    """A step no longer reads a datum.

    What it does:
        Reports steps that read a datum in the golden and not in the candidate, where the datum is still there. Where
        the candidate says nothing of any inputs, that is reported once. A datum that all steps call by another name
        now is the same datum.

    Why it matters:
        The step works on something else than before, or on nothing.

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
            message = f"no step reads any data any more, as {listed(uses.was(readers))} did"
            yield Observation(message, golden=tuple(readers), key=("any",))
            return
        for datum, now, task in lost:
            yield Observation(f"{uses.step(task)} no longer reads '{now}'", golden=(task,), key=(datum,))


class DependencyLost(RelativeCheck):
    """Data no longer flow from one step to another.

    What it does:
        Reports data links between steps that both workflows have and still order in the same way, where no datum
        flows from the one to the other any more; steps that no longer write a datum which others still do; and data
        that the candidate neither writes nor reads, though it has the steps that did. What WR401 and WR402 say is
        not said again, and lost order is left to the checks of order.

    Why it matters:
        The second step works on something else than before.

    Golden:
        ``build`` writes ``image``, which flows to ``deploy``.

    Candidate:
        ``build`` and ``deploy`` are there, and nothing flows between them.

    How to fix:
        Restore the data flow, or approve the candidate.
    """

    id: ClassVar[str] = "WR403"
    defect: ClassVar[str] = "data-dependency-lost"
    severity: ClassVar[Severity] = "warning"

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that no longer writes a datum, and per data link that is gone."""
        uses = _Uses(comparison)
        golden, candidate = uses.golden, uses.candidate
        for datum, now in uses.data:
            readers = [task for task in golden.consumers(datum) if uses.images[task]]
            writers = [task for task in golden.producers(datum) if uses.images[task]]
            dropped = [task for task in writers if not uses.writes(task, datum)]
            stated = [task for task in dropped if datum in golden.stated_outputs[task]]
            still = candidate.producers(now), candidate.consumers(now)
            if stated and readers and (all(still) or not any(still)) and any(candidate.inputs):
                # With neither writers nor readers left the datum is gone; with both, somebody else writes it.
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
                yield Observation(message, golden=(source, target), key=(datum,))


class SubWorkflowChanged(RelativeCheck):
    """A step calls another sub-workflow.

    What it does:
        Sub-workflows that are in the file are compared step by step. What is left are calls that cannot be followed,
        of workflows in other files or of a workflow itself: reports composites that call another one, or that name
        none any more or one for the first time. Steps that became composites, or composites that became steps, are
        left to WR103; what WF501 and WF502 say is not said again.

    Why it matters:
        What the other workflow does is not known here.

    Golden:
        ``{name: Checks, kind: composite, workflow: org/checks}``

    Candidate:
        ``{name: Checks, kind: composite, workflow: org/quick-checks}``

    How to fix:
        Restore the name, or approve the candidate.
    """

    id: ClassVar[str] = "WR501"
    defect: ClassVar[str] = "sub-workflow-changed"
    severity: ClassVar[Severity] = "warning"

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per matched step whose call changed."""
        for golden, candidate in comparison.pairs:
            was, now = comparison.golden.tasks[golden], comparison.candidate.tasks[candidate]
            if was.workflow == now.workflow or was.kind != now.kind or _same_content(was, now, comparison):
                continue
            if now.workflow and not now.external and comparison.candidate.subworkflows:
                continue  # the call could not be followed: WF501 or WF502 says why
            if was.workflow and now.workflow:
                said = f"calls the sub-workflow '{now.workflow}' instead of '{was.workflow}'"
            elif was.workflow:
                said = f"no longer calls the sub-workflow '{was.workflow}'"
            else:
                said = f"now calls the sub-workflow '{now.workflow}'"
            yield Observation(f"{quoted(was)} {said}", golden=(golden,))


def _same_content(was: Task, now: Task, comparison: Comparison) -> bool:
    """Return whether both call sub-workflows of their files that differ in their names alone."""
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
    """The data of both workflows, and which of them are the same."""

    comparison: Comparison

    @cached_property
    def golden(self) -> DataFlow:
        return DataFlow.of(self.comparison.golden)

    @cached_property
    def candidate(self) -> DataFlow:
        return DataFlow.of(self.comparison.candidate)

    @cached_property
    def place(self) -> dict[int, int]:
        """For each golden step its place in topological order."""
        return {task: place for place, task in enumerate(self.comparison.golden_order)}

    @cached_property
    def images(self) -> tuple[frozenset[int], ...]:
        """For each golden step the candidate steps that do its work."""
        found: list[set[int]] = [set() for _ in self.comparison.golden.tasks]
        for golden, candidate in self.comparison.pairs:
            found[golden].add(candidate)
        for merge in self.comparison.alignment.merges:
            for golden in merge.golden:
                found[golden].add(merge.candidate)
        for split in self.comparison.alignment.splits:
            found[split.golden].update(split.candidate)
        return tuple(frozenset(steps) for steps in found)

    @cached_property
    def data(self) -> list[tuple[str, str]]:
        """Every datum of the golden and what it is called in the candidate, sorted."""
        return [(datum, self.renamed.get(datum, datum)) for datum in self.golden.names]

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Data that all steps which both workflows have call by another name now.

        A datum that is gone is the same as a new one if the same matched steps write it and the same read it. Where
        several have the same writers and readers it does not matter which is which.
        """
        gone = [datum for datum in self.golden.names if not self._in_use(datum)]
        new = [datum for datum in self.candidate.names if datum not in set(self.golden.names)]
        if not gone or not new:
            return {}
        known = self.comparison.golden_of
        waiting: defaultdict[tuple[AbstractSet[int], AbstractSet[int]], list[str]] = defaultdict(list)
        for datum in reversed(new):
            sides = self.candidate.producers(datum), self.candidate.consumers(datum)
            writers, readers = (frozenset(known[task] for task in side if task in known) for side in sides)
            waiting[writers, readers].append(datum)
        found = {}
        same = self.comparison.candidate_of
        for datum in gone:
            sides = self.golden.producers(datum), self.golden.consumers(datum)
            writers, readers = (frozenset(task for task in side if task in same) for side in sides)
            names = waiting.get((writers, readers))
            if names and (writers or readers):
                found[datum] = names.pop()
        return found

    def lost(self, task: int, datum: str) -> bool:
        """Return whether a golden step that names a datum as input is there and no longer reads it.

        A step that reads what nothing offers misspells a name: that is said of the candidate alone.
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
        """Return whether some datum that is new flows from one of these golden steps to another one."""
        writers = frozenset[int]().union(*(self.images[source] for source in sources)) if sources else frozenset()
        if writers & self.images[task]:
            return True
        return any(
            datum not in self._known and not writers.isdisjoint(self.candidate.sources(step, datum))
            for step in self.images[task]
            for datum in self.candidate.inputs[step]
        )

    def link_lost(self, source: int, target: int) -> bool:
        """Return whether nothing flows between two golden steps any more, though their order is kept."""
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
        """Return whether a step of the candidate writes a datum, or it comes from outside."""
        return bool(self.candidate.producers(datum)) or datum in self.candidate.given

    def _in_use(self, datum: str) -> bool:
        return (
            bool(self.candidate.producers(datum) or self.candidate.consumers(datum)) or datum in self.candidate.given
        )
