"""Perturbations: known changes of known severity; calibration uses them as data."""

from typing import TYPE_CHECKING

from wfgate.base import Registry, table
from wfgate.calibration.perturb.base import Golden, Perturbation, Variant
from wfgate.errors import PerturbationRejected

if TYPE_CHECKING:
    import numpy as np

    from wfgate.calibration.perturb.recorded import Recorded

_TABLE = table(
    __name__,
    {
        "identity": ("relisted:Identity", "Control: nothing is changed, so every defined metric must be 1.0."),
        "relisted": (
            "relisted:Relisted",
            "Steps and links are listed in another order and get other ids: every defined metric must be 1.0.",
        ),
        "renamed-ids": (
            "relisted:RenamedIds",
            "Steps and gateways get other ids in the same listing order: every defined metric must be 1.0.",
        ),
        "description": ("description:Description", "k steps are reworded without a change of meaning."),
        "regenerated": (
            "regenerated:Regenerated",
            "Every step is reworded, listed at another position and gets another id: a harmless regeneration.",
        ),
        "rewritten": (
            "recorded:Rewritten",
            "A workflow that was written anew and that reviewers accepted in place of the golden.",
        ),
        "edited": (
            "recorded:Edited",
            "The golden with one edit by hand that reviewers accepted: a step reworded or split, two merged.",
        ),
        "missing": (
            "missing:Missing",
            "k steps are removed with their links. The neighbours of a removed step are not linked with each other.",
        ),
        "missing-bridged": (
            "missing:MissingBridged",
            "k steps are removed and their neighbours are linked, as when a generator omits a step.",
        ),
        "compressed": ("compressed:Compressed", "Consecutive steps are merged until the workflow has k steps fewer."),
        "reordered": (
            "reordered:Reordered",
            "Two steps, of which one must run before the other, exchange their places.",
        ),
        "rewired": ("rewired:Rewired", "k steps get other predecessors: a link is removed, added, reversed or moved."),
        "serialised": (
            "parallel:Serialised",
            "k steps that could run in parallel with another step must now wait for this other step.",
        ),
        "parallelised": (
            "parallel:Parallelised",
            "k steps no longer wait for a direct predecessor and run in parallel with it.",
        ),
        "guard-changed": (
            "guard_changed:ConditionChanged",
            "k conditions are changed: reversed operator, negation, another value, exchange or removal.",
        ),
        "data-unlinked": (
            "data_unlinked:DataUnlinked",
            "k data dependencies are removed: a step no longer gets a datum from the step that writes the datum.",
        ),
        "extra": ("extra:Extra", "k unrelated steps are added: first recorded steps, then steps of other workflows."),
        "substituted": (
            "extra:Substituted",
            "k steps are replaced by unrelated steps, so that the number of steps is unchanged.",
        ),
        "drift": (
            "drift:Drift",
            "k steps change meaning: negated, weakened, or with another quantity, target, action or condition.",
        ),
        "vague": ("drift:Vague", 'k steps become vague: their texts no longer say what to do ("handle the rows").'),
        "refused": (
            "recorded:Refused",
            "A workflow that was written anew and that reviewers refused: usually one demand is gone or changed.",
        ),
        "misedited": (
            "recorded:Misedited",
            (
                "The golden with one edit by hand that reviewers refused: a condition weakened, an approval or list "
                "item lost."
            ),
        ),
        "split": (
            "split:StepsSplit",
            (
                "k steps are divided into two steps each, one directly after the other. Nothing is added and nothing "
                "is lost."
            ),
        ),
    },
)

PERTURBATIONS: Registry[Perturbation] = Registry(
    "perturbation", _TABLE, group="wfgate.perturbations", added="wfgate.calibration.perturb.plugins:added"
)
"""All operators: those of calibration, benign ones first, then the others. Calibration counts them in this order."""

RECORDED: "Registry[Recorded]" = Registry(
    "perturbation", {name: _TABLE[name] for name in ("rewritten", "edited", "refused", "misedited")}
)
"""The operators whose variants are recorded workflows."""


def perturb_reworded(
    perturbation: Perturbation, golden: Golden, severity: float, rng: "np.random.Generator"
) -> Variant:
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
