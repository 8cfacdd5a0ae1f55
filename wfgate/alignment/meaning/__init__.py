"""Whether two texts about one step mean the same: the shipped judge, and others behind extras."""

from wfgate.alignment.meaning.asking import Asking, answered
from wfgate.alignment.meaning.base import (
    CHANGES,
    SAME,
    Equivalence,
    Judgement,
    TextPair,
    plain_words,
    same_words,
    unnumbered,
)
from wfgate.alignment.meaning.cached import CachedEquivalence
from wfgate.alignment.meaning.cross_encoder import CrossEncoderEquivalence
from wfgate.alignment.meaning.moved import MovedEquivalence, moved
from wfgate.alignment.meaning.step_model import StepEquivalence
from wfgate.errors import ConfigError
from wfgate.registry import Registry
from wfgate.store import Store

EQUIVALENCES: Registry[type[Equivalence]] = Registry("equivalence", (StepEquivalence, CrossEncoderEquivalence))
"""Every judge, the one without extras first. Classes, because some take an argument: see `load_equivalence`."""

DEFAULT_EQUIVALENCE = StepEquivalence.id
"""The spec that is used unless told otherwise."""

__all__ = [
    "CHANGES",
    "DEFAULT_EQUIVALENCE",
    "EQUIVALENCES",
    "SAME",
    "Asking",
    "CachedEquivalence",
    "CrossEncoderEquivalence",
    "Equivalence",
    "Judgement",
    "MovedEquivalence",
    "StepEquivalence",
    "TextPair",
    "answered",
    "load_equivalence",
    "moved",
    "plain_words",
    "same_words",
    "unnumbered",
]


def load_equivalence(spec: str = DEFAULT_EQUIVALENCE, store: Store | None = None) -> Equivalence:
    """Return the judge that a user named, with a memory around it.

    Nothing heavy is imported or read before the first pair is judged or the fingerprint asked for.

    Args:
        spec: "step-equivalence", or "cross-encoder:MODEL" with a model's name or folder.
        store: Keeps judgements for other processes; None to remember them in this one alone.

    Raises:
        ConfigError: If there is no such judge, or its argument is missing or one too many.

    Example:
        >>> load_equivalence("step-equivalence").signature.split(":")[0]
        'step-equivalence/1'
        >>> load_equivalence("oracle")
        Traceback (most recent call last):
        wfgate.errors.ConfigError: unknown equivalence 'oracle'
          fix: use one of: step-equivalence, cross-encoder:MODEL
    """
    judge_id, _, argument = spec.strip().partition(":")
    if judge_id not in EQUIVALENCES:
        forms = ", ".join(kind.form() for kind in EQUIVALENCES.values())
        raise ConfigError(f"unknown equivalence {judge_id!r}", fix=f"use one of: {forms}")
    return CachedEquivalence(EQUIVALENCES[judge_id].load(argument.strip()), store)
