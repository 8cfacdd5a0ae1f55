"""Cross-fitting: out-of-sample predictions for every golden, from models fitted on the other folds."""

import numpy as np

from wfgate.calibration.clustered import Mask
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import block_model, degradation_model, severity_model
from wfgate.calibration.null import benign_null
from wfgate.calibration.sample import FOLDS, Sample
from wfgate.calibration.severity import conformal_margins, covers
from wfgate.profile.degradation import DEGRADATIONS
from wfgate.profile.null import BenignNull


def cross_fit(sample: Sample) -> HeldOut:
    """Predict each fold with models, null distributions and margins fitted on the other folds only.

    Cost: 30 fits of the block model, 5 fits of each other model.
    """
    n = len(sample)
    scores, severities, p_values = np.zeros(n), np.zeros(n), np.ones(n)
    kinds = np.zeros((n, len(DEGRADATIONS)))
    covered = np.zeros(n, dtype=bool)
    folds = [held for fold in range(FOLDS) if (held := sample.folds == fold).any()]
    for held in folds:
        scores[held] = block_model(sample, ~held).score(sample.features[held])
        p_values[held] = _null_without(sample, held).p_values(scores[held])
        severities[held] = severity_model(sample, ~held).point(sample.features[held])
        kinds[held] = degradation_model(sample, ~held).shares(sample.features[held])
    for held in folds:
        others = ~held & sample.damaged
        margins = conformal_margins(severities[others], sample.severity[others], sample.clusters(others))
        covered[held] = covers(severities[held], margins, sample.severity[held])
    return HeldOut(sample, scores, p_values, severities, covered, kinds)


def _null_without(sample: Sample, held: Mask) -> BenignNull:
    """Return a null distribution that is cross-fitted on all folds except the held fold (nested cross-fitting)."""
    scores = np.zeros(len(sample))
    for fold in range(FOLDS):
        inner = (sample.folds == fold) & ~held
        if inner.any():
            scores[inner] = block_model(sample, ~held & ~inner).score(sample.features[inner])
    reference = sample.null & ~held
    return benign_null(scores[reference], sample.clusters(reference))
