"""The default embedder: static token embeddings that ship inside the wheel."""

import json
from collections.abc import Sequence
from functools import cached_property
from importlib.resources import as_file, files
from typing import Any

import numpy as np

from wfgate.errors import EmbedderError
from wfgate.matching.embedders.base import Embedder, MatchingParameters, Vectors

_DATA = files("wfgate") / "data" / "static_minilm"


class StaticEmbedder(Embedder):
    """Static token embeddings distilled from all-MiniLM-L6-v2; no network, no torch.

    A text's vector is the normalised sum of its tokens' vectors, which carry their inverse-frequency weight in
    their length (SIF, Arora et al. 2017; distilled with Model2Vec). Loads in about 0.1 s, 64 texts in 5 ms.
    Word order is invisible to it, and so is most of negation.
    """

    id = "static-minilm"
    contextual = False

    @cached_property
    def _provenance(self) -> dict[str, Any]:
        return dict(json.loads((_DATA / "provenance.json").read_text(encoding="utf-8")))

    @property
    def fingerprint(self) -> str:
        """Hash of the embedding matrix, as recorded when it was made."""
        return str(self._provenance["sha256"]["embeddings.npz"])

    @property
    def parameters(self) -> MatchingParameters:
        """Fitted on the recorded rewordings; `make bench` prints the sweep."""
        return MatchingParameters(beta=0.2, lexical_weight=0.3)

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer  # noqa: PLC0415 - loaded when the first text is embedded

        return Tokenizer.from_str((_DATA / "tokenizer.json").read_text(encoding="utf-8"))

    @cached_property
    def _matrix(self) -> tuple[np.ndarray[Any, np.dtype[np.int8]], Vectors]:
        try:
            with as_file(_DATA / "embeddings.npz") as path, np.load(path) as data:
                return data["vectors"], data["scales"]
        except (OSError, ValueError, KeyError) as error:
            raise EmbedderError(f"the shipped embeddings cannot be read: {error}", fix="reinstall wfgate") from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, shape (n_texts, 256)."""
        vectors, _ = self._matrix
        rows = np.zeros((len(texts), vectors.shape[1]), dtype=np.float32)
        for row, tokens in zip(rows, self._token_rows(texts), strict=True):
            row[:] = tokens.sum(axis=0)
        return _unit(rows)

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return per text one unit-length row per known token."""
        return [_unit(tokens) for tokens in self._token_rows(texts)]

    def _token_rows(self, texts: Sequence[str]) -> list[Vectors]:
        vectors, scales = self._matrix
        unknown = self._tokenizer.token_to_id("[UNK]")
        found = []
        for encoding in self._tokenizer.encode_batch(list(texts), add_special_tokens=False):
            ids = np.array([token for token in encoding.ids if token != unknown], dtype=np.int64)
            found.append(vectors[ids].astype(np.float32) * scales[ids, None])
        return found


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.asarray(rows / lengths, dtype=np.float32)
