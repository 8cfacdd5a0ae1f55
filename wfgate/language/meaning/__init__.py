"""Meaning models (they score whether two texts mean the same): the shipped one, and others with an extra."""

from wfgate.base import Registry, Store, table
from wfgate.language.meaning.base import MeaningModel, MeaningScore
from wfgate.language.meaning.cached import CachedMeaningModel
from wfgate.language.plugins import PluginKind, component

MEANING_MODELS: Registry[type[MeaningModel] | PluginKind[MeaningModel]] = Registry(
    "meaning model",
    table(
        __name__,
        {
            "step-equivalence": (
                "step_model:StepModel",
                (
                    "Cross-encoders that read whether texts of the candidate meet the demand of a golden step, "
                    "plus exact rules."
                ),
            ),
            "cross-encoder": (
                "cross_encoder:CrossEncoder",
                (
                    "Any cross-encoder of sentence-transformers, on the CPU: trained on inference (NLI) or "
                    "similarity (STS)."
                ),
            ),
        },
    ),
    classes=True,
    group="wfgate.meaning_models",
    added="wfgate.language.meaning.plugins:added",
)
"""The meaning models, the one without extras first. Classes, because some take an argument."""

DEFAULT_MEANING_MODEL = "step-equivalence"
"""The default spec."""

__all__ = ["DEFAULT_MEANING_MODEL", "MEANING_MODELS", "MeaningModel", "MeaningScore", "load_meaning_model"]


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
    return CachedMeaningModel(component(MEANING_MODELS, spec), store)
