"""Embeddings from a service with OpenAI's API (extra `llm`)."""

import re
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from wfgate.errors import EmbedderError, LlmServiceError
from wfgate.language.embedders.base import Embedder, MatchingParameters, Vectors, encodable
from wfgate.language.spec import SelectedByModel
from wfgate.llm import Service

BETA = 0.35
"""Smallest similarity of a matched pair, as for other sentence embeddings; not calibrated."""
LEXICAL_WEIGHT = 0.3
"""Share of lexical similarity; not calibrated."""
_AT_ONCE = 256
"""Texts in one request; the API takes up to 2,048."""
_RETRIES = 4
_WORD = re.compile(r"\w+")


class OpenAIEmbedder(SelectedByModel, Embedder):
    """An embedding model of OpenAI or of a service with the same API: `OPENAI_API_KEY`, `OPENAI_BASE_URL`.

    Step texts are sent to the service. The weights of the model are not accessible, so the fingerprint contains only
    the name of the model and the address of the service. If the model changes but keeps its name, this is not
    detected. Token vectors are the vectors of single words. There is one request per 256 new texts, and vectors are
    cached.

    Args:
        model: Name of the model at the service, or `azure:DEPLOYMENT`.
    """

    id = "openai"
    contextual = False
    remembered = True
    example = "text-embedding-3-small"

    @property
    def parameters(self) -> MatchingParameters:
        """The same parameters for every model; not calibrated."""
        return MatchingParameters(beta=BETA, lexical_weight=LEXICAL_WEIGHT)

    @property
    def fingerprint(self) -> str:
        """Hash of the service's address and the model's name.

        Raises:
            EmbedderError: If the extra `llm` is not installed, or there is no API key.
        """
        return self._service.fingerprint

    @cached_property
    def _service(self) -> Service:
        try:
            return Service(self.model, retries=_RETRIES)
        except LlmServiceError as error:
            raise EmbedderError(f"the embedder {self.id}: {error.message}", fix=error.fix) from None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, shape (n_texts, dimensions of the model); zeros for an empty text.

        Raises:
            EmbedderError: If the extra `llm` is not installed, or if the service cannot be reached, refuses the
                request, or does not return vectors.
        """
        plain = encodable(texts)
        nonempty = [text for text in dict.fromkeys(plain) if text.strip()] or ["step"]  # one text, for the dimensions
        rows = {
            text: row
            for first in range(0, len(nonempty), _AT_ONCE)
            for text, row in self._requested(nonempty[first : first + _AT_ONCE]).items()
        }
        nothing = np.zeros_like(next(iter(rows.values())))
        kept = [rows.get(text, nothing) if text.strip() else nothing for text in plain]
        return np.stack(kept) if kept else nothing[None][:0]

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return for each text one unit-length row per word. Each word is embedded alone.

        Raises:
            EmbedderError: As `embed`.
        """
        words = [_WORD.findall(text.lower()) for text in encodable(texts)]
        known = list(dict.fromkeys(word for each in words for word in each))
        rows = self.embed(known)
        place = {word: number for number, word in enumerate(known)}
        return [rows[[place[word] for word in each]] for each in words]

    def _requested(self, texts: list[str]) -> dict[str, Vectors]:
        """Return the rows of one request."""
        service = self._service
        failure = None
        try:
            answer = service.client.embeddings.create(model=service.model, input=texts, encoding_format="float")
            rows = np.array(
                [item.embedding for item in sorted(answer.data, key=lambda item: item.index)], dtype=np.float32
            )
        except Exception as error:  # noqa: BLE001 - errors of the client, and answers that are not vectors
            failure = service.failure(f"the embeddings of {service.model!r}", error)
        if failure is not None:
            raise EmbedderError(failure.message, fix=failure.fix)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise EmbedderError(
                f"the service at {service.address} returned vectors of shape {rows.shape} for {len(texts)} texts",
                fix="use a service that implements OpenAI's embeddings API",
            )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return dict(zip(texts, rows / lengths, strict=True))
