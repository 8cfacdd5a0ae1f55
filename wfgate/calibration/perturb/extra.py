"""Perturbations that add steps."""

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant, edges_by_id, fresh_id, rebuilt
from wfgate.calibration.perturb.missing import MissingBridged
from wfgate.calibration.perturb.texts import ExtraText
from wfgate.errors import PerturbationRejected
from wfgate.model import START, Task


class Extra(Perturbation):
    """k unrelated steps are added: first recorded steps, then steps of other workflows.

    Severity p: k = ceil(p * n) steps more, for n steps. Each new step is inserted directly after a step of the golden.
    """

    id = "extra"

    def expected_steps(self, n: int, k: int) -> int:
        """Return n + k."""
        return n + k

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        added = additions(golden, k, rng)
        for extra in added:
            golden = inserted(golden, extra)
        return Variant(golden.workflow, tuple(sorted({extra.after for extra in added if extra.after >= 0})))


class Substituted(Perturbation):
    """k steps are replaced by unrelated steps, so that the number of steps is unchanged.

    Severity: the share of steps that are replaced. The neighbours of a removed step are linked. A new step is inserted
    at its recorded position, or after a random step.
    """

    id = "substituted"

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        if k >= golden.n:
            raise PerturbationRejected("no step would be left")
        texts = additions(golden, k, rng)
        ids = [task.id for task in golden.workflow.tasks]
        reduced = MissingBridged().perturb(golden, k / golden.n, rng)
        left = [task.id for task in reduced.workflow.tasks]
        smaller = Golden(golden.id, reduced.workflow)
        for extra in texts:
            before = [left.index(ids[step]) for step in range(extra.after + 1) if ids[step] in left]
            smaller = inserted(smaller, ExtraText(after=max(before, default=-1), text=extra.text))
        return Variant(smaller.workflow, reduced.affected)


def additions(golden: Golden, k: int, rng: np.random.Generator) -> list[ExtraText]:
    """Return k texts of unrelated steps, each with the position of the step before it.

    Raises:
        PerturbationRejected: If the recorded texts and the other workflows have fewer than k unrelated steps.
    """
    recorded = [golden.texts.extras[int(index)] for index in rng.permutation(len(golden.texts.extras))][:k]
    own = {task.text for task in golden.workflow.tasks}
    foreign = [text for text in golden.foreign if text not in own]
    needed = k - len(recorded)
    if needed > len(foreign):
        raise PerturbationRejected("no recorded or foreign step to add")
    chosen = rng.choice(len(foreign), size=needed, replace=False) if needed else ()
    places = rng.integers(golden.n, size=needed)
    borrowed = [
        ExtraText(after=int(place), text=foreign[int(which)]) for place, which in zip(places, chosen, strict=True)
    ]
    return recorded + borrowed


def inserted(golden: Golden, extra: ExtraText) -> Golden:
    """Return the golden with one more step, directly after step `extra.after`."""
    tasks = list(golden.workflow.tasks)
    step = Task(id=fresh_id(golden, "extra"), name=extra.text)
    anchor = tasks[extra.after].id if extra.after >= 0 else START
    edges = edges_by_id(golden)
    onward = {b for a, b in edges if a == anchor}
    edges = {edge for edge in edges if edge[0] != anchor} | {(anchor, step.id)}
    edges |= {(step.id, target) for target in onward}
    return Golden(golden.id, rebuilt(golden, [*tasks, step], edges), golden.texts, golden.foreign)
