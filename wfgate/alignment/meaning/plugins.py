"""Meaning models of other packages (entry point group `wfgate.meaning_models`)."""

import inspect
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from wfgate.alignment.meaning.base import CHANGES, SENTENCE, MeaningModel, MeaningScore, TextPair
from wfgate.extensions import Extensions, blamed, check_class, checked

GROUP = "wfgate.meaning_models"
"""The entry point group."""


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
            found = float(self.inner.p_value(logit, words))
            if not 0 < found <= 1:
                raise ValueError(f"p_value() returned {found:g}, which is not in (0, 1]")
            return found

    def doubt(self, logit: float, words: int = SENTENCE) -> float:
        """Return the doubt of the model.

        Raises:
            ConfigError: If the package fails, or the value is no number.
        """
        with blamed(self._what, self.package):
            found = float(self.inner.doubt(logit, words))
            if not math.isfinite(found):
                raise ValueError(f"doubt() returned {found:g}")
            return found

    def _compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        with blamed(self._what, self.package):
            found = checked(self.inner.compare(pairs), list, "compare() returned")
            if len(found) != len(pairs):
                raise ValueError(f"compare() returned {len(found)} scores for {len(pairs)} pairs")
            for score in found:
                checked(score, MeaningScore, "compare() returned a score that is")
                if math.isnan(score.logit) or len(score.changes) not in {0, len(CHANGES)}:
                    raise ValueError(f"compare() returned a score without a logit, or without {len(CHANGES)} changes")
            return found


@dataclass(frozen=True)
class PluginMeaningModelKind:
    """A meaning model class of another package.

    Attributes:
        kind: The class.
        package: The distribution with its version.
    """

    kind: type[MeaningModel]
    package: str

    @property
    def id(self) -> str:
        """Id of the model."""
        return self.kind.id

    @property
    def documentation(self) -> str:
        """The documentation that `wfgate explain` shows."""
        return f"{inspect.getdoc(self.kind) or 'No description.'}\n\nFrom the package {self.package}."

    def load(self, argument: str) -> PluginMeaningModel:
        """Return the model for the argument of a spec.

        Raises:
            ConfigError: If the argument is not supported or missing, or the package fails.
        """
        with blamed(f"the meaning model {self.id!r}", self.package):
            return PluginMeaningModel(self.kind.load(argument), self.package)


class MeaningModelPlugins(Extensions[PluginMeaningModelKind]):
    """The meaning models that installed packages add.

    Args:
        taken: Ids of wfgate's own meaning models, which no package may use.
    """

    def __init__(self, taken: Collection[str]) -> None:
        super().__init__("meaning model", GROUP, taken, _made)


def _made(name: str, kind: object, package: str) -> PluginMeaningModelKind:
    found = check_class(name, kind, MeaningModel, "wfgate.alignment.meaning.MeaningModel")  # type: ignore[type-abstract]
    if inspect.isabstract(found):
        raise TypeError(f"these methods are missing: {', '.join(sorted(found.__abstractmethods__))}")
    return PluginMeaningModelKind(found, package)
