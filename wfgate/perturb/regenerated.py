"""Operator that combines rewording, relisting and other ids: a harmless regeneration."""

import numpy as np

from wfgate.perturb.base import Golden, Perturbation, Variant
from wfgate.perturb.description import Description
from wfgate.perturb.relisted import relisted


class Regenerated(Perturbation):
    """Every step is reworded, relisted and gets another id: a harmless regeneration.

    Severity is ignored: the rewording is always full, as `description` at 1.0.
    """

    id = "regenerated"
    label = "benign"
    severities = (1.0,)

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        del k
        reworded = Description().perturb(golden, 1.0, rng)
        return Variant(relisted(reworded.workflow, rng), reworded.affected)
