"""What another processor might say: a judge whose logits are all a little higher, or lower."""

from collections.abc import Sequence
from dataclasses import replace

from wfgate.alignment.meaning.base import Equivalence, Judgement, TextPair
from wfgate.alignment.meaning.wrapped import WrappedEquivalence

_DIGITS = 9
"""Decimals that tell logits apart; what the addition leaves beyond would miss the places where rates jump."""


class MovedEquivalence(WrappedEquivalence):
    """Wraps a judge; its rates are the judge's own, and so is the signature.

    Args:
        inner: The judge that does the work.
        by: What is added to each logit.
    """

    def __init__(self, inner: Equivalence, by: float) -> None:
        super().__init__(inner)
        self._by = by

    def _judge(self, pairs: Sequence[TextPair]) -> list[Judgement]:
        return [moved(judgement, self._by) for judgement in self._inner.judge(pairs)]


def moved(judgement: Judgement, by: float) -> Judgement:
    """Return a judgement with another logit.

    Example:
        >>> moved(Judgement(-5.88), 0.01).logit
        -5.87
    """
    return replace(judgement, logit=round(judgement.logit + by, _DIGITS))
