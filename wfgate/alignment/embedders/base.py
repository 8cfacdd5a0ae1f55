"""What an embedder is."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from wfgate.errors import ConfigError

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
    remembered: ClassVar[bool] = False
    """Whether looking vectors up in a file is faster, or cheaper, than computing them again."""
    argument: ClassVar[str] = ""
    """What follows `id:` in a spec ("MODEL"); empty where the id says it all."""

    @classmethod
    def load(cls, argument: str) -> Self:
        """Build the embedder from what follows the colon of its spec, without loading any weights yet.

        Raises:
            ConfigError: If the argument is one too many, or missing where there must be one.
        """
        if argument:
            raise ConfigError(f"the embedder {cls.id} comes in no variants", fix=f"write {cls.form()}")
        return cls()

    @classmethod
    def form(cls) -> str:
        """Return how its spec is written: "id" or "id:ARGUMENT"."""
        return f"{cls.id}:{cls.argument}" if cls.argument else cls.id

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
        """Id, version, fingerprint, and what its similarities mean: everything that changes an alignment."""
        known = self.parameters
        return f"{self.id}/{self.version}:{self.fingerprint[:12]};beta={known.beta};lexical={known.lexical_weight}"

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit-length row per text, shape (n_texts, dimensions); an empty text gives a zero row."""

    @abstractmethod
    def embed_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        """Return per text one unit-length row per known token, shape (n_tokens, dimensions).

        A text's rows do not depend on the other texts.
        """


def encodable(texts: Sequence[str]) -> list[str]:
    r"""Return the texts as tokenizers take them: half a surrogate pair, which JSON allows, becomes U+FFFD.

    Example:
        >>> encodable(["plain", "half \ud83d of one"])
        ['plain', 'half \ufffd of one']
    """
    return [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
