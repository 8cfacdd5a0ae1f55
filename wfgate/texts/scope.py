"""Whether a condition in words holds in other situations than another one, as far as single signs and words say it."""

import re
from collections import Counter
from typing import Literal

from wfgate.texts.phrases import parsed

_WIDER = frozenset({"or"})
_PARTS = _WIDER | {"and", "also", "but", "if", "when", "whenever", "unless", "except", "only", "without"}
_PARTS |= {"during", "within", "outside", "before", "after", "until", "while"}
"""Words that join a further part to a condition."""
_WORD = re.compile(r"\w+")
_NEGATIVE = re.compile(r"(?:^|(?<=[\s(<>=]))[-\u2212](\d+(?:[.,]\d+)?)")
_BOUND = re.compile(
    r"(?P<least>at least|(?:no|not) (?:less|fewer|lower|smaller|shorter) than|not (?:under|below)|minimum|>=|\u2265|"
    r"or (?:more|above|over|higher|greater))|"
    r"(?P<most>at (?:the )?most|(?:no|not) (?:more|higher|greater|larger|longer) than|not (?:over|above|exceed\w*)|"
    r"up to|maximum|<=|\u2264|or (?:less|fewer|below|under|lower))|"
    r"(?P<above>more than|greater than|higher than|larger than|exceed\w*|over|above|>)|"
    r"(?P<below>less than|fewer than|lower than|smaller than|under|below|<)",
    re.IGNORECASE,
)


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
        joined = frozenset(_lower(more) - _lower(less)) & _PARTS
        if own and small <= large and (_is_repeated(less, more) or (small and joined)):
            return "weaker" if bool(joined & _WIDER) is adds else "stronger"
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
