"""Whether two texts about one step mean the same: the shipped judge, and others behind extras."""

from wfgate.alignment.meaning.base import (
    CHANGES,
    SAME,
    MeaningModel,
    MeaningScore,
    TextPair,
    plain_words,
    same_words,
    unnumbered,
)
from wfgate.alignment.meaning.cached import CachedMeaningModel
from wfgate.alignment.meaning.cross_encoder import CrossEncoder
from wfgate.alignment.meaning.step_model import StepModel
from wfgate.errors import ConfigError
from wfgate.registry import Registry
from wfgate.store import Store

MEANING_MODELS: Registry[type[MeaningModel]] = Registry("meaning model", (StepModel, CrossEncoder))
"""Every judge, the one without extras first. Classes, because some take an argument: see `load_meaning_model`."""

DEFAULT_MEANING_MODEL = StepModel.id
"""The spec that is used unless told otherwise."""

__all__ = [
    "CHANGES",
    "DEFAULT_MEANING_MODEL",
    "MEANING_MODELS",
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
    """Return the judge that a user named, with a memory around it.

    Nothing heavy is imported or read before the first pair is judged or the fingerprint asked for.

    Args:
        spec: "step-equivalence", or "cross-encoder:MODEL" with a model's name or folder.
        store: Keeps judgements for other processes; None to remember them in this one alone.

    Raises:
        ConfigError: If there is no such judge, or its argument is missing or one too many.

    Example:
        >>> load_meaning_model("step-equivalence").signature.split(":")[0]
        'step-equivalence/1'
        >>> load_meaning_model("oracle")
        Traceback (most recent call last):
        wfgate.errors.ConfigError: unknown meaning model 'oracle'
          fix: use one of: step-equivalence, cross-encoder:MODEL
    """
    judge_id, _, argument = spec.strip().partition(":")
    if judge_id not in MEANING_MODELS:
        forms = ", ".join(kind.form() for kind in MEANING_MODELS.values())
        raise ConfigError(f"unknown meaning model {judge_id!r}", fix=f"use one of: {forms}")
    return CachedMeaningModel(MEANING_MODELS[judge_id].load(argument.strip()), store)
