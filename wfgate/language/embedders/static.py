"""The default embedder: static token embeddings shipped in the wheel."""

from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wfgate.base import provenance, recorded
from wfgate.errors import EmbedderError
from wfgate.language.embedders.base import Embedder, MatchingParameters, Vectors, encodable

_TEXTS_AT_ONCE = 256
"""Texts that are tokenized together; only the sums of their token vectors are kept."""


class _Shipped:
    """The files of the embeddings, each read when it is first used."""

    def __init__(self, folder: Traversable) -> None:
        self.folder = folder

    @cached_property
    def provenance(self) -> dict[str, Any]:
        try:
            return provenance(self.folder)
        except (OSError, ValueError) as error:
            raise _damaged("provenance.json", error) from error

    @cached_property
    def tokenizer(self) -> Any:
        from tokenizers import Tokenizer  # noqa: PLC0415 - loaded when the first text is embedded

        try:
            return Tokenizer.from_str(recorded(self.folder, "tokenizer.json", self.provenance).decode("utf-8"))
        except Exception as error:  # tokenizers raises nothing narrower
            raise _damaged("tokenizer.json", error) from error

    @cached_property
    def matrix(self) -> tuple[NDArray[np.int8], Vectors]:
        """The vectors of all tokens, and what each is multiplied by."""
        try:
            with np.load(BytesIO(recorded(self.folder, "embeddings.npz", self.provenance))) as data:
                vectors, scales = data["vectors"], data["scales"]
        except Exception as error:  # a malformed file fails in zipfile, zlib or numpy
            raise _damaged("embeddings.npz", error) from error
        if vectors.shape[:1] != (self.tokenizer.get_vocab_size(),) or vectors.shape[:1] != scales.shape:
            raise _damaged("embeddings.npz", f"shapes {vectors.shape} and {scales.shape}")
        return vectors, scales


_SHIPPED = _Shipped(files("wfgate") / "data" / "static_minilm")
"""One for all embedders of a process: they have the same data."""


class StaticEmbedder(Embedder):
    """Static token embeddings distilled from all-MiniLM-L6-v2; no network, no torch.

    The vector of a text is the normalised sum of its token vectors. The length of a token vector is its
    inverse-frequency weight (SIF, Arora et al. 2017; distilled with Model2Vec). Loading takes about 0.1 s, once per
    process; embedding 64 texts takes 5 ms. Word order does not change the vector, and negation hardly changes it.
    """

    id = "static-minilm"
    contextual = False

    @property
    def fingerprint(self) -> str:
        """Hash of the embedding matrix, recorded when the matrix was made."""
        try:
            return str(_SHIPPED.provenance["sha256"]["embeddings.npz"])
        except (KeyError, TypeError) as error:
            raise _damaged("provenance.json", error) from error

    @property
    def parameters(self) -> MatchingParameters:
        """Parameters fitted on the recorded rewordings; `make bench` prints the results by threshold."""
        return MatchingParameters(beta=0.05, lexical_weight=0.3)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, shape (n_texts, 256)."""
        rows = np.zeros((len(texts), _SHIPPED.matrix[0].shape[1]), dtype=np.float32)
        for first in range(0, len(texts), _TEXTS_AT_ONCE):
            tokens, ends = self._tokens(texts[first : first + _TEXTS_AT_ONCE])
            for row, start, end in zip(rows[first:], [0, *ends], ends, strict=False):
                row[:] = tokens[start:end].sum(axis=0)
        return _unit(rows)

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return for each text one unit-length row per known token, shape (n_tokens, 256)."""
        tokens, ends = self._tokens(texts)
        tokens = _unit(tokens)
        return [tokens[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def _tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[int]]:
        """Return the rows of all known tokens of all texts, and the end index of each text."""
        vectors, scales = _SHIPPED.matrix
        tokenizer = _SHIPPED.tokenizer
        unknown = tokenizer.token_to_id("[UNK]")
        ids: list[int] = []
        ends: list[int] = []
        for encoding in tokenizer.encode_batch(encodable(texts), add_special_tokens=False):
            ids += [token for token in encoding.ids if token != unknown]
            ends.append(len(ids))
        which = np.array(ids, dtype=np.int64)
        return vectors[which].astype(np.float32) * scales[which, None], ends


def _damaged(name: str, error: object) -> EmbedderError:
    return EmbedderError(f"the shipped embeddings cannot be read: {name}: {error}", fix="reinstall wfgate")


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.asarray(rows / lengths, dtype=np.float32)
