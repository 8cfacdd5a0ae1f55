"""Measured rates with confidence intervals, as stored in a profile."""

from wfgate.model import Frozen


class Rate(Frozen):
    """A rate with its confidence interval.

    Attributes:
        value: Mean over goldens, in [0, 1]. The value of a golden is the share among its variants.
        low: Lower bound of the 95 % confidence interval.
        high: Upper bound of the 95 % confidence interval.
        goldens: Number of goldens.
        variants: Number of variants.
    """

    value: float
    low: float
    high: float
    goldens: int
    variants: int


class Promise(Frozen):
    """Promised and measured false-block and false-review rates.

    The promise is an average over goldens exchangeable with those of the corpus, not a bound for each golden.

    Attributes:
        alpha_block: Maximum share of harmless changes that are blocked, on average over goldens.
        alpha_review: Maximum share of harmless changes that are reviewed or blocked, on average over goldens.
        false_block: Rate measured out of sample at `alpha_block`, of the nonconformity score alone.
        false_review: Rate measured out of sample at `alpha_review`, of the nonconformity score alone.
        whole_block: Rate of blocks of the whole verdict at `alpha_block`: by the score, or by a rule that blocks
            alone. No step is critical.
        critical_block: The same if every step of the golden is critical.
    """

    alpha_block: float
    alpha_review: float
    false_block: Rate
    false_review: Rate
    whole_block: Rate
    critical_block: Rate


class HarmlessRates(Frozen):
    """The rates of one class of harmless changes, by the whole verdict without critical steps, out of sample.

    Attributes:
        change: The class of changes, or the class of goldens, in words.
        blocked: Share that is blocked at `alpha_block`.
        reviewed: Share that is reviewed or blocked at `alpha_review`.
    """

    change: str
    blocked: Rate
    reviewed: Rate


class Catch(Frozen):
    """Share of variants with equal operator and severity that are blocked at `alpha_block`, out of sample."""

    operator: str
    severity: float
    reworded: bool
    rate: Rate


class SeverityThreshold(Frozen):
    """Threshold of the estimated severity. At or above it, a candidate is called "at least `level` degraded".

    All rates are out of sample.

    Attributes:
        level: Severity p: share of affected steps.
        threshold: Estimated severity that minimises `over_call` plus `miss` (Youden 1950).
        false_block: Share of harmless rewordings at or above the threshold.
        over_call: Share of variants with a severity below p that are at or above the threshold.
        miss: Share of variants with a severity of p or more that are below the threshold.
    """

    level: float
    threshold: float
    false_block: Rate
    over_call: Rate
    miss: Rate


class Validity(Frozen):
    """A promised false-block rate alpha, and the measured share of rewordings of held-out goldens with p <= alpha."""

    alpha: float
    rate: Rate

    @property
    def kept(self) -> bool:
        """Whether the promise is kept: the promised rate is not below the confidence interval of the measured rate."""
        return self.rate.low <= self.alpha


class CorpusRates(Frozen):
    """Rates measured on one corpus: with models fitted on all corpora (cross-fitted), and on the other corpora only.

    Attributes:
        corpus: Name of the corpus.
        goldens: Number of goldens in the corpus.
        false_block: Share of harmless rewordings that are blocked at the promised rate.
        caught: Share of damaged variants of the lowest severity that are blocked. These variants are reworded too if
            the golden has recorded rewordings.
        unseen_false_block: `false_block` with models fitted on the other corpora; None if the other corpora have too
            few goldens.
        unseen_caught: `caught` with models fitted on the other corpora; None if the other corpora have too few
            goldens.
    """

    corpus: str
    goldens: int
    false_block: Rate
    caught: Rate
    unseen_false_block: Rate | None = None
    unseen_caught: Rate | None = None
