"""Operators that change the meaning of steps with little change of wording."""

import numpy as np

from wfgate.errors import PerturbationRejected
from wfgate.perturb.base import Golden, Perturbation, Variant, restated
from wfgate.perturb.texts import DriftText, VagueText


class Drift(Perturbation):
    """k steps change meaning: negated, weakened, or with another quantity, target, action or condition.

    Severity: share of steps whose meaning changed, from recorded drifts.
    """

    id = "drift"

    def recorded(self, golden: Golden) -> tuple[DriftText | VagueText, ...]:
        """Return the texts that this operator selects from."""
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
    """k steps become vague and no longer specify what to do ("handle the rows").

    Severity: share of steps made vague, from recorded texts.
    """

    id = "vague"

    def recorded(self, golden: Golden) -> tuple[DriftText | VagueText, ...]:
        """Return the recorded vague steps."""
        return golden.texts.vague
