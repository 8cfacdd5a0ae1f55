"""Whether a text demands with less force than another one ("must", "should"), or prefers what the other one avoids.

Rewordings often have another word of the same force ("do not", "never"), or a stronger one, or none ("push it", "it is
pushed"). Therefore only a weaker word counts, in a main clause of a sentence about the same, if no other word of that
sentence is as strong as that of the golden.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from wfgate.base import READ
from wfgate.language.contradiction import Contradiction
from wfgate.language.lexicon import alternatives, demands
from wfgate.language.lexicon.demands import FORCES
from wfgate.language.lexicon.grammar import CONDITIONING, NOBODY, NOT, SUBORDINATING
from wfgate.language.phrases import agreement, parsed
from wfgate.language.words import plain_text

LIKE = 0.5
"""Smallest agreement of the words of two sentences of which forces or preferences are compared."""
_MOST_SENTENCES = 16
"""Largest number of sentences of each text that are compared."""


@cache  # made when it is first needed: equal texts need none of it
def _patterns() -> tuple[tuple[re.Pattern[str], ...], ...]:
    """Return for each scale the patterns of its strong words, of those that are weaker, and of those as strong."""
    return tuple(tuple(map(_words, scale)) for scale in FORCES)


_ELSEWHERE = re.compile(rf"\b(?:{alternatives(SUBORDINATING, NOT - {'never'}, NOBODY)})\b[^,;:()]*$", re.IGNORECASE)
"""What stands before a word of a subordinate clause, or one that is denied, and no pause between: "not one may"."""


def _words(phrases: str) -> re.Pattern[str]:
    each = alternatives(" ".join(phrase.split()) for phrase in phrases.split(","))
    return re.compile(rf"(?<![\w-])(?:{each})(?![\w-])", re.IGNORECASE)


def weakened_force(golden: str, candidate: str) -> Contradiction | None:
    """Return the words of a demand and the weaker ones of the candidate; None if it demands with the same force.

    Cost: linear in the words of each text, quadratic in at most 16 sentences.

    Example:
        >>> found = weakened_force("Never rewrite the changes of others", "Avoid rewriting changes of others")
        >>> found.golden_words, found.candidate_words
        ('Never', 'Avoid')
        >>> weakened_force("Take only critical fixes", "Take mostly critical fixes").candidate_words
        'mostly'
        >>> weakened_force("Prefer named exports", "Exports should preferably be named") is None
        True
        >>> weakened_force("You must sign it", "Sign it, so that others can trust it") is None
        True
    """
    sides = [[one.original for one in parsed(text[:READ]).sentences[:_MOST_SENTENCES]] for text in (golden, candidate)]
    for strong, weak, kept in _patterns():
        for was in map(plain_text, sides[0]):
            stated = next(_main(strong, was), None)
            if stated is None:
                continue
            about, known = _about(was), {words.casefold() for words in weak.findall(was)}
            alike = [now for now in map(plain_text, sides[1]) if agreement(about, _about(now)) >= LIKE]
            if any(kept.search(weak.sub(" ", now)) for now in alike):
                continue
            said = (words for now in alike for words in _main(weak, now))
            weaker = next((words for words in said if words.casefold() not in known), None)
            if weaker is not None:
                return Contradiction("weakened", stated, weaker)
    return None


def _main(pattern: re.Pattern[str], sentence: str) -> Iterator[str]:
    """Yield the words of a pattern in the main clauses of a sentence, not denied: not "so that users can read it"."""
    for match in pattern.finditer(sentence):
        if not _ELSEWHERE.search(sentence, 0, match.start()):
            yield match[0]


@lru_cache(maxsize=4096)  # each golden is compared with many candidates
def _about(sentence: str) -> frozenset[str]:
    """Return the stems of the content words of a sentence without its words of force."""
    for scale in _patterns():
        for pattern in scale:
            sentence = pattern.sub(" ", sentence)
    return parsed(sentence).content


_PROHIBITION = re.compile(
    r"\W*(?:please )?(?:you (?:must|should|may) )?(?:do not|never|not|avoid|no)\b", re.IGNORECASE
)
_ELSEWISE = (demands.DENYING, demands.RESTRICTING, demands.INVERTING, demands.ENDURING)
"""Words with which a text may say a prohibition without a negation."""
_LEAST = 2
"""Fewest words of such a prohibition."""
_FORM = 5
"""Number of letters in which two forms of a word agree."""
KEPT = 0.75
"""Least share of the words of a prohibition in a text that orders what it prohibits."""


def lifted_prohibition(golden: str, candidate: str) -> Contradiction | None:
    """Return the beginning of a prohibition, and the words of a text that orders the same; None if it does not.

    The golden is one sentence that begins with the negation and has no condition; the candidate has nearly all of its
    words, in any form, and no word that denies or restricts.

    Example:
        >>> found = lifted_prohibition("Avoid dynamic allocation in interrupts", "Allocate dynamically in interrupts")
        >>> found.golden_words, found.candidate_words
        ('Avoid', 'Allocate')
        >>> lifted_prohibition("Never push to main", "Only the release bot pushes to main") is None
        True
    """
    was, now = parsed(plain_text(golden[:READ])), parsed(plain_text(candidate[:READ]))
    denied = _PROHIBITION.match(was.original)
    if denied is None or len(was.sentences) > 1 or len(was.negators) > 1 or now.negators:
        return None
    if was.hits(CONDITIONING) or any(now.hits(listed) for listed in _ELSEWISE):
        return None
    forms = {stem[:_FORM] for stem in parsed(was.original[denied.end() :]).content}
    said = {token.stem[:_FORM]: token.text for token in reversed(now.tokens) if token.stem in now.content}
    if len(forms) < _LEAST or len(forms & said.keys()) < KEPT * len(forms):
        return None
    first = next(word for form, word in reversed(said.items()) if form in forms)
    return Contradiction("negation", denied[0].strip(), first)


class _Preference(NamedTuple):
    """The stems of the words of what a text wants, and of what it does not want."""

    wanted: frozenset[str]
    unwanted: frozenset[str]


_CLAUSE = re.compile(r"[;,:.!?](?=\s|$)|[()]|\b(?=and not\b|but not\b)")
_DENIED = re.compile(r"\s*(?:(?:and|but|then) )?(?:please )?(?:do not|never|not|avoid)\b", re.IGNORECASE)
_THAN = re.compile(
    r"(?P<wanted>[^.;:]*?)\b(?:rather than|instead of|in place of|in preference to|as opposed to)\b"
    r"(?P<unwanted>[^,.;:()]*)(?:, (?P<then>[^.;:]*))?",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\b(?:prefer\w*|favou?r|choose|use|prioriti[sz]e|put)\b(?P<wanted>[^.;:]+?)\b(?:over|above|ahead of)\b"
    r"(?P<unwanted>[^.;:]*)|\bprefer\b(?P<this>[^.;:]+?)\bto\b(?P<that>[^.;:]*)",
    re.IGNORECASE,
)


def reversed_preference(golden: str, candidate: str) -> Contradiction | None:
    """Return what a text prefers and the other one does not want, if that one wants what the first does not.

    Example:
        >>> found = reversed_preference("Ask for details rather than guessing", "Guess; do not ask for details")
        >>> found.golden_words, found.candidate_words
        ('Ask', 'Guess')
        >>> reversed_preference("Prefer tabs over spaces", "Use spaces instead of tabs").golden_words
        'tabs'
        >>> reversed_preference("Use tabs rather than spaces", "Do not use spaces, use tabs") is None
        True
    """
    was = [*_preferences(plain_text(golden[:READ]))]
    now = [*_preferences(plain_text(candidate[:READ]))] if was else []
    for one in was:
        for other in now:
            if agreement(one.wanted | one.unwanted, other.wanted | other.unwanted) < LIKE:
                continue
            sides = [(each.wanted - each.unwanted, each.unwanted - each.wanted) for each in (one, other)]
            (wanted, unwanted), (theirs, refused) = sides
            crossed = wanted & refused, unwanted & theirs
            if all(crossed) and not unwanted & refused:
                return Contradiction("exchanged", _first(golden, crossed[0]), _first(candidate, crossed[1]))
    return None


def _preferences(text: str) -> Iterator[_Preference]:
    """Yield what a text prefers to what, where it says both."""
    for match in _THAN.finditer(text):
        wanted = match["wanted"] if parsed(match["wanted"]).content else match["then"] or ""
        yield _preference(wanted, match["unwanted"])
    for match in _OVER.finditer(text):
        yield _preference(match["wanted"] or match["this"], match["unwanted"] or match["that"] or "")
    clauses = [clause for clause in _CLAUSE.split(text) if clause.strip()]
    denied = [_DENIED.match(clause) for clause in clauses]
    for place, found in enumerate(denied):
        beside = [at for at in (place - 1, place + 1) if 0 <= at < len(clauses) and not denied[at]]
        if found and beside:
            yield _preference(clauses[beside[0]], clauses[place][found.end() :])


def _preference(wanted: str, unwanted: str) -> _Preference:
    return _Preference(parsed(wanted).content, parsed(unwanted).content)


def _first(text: str, stems: frozenset[str]) -> str:
    return next(token.text for token in parsed(text).tokens if token.stem in stems)
