"""Embeddings of a service that speaks OpenAI's API, behind the extra `llm`."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from wfgate.alignment.embedders.base import Embedder, MatchingParameters, Vectors, encodable
from wfgate.errors import ConfigError, EmbedderError, LlmServiceError
from wfgate.llm import Service

BETA = 0.35
"""Smallest similarity of the same step, as for other sentence embeddings; not yet calibrated."""
LEXICAL_WEIGHT = 0.3
"""Share of lexical similarity, likewise."""
_AT_ONCE = 256
"""Texts in one request; the API takes up to 2,048."""
_RETRIES = 4
_WORD = re.compile(r"\w+")


class OpenAIEmbedder(Embedder):
    """An embedding model of OpenAI, or of any service with its API: `OPENAI_API_KEY`, `OPENAI_BASE_URL`.

    The texts of steps are sent to that service. Its weights cannot be seen, so the fingerprint is that of the model's
    name and the service's address: a service that changes a model under its name changes vectors unnoticed. A token
    here is a word by itself. One request for up to 256 new texts; what was embedded once is kept (see the cache).

    Args:
        model: Name of the model at the service, or `azure:DEPLOYMENT`.
    """

    id = "openai"
    contextual = False
    remembered = True
    argument = "MODEL"

    def __init__(self, model: str) -> None:
        self.model = model

    @classmethod
    def load(cls, argument: str) -> Self:
        """Build the embedder for a model's name.

        Raises:
            ConfigError: If none is given.
        """
        if not argument:
            raise ConfigError(f"the embedder {cls.id} needs a model", fix=f"write {cls.id}:text-embedding-3-small")
        return cls(argument)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model}

    @property
    def parameters(self) -> MatchingParameters:
        """The same for every model; not yet calibrated."""
        return MatchingParameters(beta=BETA, lexical_weight=LEXICAL_WEIGHT)

    @property
    def fingerprint(self) -> str:
        """Hash of the service's address and the model's name.

        Raises:
            EmbedderError: If the extra is not installed, or there is no key.
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
            EmbedderError: If the extra is not installed, the service cannot be reached or refuses, or answers with
                something else than vectors.
        """
        plain = encodable(texts)
        said = [text for text in dict.fromkeys(plain) if text.strip()] or ["step"]  # for the width, if nothing else
        rows = {
            text: row
            for first in range(0, len(said), _AT_ONCE)
            for text, row in self._asked(said[first : first + _AT_ONCE]).items()
        }
        nothing = np.zeros_like(next(iter(rows.values())))
        found = [rows.get(text, nothing) if text.strip() else nothing for text in plain]
        return np.stack(found) if found else nothing[None][:0]

    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return per text one unit-length row per word, each embedded by itself.

        Raises:
            EmbedderError: As `embed`.
        """
        words = [_WORD.findall(text.lower()) for text in encodable(texts)]
        known = list(dict.fromkeys(word for each in words for word in each))
        rows = self.embed(known)
        place = {word: number for number, word in enumerate(known)}
        return [rows[[place[word] for word in each]] for each in words]

    def _asked(self, texts: list[str]) -> dict[str, Vectors]:
        """Return the rows of one request."""
        service = self._service
        failure = None
        try:
            answer = service.client.embeddings.create(model=service.model, input=texts, encoding_format="float")
            rows = np.array(
                [item.embedding for item in sorted(answer.data, key=lambda item: item.index)], dtype=np.float32
            )
        except Exception as error:  # noqa: BLE001 - the client's own errors, and whatever a service answers that is no vector
            failure = service.failure(f"the embeddings of {service.model!r}", error)
        if failure is not None:
            raise EmbedderError(failure.message, fix=failure.fix)
        if rows.ndim != 2 or len(rows) != len(texts) or not np.isfinite(rows).all():
            raise EmbedderError(
                f"the service at {service.address} answered {len(texts)} texts with vectors of shape {rows.shape}",
                fix="use a service with OpenAI's embeddings API",
            )
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        lengths[lengths == 0] = 1
        return dict(zip(texts, rows / lengths, strict=True))
