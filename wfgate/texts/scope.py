"""Whether a condition in words holds in fewer or more situations than another one."""

import re
from collections import Counter
from typing import Literal

from wfgate.texts.phrases import parsed

_WIDER = frozenset({"or"})
_PARTS = _WIDER | {"and", "also", "but", "if", "when", "whenever", "unless", "except", "only", "without"}
_PARTS |= {"during", "within", "outside", "before", "after", "until", "while"}
"""Words that join a further part to a condition."""
_WORD = re.compile(r"\w+")


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


def _words(text: str) -> frozenset[str]:
    """Return the stems of the content words of a text, and its numbers."""
    read = parsed(text)
    return read.content | {token.lower for token in read.tokens if token.kind == "number"}


def _lower(text: str) -> Counter[str]:
    return Counter(token.lower for token in parsed(text).tokens)


def _is_repeated(less: str, more: str) -> bool:
    """Return whether a text contains another one word by word."""
    inner, outer = (f" {' '.join(_WORD.findall(text.casefold()))} " for text in (less, more))
    return bool(inner.strip()) and inner in outer
