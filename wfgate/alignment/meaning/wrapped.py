"""A judge around another one, for which it speaks."""

from wfgate.alignment.meaning.base import Equivalence


class WrappedEquivalence(Equivalence):
    """Has the signature, the rates and the tolerance of the judge that it wraps; what it says is left to subclasses.

    Args:
        inner: The judge that does the work.
    """

    def __init__(self, inner: Equivalence) -> None:
        self._inner = inner
        self.id = inner.id  # type: ignore[misc] # the wrapper speaks for what it wraps
        self.version = inner.version  # type: ignore[misc]
        self.calibrated = inner.calibrated  # type: ignore[misc]
        self.tolerance = inner.tolerance  # type: ignore[misc]

    @property
    def fingerprint(self) -> str:
        """The inner judge's."""
        return self._inner.fingerprint

    def p_value(self, logit: float) -> float:
        """Return what the inner judge says."""
        return self._inner.p_value(logit)

    def doubt(self, logit: float) -> float:
        """Return what the inner judge says."""
        return self._inner.doubt(logit)
