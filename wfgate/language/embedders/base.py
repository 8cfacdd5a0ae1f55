"""The interface of embedders."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from wfgate.language.spec import Selectable

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class MatchingParameters:
    """Matching threshold and weight; fitted for each embedder and part of its signature.

    Attributes:
        beta: Smallest similarity in [0, 1] of a matched pair.
        lexical_weight: Share in [0, 1] of lexical similarity in the blend.
    """

    beta: float
    lexical_weight: float


class Embedder(Selectable):
    """Converts texts to vectors."""

    kind = "embedder"
    contextual: ClassVar[bool]
    """Whether a token's vector depends on its neighbours."""
    remembered: ClassVar[bool] = False
    """Whether a cache file is faster or cheaper than computing vectors again."""
    requested_beta: float | None = None
    """The matching threshold that a user has set (`load_embedder`); None for the embedder's own."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Identifies weights and settings. Embedders with equal fingerprints return equal vectors."""

    @property
    @abstractmethod
    def parameters(self) -> MatchingParameters:
        """The thresholds and weights for this embedder's similarities."""

    @property
    def signature(self) -> str:
        """Id, version, fingerprint and parameters: all properties of the embedder that affect an alignment."""
        known = self.parameters
        return f"{self.id}/{self.version}:{self.fingerprint[:12]};beta={known.beta};lexical={known.lexical_weight}"

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, shape (n_texts, dimensions); an empty text gives a zero row."""

    @abstractmethod
    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return for each text one unit-length row per known token, shape (n_tokens, dimensions).

        The rows of a text do not depend on the other texts.
        """


def encodable(texts: Sequence[str]) -> list[str]:
    r"""Return the texts as valid Unicode for tokenizers: a lone surrogate, which JSON allows, becomes U+FFFD.

    Example:
        >>> encodable(["plain", "half \ud83d of one"])
        ['plain', 'half \ufffd of one']
    """
    return [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
