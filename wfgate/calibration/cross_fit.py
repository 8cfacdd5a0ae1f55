"""Cross-fitting: out-of-sample predictions for every golden, from models fitted on the other folds."""

import numpy as np

from wfgate.calibration.clustered import Mask
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import block_models, degradation_model
from wfgate.calibration.sample import FOLDS, ScoredVariants
from wfgate.calibration.severity import conformal_margins, covers
from wfgate.decide import CELLS, DEGRADATIONS, BenignNulls, estimates


def cross_fit(sample: ScoredVariants) -> HeldOut:
    """Predict each fold with models, null distributions and margins fitted on the other folds only.

    Cost: 150 fits of a block model, 5 fits of each other model.
    """
    n = len(sample)
    scores, p_values = np.zeros((n, len(CELLS))), np.ones(n)
    severities = estimates(sample.features)
    kinds = np.zeros((n, len(DEGRADATIONS)))
    covered = np.zeros(n, dtype=bool)
    folds = [held for fold in range(FOLDS) if (held := sample.folds == fold).any()]
    for held in folds:
        scores[held] = block_models(sample, ~held).scores(sample.features[held])
        p_values[held] = _nulls_without(sample, held).p_values(scores[held], sample.features[held])
        kinds[held] = degradation_model(sample, ~held).shares(sample.features[held])
    for held in folds:
        others = ~held & sample.damaged
        margins = conformal_margins(severities[others], sample.severity[others], sample.clusters(others))
        covered[held] = covers(severities[held], margins, sample.severity[held])
    return HeldOut(sample, scores, p_values, severities, covered, kinds)


def _nulls_without(sample: ScoredVariants, held: Mask) -> BenignNulls:
    """Return null distributions that are cross-fitted on all folds except the held fold (nested cross-fitting)."""
    scores = np.zeros((len(sample), len(CELLS)))
    for fold in range(FOLDS):
        inner = (sample.folds == fold) & ~held
        if inner.any():
            scores[inner] = block_models(sample, ~held & ~inner).scores(sample.features[inner])
    return sample.nulls(scores, ~held)
