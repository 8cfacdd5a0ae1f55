"""Perturbations that change the meaning of steps, with little change of the text."""

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant, restated
from wfgate.calibration.perturb.texts import DriftText, VagueText
from wfgate.errors import PerturbationRejected


class Drift(Perturbation):
    """k steps change meaning: negated, weakened, or with another quantity, target, action or condition.

    Severity: the share of steps whose meaning changes. The texts are recorded drifts.
    """

    id = "drift"

    def recorded(self, golden: Golden) -> tuple[DriftText | VagueText, ...]:
        """Return the recorded texts from which the perturbation selects."""
        return golden.texts.drifts

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        chosen: dict[int, DriftText | VagueText] = {}
        options = self.recorded(golden)
        for index in rng.permutation(len(options)):
            option = options[int(index)]
            if len(chosen) < k and option.step not in chosen:
                chosen[option.step] = option
        if len(chosen) < k:
            raise PerturbationRejected(f"{k} recorded texts needed, {len(chosen)} there")
        tasks = list(golden.workflow.tasks)
        for step, option in chosen.items():
            tasks[step] = restated(tasks[step], option.text)
        kinds = " ".join(getattr(chosen[step], "kind", "vague") for step in sorted(chosen))
        workflow = golden.workflow.model_copy(update={"tasks": tuple(tasks)})
        return Variant(workflow, tuple(sorted(chosen)), {"kinds": kinds})


class Vague(Drift):
    """k steps become vague: their texts no longer say what to do ("handle the rows").

    Severity: the share of steps that become vague. The texts are recorded.
    """

    id = "vague"

    def recorded(self, golden: Golden) -> tuple[DriftText | VagueText, ...]:
        """Return the recorded vague steps."""
        return golden.texts.vague
