"""Contextual embeddings from any sentence-transformers model (extra `semantic`)."""

import hashlib
import importlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wfgate.errors import EmbedderError, first_line, install_extra
from wfgate.language.embedders.base import Embedder, MatchingParameters, Vectors, encodable
from wfgate.language.spec import SelectedByModel

BETA = 0.35
"""Smallest similarity of a matched pair. Sensible for MiniLM and mpnet; not calibrated."""
LEXICAL_WEIGHT = 0.3
"""Share of lexical similarity, as for the static embedder; not calibrated."""


class SentenceTransformerEmbedder(SelectedByModel, Embedder):
    """Any sentence-transformers model, on the CPU: contextual token vectors, much slower than the static embedder.

    Texts are embedded one by one, because padding in a batch would change the last digits of the vectors. Cost: about
    6 ms per text with MiniLM on 2 cores. There is no shipped profile for such a model: calibrate a profile before you
    use the model in the gate.

    Args:
        model: Name or folder of a model.
    """

    id = "sentence-transformers"
    contextual = True
    remembered = True
    example = "all-MiniLM-L6-v2"

    @property
    def parameters(self) -> MatchingParameters:
        """The same parameters for every model; not calibrated."""
        return MatchingParameters(beta=BETA, lexical_weight=LEXICAL_WEIGHT)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the model's name (without parent folders), weights, vocabulary and settings.

        Raises:
            EmbedderError: As `embed`.
        """
        model = self._transformer
        settings = {
            "name": Path(self.model).name,
            "longest": model.max_seq_length,
            "modules": [(type(module).__name__, getattr(module, "get_config_dict", dict)()) for module in model],
            "vocabulary": model.tokenizer.get_vocab(),
        }
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
        for weights in model.parameters():
            array = weights.detach().numpy()
            digest.update(str(array.shape).encode())
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    @cached_property
    def _transformer(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds; an extra
        except ImportError as error:
            raise EmbedderError(
                f"the embedder {self.id} needs sentence-transformers: {error}", fix=install_extra("semantic")
            ) from error
        try:
            with quiet():
                model = SentenceTransformer(self.model, device="cpu")
                model.max_seq_length, model.tokenizer.get_vocab  # noqa: B018 - fails if it is not a text model
                return model.float().eval()
        except Exception as error:  # the library, its hub client and torch raise various exceptions
            raise EmbedderError(
                f"the model {self.model!r} cannot be loaded: {first_line(error)}",
                fix="give the folder of a sentence-transformers model, or a name that can be downloaded",
            ) from error

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, shape (n_texts, dimensions); zeros for a text without known tokens.

        Raises:
            EmbedderError: If the extra is not installed, or the model cannot be loaded.
        """
        rows = [
            sentence if len(tokens) else np.zeros_like(sentence) for sentence, tokens in map(self._embedded, texts)
        ]
        if not rows:
            return self.embed([""])[:0]
        return _unit(np.stack(rows))

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return for each text one unit-length row per known token, without special tokens.

        Raises:
            EmbedderError: As `embed`.
        """
        return [_unit(tokens) for _, tokens in map(self._embedded, texts)]

    def _embedded(self, text: str) -> tuple[Vectors, Vectors]:
        """Return the vector of a text, and the vectors of its tokens."""
        model = self._transformer
        (encoded,) = model.encode(encodable([text]), batch_size=1, output_value=None, show_progress_bar=False)
        special = np.isin(encoded["input_ids"].numpy(), model.tokenizer.all_special_ids)
        return encoded["sentence_embedding"].float().numpy(), encoded["token_embeddings"].float().numpy()[~special]


@contextmanager
def quiet() -> Iterator[None]:
    """Suppress the loading messages and progress bars of transformers."""
    logs = importlib.import_module("transformers.utils.logging")
    before = logs.get_verbosity(), logs.is_progress_bar_enabled()
    logs.set_verbosity_error()
    logs.disable_progress_bar()
    try:
        yield
    finally:
        logs.set_verbosity(before[0])
        if before[1]:
            logs.enable_progress_bar()


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.asarray(rows / lengths, dtype=np.float32)
