"""An embedder with a cache."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from wfgate.base import Memory, Store, key_of
from wfgate.language.embedders.base import Embedder, MatchingParameters, Vectors

_WIDTH_BYTES = 4
CAPACITY = 32_000_000
"""Bytes. A step of twelve tokens takes 1 kB for its text and 12 kB for its tokens with the static embedder."""


class CachedEmbedder(Embedder):
    """Wraps an embedder with an in-memory cache and, optionally, a file cache and another matching threshold.

    Args:
        inner: The wrapped embedder. The wrapper has its vectors, and without `beta` its signature.
        capacity: Bytes in memory, separately for `embed` and `embed_tokens`. A full cache is cleared, and pickling
            drops the in-memory cache.
        store: The cache file; None for memory only. Its vectors do not depend on `beta`.
        beta: Matching threshold; None for that of `inner`.
    """

    def __init__(
        self, inner: Embedder, capacity: int = CAPACITY, store: Store | None = None, beta: float | None = None
    ) -> None:
        self._inner = inner
        self.requested_beta = beta
        self._store = store
        self._texts: Memory[str, Vectors] = Memory(capacity, _bytes)
        self._tokens: Memory[str, Vectors] = Memory(capacity, _bytes)
        self.id = inner.id  # type: ignore[misc] # same identity as the wrapped embedder
        self.version = inner.version  # type: ignore[misc]
        self.contextual = inner.contextual  # type: ignore[misc]

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the wrapped embedder."""
        return self._inner.fingerprint

    @property
    def parameters(self) -> MatchingParameters:
        """The parameters of the wrapped embedder, with the requested threshold."""
        known = self._inner.parameters
        return known if self.requested_beta is None else replace(known, beta=self.requested_beta)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text; only new texts are computed."""
        rows = self._remembered(texts, self._texts, "text", lambda new: [row[None] for row in self._inner.embed(new)])
        return np.concatenate(rows) if rows else self._inner.embed([])

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return the token rows of each text; only new texts are computed."""
        return self._remembered(texts, self._tokens, "tokens", self._inner.embed_tokens)

    def _remembered(
        self,
        texts: Sequence[str],
        memory: Memory[str, Vectors],
        kind: str,
        compute: Callable[[list[str]], list[Vectors]],
    ) -> list[Vectors]:
        known = {text: vectors for text in texts if (vectors := memory.kept.get(text)) is not None}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        fresh = self._computed(new, kind, compute) if new else {}
        rows = [fresh[text] if text in fresh else known[text] for text in texts]
        memory.add(fresh)
        return rows

    def _computed(
        self, texts: list[str], kind: str, compute: Callable[[list[str]], list[Vectors]]
    ) -> dict[str, Vectors]:
        """Return the rows of texts; rows in the file cache are not computed again."""
        if self._store is None:
            return dict(zip(texts, compute(texts), strict=True))
        keys = {text: key_of(kind, self._inner.signature, self._inner.fingerprint, text) for text in texts}
        kept = self._store.read(list(keys.values()))
        known = {text: rows for text, key in keys.items() if (rows := _unpacked(kept.get(key))) is not None}
        missing = [text for text in texts if text not in known]
        fresh = dict(zip(missing, compute(missing), strict=True)) if missing else {}
        self._store.write({keys[text]: _packed(rows) for text, rows in fresh.items()})
        return known | fresh


def _bytes(text: str, rows: Vectors) -> int:
    return rows.nbytes + sys.getsizeof(text)


def _packed(rows: Vectors) -> bytes:
    """Return rows as bytes: the row length, then the numbers."""
    return b"".join([rows.shape[1].to_bytes(_WIDTH_BYTES, "little"), rows.astype("<f4").tobytes()])


def _unpacked(data: bytes | None) -> Vectors | None:
    """Return the rows; None for data that `_packed` did not write."""
    if data is None or len(data) < _WIDTH_BYTES:
        return None
    width = int.from_bytes(data[:_WIDTH_BYTES], "little")
    if not width or (len(data) - _WIDTH_BYTES) % (4 * width):
        return None
    return np.frombuffer(data, dtype="<f4", offset=_WIDTH_BYTES).reshape(-1, width).astype(np.float32)
