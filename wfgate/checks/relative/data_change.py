"""Checks of lost data flow and changed calls of sub-workflows."""

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
    """A datum that steps still read is no longer produced.

    What it does:
        Reports data that a shared step writes in the golden and that the candidate still reads but no longer writes.
        A datum that is renamed in all steps counts as the same datum.

    Why it matters:
        The readers get no data, or leftovers of an earlier run.

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
        Reports steps that read a datum in the golden but not in the candidate although the datum is still available.
        If the candidate declares no inputs at all, that is reported once. A datum that is renamed in all steps counts
        as the same datum.

    Why it matters:
        The step uses other data than before, or none.

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
            message = f"no step reads data any more; in the golden {listed(uses.was(readers))} did"
            yield Observation(message, golden=tuple(readers), key=("any",))
            return
        for datum, now, task in lost:
            yield Observation(f"{uses.step(task)} no longer reads '{now}'", golden=(task,), key=(datum,))


class DependencyLost(RelativeCheck):
    """Data no longer flow from one step to another.

    What it does:
        Reports data links between shared steps, in unchanged order, between which no datum flows any more; steps that
        no longer write a datum which others still write; and data that the candidate neither writes nor reads
        although it has the steps that did. Changes reported by WR401 and WR402 are not repeated; a lost order is
        reported by the checks of order.

    Why it matters:
        The second step uses other data than before.

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
                yield Observation(message, golden=(source, target), key=(datum,))


class SubWorkflowChanged(RelativeCheck):
    """A step calls another sub-workflow.

    What it does:
        Sub-workflows in the file are compared step by step. This check covers calls that cannot be followed (other
        files, recursion): it reports composites that call another workflow, none any more, or one for the first time.
        Steps that became composites, or the reverse, are reported by WR103. Calls reported by WF501 or WF502 are not
        repeated.

    Why it matters:
        The content of the other workflow is not known here.

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
                continue  # WF501 or WF502 reports why the call could not be followed
            if was.workflow and now.workflow:
                change = f"calls the sub-workflow '{now.workflow}' instead of '{was.workflow}'"
            elif was.workflow:
                change = f"no longer calls the sub-workflow '{was.workflow}'"
            else:
                change = f"now calls the sub-workflow '{now.workflow}'"
            yield Observation(f"{quoted(was)} {change}", golden=(golden,))


def _same_content(was: Task, now: Task, comparison: Comparison) -> bool:
    """Return whether both call sub-workflows of their files that differ only in their names."""
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
    """The data of both workflows, and which datum of the golden is which of the candidate."""

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
        """The candidate steps that do the work of each golden step."""
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
        """Every datum of the golden with its name in the candidate, sorted."""
        return [(datum, self.renamed.get(datum, datum)) for datum in self.golden.names]

    @cached_property
    def renamed(self) -> dict[str, str]:
        """New names of data that are renamed in all shared steps.

        A missing datum is a renamed new one if the same matched steps write it and the same ones read it. Several
        data with the same writers and readers are interchangeable.
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
        found = {}
        same = self.comparison.candidate_of
        for datum in gone:
            sides = self.golden.producers(datum), self.golden.consumers(datum)
            writers, readers = (frozenset(task for task in side if task in same) for side in sides)
            names = candidates.get((writers, readers))
            if names and (writers or readers):
                found[datum] = names.pop()
        return found

    def lost(self, task: int, datum: str) -> bool:
        """Return whether a golden step with a declared input is in the candidate and no longer reads it.

        A step that reads an unavailable datum probably misspells a name, which WF401 reports.
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
        """Return whether a new datum flows from one of these golden steps to another one."""
        writers = frozenset[int]().union(*(self.images[source] for source in sources)) if sources else frozenset()
        if writers & self.images[task]:
            return True
        return any(
            datum not in self._known and not writers.isdisjoint(self.candidate.sources(step, datum))
            for step in self.images[task]
            for datum in self.candidate.inputs[step]
        )

    def link_lost(self, source: int, target: int) -> bool:
        """Return whether no datum flows between two golden steps any more although their order is kept."""
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
