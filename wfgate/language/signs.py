"""Signs that a demand became weaker: words of the golden without a counterpart in the candidate.

A sign proves nothing: rewordings have it, too, only less often. So signs are no findings; each lowers the log-odds
that the demand is met by a weight that is fitted on texts with labels (`calibration/step_equivalence/ensemble.py`).
"""

from dataclasses import dataclass
from functools import lru_cache

from wfgate.base import READ
from wfgate.language.lexicon import PhraseList, demands, grammar, numbers
from wfgate.language.phrases import ParsedText, parsed

SIGNS_VERSION = 1
"""Increases whenever any result can change."""


@dataclass(frozen=True)
class Sign:
    """A sign.

    Attributes:
        name: What was lost.
        had: Words of which the golden has one; None if it needs none.
        kept: Words of which the candidate then has none.
        new: Words of which the candidate has one and the golden none; None if it needs none.
    """

    name: str
    had: PhraseList | None
    kept: tuple[PhraseList, ...]
    new: PhraseList | None

    def is_in(self, golden: ParsedText, candidate: ParsedText) -> bool:
        """Return whether the candidate has the sign."""
        return (
            (self.had is None or bool(golden.hits(self.had)))
            and not any(candidate.hits(words) for words in self.kept)
            and (self.new is None or (bool(candidate.hits(self.new)) and not golden.hits(self.new)))
        )


SIGNS = (
    Sign("part", None, (), grammar.PARTIAL),
    Sign("approval", demands.APPROVING, (demands.APPROVING,), demands.TELLING),
    Sign("pair", grammar.PAIRED, (grammar.SECOND,), None),
    Sign("precision", None, (), numbers.ROUGHLY),
)
"""All signs: only a part is demanded, an approval became a message, a second person is lost, a number is rough.

Words that oblige or permit, and checks and stops that became messages, had no weight beside the network."""


@lru_cache(maxsize=16384)
def signs(golden_text: str, candidate_text: str) -> frozenset[str]:
    """Return the names of the signs in a candidate text. Cost: linear in the words of both texts.

    Example:
        >>> sorted(signs("Test all releases", "Test most releases"))
        ['part']
        >>> sorted(signs("The manager approves the plan", "The manager is told about the plan"))
        ['approval', 'precision']
        >>> signs("Check every host", "All hosts are checked")
        frozenset()
    """
    if golden_text == candidate_text:
        return frozenset()
    golden, candidate = parsed(golden_text[:READ]), parsed(candidate_text[:READ])
    return frozenset(sign.name for sign in SIGNS if sign.is_in(golden, candidate))
