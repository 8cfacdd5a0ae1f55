"""Whether a text lost an attribute that protects ("an encrypted copy"), or has the opposite of one ("a new key")."""

import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import pairwise

from wfgate.language.contradiction import Contradiction
from wfgate.language.lexicon import alternatives
from wfgate.language.lexicon.demands import PROTECTING, PROTECTING_ACTIONS, WITHOUT_NOUN
from wfgate.language.lexicon.opposites import CONVENTIONS, SIDES
from wfgate.language.phrases import agreement, parsed
from wfgate.language.words import lemma, plain_text

_NOUN = re.compile(r"[ \t]+([a-z][\w-]*)", re.IGNORECASE)
_SIDES = {
    word: (group, side)
    for group, sides in enumerate(SIDES)
    for side, words in enumerate(sides)
    for word in words.split()
}
_CONVENTIONS = [
    tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in sides)
    for pair in CONVENTIONS
    for sides in (pair, pair[::-1])
]
LIKE = 0.5
"""Smallest agreement of the words of a text and a sentence of which such attributes are compared."""
_WORD = re.compile(r"[a-z][\w-]*|[,.;:|]", re.IGNORECASE)


@cache  # made when it is first needed: equal texts need none of it
def _listed() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return the patterns of each attribute and action that protects, and of the words with which a text keeps it."""
    return tuple(
        (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), re.compile(rf"\b(?:{alternatives(kept)})", re.IGNORECASE))
        for words, kept in (*PROTECTING.items(), *PROTECTING_ACTIONS.items())
    )


def stated_attributes(text: str) -> frozenset[int]:
    """Return the numbers of the attributes and actions that a text states as listed. Cost: linear."""
    plain = _plain(text)
    return frozenset(number for number, (words, _) in enumerate(_listed()) if words.search(plain))


def kept_attributes(text: str) -> frozenset[int]:
    """Return the numbers of the attributes and actions that a text may keep, in any listed word. Cost: linear."""
    plain = _plain(text)
    return frozenset(number for number, (_, kept) in enumerate(_listed()) if kept.search(plain))


def lost_attribute(
    golden: str, candidate: str, elsewhere: Collection[int] = (), free: Collection[int] = ()
) -> Contradiction | None:
    """Return an attribute or action of the golden that no word of the candidate keeps; None if there is none.

    If the candidate names what had the attribute, it is lost. If not, another step may state it ("an isolated
    network", then "there"); so may another step do an action. Of 10,828 steps in accepted rewordings, 4 lost one;
    of 3,756 harmful ones, 26. Cost: linear.

    Args:
        golden: The step of the golden.
        candidate: The steps of the candidate that do its work.
        elsewhere: The `stated_attributes` of all steps of the candidate.
        free: The `kept_attributes` of the steps of the candidate of which the golden has nothing: one may be a part.

    Example:
        >>> lost_attribute("Run the read-only acceptance tests", "Execute the acceptance tests").golden_words
        'read-only'
        >>> lost_attribute("Back up the settings of the service", "Look at the settings of the service").golden_words
        'Back up'
        >>> lost_attribute("Restore it on an isolated host", "Restore it on a host without any network access") is None
        True
    """
    text, other = _plain(golden), _plain(candidate)
    for number, (words, kept) in enumerate(_listed()):
        stated = words.search(text)
        if stated is None or number in free or kept.search(other):
            continue
        if number not in elsewhere and (number >= len(PROTECTING) or _noun(text, stated.end())):
            return Contradiction("removed", stated[0], "")
        if number < len(PROTECTING) and lemma(_noun(text, stated.end())) in parsed(other).lemmas:
            return Contradiction("removed", stated[0], "")
    return None


def _plain(text: str) -> str:
    """Return a text with the words of identifiers apart: "not_backed_up"."""
    return plain_text(text).replace("_", " ")


def _noun(text: str, place: int) -> str:
    """Return the noun behind an attribute; "" if there is none, or one that nobody misses."""
    noun = _NOUN.match(text, place)
    return noun[1].casefold() if noun and noun[1].casefold() not in WITHOUT_NOUN else ""


def opposed_attribute(golden: str, candidate: str) -> Contradiction | None:
    """Return an attribute of the golden, and its opposite before the same noun in the candidate; else None.

    A convention ("singular", "uppercase") needs no noun: it is opposed in texts with half of the same words.

    The golden has no word of the other side; the candidate's sentence has none of the golden's side, and half of
    the golden's words. Of 10,828 steps in accepted rewordings, none is found; of 3,756 harmful ones, 9. Cost: linear.

    Example:
        >>> found = opposed_attribute(
        ...     "Point the record to the new primary", "Let the record point to the former primary"
        ... )
        >>> found.golden_words, found.candidate_words
        ('new primary', 'former primary')
        >>> opposed_attribute(
        ...     "Compare the new servers with the old ones", "Compare the old servers and the new"
        ... ) is None
        True
    """
    opposed = _opposed_convention(golden, candidate)
    if opposed is not None:
        return opposed
    words = _words(golden)
    sides = {_SIDES[word] for word in words if word in _SIDES}
    if not sides:
        return None
    kept = {(*_SIDES[word], lemma(noun)) for word, noun in _attributed(_words(candidate))}
    for word, noun in _attributed(words):
        group, side = _SIDES[word]
        if (group, 1 - side) in sides or (group, side, lemma(noun)) in kept:
            continue
        for sentence in parsed(candidate).sentences:
            said = _words(sentence.original)
            if agreement(parsed(golden).content, sentence.content) < LIKE or any(
                _SIDES.get(other) == (group, side) for other in said
            ):
                continue
            for other, same in _attributed(said):
                if _SIDES[other] == (group, 1 - side) and lemma(same) == lemma(noun):
                    return Contradiction("opposite", f"{word} {noun}", f"{other} {same}")
    return None


def _opposed_convention(golden: str, candidate: str) -> Contradiction | None:
    was, now = parsed(golden), parsed(candidate)
    for kept, other in _CONVENTIONS:
        stated, said = kept.search(golden), other.search(candidate)
        if stated is None or said is None or other.search(golden) or kept.search(candidate):
            continue
        if len(was.negators) == len(now.negators) and agreement(was.content, now.content) >= LIKE:
            return Contradiction("opposite", stated[0], said[0])
    return None


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(plain_text(text))]


def _attributed(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each attribute that tells two things apart, with the content word behind it."""
    known = parsed(" ".join(words)).lemmas
    for word, noun in pairwise(words):
        if word in _SIDES and lemma(noun) in known:
            yield word, noun
