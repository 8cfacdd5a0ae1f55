"""Word differences of two texts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

Marked = tuple[tuple[str, bool], ...]
"""A text as (segment, changed) pairs; the segments joined are the text."""

MOST_WORDS = 1000
"""Largest number of words of a compared text; longer texts are returned unmarked."""
FREE = 0.7
"""Share of changed words above which a text counts as reworded: then only contradicting words are marked."""

_WORD = re.compile(r"\S+\s*")
_FRAME = ".,;:!?()[]\"'"


def marked(golden_text: str, candidate_text: str, telling: Iterable[str] = ()) -> tuple[Marked, Marked]:
    """Return both texts with the differing words marked.

    Args:
        golden_text: The golden's text.
        candidate_text: The candidate's text.
        telling: Contradicting words. If more than the share `FREE` of the words differ, only these words are marked.

    Example:
        >>> marked("Deploy to staging now", "Deploy to production now")[1]
        (('Deploy to ', False), ('production ', True), ('now', False))
    """
    words = [_WORD.findall(text.strip()) for text in (golden_text, candidate_text)]
    if max(map(len, words)) > MOST_WORDS:
        return ((golden_text.strip(), False),), ((candidate_text.strip(), False),)
    changed = _changed([_plain(word) for word in words[0]], [_plain(word) for word in words[1]])
    if any(flags and sum(flags) > FREE * len(flags) for flags in changed):
        known = {_plain(word) for phrase in telling for word in phrase.split()}
        changed = [[_plain(word) in known for word in side] for side in words]
    first, second = (tuple(_pieces(side, flags)) for side, flags in zip(words, changed, strict=True))
    return first, second


def _plain(word: str) -> str:
    return word.strip().strip(_FRAME).casefold()


def _changed(golden: Sequence[str], candidate: Sequence[str]) -> list[list[bool]]:
    flags = [[True] * len(golden), [True] * len(candidate)]
    for start, other, size in SequenceMatcher(None, golden, candidate, autojunk=False).get_matching_blocks():
        flags[0][start : start + size] = flags[1][other : other + size] = [False] * size
    return flags


def _pieces(words: Sequence[str], flags: Sequence[bool]) -> Iterator[tuple[str, bool]]:
    for flag, group in groupby(zip(words, flags, strict=True), key=lambda item: item[1]):
        yield "".join(word for word, _ in group), flag
