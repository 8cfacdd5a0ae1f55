"""Texts to vectors: the shipped static embedder, and heavier ones behind extras."""

from wfgate.alignment.embedders.base import Embedder, MatchingParameters, Vectors
from wfgate.alignment.embedders.cache import CachedEmbedder
from wfgate.alignment.embedders.openai import OpenAIEmbedder
from wfgate.alignment.embedders.sentence_transformer import SentenceTransformerEmbedder
from wfgate.alignment.embedders.static import StaticEmbedder
from wfgate.errors import ConfigError
from wfgate.registry import Registry
from wfgate.store import Store

EMBEDDERS: Registry[type[Embedder]] = Registry(
    "embedder", (StaticEmbedder, SentenceTransformerEmbedder, OpenAIEmbedder)
)
"""Every embedder, the one without extras first. Classes, because some take an argument: see `load_embedder`."""

DEFAULT_EMBEDDER = StaticEmbedder.id
"""The spec that is used unless told otherwise."""

__all__ = [
    "DEFAULT_EMBEDDER",
    "EMBEDDERS",
    "CachedEmbedder",
    "Embedder",
    "MatchingParameters",
    "OpenAIEmbedder",
    "SentenceTransformerEmbedder",
    "StaticEmbedder",
    "Vectors",
    "load_embedder",
]


def load_embedder(spec: str = DEFAULT_EMBEDDER, store: Store | None = None) -> Embedder:
    """Return the embedder that a user named, with a memory around it.

    Nothing heavy is imported or read before the first text is embedded or the fingerprint asked for.

    Args:
        spec: "static-minilm", "sentence-transformers:MODEL" with a model's name or folder, or "openai:MODEL".
        store: Keeps vectors that are slow to compute for other processes; None to remember them in this one alone.

    Raises:
        ConfigError: If there is no such embedder, or its argument is missing or one too many.

    Example:
        >>> load_embedder("static-minilm").signature.split(":")[0]
        'static-minilm/1'
        >>> load_embedder("word2vec")
        Traceback (most recent call last):
        wfgate.errors.ConfigError: unknown embedder 'word2vec'
          fix: use one of: static-minilm, sentence-transformers:MODEL, openai:MODEL
    """
    embedder_id, _, argument = spec.strip().partition(":")
    if embedder_id not in EMBEDDERS:
        forms = ", ".join(kind.form() for kind in EMBEDDERS.values())
        raise ConfigError(f"unknown embedder {embedder_id!r}", fix=f"use one of: {forms}")
    inner = EMBEDDERS[embedder_id].load(argument.strip())
    return CachedEmbedder(inner, store=store if inner.remembered else None)
