"""Out-of-sample predictions: each model is applied to variants of goldens that it was not fitted on."""

from dataclasses import dataclass

from wfgate.calibration.clustered import Mask, clustered_rate
from wfgate.calibration.sample import ScoredVariants
from wfgate.calibration.severity import conformal_margins
from wfgate.decide import BenignNulls, Floats, Rate


@dataclass(frozen=True)
class HeldOut:
    """Scored variants (a sample) with out-of-sample predictions.

    Attributes:
        sample: The n variants.
        scores: Nonconformity scores in each cell, shape (n, n_cells).
        p_values: P-values under a null distribution that excludes the variant's golden, shape (n,).
        severities: Estimated severities, shape (n,).
        covered: Whether the severity interval contains the true severity, shape (n,).
        kinds: Probability of each kind of damage, shape (n, n_kinds).
    """

    sample: ScoredVariants
    scores: Floats
    p_values: Floats
    severities: Floats
    covered: Mask
    kinds: Floats

    @property
    def null(self) -> BenignNulls:
        """The null distributions: the nonconformity scores of harmless variants."""
        return self.sample.nulls(self.scores, self.sample.everything)

    def margins(self, *, fresh: int = 1) -> tuple[float, ...]:
        """Return the half-widths of the severity interval, one per bin (see `conformal_margins`)."""
        damaged = self.sample.damaged
        truth, clusters = self.sample.severity[damaged], self.sample.clusters(damaged)
        return conformal_margins(self.severities[damaged], truth, clusters, fresh=fresh)

    def rate(self, members: Mask, hits: Mask) -> Rate:
        """Return the rate of hits among members, clustered by golden.

        Without members, the interval is [0, 1].
        """
        rate = clustered_rate(hits[members], self.sample.clusters(members))
        return rate or Rate(value=0.0, low=0.0, high=1.0, goldens=0, variants=0)
