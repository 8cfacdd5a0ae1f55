"""Checks of missing, added, merged and split steps."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.compare import Comparison, ElementData
from wfgate.model import listed
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity, quoted


class TaskMissing(RelativeCheck):
    """A golden step is missing in the candidate.

    What it does:
        Reports golden steps without a matching candidate step: at least a review, and a block if the step is critical.
        Merged steps are reported by WR104. If another step now runs the commands of the step or has its words beside
        others, the message says so. If the meaning model finds the work of the step in other steps, this is reported
        as information.

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
    defect: ClassVar[str] = "step-missing"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "step"
    rank: ClassVar[int] = 10

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per missing step."""
        unaligned = sum(fate.is_unaligned for fate in comparison.fates)
        replaced = unaligned <= sum(step.is_unaligned for step in comparison.additions)
        for fate in comparison.fates_in_order:
            name, golden = quoted(fate.task), (fate.position,)
            joined = "" if fate.joined_into is None else quoted(comparison.candidate.tasks[fate.joined_into])
            if fate.is_left_out:
                why = f"{joined} runs its commands" if joined else "it is optional"
                yield Observation(f"{name} is missing; {why}", golden=golden)
            elif fate.is_missing:
                what = "the critical step " if fate.is_critical else ""
                part = comparison.derived(ElementData).twin(fate.task, 1) is not None
                gone = "is no longer a step of the flow, but still in the file" if part else "is missing"
                if joined:
                    gone = f"was merged into {joined}, which runs its commands"
                elif fate.said_in is not None:
                    gone = f"was merged into {quoted(comparison.candidate.tasks[fate.said_in])}, which has its words"
                yield Observation(f"{what}{name} {gone}", golden=golden, replaced=replaced, exact=True)
            elif fate.is_done_elsewhere:
                parts = listed([quoted(comparison.candidate.tasks[part]) for part in fate.carriers])
                yield Observation(f"{name} has no step of its own; {parts} does it", golden=golden, severity="info")


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
    defect: ClassVar[str] = "step-added"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "step"
    rank: ClassVar[int] = 12

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per added step."""
        for addition in comparison.additions_in_order:
            name, tasks = quoted(addition.task), (addition.position,)
            if addition.is_reported_new:
                known = "; another reference has it too" if addition.is_allowed else ""
                yield Observation(f"{name} is new{known}", tasks=tasks, free=addition.is_allowed)
            elif addition.is_surplus:
                sources = listed([quoted(comparison.golden.tasks[step]) for step in sorted(addition.sources)])
                yield Observation(f"{name} is new, but does a part of {sources}", tasks=tasks, severity="info")


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
    defect: ClassVar[str] = "steps-merged"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "merge"
    rank: ClassVar[int] = 11

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per candidate step that covers several golden steps."""
        place = {task: rank for rank, task in enumerate(comparison.golden_order)}
        for step in comparison.additions:
            merged = sorted(step.merge.golden if step.merge else (), key=place.__getitem__)
            fates = [fate for each in merged if not (fate := comparison.fates[each]).is_left_out]
            if len(fates) < 2:
                continue
            names = listed([quoted(fate.task) for fate in fates], 5)
            severity: Severity | None = None if any(fate.is_doubted for fate in fates) else "info"
            yield Observation(
                f"steps {names} were merged into one step: {quoted(step.task)}",
                (step.position,),
                tuple(fate.position for fate in fates),
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
    defect: ClassVar[str] = "step-split"
    severity: ClassVar[Severity] = "info"
    about: ClassVar[Kind] = "split"
    rank: ClassVar[int] = 13

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that was split."""
        place = {task: rank for rank, task in enumerate(comparison.candidate_order)}
        for fate in comparison.fates:
            if fate.split is None:
                continue
            steps = sorted(fate.split.candidate, key=place.__getitem__)
            names = listed([quoted(comparison.candidate.tasks[task]) for task in steps], 5)
            message = f"{quoted(fate.task)} was split into {len(steps)} steps: {names}"
            yield Observation(message, tuple(steps), (fate.position,))
