"""Meaning models (they score whether two texts mean the same): the shipped one, and others with an extra."""

from wfgate.base import Registry, Store
from wfgate.language.meaning.base import (
    CHANGES,
    SAME,
    MeaningModel,
    MeaningScore,
    TextPair,
    plain_words,
    same_words,
    unnumbered,
)
from wfgate.language.meaning.cached import CachedMeaningModel
from wfgate.language.meaning.cross_encoder import CrossEncoder
from wfgate.language.meaning.plugins import MeaningModelPlugins
from wfgate.language.meaning.step_model import StepModel

MEANING_MODELS: Registry[type[MeaningModel]] = Registry("meaning model", (StepModel, CrossEncoder))
"""wfgate's own meaning models, the one without extras first. Classes, because some take an argument."""

MEANING_MODEL_PLUGINS = MeaningModelPlugins(MEANING_MODELS)
"""Meaning models of other packages."""

DEFAULT_MEANING_MODEL = StepModel.id
"""The default spec."""

__all__ = [
    "CHANGES",
    "DEFAULT_MEANING_MODEL",
    "MEANING_MODELS",
    "MEANING_MODEL_PLUGINS",
    "SAME",
    "CachedMeaningModel",
    "CrossEncoder",
    "MeaningModel",
    "MeaningScore",
    "StepModel",
    "TextPair",
    "load_meaning_model",
    "plain_words",
    "same_words",
    "unnumbered",
]


def load_meaning_model(spec: str = DEFAULT_MEANING_MODEL, store: Store | None = None) -> MeaningModel:
    """Return the meaning model for a spec, with a cache.

    Large libraries and model weights are loaded when the first score or fingerprint is computed.

    Args:
        spec: "step-equivalence", "cross-encoder:MODEL" with a model's name or folder, or the spec of a model of an
            installed package.
        store: File cache for scores; None for an in-memory cache only.

    Raises:
        ConfigError: If the model is unknown, or its argument is missing or not supported.

    Example:
        >>> load_meaning_model("step-equivalence").signature.split(":")[0]
        'step-equivalence/1'
        >>> load_meaning_model("oracle")
        Traceback (most recent call last):
        wfgate.errors.ConfigError: unknown meaning model 'oracle'
          fix: use one of: step-equivalence, cross-encoder:MODEL
    """
    return CachedMeaningModel(MEANING_MODEL_PLUGINS.component(spec), store)
