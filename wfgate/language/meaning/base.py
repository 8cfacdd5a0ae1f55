"""The interface of meaning models: networks that score whether two texts mean the same."""

import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from wfgate.base import stage
from wfgate.language.spec import Selectable

CHANGES = ("action", "condition", "weakening", "negation", "quantity", "target", "vague", "other")
"""Kinds of change of a step's meaning: six ways to differ, most content gone ("vague"), another step ("other")."""

TextPair = tuple[str, str]
"""The golden's text and the candidate's."""
SENTENCE = 10
"""Number of words of a step that is a sentence."""


@dataclass(frozen=True)
class MeaningScore:
    """The score of a pair of texts: whether both mean the same, and which kind of change is likely.

    Attributes:
        logit: Log-odds that both texts mean the same, for equal prior odds; infinite if both texts have the same
            words.
        changes: Probability of each of `CHANGES`, given that the meaning changed; empty if the model does not return
            them.
        telling: The golden word and the candidate word that indicate the change most; empty if the model does not
            return them.
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
        """The most likely of `CHANGES`; None if the model does not return probabilities."""
        return CHANGES[self.changes.index(max(self.changes))] if self.changes else None


_NUMBER = re.compile(r"^\s*(?:step\s+)?\d{1,3}\s*[.):]\s+(?=\S)", re.IGNORECASE)

SAME = MeaningScore(math.inf)
"""The score of equal texts."""


class MeaningModel(Selectable):
    """A model that scores pairs of step texts."""

    kind = "meaning model"
    calibrated: ClassVar[bool] = False
    """Whether its p-values are rates measured on rewordings; otherwise they only rank steps."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Identifies weights and settings. Models with equal fingerprints return equal scores, up to rounding."""

    @property
    def signature(self) -> str:
        """Id, version and fingerprint."""
        return f"{self.id}/{self.version}:{self.fingerprint[:12]}"

    @abstractmethod
    def _compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        """Return the scores of pairs of different texts."""

    def p_value(self, logit: float, words: int = SENTENCE) -> float:  # noqa: ARG002 - for models that distinguish
        """Return the share of harmless rewordings of steps of this length whose logit is at most `logit`, in (0, 1].

        Without calibration, this is the probability that both texts mean the same; it only ranks steps. The decision
        about whole workflows always uses the profile, which is calibrated.

        Args:
            logit: Log-odds that the demand is met.
            words: Number of words of the golden step.
        """
        return max(MeaningScore(logit).probability, 1e-6)

    def doubt(self, logit: float, words: int = SENTENCE) -> float:
        """Return -log10 of the p-value, maybe extrapolated below the smallest p-value: evidence, not a rate."""
        return -math.log10(self.p_value(logit, words))

    def compare(self, pairs: Sequence[TextPair]) -> list[MeaningScore]:
        """Return a score per pair, independent of the other pairs.

        Texts with the same words get the score `SAME`. Numbers of list items are ignored.
        """
        plain = [(unnumbered(golden), unnumbered(candidate)) for golden, candidate in pairs]
        differing = list(dict.fromkeys(pair for pair in plain if not same_words(*pair)))
        with stage("meaning model"):
            scores = dict(zip(differing, self._compare(differing), strict=True)) if differing else {}
        return [scores.get(pair, SAME) for pair in plain]


def unnumbered(text: str) -> str:
    """Return the text of a list item without its number.

    Example:
        >>> unnumbered("6. Download the file"), unnumbered("Step 2: Unpack it"), unnumbered("2 replicas stay up")
        ('Download the file', 'Unpack it', '2 replicas stay up')
    """
    return _NUMBER.sub("", text).strip()


def same_words(golden_text: str, candidate_text: str) -> bool:
    """Return whether two texts differ only in case, white space, list number and final full stop.

    Example:
        >>> same_words("Roll  out.", "1. roll out")
        True
    """
    return plain_words(golden_text) == plain_words(candidate_text)


def plain_words(text: str) -> str:
    """Return a text in lower case, with single spaces and without list number and final full stop.

    Example:
        >>> plain_words("1. Roll  out.")
        'roll out'
    """
    return " ".join(unnumbered(text).casefold().split()).rstrip(". ")
