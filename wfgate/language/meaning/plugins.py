"""Meaning models of other packages (entry point group `wfgate.meaning_models`)."""

import math
from collections.abc import Sequence

from wfgate.base import blamed, checked
from wfgate.language.meaning.base import CHANGES, SENTENCE, MeaningModel, MeaningScore, TextPair
from wfgate.language.plugins import PluginKind, complete_class


class PluginMeaningModel(MeaningModel):
    """A meaning model of another package. Its errors become `ConfigError`s that name the package.

    Args:
        inner: The model.
        package: The distribution of the model, with its version.
    """

    def __init__(self, inner: MeaningModel, package: str) -> None:
        self.inner = inner
        self.package = package
        self.id = inner.id  # type: ignore[misc] # same identity as the wrapped model
        self.version = inner.version  # type: ignore[misc]
        self.calibrated = inner.calibrated  # type: ignore[misc]
        self._what = f"the meaning model {self.id!r}"

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the model."""
        with blamed(self._what, self.package):
            return checked(self.inner.fingerprint, str, "the fingerprint is")

    def p_value(self, logit: float, words: int = SENTENCE) -> float:
        """Return the p-value of the model.

        Raises:
            ConfigError: If the package fails, or the value is not in (0, 1].
        """
        with blamed(self._what, self.package):
            p_value = float(self.inner.p_value(logit, words))
            if not 0 < p_value <= 1:
                raise ValueError(f"p_value() returned {p_value:g}, which is not in (0, 1]")
            return p_value

    def doubt(self, logit: float, words: int = SENTENCE) -> float:
        """Return the doubt of the model.

        Raises:
            ConfigError: If the package fails, or the value is no number.
        """
        with blamed(self._what, self.package):
            doubt = float(self.inner.doubt(logit, words))
            if not math.isfinite(doubt):
                raise ValueError(f"doubt() returned {doubt:g}")
            return doubt

    def _compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        with blamed(self._what, self.package):
            scores = checked(self.inner.compare(pairs), list, "compare() returned")
            if len(scores) != len(pairs):
                raise ValueError(f"compare() returned {len(scores)} scores for {len(pairs)} pairs")
            for score in scores:
                checked(score, MeaningScore, "compare() returned a score that is")
                if math.isnan(score.logit) or len(score.changes) not in {0, len(CHANGES)}:
                    raise ValueError(f"compare() returned a score without a logit, or without {len(CHANGES)} changes")
            return scores


def added(name: str, kind: object, package: str) -> PluginKind[MeaningModel]:
    """Return the class of a package; whatever this raises is a fault of the package."""
    public = "wfgate.language.meaning.base.MeaningModel"
    return PluginKind(
        complete_class(name, kind, MeaningModel, public),  # type: ignore[type-abstract]
        package,
        PluginMeaningModel,
    )
