"""The alignment in a result: by ids and names of steps."""

from wfgate.compare import Comparison
from wfgate.model import Frozen, Task, TaskGraph, Workflow


class AlignedStep(Frozen):
    """A step: its id and its name."""

    id: str
    name: str


class AlignedPair(Frozen):
    """A golden step and the candidate step aligned with it."""

    golden: AlignedStep
    candidate: AlignedStep
    similarity: float


class MergedSteps(Frozen):
    """Golden steps that were merged into one candidate step."""

    golden: tuple[AlignedStep, ...]
    candidate: AlignedStep


class SplitStep(Frozen):
    """A golden step that was split into several candidate steps."""

    golden: AlignedStep
    candidate: tuple[AlignedStep, ...]


class AlignmentView(Frozen):
    """The alignment, by ids and names of steps.

    Attributes:
        matched: Aligned pairs of steps.
        missing: Golden steps that are aligned with no candidate step.
        extra: Candidate steps that are aligned with no golden step.
        merged: Golden steps that were merged.
        split: Golden steps that were split.
        golden_links: Links between golden steps, as ids of source and target. A path through gateways only counts as
            one link.
        candidate_links: Links between candidate steps, in the same form.
    """

    matched: tuple[AlignedPair, ...] = ()
    missing: tuple[AlignedStep, ...] = ()
    extra: tuple[AlignedStep, ...] = ()
    merged: tuple[MergedSteps, ...] = ()
    split: tuple[SplitStep, ...] = ()
    golden_links: tuple[tuple[str, str], ...] = ()
    candidate_links: tuple[tuple[str, str], ...] = ()

    @property
    def golden(self) -> tuple[AlignedStep, ...]:
        """The golden steps; one that is in several parts of the alignment comes several times."""
        merged = (step for merge in self.merged for step in merge.golden)
        return (*(pair.golden for pair in self.matched), *self.missing, *merged, *(one.golden for one in self.split))


def view_of(comparison: Comparison) -> AlignmentView:
    """Return the alignment of a comparison."""
    golden, candidate = comparison.golden.tasks, comparison.candidate.tasks
    similarity = {match.golden: match.similarity for match in comparison.alignment.matches}
    return AlignmentView(
        matched=tuple(
            AlignedPair(
                golden=_step(golden[g]),
                candidate=_step(candidate[c]),
                similarity=round(similarity[g], 4),
            )
            for g, c in comparison.pairs
        ),
        missing=tuple(_step(fate.task) for fate in comparison.fates_in_order if fate.is_unaligned),
        extra=tuple(_step(step.task) for step in comparison.additions_in_order if step.is_unaligned),
        merged=tuple(
            MergedSteps(
                golden=tuple(_step(golden[g]) for g in merge.golden), candidate=_step(candidate[merge.candidate])
            )
            for merge in comparison.alignment.merges
        ),
        split=tuple(
            SplitStep(
                golden=_step(golden[split.golden]), candidate=tuple(_step(candidate[c]) for c in split.candidate)
            )
            for split in comparison.alignment.splits
        ),
        golden_links=_links(comparison.golden, comparison.golden_graph),
        candidate_links=_links(comparison.candidate, comparison.candidate_graph),
    )


def _links(workflow: Workflow, graph: TaskGraph) -> tuple[tuple[str, str], ...]:
    return tuple((workflow.tasks[source].id, workflow.tasks[target].id) for source, target in sorted(graph.edges))


def _step(task: Task) -> AlignedStep:
    return AlignedStep(id=task.id, name=task.name)
