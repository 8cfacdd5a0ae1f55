"""The list of variants that a calibration makes and scores."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from wfgate.calibration.corpus import content_key
from wfgate.calibration.perturb import PERTURBATIONS, perturb_reworded
from wfgate.calibration.perturb.base import Golden, Perturbation, Variant
from wfgate.calibration.perturb.recorded import Recorded

FULL_REWORDINGS = 4
"""Full rewordings per golden; these are the hardest variants of the null distribution."""


@dataclass(frozen=True)
class PlannedVariant:
    """One variant to make.

    Attributes:
        operator: Id of the perturbation.
        severity: Share of steps to affect.
        reworded: Whether every step is reworded first.
        repeat: Number of the variant among variants with equal settings.
    """

    operator: str
    severity: float
    reworded: bool
    repeat: int = 0

    @property
    def perturbation(self) -> Perturbation:
        """The operator."""
        return PERTURBATIONS[self.operator]

    @property
    def benign(self) -> bool:
        """Whether the change is harmless, so that the gate should not block it."""
        return self.perturbation.label == "benign"

    def make(self, golden: Golden, seed: int) -> Variant:
        """Make the variant; the same golden, settings and seed give the same workflow.

        Raises:
            PerturbationRejected: If the operator cannot make this variant.
        """
        if isinstance(self.perturbation, Recorded):
            return self.perturbation.take(golden, self.repeat)
        settings = f"{seed}|{golden.id}|{self.operator}|{self.severity}|{self.reworded}|{self.repeat}"
        rng = np.random.default_rng(list(hashlib.sha256(settings.encode("utf-8", "surrogatepass")).digest()))
        if self.reworded:
            return perturb_reworded(self.perturbation, golden, self.severity, rng)
        return self.perturbation.perturb(golden, self.severity, rng)

    def key(self, content: str, seed: int, signature: str) -> str:
        """Return the key of this variant in the score table: a hash of everything its score depends on.

        Args:
            content: The golden's `content_key`.
            seed: Seed of all random choices.
            signature: Identity of the assessor.
        """
        parts = [content, self.operator, str(self.perturbation.version), str(self.severity)]
        parts += [str(self.reworded), str(self.repeat), str(seed), signature]
        return hashlib.sha256("|".join(parts).encode()).hexdigest()


def planned_variants(golden: Golden) -> Iterator[PlannedVariant]:
    """Yield the planned variants of one golden: each operator with each severity, without and with rewording.

    Variants with rewording are planned only if the golden has recorded rewordings.
    """
    for perturbation in PERTURBATIONS.values():
        if not perturbation.calibrated:
            continue
        if isinstance(perturbation, Recorded):
            for repeat in range(len(perturbation.workflows(golden))):
                yield PlannedVariant(perturbation.id, perturbation.severities[0], reworded=False, repeat=repeat)
            continue
        if perturbation.id == "regenerated" and not golden.texts.rewordings:
            continue
        for severity in perturbation.severities:
            if perturbation.id == "description":
                repeats = FULL_REWORDINGS if severity == 1.0 else 1
                for repeat in range(repeats if golden.texts.rewordings else 0):
                    yield PlannedVariant(perturbation.id, severity, reworded=False, repeat=repeat)
                continue
            yield PlannedVariant(perturbation.id, severity, reworded=False)
            if golden.texts.rewordings and perturbation.label == "degraded":
                yield PlannedVariant(perturbation.id, severity, reworded=True)


def keyed_variants(golden: Golden, seed: int, signature: str) -> dict[str, PlannedVariant]:
    """Return the planned variants of one golden by key in the score table."""
    content = content_key(golden)
    return {variant.key(content, seed, signature): variant for variant in planned_variants(golden)}


def planned_keys(goldens: Iterable[Golden], seed: int, signature: str) -> Iterator[str]:
    """Yield the keys of all planned variants of all goldens.

    The order is fixed, so that a fit always reads the rows in the same order.
    """
    for golden in goldens:
        yield from keyed_variants(golden, seed, signature)
