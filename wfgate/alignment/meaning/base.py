"""What judges whether two texts mean the same."""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from wfgate.errors import ConfigError

CHANGES = ("action", "condition", "weakening", "negation", "quantity", "target", "vague", "other")
"""What may have become of a step's meaning: six ways to say something else, hardly anything, another step."""

TextPair = tuple[str, str]
"""The golden's text and the candidate's."""


@dataclass(frozen=True)
class MeaningScore:
    """What became of the meaning of one step.

    Attributes:
        logit: Log-odds that both texts mean the same, where both answers are as likely beforehand; infinite where the
            texts are the same but for case and spaces.
        changes: For each of `CHANGES` the probability that it is this one, given that the meaning changed; empty where
            the judge does not say.
        telling: The words of the golden and of the candidate in which the change shows most, if it is one; empty where
            the judge does not say.
    """

    logit: float
    changes: tuple[float, ...] = ()
    telling: tuple[str, str] = ("", "")

    @property
    def probability(self) -> float:
        """Probability in [0, 1] that both texts mean the same."""
        return 1 / (1 + math.exp(-max(self.logit, -700.0)))

    @property
    def change(self) -> str | None:
        """The likeliest of `CHANGES`; None where the judge does not say."""
        return CHANGES[self.changes.index(max(self.changes))] if self.changes else None


_NUMBER = re.compile(r"^\s*(?:step\s+)?\d{1,3}\s*[.):]\s+(?=\S)", re.IGNORECASE)

SAME = MeaningScore(math.inf)
"""Of texts that are the same."""


class MeaningModel(ABC):
    """Judges pairs of step texts."""

    id: ClassVar[str]
    version: ClassVar[int] = 1
    calibrated: ClassVar[bool] = False
    """Whether its p-values are rates that were measured on rewordings; else they only put steps in an order."""
    argument: ClassVar[str] = ""
    """What follows `id:` in a spec ("MODEL"); empty where the id says it all."""

    @classmethod
    def load(cls, argument: str) -> Self:
        """Build the judge from what follows the colon of its spec, without loading any weights yet.

        Raises:
            ConfigError: If the argument is one too many, or missing where there must be one.
        """
        if argument:
            raise ConfigError(f"the meaning model {cls.id} comes in no variants", fix=f"write {cls.form()}")
        return cls()

    @classmethod
    def form(cls) -> str:
        """Return how its spec is written: "id" or "id:ARGUMENT"."""
        return f"{cls.id}:{cls.argument}" if cls.argument else cls.id

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Identifies weights and settings: equal fingerprints give equal judgements, up to rounding."""

    @property
    def signature(self) -> str:
        """Id, version and fingerprint."""
        return f"{self.id}/{self.version}:{self.fingerprint[:12]}"

    @abstractmethod
    def _compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        """Judge pairs of texts that differ."""

    def p_value(self, logit: float) -> float:
        """Return how often a harmless rewording is believed as little, in (0, 1].

        Where no rewordings were judged beforehand, the probability that both texts mean the same stands in for it: an
        order, not a rate. Whole workflows are judged by the profile either way, and that is calibrated.
        """
        return max(MeaningScore(logit).probability, 1e-6)

    def doubt(self, logit: float) -> float:
        """Return -log10 of the p-value, finer where that is at its floor: evidence for calibration, not a rate."""
        return -math.log10(self.p_value(logit))

    def compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        """Return a score per pair; one does not depend on the others.

        Texts of the same words mean the same, unasked; the number of a list item is no part of its text.
        """
        asked = [(unnumbered(golden), unnumbered(candidate)) for golden, candidate in pairs]
        differing = list(dict.fromkeys(pair for pair in asked if not same_words(*pair)))
        found = dict(zip(differing, self._compare(differing), strict=True)) if differing else {}
        return [found.get(pair, SAME) for pair in asked]


def unnumbered(text: str) -> str:
    """Return the text of a list item without its number.

    Example:
        >>> unnumbered("6. Download the file"), unnumbered("Step 2: Unpack it"), unnumbered("2 replicas stay up")
        ('Download the file', 'Unpack it', '2 replicas stay up')
    """
    return _NUMBER.sub("", text).strip()


def same_words(golden_text: str, candidate_text: str) -> bool:
    """Return whether two texts differ only in what never changes their meaning: case, spaces, the last full stop.

    Example:
        >>> same_words("Roll  out.", "1. roll out")
        True
    """
    return plain_words(golden_text) == plain_words(candidate_text)


def plain_words(text: str) -> str:
    """Return a text without what never changes its meaning.

    Example:
        >>> plain_words("1. Roll  out.")
        'roll out'
    """
    return " ".join(unnumbered(text).casefold().split()).rstrip(". ")
