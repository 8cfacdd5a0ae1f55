"""Measured rates with confidence intervals, as stored in a profile."""

from wfgate.model.workflow import Frozen


class Rate(Frozen):
    """A rate with its confidence interval.

    Attributes:
        value: Mean over goldens of the share among the golden's variants, in [0, 1].
        low: Lower end of the 95 % confidence interval.
        high: Upper end of the 95 % confidence interval.
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

    Attributes:
        alpha_block: Maximum share of benign rewordings that is blocked, for goldens exchangeable with the corpus.
        alpha_review: Maximum share of benign rewordings that is reviewed or blocked.
        false_block: Rate measured out of sample at `alpha_block`.
        false_review: Rate measured out of sample at `alpha_review`.
    """

    alpha_block: float
    alpha_review: float
    false_block: Rate
    false_review: Rate


class Catch(Frozen):
    """Share of variants with the same settings that is blocked at `alpha_block`, out of sample."""

    operator: str
    severity: float
    reworded: bool
    rate: Rate


class SeverityThreshold(Frozen):
    """Threshold of the estimated severity for "at least `level` degraded". All rates are out of sample.

    Attributes:
        level: Share of affected steps, p.
        threshold: Estimated severity that minimises `over_call` plus `miss` (Youden 1950).
        false_block: Share of rewordings at or above the threshold.
        over_call: Share of less degraded variants at or above the threshold.
        miss: Share of variants with severity p or more below the threshold.
    """

    level: float
    threshold: float
    false_block: Rate
    over_call: Rate
    miss: Rate


class Validity(Frozen):
    """A promised false-block rate and the measured one: rewordings of held-out goldens with p <= alpha."""

    alpha: float
    rate: Rate

    @property
    def kept(self) -> bool:
        """Whether the promised rate is not below the confidence interval of the measured one."""
        return self.rate.low <= self.alpha


class CorpusRates(Frozen):
    """Rates of one corpus, with models fitted on all corpora (cross-fitted) and on the other corpora only.

    Attributes:
        corpus: Name of the corpus.
        goldens: Number of its goldens.
        false_block: Share of rewordings blocked at the promised rate.
        caught: Share of damage of the lowest severity that is blocked; reworded too if rewordings exist.
        unseen_false_block: `false_block` with models fitted on the other corpora; None if those have too few goldens.
        unseen_caught: `caught` with models fitted on the other corpora; None if those have too few goldens.
    """

    corpus: str
    goldens: int
    false_block: Rate
    caught: Rate
    unseen_false_block: Rate | None = None
    unseen_caught: Rate | None = None
