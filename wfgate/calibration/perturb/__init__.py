"""Perturbations: known changes of known severity; calibration uses them as data."""

import numpy as np

from wfgate.base import Registry
from wfgate.calibration.perturb.base import Golden, Perturbation, Variant, affected_count
from wfgate.calibration.perturb.compressed import Compressed
from wfgate.calibration.perturb.data_unlinked import DataUnlinked
from wfgate.calibration.perturb.description import Description
from wfgate.calibration.perturb.drift import Drift, Vague
from wfgate.calibration.perturb.edits import edited
from wfgate.calibration.perturb.extra import Extra, Substituted
from wfgate.calibration.perturb.guard_changed import ConditionChanged
from wfgate.calibration.perturb.missing import Missing, MissingBridged
from wfgate.calibration.perturb.parallel import Parallelised, Serialised
from wfgate.calibration.perturb.recorded import Edited, Misedited, Recorded, Refused, Rewritten
from wfgate.calibration.perturb.regenerated import Regenerated
from wfgate.calibration.perturb.relisted import Identity, Relisted, RenamedIds
from wfgate.calibration.perturb.reordered import Reordered
from wfgate.calibration.perturb.rewired import Rewired
from wfgate.calibration.perturb.split import StepsSplit
from wfgate.calibration.perturb.texts import DriftText, Edit, ExtraText, MergeText, StepTexts, VagueText
from wfgate.errors import PerturbationRejected

PERTURBATIONS: Registry[Perturbation] = Registry(
    "perturbation",
    (
        Identity(),
        Relisted(),
        RenamedIds(),
        Description(),
        Regenerated(),
        Rewritten(),
        Edited(),
        Missing(),
        MissingBridged(),
        Compressed(),
        Reordered(),
        Rewired(),
        Serialised(),
        Parallelised(),
        ConditionChanged(),
        DataUnlinked(),
        Extra(),
        Substituted(),
        Drift(),
        Vague(),
        Refused(),
        Misedited(),
        StepsSplit(),
    ),
)
"""All operators: those of calibration, benign ones first, then the others. Calibration counts them in this order."""


RECORDED = {name: each for name, each in PERTURBATIONS.items() if isinstance(each, Recorded)}
"""The operators that take what is recorded, by id."""


def perturb_reworded(perturbation: Perturbation, golden: Golden, severity: float, rng: np.random.Generator) -> Variant:
    """Return a variant: the golden is fully reworded, then perturbed, as in a real regeneration.

    Raises:
        PerturbationRejected: If no rewording is recorded, or the golden does not allow the perturbation.
    """
    rewordings = golden.texts.rewordings
    if not rewordings:
        raise PerturbationRejected("no rewording is recorded")
    which = rng.integers(len(rewordings), size=golden.n)
    texts = [rewordings[int(source)][step] for step, source in enumerate(which)]
    return perturbation.perturb(golden.reworded(texts), severity, rng)


__all__ = [
    "PERTURBATIONS",
    "RECORDED",
    "DriftText",
    "Edit",
    "ExtraText",
    "Golden",
    "MergeText",
    "Perturbation",
    "Recorded",
    "StepTexts",
    "VagueText",
    "Variant",
    "affected_count",
    "edited",
    "perturb_reworded",
]
