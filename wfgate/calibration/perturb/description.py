"""Perturbation that rewords steps."""

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant, choose, restated
from wfgate.errors import PerturbationRejected


class Description(Perturbation):
    """k steps are reworded without a change of meaning.

    Severity: the share of steps that are reworded (the paper's *Description Changes*); 1.0 is a full rewording. Each
    step gets its text from a random recorded rewording.
    """

    id = "description"
    label = "benign"
    severities = (0.1, 0.3, 0.5, 1.0)

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        rewordings = golden.texts.rewordings
        if not rewordings:
            raise PerturbationRejected("no rewording is recorded")
        steps = choose(rng, golden.n, k)
        source = rng.integers(len(rewordings), size=k)
        tasks = list(golden.workflow.tasks)
        for step, which in zip(steps, source, strict=True):
            tasks[step] = restated(tasks[step], rewordings[int(which)][step])
        return Variant(golden.workflow.model_copy(update={"tasks": tuple(tasks)}), steps)
