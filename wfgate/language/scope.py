"""Whether a condition in words holds in other situations than another one, as far as single signs and words say it."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Literal, NamedTuple

from wfgate.language.lexicon.grammar import ARTICLES, DENYING_ALL, DENYING_ONE, PARTS, TOGETHER, VERBS, WIDER
from wfgate.language.lexicon.numbers import LIMITS
from wfgate.language.phrases import parsed
from wfgate.language.words import Token, is_content, lemma

_WORD = re.compile(r"\w+")
MOST_WORDS = 6
"""Most words of a condition in which a single other word is looked at: in longer ones the other words say enough."""
_JOINS = {"and": all, "or": any, "nor": any}
_DENYING = DENYING_ONE | DENYING_ALL
_MOST_PARTS = 4
"""Most parts of a condition whose cases are compared."""
_NEGATIVE = re.compile(r"(?:^|(?<=[\s(<>=]))[-\u2212](\d+(?:[.,]\d+)?)")
_BOUND = re.compile("|".join(f"(?P<{kind}>{words})" for kind, words in LIMITS.items()), re.IGNORECASE)


def scope_change(golden: str, candidate: str, known: str = "") -> Literal["weaker", "stronger", ""]:
    """Return whether a condition has a part more than the golden, or less, and how it holds then; empty otherwise.

    One condition has all words of the other one, and a part of its own: it repeats the other one word by word, or a
    word such as "and" joins the part. Other words for the same are no part.

    Args:
        golden: The condition of the golden.
        candidate: The condition of the candidate.
        known: Texts around the condition, such as the question before a branch; their words are no part of their own.

    Example:
        >>> scope_change("Yes", "Yes, and in office hours"), scope_change("valid or paid", "valid")
        ('stronger', 'stronger')
        >>> scope_change("Yes", "Yes, all tests passed", "Did all tests pass?"), scope_change("too high", "above 5 %")
        ('', '')
    """
    for less, more, adds in ((golden, candidate, True), (candidate, golden, False)):
        small, large = _words(less), _words(more)
        own = large - small - _words(known)
        joined = frozenset(_lower(more) - _lower(less)) & PARTS
        if own and small <= large and (_is_repeated(less, more) or (small and joined)):
            return "weaker" if bool(joined & WIDER) is adds else "stronger"
    return ""


def has_other_limits(golden: str, candidate: str) -> bool:
    """Return whether two conditions have other negative numbers, or bounds that differ only at the limit itself.

    Example:
        >>> has_other_limits("below -80 degrees", "below 80 degrees"), has_other_limits("at least 3", "more than 3")
        (True, True)
        >>> has_other_limits("over 5 %", "more than 5 percent"), has_other_limits("from 5-10", "5 to 10")
        (False, False)
        >>> has_other_limits("does not exceed 70 %", "70 % or less")
        False
    """
    if sorted(_NEGATIVE.findall(golden)) != sorted(_NEGATIVE.findall(candidate)):
        return True
    was, now = (Counter(match.lastgroup for match in _BOUND.finditer(text)) for text in (golden, candidate))
    return was != now and was.total() == now.total()


def replaced_word(golden: str, candidate: str) -> tuple[str, str] | None:
    """Return the only content word that differs between two conditions of at most `MOST_WORDS` words; None otherwise.

    Whether the two words mean the same here is not said. Articles, and other forms of a word, are no difference.

    Example:
        >>> replaced_word("the change is booked", "the change is printed")
        ('booked', 'printed')
        >>> replaced_word("a change is booked", "the change was booked"), replaced_word("booked", "printed")
        (None, None)
    """
    was, now = ([token for token in parsed(text).tokens if token.kind != "mark"] for text in (golden, candidate))
    if max(len(was), len(now)) > MOST_WORDS:
        return None
    was, now = ([token for token in tokens if token.lower not in ARTICLES] for tokens in (was, now))
    if len(was) != len(now) or len(was) < 2:
        return None
    differing = [(one, other) for one, other in zip(was, now, strict=True) if one.lower != other.lower]
    if len(differing) != 1 or not all(map(is_content, differing[0])):
        return None
    one, other = differing[0]
    return None if lemma(one.lower) == lemma(other.lower) else (one.text, other.text)


def has_other_logic(golden: str, candidate: str) -> bool:
    """Return whether two conditions deny or join the same parts in another way: "not A or B", "neither A nor B".

    The parts are joined by "and", by "or" or by "nor". "Not A or B" is read as logic reads it; people may mean "not (A
    or B)", and another wording that is clear deserves a look.

    Cost: linear in the words, and 2^4 cases at most.

    Example:
        >>> has_other_logic("it is not covered or fraud", "it is neither covered nor fraud")
        True
        >>> has_other_logic("not covered or fraud", "not covered or not fraud")
        True
        >>> has_other_logic("it is not (paid or late)", "it is not late and it is not paid")
        False
    """
    was, now = _Logic.of(golden), _Logic.of(candidate)
    if was is None or now is None or len(was.parts) < 2:
        return False
    if len({*was.parts}) != len(was.parts) or sorted(map(sorted, was.parts)) != sorted(map(sorted, now.parts)):
        return False
    cases = (dict(zip(was.parts, values, strict=True)) for values in product((True, False), repeat=len(was.parts)))
    return any(was.holds(case) is not now.holds(case) for case in cases)


class _Logic(NamedTuple):
    """The parts of a condition, which of them are denied, and how they are joined.

    Attributes:
        parts: The stems of the content words of each part, without those of the subject.
        denied: Whether each part is denied.
        join: "and" or "or".
        whole: Whether all parts together are denied.
    """

    parts: tuple[frozenset[str], ...]
    denied: tuple[bool, ...]
    join: str
    whole: bool

    @classmethod
    def of(cls, text: str) -> "_Logic | None":
        """Return how a condition is read; None if it has no clear parts."""
        read = parsed(text)
        compared = {place for place, token in enumerate(read.tokens) if token.lower in _DENYING} - {*read.negators}
        tokens = [token for place, token in enumerate(read.tokens) if place not in compared]  # no "no less than"
        joins = {token.lower for token in tokens if token.lower in _JOINS}
        if len(joins) != 1:
            return None
        pieces: list[list[Token]] = [[]]
        for token in tokens:
            if token.lower in joins:
                pieces.append([])
            else:
                pieces[-1].append(token)
        if len(pieces) > _MOST_PARTS:
            return None
        subject = _subject(pieces[0])
        parts = tuple(_stems(piece) - subject for piece in pieces)
        negations = [_negation(piece) for piece in pieces]
        if "many" in negations or not all(parts):
            return None
        first, *others = negations
        join = joins.pop()
        if join == "nor" and any(others):
            return None
        together = join == "nor" or (first == "none" and join == "or" and not any(others)) or first == "whole"
        if (first == "none" and join == "and" and not any(others)) or "whole" in others:
            return None
        denied = tuple(bool(negation) and not together for negation in negations)
        return cls(parts, denied, "or" if join == "nor" else join, together and bool(first))

    def holds(self, case: dict[frozenset[str], bool]) -> bool:
        """Return whether the condition holds if these parts are true or false."""
        values = [case[part] is not denied for part, denied in zip(self.parts, self.denied, strict=True)]
        return _JOINS[self.join](values) is not self.whole


def _negation(piece: Sequence[Token]) -> Literal["", "one", "none", "whole", "many"]:
    """Return what the negation of a part denies: nothing, this part, this part and those behind it, all together."""
    places = [place for place, token in enumerate(piece) if token.lower in _DENYING]
    if len(places) != 1:
        return "many" if places else ""
    (place,) = places
    if piece[place].lower in DENYING_ALL:
        return "none"
    behind = [token.lower for token in piece[place + 1 :]]
    opened = behind[:1] == ["("] and ")" not in behind
    return "whole" if opened or not TOGETHER.isdisjoint(behind[:1]) else "one"


def _subject(piece: Sequence[Token]) -> frozenset[str]:
    """Return the stems of the words before the first verb: the other parts may repeat them or leave them out."""
    verbs = (place for place, token in enumerate(piece) if token.lower in VERBS)
    denials = (place for place, token in enumerate(piece) if token.lower in _DENYING)
    return _stems(piece[: next(verbs, next(denials, 0))])


def _stems(piece: Sequence[Token]) -> frozenset[str]:
    """Return the stems of the content words and numbers of a part, without its negation."""
    kept = (token for token in piece if token.kind == "number" or is_content(token))
    return frozenset(token.stem for token in kept if token.lower not in _DENYING | TOGETHER)


def _words(text: str) -> frozenset[str]:
    """Return the stems of the content words of a text, and its numbers."""
    read = parsed(text)
    return read.content | {token.lower for token in read.tokens if token.kind == "number"}


def _lower(text: str) -> Counter[str]:
    """Return the words outside of bounds: the "or" of "1 % or less" joins no further part."""
    return Counter(token.lower for token in parsed(_BOUND.sub(" ", text)).tokens)


def _is_repeated(less: str, more: str) -> bool:
    """Return whether a text contains another one word by word."""
    inner, outer = (f" {' '.join(_WORD.findall(text.casefold()))} " for text in (less, more))
    return bool(inner.strip()) and inner in outer
