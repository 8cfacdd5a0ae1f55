"""Fits the three models (block, severity, degradation), each on its own selection of variants."""

from dataclasses import dataclass

import numpy as np

from wfgate.calibration.block_model import fit_block_model
from wfgate.calibration.clustered import Mask
from wfgate.calibration.degradation import fit_degradation
from wfgate.calibration.sample import OPERATORS, Sample
from wfgate.calibration.severity import fit_severity
from wfgate.profile.block_model import BlockModel
from wfgate.profile.degradation import DegradationModel, kind_of
from wfgate.profile.null import NullTail
from wfgate.profile.severity import SeverityModel


@dataclass(frozen=True)
class Models:
    """The fitted models of a profile.

    Attributes:
        block: Model of the nonconformity score, which decides whether a candidate is a regression.
        null: Null distribution of the nonconformity score.
        evidence_nulls: Null distribution of each kind of evidence, by the id of the kind.
        severity: Estimates the degraded share of the workflow.
        degradation: Estimates the kind of damage.
        cuts: Threshold of the estimated severity for each of `LEVELS`.
    """

    block: BlockModel
    null: NullTail
    evidence_nulls: dict[str, NullTail]
    severity: SeverityModel
    degradation: DegradationModel
    cuts: tuple[float, ...]


LEVELS = (0.1, 0.3, 0.5)
"""Severities for which thresholds are stated."""
KINDS = np.array([-1 if (kind := kind_of(operator)) is None else kind for operator in OPERATORS])
"""The kind of damage of each operator; -1 for none."""


def block_model(sample: Sample, among: Mask) -> BlockModel:
    """Fit the block model on rewordings and damage of the lowest severity, which are the hardest to separate."""
    used = among & (sample.null | (sample.damaged & (sample.nominal == LEVELS[0])))
    return fit_block_model(sample.features[used], sample.damaged[used].astype(np.float64), sample.clusters(used))


def severity_model(sample: Sample, among: Mask) -> SeverityModel:
    """Fit the severity model on all variants."""
    return fit_severity(sample.features[among], sample.severity[among], sample.clusters(among))


def degradation_model(sample: Sample, among: Mask) -> DegradationModel:
    """Fit the degradation model on the damaged variants whose operator belongs to a kind of damage."""
    kinds = KINDS[sample.operator]
    used = among & (kinds >= 0)
    return fit_degradation(sample.features[used], kinds[used], sample.clusters(used))
