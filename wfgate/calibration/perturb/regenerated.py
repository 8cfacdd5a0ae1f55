"""Perturbation that combines rewording, relisting and other ids: a harmless regeneration."""

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant
from wfgate.calibration.perturb.description import Description
from wfgate.calibration.perturb.relisted import relisted


class Regenerated(Perturbation):
    """Every step is reworded, listed at another position and gets another id: a harmless regeneration.

    The severity argument has no effect: every step is reworded, as by `description` with severity 1.0.
    """

    id = "regenerated"
    label = "benign"
    severities = (1.0,)

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        del k
        reworded = Description().perturb(golden, 1.0, rng)
        return Variant(relisted(reworded.workflow, rng), reworded.affected)
