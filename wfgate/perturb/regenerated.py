"""Other words, another listing and other ids at once: what a model that did well writes the next time."""

import numpy as np

from wfgate.perturb.base import Golden, Perturbation, Variant
from wfgate.perturb.description import Description
from wfgate.perturb.relisted import relisted


class Regenerated(Perturbation):
    """Every step is reworded, and all is listed in another order under other ids: a harmless regeneration.

    Severity has no meaning here: the rewording is always full, as `description` at 1.0.
    """

    id = "regenerated"
    label = "benign"
    severities = (1.0,)

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        del k
        reworded = Description().perturb(golden, 1.0, rng)
        return Variant(relisted(reworded.workflow, rng), reworded.affected)
