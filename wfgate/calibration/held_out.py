"""What models say about variants of goldens that they did not see."""

from dataclasses import dataclass

from wfgate.calibration.clustered import Mask, clustered_rate
from wfgate.calibration.null import benign_null
from wfgate.calibration.sample import Sample
from wfgate.calibration.severity import conformal_margins
from wfgate.evidence.features import Floats
from wfgate.profile.null import BenignNull
from wfgate.profile.rates import Rate


@dataclass(frozen=True)
class HeldOut:
    """A sample, judged out of sample.

    Attributes:
        sample: The variants, n of them.
        scores: Nonconformity scores, shape (n,); likewise below.
        p_values: P-values against a null that did not see the golden either.
        severities: Estimated severities.
        covered: Whether the severity interval covers the truth.
        kinds: Probability of each kind of damage, shape (n, n_kinds).
    """

    sample: Sample
    scores: Floats
    p_values: Floats
    severities: Floats
    covered: Mask
    kinds: Floats

    @property
    def null(self) -> BenignNull:
        """What rewordings score."""
        return benign_null(self.scores[self.sample.null], self.sample.clusters(self.sample.null))

    def margins(self, *, fresh: int = 1) -> tuple[float, ...]:
        """Return half-widths of the severity interval (see `conformal_margins`)."""
        damaged = self.sample.damaged
        truth, clusters = self.sample.severity[damaged], self.sample.clusters(damaged)
        return conformal_margins(self.severities[damaged], truth, clusters, fresh=fresh)

    def rate(self, members: Mask, hits: Mask) -> Rate:
        """Return the rate of hits among members, by golden."""
        found = clustered_rate(hits[members], self.sample.clusters(members))
        return found or Rate(value=0.0, low=0.0, high=1.0, goldens=0, variants=0)
