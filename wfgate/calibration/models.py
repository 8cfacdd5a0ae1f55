"""The three models, each fitted on the variants that can teach it something."""

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
    """All that is fitted.

    Attributes:
        block: Whether it is a regression.
        null: What rewordings score by that.
        evidence_nulls: What rewordings show of each piece of evidence.
        severity: How bad it is.
        degradation: What kind of damage it is.
        cuts: Estimated severity from which on a candidate counts as damaged at each of `LEVELS`.
    """

    block: BlockModel
    null: NullTail
    evidence_nulls: dict[str, NullTail]
    severity: SeverityModel
    degradation: DegradationModel
    cuts: tuple[float, ...]


LEVELS = (0.1, 0.3, 0.5)
"""Severities that thresholds are stated for."""
KINDS = np.array([-1 if (kind := kind_of(operator)) is None else kind for operator in OPERATORS])
"""The kind of damage of each operator; -1 for none."""


def block_model(sample: Sample, among: Mask) -> BlockModel:
    """Fit on rewordings against the smallest damage: the hard end of both classes."""
    used = among & (sample.null | (sample.damaged & (sample.asked == LEVELS[0])))
    return fit_block_model(sample.features[used], sample.damaged[used].astype(np.float64), sample.clusters(used))


def severity_model(sample: Sample, among: Mask) -> SeverityModel:
    """Fit on everything."""
    return fit_severity(sample.features[among], sample.severity[among], sample.clusters(among))


def degradation_model(sample: Sample, among: Mask) -> DegradationModel:
    """Fit on damage of a kind that has a name."""
    kinds = KINDS[sample.operator]
    used = among & (kinds >= 0)
    return fit_degradation(sample.features[used], kinds[used], sample.clusters(used))
