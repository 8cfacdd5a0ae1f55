"""Embedders, which convert texts to vectors: the shipped static embedder, and others that need an extra."""

from wfgate.base import Registry, Store, table
from wfgate.errors import ConfigError
from wfgate.language.embedders.base import Embedder, MatchingParameters, Vectors
from wfgate.language.embedders.cache import CachedEmbedder
from wfgate.language.plugins import PluginKind, component

EMBEDDERS: Registry[type[Embedder] | PluginKind[Embedder]] = Registry(
    "embedder",
    table(
        __name__,
        {
            "static-minilm": (
                "static:StaticEmbedder",
                "Static token embeddings distilled from all-MiniLM-L6-v2; no network, no torch.",
            ),
            "sentence-transformers": (
                "sentence_transformer:SentenceTransformerEmbedder",
                (
                    "Any sentence-transformers model, on the CPU: contextual token vectors, much slower than the "
                    "static embedder."
                ),
            ),
            "openai": (
                "openai:OpenAIEmbedder",
                "An embedding model of OpenAI or of a service with the same API: `OPENAI_API_KEY`, `OPENAI_BASE_URL`.",
            ),
        },
    ),
    classes=True,
    group="wfgate.embedders",
    added="wfgate.language.embedders.plugins:added",
)
"""The embedders, the one without extras first. Classes, because some take an argument (`load_embedder`)."""

DEFAULT_EMBEDDER = "static-minilm"
"""The default spec."""

__all__ = [
    "DEFAULT_EMBEDDER",
    "EMBEDDERS",
    "Embedder",
    "MatchingParameters",
    "Vectors",
    "load_embedder",
]


def load_embedder(spec: str = DEFAULT_EMBEDDER, store: Store | None = None, beta: float | None = None) -> Embedder:
    """Return the embedder for a spec, with a cache.

    Large libraries and model weights are loaded when the first embedding or fingerprint is computed.

    Args:
        spec: "static-minilm", "sentence-transformers:MODEL" with a model's name or folder, "openai:MODEL", or
            the spec of an embedder of an installed package.
        store: File cache for vectors that are slow to compute; None for an in-memory cache only.
        beta: Matching threshold in [0, 1]: the smallest similarity of a matched pair. None for the embedder's own. It
            is part of the signature, so a profile must be fitted with the same threshold.

    Raises:
        ConfigError: If the embedder is unknown, its argument is missing or not supported, or `beta` is out of range.

    Example:
        >>> load_embedder("static-minilm").signature.split(":")[0]
        'static-minilm/1'
        >>> load_embedder("word2vec")
        Traceback (most recent call last):
        wfgate.errors.ConfigError: unknown embedder 'word2vec'
          fix: use one of: static-minilm, sentence-transformers:MODEL, openai:MODEL
    """
    if beta is not None and not 0 <= beta <= 1:
        raise ConfigError(f"beta is {beta:g}, but a similarity is between 0 and 1", fix="give a number such as 0.7")
    inner = component(EMBEDDERS, spec)
    return CachedEmbedder(inner, store=store if inner.remembered else None, beta=beta)
