"""Measured rates with their intervals, as a profile states them."""

from wfgate.model.workflow import Frozen


class Rate(Frozen):
    """A share with its interval.

    Attributes:
        value: The share: mean over goldens of the share among the golden's variants, in [0, 1].
        low: Lower end of the 95 % interval.
        high: Upper end.
        goldens: Goldens it rests on.
        variants: Variants it rests on.
    """

    value: float
    low: float
    high: float
    goldens: int
    variants: int


class Promise(Frozen):
    """What the gate promises about benign changes.

    Attributes:
        alpha_block: At most this share of benign rewordings is blocked, for goldens exchangeable with the corpus.
        alpha_review: At most this share is sent to review or blocked.
        false_block: Measured out of sample at `alpha_block`.
        false_review: Measured out of sample at `alpha_review`.
    """

    alpha_block: float
    alpha_review: float
    false_block: Rate
    false_review: Rate


class Catch(Frozen):
    """How many variants of one kind are blocked at `alpha_block`, out of sample."""

    operator: str
    severity: float
    reworded: bool
    rate: Rate


class SeverityThreshold(Frozen):
    """From which estimated severity on a candidate counts as at least `level` degraded.

    Attributes:
        level: Share of steps affected, p.
        threshold: Estimated severity; chosen where false calls and misses are rarest together (Youden 1950).
        false_block: Share of rewordings at or above the threshold, out of sample.
        over_call: Share of less degraded variants at or above it, out of sample.
        miss: Share of variants with severity p or more below it, out of sample.
    """

    level: float
    threshold: float
    false_block: Rate
    over_call: Rate
    miss: Rate


class Validity(Frozen):
    """A promise and what came of it: rewordings of unseen goldens with p <= alpha."""

    alpha: float
    rate: Rate

    @property
    def kept(self) -> bool:
        """Whether what was measured is within its error of what was promised."""
        return self.rate.low <= self.alpha


class CorpusRates(Frozen):
    """One corpus, judged by what was fitted on all (its own goldens held out) and on the other corpora alone.

    Attributes:
        corpus: Its name.
        goldens: How many it has.
        false_block: Rewordings blocked at the promised rate.
        caught: Smallest damage blocked, on top of full rewordings where there are some.
        unseen_false_block: The same without any golden of this corpus; None where the others are too few.
        unseen_caught: Likewise.
    """

    corpus: str
    goldens: int
    false_block: Rate
    caught: Rate
    unseen_false_block: Rate | None = None
    unseen_caught: Rate | None = None
