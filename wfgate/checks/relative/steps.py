"""Checks of missing, added, merged and split steps."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.alignment import Comparison
from wfgate.checks.base import Kind, Observation, RelativeCheck, Severity, listed, quoted


class TaskMissing(RelativeCheck):
    """A golden step is missing in the candidate.

    What it does:
        Reports golden steps without a matching candidate step. Merged steps are reported by WR104. If the meaning
        model finds the work of the step in other steps, this is reported as information.

    Why it matters:
        The work of the step is no longer done.

    Golden:
        Build, Test, Deploy

    Candidate:
        Build, Deploy

    How to fix:
        Restore the step. If the candidate has the step under another name, describe in its text what the step does.
    """

    id: ClassVar[str] = "WR101"
    defect: ClassVar[str] = "task-missing"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "step"
    rank: ClassVar[int] = 10

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per missing step."""
        for task in comparison.golden_order:
            step = comparison.golden.tasks[task]
            if task in comparison.left_out:
                yield Observation(f"{quoted(step)} is missing; it is optional", golden=(task,))
                continue
            if task not in comparison.missing:
                continue
            if task in comparison.doubted or not comparison.places[task].carriers:
                what = "the critical step " if step.critical else ""
                replaced = len(comparison.missing) <= len(comparison.extra)
                yield Observation(f"{what}{quoted(step)} is missing", golden=(task,), replaced=replaced)
                continue
            parts = listed([quoted(comparison.candidate.tasks[part]) for part in comparison.places[task].carriers])
            yield Observation(
                f"{quoted(step)} has no step of its own; {parts} does it", golden=(task,), severity="info"
            )


class TaskAdded(RelativeCheck):
    """The candidate has a step that is not in the golden.

    What it does:
        Reports candidate steps that match no golden step. The parts of a golden step that was split are reported by
        WR105. A step whose work a golden step demands is reported as information.

    Why it matters:
        Nobody approved the step. It may be harmless, or it may be a second deployment.

    Golden:
        Build, Deploy

    Candidate:
        Build, Delete the old cluster, Deploy

    How to fix:
        Remove the step, or approve the candidate as the new golden.
    """

    id: ClassVar[str] = "WR102"
    defect: ClassVar[str] = "task-added"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "step"
    rank: ClassVar[int] = 12

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per added step."""
        for task in comparison.surplus:
            step = quoted(comparison.candidate.tasks[task])
            free = task in comparison.allowed
            if free or task in comparison.unasked or task not in comparison.extra:
                known = "; another reference has it too" if free else ""
                yield Observation(f"{step} is new{known}", tasks=(task,), free=free)
                continue
            sources = [quoted(comparison.golden.tasks[part]) for part in sorted(comparison.sources[task].carriers)]
            yield Observation(f"{step} is new, but does a part of {listed(sources)}", tasks=(task,), severity="info")


class TasksCompressed(RelativeCheck):
    """Several steps were merged into one.

    What it does:
        Reports candidate steps that cover more than one golden step. If the meaning model finds the work of all
        these golden steps in it, this is reported as information.

    Why it matters:
        The steps can no longer be run, repeated, monitored or approved separately. Details of the single steps are
        easily lost.

    Golden:
        Build the image, Push the image

    Candidate:
        Build and push the image

    How to fix:
        Replace the merged step by the steps of the golden.
    """

    id: ClassVar[str] = "WR104"
    defect: ClassVar[str] = "tasks-compressed"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "merge"
    rank: ClassVar[int] = 11

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per candidate step that covers several golden steps."""
        place = {task: rank for rank, task in enumerate(comparison.golden_order)}
        for merge in comparison.alignment.merges:
            steps = sorted(set(merge.golden) - comparison.left_out, key=place.__getitem__)
            if len(steps) < 2:
                continue
            names = listed([quoted(comparison.golden.tasks[task]) for task in steps], 5)
            one = quoted(comparison.candidate.tasks[merge.candidate])
            severity: Severity | None = None if comparison.doubted.intersection(steps) else "info"
            yield Observation(
                f"steps {names} were merged into one step: {one}",
                (merge.candidate,),
                tuple(steps),
                severity=severity,
            )


class TaskSplit(RelativeCheck):
    """One step was split into several.

    What it does:
        Reports golden steps whose work is distributed over several candidate steps.

    Why it matters:
        Usually no work is lost. The finding lists the parts so that a reader can verify this.

    Golden:
        Build and push the image

    Candidate:
        Build the image, Push the image

    How to fix:
        If the parts together do the work of the golden step, nothing needs fixing. Otherwise add the missing work.
    """

    id: ClassVar[str] = "WR105"
    defect: ClassVar[str] = "task-split"
    severity: ClassVar[Severity] = "info"
    about: ClassVar[Kind] = "split"
    rank: ClassVar[int] = 13

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that was split."""
        place = {task: rank for rank, task in enumerate(comparison.candidate_order)}
        for split in comparison.alignment.splits:
            steps = sorted(split.candidate, key=place.__getitem__)
            names = listed([quoted(comparison.candidate.tasks[task]) for task in steps], 5)
            one = quoted(comparison.golden.tasks[split.golden])
            yield Observation(f"{one} was split into {len(steps)} steps: {names}", tuple(steps), (split.golden,))
