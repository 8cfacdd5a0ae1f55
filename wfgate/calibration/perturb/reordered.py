"""Perturbation that exchanges steps."""

import math

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant
from wfgate.errors import PerturbationRejected


class Reordered(Perturbation):
    """Two steps, of which one must run before the other, exchange their places.

    Severity p: k = ceil(p * n) steps, for n steps; ceil(k / 2) pairs of steps are exchanged. The links keep their
    shape; only the steps at the nodes change.
    """

    id = "reordered"

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        tasks = golden.workflow.tasks
        ordered = [
            (a, b)
            for a in range(golden.n)
            for b in range(golden.n)
            if golden.graph.precedes(a, b) and not golden.graph.precedes(b, a) and tasks[a].text != tasks[b].text
        ]
        pairs: list[tuple[int, int]] = []
        for index in rng.permutation(len(ordered)):
            a, b = ordered[int(index)]
            if not any({a, b} & set(pair) for pair in pairs):
                pairs.append((a, b))
            if len(pairs) == math.ceil(k / 2):
                break
        else:
            raise PerturbationRejected("too few steps that are ordered")
        moved = list(tasks)
        for a, b in pairs:
            # The content moves but the id stays, so that the links are unchanged.
            moved[a] = tasks[b].model_copy(update={"id": tasks[a].id})
            moved[b] = tasks[a].model_copy(update={"id": tasks[b].id})
        affected = tuple(sorted(step for pair in pairs for step in pair))
        return Variant(golden.workflow.model_copy(update={"tasks": tuple(moved)}), affected)
