"""What models say about goldens that they did not see."""

import numpy as np

from wfgate.calibration.clustered import BenignNull, Mask, Rate, clustered_rate
from wfgate.calibration.degradation import DEGRADATIONS
from wfgate.calibration.models import block_model, degradation_model, severity_model
from wfgate.calibration.sample import FOLDS, Sample
from wfgate.calibration.severity import conformal_margins, interval

ROUNDING = 1e-4
"""Estimates are rounded to this: an interval that misses by less covers."""


class CrossFit:
    """Every golden judged by models of the other folds.

    Attributes:
        scores: Nonconformity scores, shape (n,).
        severities: Estimated severities, likewise.
        p_values: P-values against a null that did not see the golden either, likewise.
        covered: Whether the severity interval covers the truth, its margins fitted on other folds, likewise.
        kinds: Probability of each kind of damage, shape (n, n_kinds).
    """

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.scores = np.zeros(len(sample))
        self.severities = np.zeros(len(sample))
        self.p_values = np.ones(len(sample))
        self.covered = np.zeros(len(sample), dtype=bool)
        self.kinds = np.zeros((len(sample), len(DEGRADATIONS)))
        for fold in range(FOLDS):
            held = sample.folds == fold
            if not held.any():
                continue
            mine = block_model(sample, ~held).score(sample.features[held])
            self.scores[held] = mine
            self.p_values[held] = self._null_without(fold).p_values(mine)
            self.severities[held] = severity_model(sample, ~held).point(sample.features[held])
            self.kinds[held] = degradation_model(sample, ~held).shares(sample.features[held])
        for fold in range(FOLDS):
            held = sample.folds == fold
            self.covered[held] = self._covered(held)

    @property
    def null(self) -> BenignNull:
        """What rewordings score, by models that did not see their golden."""
        return BenignNull.of(self.scores[self.sample.null], self.sample.clusters(self.sample.null))

    def margins(self, among: Mask) -> tuple[float, ...]:
        """Return the half-widths of the severity interval, from the damage among some variants."""
        known = among & self.sample.damaged
        return conformal_margins(self.severities[known], self.sample.severity[known], self.sample.clusters(known))

    def rate(self, members: Mask, hits: Mask) -> Rate:
        """Return the rate of hits among members, by golden."""
        found = clustered_rate(hits[members], self.sample.clusters(members))
        return found or Rate(value=0.0, low=0.0, high=1.0, goldens=0, variants=0)

    def _null_without(self, fold: int) -> BenignNull:
        """Return a null cross-fitted among the other folds: rates nest, so that it did not see this one either."""
        sample = self.sample
        held = sample.folds == fold
        scores = np.zeros(len(sample))
        for other in range(FOLDS):
            inner = sample.folds == other
            if other != fold and inner.any():
                scores[inner] = block_model(sample, ~held & ~inner).score(sample.features[inner])
        reference = sample.null & ~held
        return BenignNull.of(scores[reference], sample.clusters(reference))

    def _covered(self, held: Mask) -> Mask:
        points = self.severities[held]
        low, high = interval(points, self.margins(~held))
        truth = self.sample.severity[held]
        return np.asarray((low - ROUNDING <= truth) & (truth <= high + ROUNDING), dtype=bool)
