"""The interface of perturbations (operators that change a golden), and the validation of variants."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from wfgate.calibration.perturb.texts import Edit, StepTexts
from wfgate.errors import PerturbationRejected
from wfgate.model import END, START, Link, Task, TaskGraph, Workflow, fingerprint

Label = Literal["benign", "degraded"]
Edges = set[tuple[str, str]]


@dataclass(frozen=True)
class Golden:
    """An approved workflow with recorded texts for its steps.

    Attributes:
        id: The name of the golden in its corpus.
        workflow: The workflow, composites expanded.
        texts: The recorded rewordings, merges, drifts, extra and vague steps; may be empty.
        foreign: Step texts of other workflows in the corpus, for operators that add unrelated steps.
        accepted: Workflows written anew for the same purpose that reviewers accepted in place of the golden.
        refused: The same, refused by reviewers.
        edits: Single edits by hand that reviewers accepted.
        misedits: The same, refused by reviewers.
    """

    id: str
    workflow: Workflow
    texts: StepTexts = field(default_factory=StepTexts)
    foreign: tuple[str, ...] = ()
    accepted: tuple[Workflow, ...] = ()
    refused: tuple[Workflow, ...] = ()
    edits: tuple[Edit, ...] = ()
    misedits: tuple[Edit, ...] = ()

    @cached_property
    def graph(self) -> TaskGraph:
        """The task graph of the workflow."""
        return TaskGraph.of(self.workflow)

    @property
    def n(self) -> int:
        """Number of steps."""
        return len(self.workflow.tasks)

    def reworded(self, texts: Sequence[str]) -> "Golden":
        """Return the golden with every step reworded: the base of combined perturbations."""
        tasks = tuple(restated(task, text) for task, text in zip(self.workflow.tasks, texts, strict=True))
        return replace(self, workflow=self.workflow.model_copy(update={"tasks": tasks}))


@dataclass(frozen=True)
class Variant:
    """A validated result of a perturbation.

    Attributes:
        workflow: The perturbed workflow.
        affected: Positions (in the golden) of the steps that the perturbation changed.
        details: Description of the change, for reports ("kind": "negation").
    """

    workflow: Workflow
    affected: tuple[int, ...]
    details: dict[str, str] = field(default_factory=dict)


class Perturbation(ABC):
    """An operator that makes a known change of a known severity."""

    id: ClassVar[str]
    version: ClassVar[int] = 1
    label: ClassVar[Label] = "degraded"
    severities: ClassVar[tuple[float, ...]] = (0.1, 0.3, 0.5)
    """Shares of steps that calibration uses."""
    calibrated: ClassVar[bool] = True
    """Whether calibration draws variants of this operator."""

    def perturb(self, golden: Golden, severity: float, rng: np.random.Generator) -> Variant:
        """Return a validated variant with k = ceil(severity * n) changed steps.

        Args:
            golden: The workflow to perturb.
            severity: Share of steps to affect, in (0, 1].
            rng: Selects the steps.

        Raises:
            PerturbationRejected: If the golden does not allow the perturbation (too few steps, no recorded text), or
                the variant fails validation. Such variants are counted but not used.
        """
        k = affected_count(severity, golden.n)
        if golden.n == 0:
            raise PerturbationRejected("the golden has no steps")
        variant = self._apply(golden, k, rng)
        self._validate(golden, k, variant)
        return variant

    @abstractmethod
    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        """Return the variant before validation."""

    def expected_steps(self, n: int, k: int) -> int:
        """Return the required number of steps of the variant (the paper's node-count consistency)."""
        del k
        return n

    def _validate(self, golden: Golden, k: int, variant: Variant) -> None:
        """Reject a wrong number of steps, and a degraded variant that is equal to the golden."""
        expected = self.expected_steps(golden.n, k)
        if len(variant.workflow.tasks) != expected:
            raise PerturbationRejected(f"{len(variant.workflow.tasks)} steps instead of {expected}")
        if self.label == "degraded" and _is_same(variant.workflow, golden.workflow):
            raise PerturbationRejected("the variant is the same workflow")


def _is_same(one: Workflow, two: Workflow) -> bool:
    """Return whether the fingerprints are equal. The names are compared first, because this is faster."""
    names = [sorted(task.name for task in workflow.tasks) for workflow in (one, two)]
    return names[0] == names[1] and fingerprint(one) == fingerprint(two)


def affected_count(severity: float, n: int) -> int:
    """Return k = ceil(severity * n), the paper's number of affected steps.

    Example:
        >>> affected_count(0.1, 10), affected_count(0.3, 10), affected_count(0.1, 5)
        (1, 3, 1)
    """
    return math.ceil(round(severity * n, 9))


def choose(rng: np.random.Generator, n: int, k: int) -> tuple[int, ...]:
    """Return k random positions of n, ascending.

    Raises:
        PerturbationRejected: If k is greater than n.
    """
    if k > n:
        raise PerturbationRejected(f"{k} needed, {n} there")
    return tuple(sorted(int(position) for position in rng.choice(n, size=k, replace=False)))


def restated(task: Task, text: str) -> Task:
    """Return the step with `text` as its only text."""
    return task.model_copy(update={"name": text, "description": "", "params": {}})


def rebuilt(golden: Golden, tasks: Sequence[Task], edges: Edges) -> Workflow:
    """Return a workflow with these tasks and links. Existing links keep guard and outcome.

    Gateways are contracted, because structural perturbations work on the task graph. A back edge of a loop is kept if
    both its tasks are kept.
    """
    known: dict[tuple[str, str], list[Link]] = {}
    for link in golden.workflow.links:
        known.setdefault((link.source, link.target), []).append(link)
    ids = {task.id for task in tasks}
    numbered = [task.id for task in golden.workflow.tasks]
    backs = {(numbered[a], numbered[b]) for a, b in golden.graph.back_edges} - edges
    links: list[Link] = []
    for edge in sorted(edges | {edge for edge in backs if ids.issuperset(edge)}, key=_listing(tasks)):
        links += known.get(edge, [Link(source=edge[0], target=edge[1], back=edge in backs)])
    data = [link for link in golden.workflow.data_links if {link.source, link.target} <= ids]
    update = {"tasks": tuple(tasks), "links": tuple(links), "gateways": (), "data_links": tuple(data)}
    return golden.workflow.model_copy(update=update)


def edges_by_id(golden: Golden) -> Edges:
    """Return the edges of the task graph with START and END, by task id."""
    ids = [task.id for task in golden.workflow.tasks]
    edges = {(ids[a], ids[b]) for a, b in golden.graph.edges}
    edges |= {(START, ids[task]) for task in golden.graph.starts}
    edges |= {(ids[task], END) for task in golden.graph.ends}
    return edges


def fresh_id(golden: Golden, stem: str) -> str:
    """Return an id that no task of the golden has."""
    taken = {task.id for task in golden.workflow.tasks}
    return next(name for name in (f"{stem}{number}" for number in range(1, len(taken) + 2)) if name not in taken)


def without(edges: Edges, gone: str, *, bridge: bool) -> Edges:
    """Return the edges without the step `gone`. With `bridge`, the neighbours of this step are linked."""
    before = [a for a, b in edges if b == gone and a != gone]
    after = [b for a, b in edges if a == gone and b != gone]
    left = {edge for edge in edges if gone not in edge}
    if bridge:
        left |= {(a, b) for a in before for b in after if (a, b) != (START, END)}
    return left


def reconnected(old: Edges, new: Edges) -> Edges:
    """Return the new edges, with START (END) linked to each step that lost all its predecessors (successors)."""
    needed = {(START, b) for a, b in old if a != START} - {(START, b) for a, b in new if a != START}
    needed |= {(a, END) for a, b in old if b != END} - {(a, END) for a, b in new if b != END}
    done = {(START, b) for a, b in new if a != START} - {(START, b) for a, b in old if a != START}
    done |= {(a, END) for a, b in new if b != END} - {(a, END) for a, b in old if b != END}
    return new - done | needed


def connected(graph: TaskGraph) -> tuple[int, int]:
    """Return two bit sets: the tasks reachable from START, and the tasks that reach END."""
    from_start = to_end = 0
    for task in graph.starts:
        from_start |= 1 << task | graph.descendants[task]
    for task in graph.ends:
        to_end |= 1 << task | graph.ancestors[task]
    return from_start, to_end


def _listing(tasks: Sequence[Task]) -> Callable[[tuple[str, str]], tuple[int, int]]:
    place = {START: -1, END: len(tasks)} | {task.id: position for position, task in enumerate(tasks)}
    return lambda edge: (place.get(edge[0], 0), place.get(edge[1], 0))
