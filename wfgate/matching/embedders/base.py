"""What an embedder is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class MatchingParameters:
    """What the similarity of an embedder means; fitted per embedder, part of its signature.

    Attributes:
        beta: Smallest similarity in [0, 1] of a pair that is still called the same step.
        lexical_weight: Share in [0, 1] of lexical similarity in the blend.
    """

    beta: float
    lexical_weight: float


class Embedder(ABC):
    """Texts to vectors."""

    id: ClassVar[str]
    version: ClassVar[int] = 1
    contextual: ClassVar[bool]
    """Whether a token's vector depends on its neighbours."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Identifies weights and settings: equal fingerprints give equal vectors."""

    @property
    @abstractmethod
    def parameters(self) -> MatchingParameters:
        """What this embedder's similarities mean."""

    @property
    def signature(self) -> str:
        """Id, version and fingerprint."""
        return f"{self.id}/{self.version}:{self.fingerprint[:12]}"

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, shape (n_texts, dimensions); an empty text gives a zero row."""

    @abstractmethod
    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return per text one unit-length row per token, shape (n_tokens, dimensions)."""
