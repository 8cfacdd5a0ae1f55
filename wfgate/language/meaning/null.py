"""The null distribution of the meaning model: logits of steps whose demand is met, for short and for long steps.

Names of a few words give other logits than sentences: of the harmless renamings of such names, 5 % have log-odds below
-1.7, of the rewordings of sentences hardly any. So a step is compared with steps of its own length (Mondrian conformal
prediction). Between `SHORT` and `LONG` words the p-value is the mean of both, weighted by the distance, so that one
word more or less never changes it much.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHORT, LONG = 4, 7
"""A step of at most `SHORT` words is short, one of at least `LONG` words is long."""
TAIL = 0.05
"""Share of rewordings in the tail that is extrapolated."""

Floats = NDArray[np.float64]


def share_of_short(words: int) -> float:
    """Return the weight of the short steps for a step of so many words, in [0, 1].

    Example:
        >>> [round(share_of_short(words), 2) for words in (1, 4, 5, 6, 7, 20)]
        [1.0, 1.0, 0.67, 0.33, 0.0, 0.0]
    """
    return min(1.0, max(0.0, (LONG - words) / (LONG - SHORT)))


@dataclass(frozen=True)
class LogitNull:
    """The null distribution of one length.

    Attributes:
        logits: Logits of steps whose demand is met, ascending.
        below: For each logit, the sum over goldens of the share of the golden's steps with at most this logit.
        goldens: Number of goldens.
    """

    logits: Floats
    below: Floats
    goldens: int

    @classmethod
    def of(cls, recorded: dict[str, Any]) -> "LogitNull":
        """Return the null distribution that a provenance file records."""
        logits, below = (np.array(recorded[name], dtype=np.float64) for name in ("logits", "below"))
        return cls(logits, below, int(recorded["goldens"]))

    @cached_property
    def _p_values(self) -> Floats:
        """The p-value for each insertion index among the logits."""
        shares: Floats = (1 + np.concatenate([[0.0], self.below])) / (self.goldens + 1)
        return shares

    def p_value(self, logit: float) -> float:
        """Return the share of the steps whose logit is at most `logit`, in (0, 1]; all goldens have equal weight."""
        return float(self._p_values[int(np.searchsorted(self.logits, logit, side="right"))])

    def doubt(self, logit: float) -> float:
        """Return -log10 of the p-value; for p below `TAIL` extrapolated by an exponential tail."""
        start, excess = self._tail
        if logit < start:
            return -math.log10(TAIL) + (start - logit) / (excess * math.log(10))
        return -math.log10(self.p_value(logit))

    @cached_property
    def _tail(self) -> tuple[float, float]:
        """Start of the tail, and the mean excess beyond it (maximum likelihood of an exponential tail)."""
        count = max(1, int(np.searchsorted(self._p_values, TAIL, side="right")) - 1)
        weights = np.diff(self._p_values)[:count]
        start = float(self.logits[min(count, len(self.logits) - 1)])
        return start, max(float(weights @ (start - self.logits[:count]) / weights.sum()), 1e-6)


@dataclass(frozen=True)
class StepNulls:
    """The null distributions of short and of long steps."""

    short: LogitNull
    long: LogitNull

    def p_value(self, logit: float, words: int) -> float:
        """Return the p-value of a step of so many words, in (0, 1]."""
        share = share_of_short(words)
        return share * self.short.p_value(logit) + (1 - share) * self.long.p_value(logit)

    def doubt(self, logit: float, words: int) -> float:
        """Return -log10 of the p-value, extrapolated below the smallest measured one."""
        share = share_of_short(words)
        return share * self.short.doubt(logit) + (1 - share) * self.long.doubt(logit)
