"""Whether a text demands less of a set than another one: "every table", "the largest tables"; "any test", "all tests".

Rewordings have other words for "all", or none. Therefore a word for a part counts only before a noun that the golden
has after a word for the whole, in a sentence with half of the same words; and only if no other word before that noun
takes it back.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import product, takewhile
from typing import NamedTuple

from wfgate.base import READ
from wfgate.language.contradiction import Contradiction
from wfgate.language.lexicon import alternatives
from wfgate.language.lexicon.demands import FAILING, FAILING_STEMS
from wfgate.language.lexicon.grammar import (
    BEFORE_NOUN,
    CONDITION_ENDS,
    CONDITIONS,
    NOT,
    QUANTIFIERS,
    SEVERAL,
    Quantifier,
)
from wfgate.language.phrases import agreement, parsed
from wfgate.language.words import lemma, plain_text

LIKE = 0.5
"""Smallest agreement of the words of two sentences of which reaches are compared."""
_MOST_SENTENCES = 16
"""Largest number of sentences of each text that are compared."""
_AHEAD = 3
"""Number of words after a quantifier that may be its noun."""
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*|[,;.:!?()\[\]\n|\u2014\u2013]")
_MARKS = frozenset(",;.:!?()[]\n|\u2014\u2013")

_CLASS: dict[str, Quantifier] = {word: quantifier for quantifier, words in QUANTIFIERS.items() for word in words}
_FAILING = re.compile(rf"(?:{alternatives(FAILING_STEMS)})\w*|{alternatives(FAILING)}")


class _Set(NamedTuple):
    """A quantifier, the words behind it, of which one is its noun, and whether they stand in a condition."""

    quantifier: Quantifier
    word: str
    behind: tuple[str, ...]
    in_condition: bool

    @property
    def nouns(self) -> list[str]:
        """The words that may be its noun."""
        return [word for word in self.behind if word not in BEFORE_NOUN][:_AHEAD]


class _Sentence(NamedTuple):
    """A sentence: its words, quantified sets, the words of its conditions, and its content."""

    words: tuple[str, ...]
    sets: tuple[_Set, ...]
    condition: tuple[str, ...]
    content: frozenset[str]

    def quantifiers(self, noun: str) -> set[Quantifier]:
        """Return the quantifiers before a noun."""
        return {one.quantifier for one in self.sets if noun in map(lemma, one.nouns)}


def narrowed_reach(golden: str, candidate: str) -> Contradiction | None:
    """Return the words for a whole or a number that became words for a part of it; None if there are none.

    A demand on all became one on some; several became one; or a condition on any became one on all or most, or the
    other way round. Of 10,828 steps in accepted rewordings of goldens that no list was made from, none is found; of
    3,756 harmful ones, 17. Cost: linear in the words of each text, quadratic in at most 16 sentences.

    Example:
        >>> found = narrowed_reach("Compare the counts of every table", "Counts of the largest tables are compared")
        >>> found.golden_words, found.candidate_words
        ('every table', 'largest tables')
        >>> narrowed_reach("Restore it if a check fails", "Restore it if all checks fail").candidate_words
        'all checks'
        >>> narrowed_reach("Two reviewers approve the plan", "The plan is approved by a reviewer").candidate_words
        'a reviewer'
        >>> narrowed_reach("Check every host", "All hosts are checked") is None
        True
    """
    sides = [_read(plain_text(text[:READ])) for text in (golden, candidate)]
    if not sides[0] or not sides[1]:
        return None
    for was, now in product(*sides):
        if agreement(was.content, now.content) < LIKE:
            continue
        for whole, part in product(was.sets, now.sets):
            noun = _noun(whole, part)
            if noun and whole.in_condition == part.in_condition and _is_less(was, now, whole, part, noun, sides):
                return Contradiction("weakened", _words(whole, noun), _words(part, noun))
    return None


def _is_less(
    was: _Sentence, now: _Sentence, whole: _Set, part: _Set, noun: str, sides: list[tuple[_Sentence, ...]]
) -> bool:
    """Return whether the second set is less than the first; the noun has one quantifier in the golden sentence."""
    said = set[Quantifier]().union(*(sentence.quantifiers(noun) for sentence in sides[1]))
    if len(was.quantifiers(noun)) > 1:
        return False
    if whole.in_condition:
        if _is_negative(was.condition) != _is_negative(now.condition):
            return False
        some: set[Quantifier] = {"any", "one"}
        every: set[Quantifier] = {"all", "most"}
        narrower = whole.quantifier in some and part.quantifier in every and not said & some
        fewer = whole.quantifier == "all" and part.quantifier == "most" and "all" not in said
        return narrower or fewer or (whole.quantifier in every and part.quantifier == "any" and not said & every)
    if whole.quantifier == "all" and part.quantifier in {"some", "most"}:
        return part.word not in was.words and not said & {"all", "any"} and _is_plural(part, noun)
    several = whole.quantifier == "number" or whole.word == "both"
    if not several or part.quantifier != "one" or said & {"number", "all", "any"}:
        return False
    words = {word for sentence in sides[1] for word in sentence.words}
    is_said = words & (SEVERAL | QUANTIFIERS["number"])
    return not is_said and _is_plural(whole, noun) and not _is_plural(part, noun)


@lru_cache(maxsize=4096)  # each golden is compared with many candidates
def _read(text: str) -> tuple[_Sentence, ...]:
    """Return the sentences of a text; none if it has no quantifier."""
    sentences = []
    for one in parsed(text).sentences[:_MOST_SENTENCES]:
        words = tuple(_WORD.findall(one.original.casefold()))
        conditional = tuple(_conditional(words))
        condition = tuple(word for word, inside in zip(words, conditional, strict=True) if inside)
        sentences.append(_Sentence(words, tuple(_sets(words, conditional)), condition, one.content))
    return tuple(sentences) if any(one.sets for one in sentences) else ()


def _conditional(words: tuple[str, ...]) -> Iterator[bool]:
    """Yield for each word whether it is part of a condition."""
    inside = False
    for word in words:
        inside = word in CONDITIONS or (inside and word not in CONDITION_ENDS)
        yield inside


def _sets(words: tuple[str, ...], conditional: tuple[bool, ...]) -> Iterator[_Set]:
    for place, word in enumerate(words):
        if quantifier := _CLASS.get(word):
            behind = tuple(takewhile(lambda one: one not in _MARKS, words[place + 1 : place + 1 + 2 * _AHEAD]))
            yield _Set(quantifier, word, behind, conditional[place])


def _noun(whole: _Set, part: _Set) -> str:
    """Return the lemma of the first noun that both sides may have; "" if there is none."""
    other = {lemma(word) for word in part.nouns}
    nouns = (lemma(word) for word in whole.nouns if len(word) > 2 and word not in _CLASS)
    return next((noun for noun in nouns if noun in other), "")


def _words(one: _Set, noun: str) -> str:
    """Return a set as written, up to its noun."""
    last = next(place for place, word in enumerate(one.behind) if lemma(word) == noun)
    return " ".join((one.word, *one.behind[: last + 1]))


def _is_plural(one: _Set, noun: str) -> bool:
    return any(word.endswith("s") and not word.endswith("ss") for word in one.nouns if lemma(word) == noun)


def _is_negative(condition: tuple[str, ...]) -> bool:
    """Return whether a condition is about a failure: "fails", "does not pass"."""
    fails = any(_FAILING.fullmatch(word) for word in condition)
    return (sum(word in NOT for word in condition) + fails) % 2 == 1
