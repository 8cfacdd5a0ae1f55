"""Fits the block model and the degradation model, each on its own selection of variants."""

from dataclasses import dataclass

import numpy as np

from wfgate.calibration.block_model import fit_block_model
from wfgate.calibration.clustered import Mask
from wfgate.calibration.degradation import fit_degradation
from wfgate.calibration.sample import OPERATORS, ScoredVariants
from wfgate.decide import (
    CELLS,
    EVIDENCE,
    BlockModel,
    BlockModels,
    DegradationModel,
    NullTail,
    NullTails,
    SeverityModel,
    kind_of,
)


@dataclass(frozen=True)
class Models:
    """The fitted models of a profile.

    Attributes:
        block: Models of the nonconformity score, which decides whether a candidate is a regression.
        null: Null distributions of the nonconformity score.
        evidence_nulls: Null distribution of each kind of evidence, by the id of the kind.
        severity: Estimates the degraded share of the workflow.
        degradation: Estimates the kind of damage.
        cuts: Threshold of the estimated severity for each of `LEVELS`.
    """

    block: BlockModels
    null: NullTails
    evidence_nulls: dict[str, NullTail]
    severity: SeverityModel
    degradation: DegradationModel
    cuts: tuple[float, ...]


LEVELS = (0.1, 0.3, 0.5)
"""Severities for which thresholds are stated."""
KINDS = np.array([-1 if (kind := kind_of(operator)) is None else kind for operator in OPERATORS])
"""The kind of damage of each operator; -1 for none."""


def block_models(sample: ScoredVariants, among: Mask) -> BlockModels:
    """Fit the block model of each cell on harmless variants and damage of the lowest severity.

    The lowest severity is the hardest to separate. Edits by hand are measured only.
    """
    damaged = sample.damaged & (sample.nominal == LEVELS[0]) & ~sample.made_by("misedited")
    used = among & (sample.null | damaged)
    models = {}
    for name, weights in zip(CELLS, sample.references.T, strict=True):
        one = used & (weights > 0)
        if not one.any():  # a cell that this calibration does not use
            models[name] = BlockModel(weights=(0.0,) * len(EVIDENCE), intercept=0.0)
            continue
        models[name] = fit_block_model(
            sample.features[one],
            sample.damaged[one].astype(np.float64),
            sample.clusters(one),
            sample.made_by("rewritten", "refused")[one],
            weights[one],
        )
    return BlockModels(cells=models)


def degradation_model(sample: ScoredVariants, among: Mask) -> DegradationModel:
    """Fit the degradation model on the damaged variants whose operator belongs to a kind of damage."""
    kinds = KINDS[sample.operator]
    used = among & (kinds >= 0)
    return fit_degradation(sample.features[used], kinds[used], sample.clusters(used))
