"""An embedder that remembers what it has embedded."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from wfgate.matching.embedders.base import Embedder, MatchingParameters, Vectors


class CachedEmbedder(Embedder):
    """Wraps an embedder with a bounded memory; signature and vectors are those of what it wraps.

    The memory stays behind when the embedder is pickled.

    Args:
        inner: The embedder that does the work.
        capacity: Texts remembered, for `embed` and `embed_tokens` each; a full memory is emptied. Vectors never
            depend on it. A step of twelve tokens takes 1 kB and 12 kB with the static embedder.
    """

    def __init__(self, inner: Embedder, capacity: int = 20_000) -> None:
        self._inner = inner
        self._capacity = capacity
        self._texts: dict[str, Vectors] = {}
        self._tokens: dict[str, Vectors] = {}
        self.id = inner.id  # type: ignore[misc] # the wrapper speaks for what it wraps
        self.version = inner.version  # type: ignore[misc]
        self.contextual = inner.contextual  # type: ignore[misc]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_texts": {}, "_tokens": {}}

    @property
    def fingerprint(self) -> str:
        """The inner embedder's."""
        return self._inner.fingerprint

    @property
    def parameters(self) -> MatchingParameters:
        """The inner embedder's."""
        return self._inner.parameters

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, computing only what is new."""
        rows = self._remembered(texts, self._texts, lambda new: list(self._inner.embed(new)))
        return np.stack(rows) if rows else self._inner.embed([])

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the token rows of each text, computing only what is new."""
        return self._remembered(texts, self._tokens, self._inner.embed_tokens)

    def _remembered(
        self, texts: Sequence[str], memory: dict[str, Vectors], compute: Callable[[list[str]], list[Vectors]]
    ) -> list[Vectors]:
        new = [text for text in dict.fromkeys(texts) if text not in memory]
        fresh = dict(zip(new, compute(new), strict=True)) if new else {}
        rows = [fresh[text] if text in fresh else memory[text] for text in texts]
        if len(memory) + len(fresh) > self._capacity:
            memory.clear()
        if len(fresh) <= self._capacity:
            memory.update(fresh)
        return rows
