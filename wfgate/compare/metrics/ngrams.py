"""Word n-grams of the text of a whole workflow, for BLEU and GLEU."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from wfgate.compare.comparison import Comparison

MAX_ORDER = 4
"""Longest n-gram, in tokens."""

_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_13A = (
    (re.compile(r"([{-~[-` -&(-+:-@/])"), r" \1 "),
    (re.compile(r"([^0-9])([.,])"), r"\1 \2 "),
    (re.compile(r"([.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
"""The rules of mteval-v13a in their order: what is replaced, and by what."""


@dataclass(frozen=True)
class NgramOverlap:
    """The n-gram counts of two documents, one number per n = 1..4.

    Attributes:
        common: Number of shared n-grams. An n-gram counts as often as it occurs in both documents.
        golden: Number of n-grams of the golden.
        candidate: Number of n-grams of the candidate.
        golden_tokens: Number of tokens of the golden.
        candidate_tokens: Number of tokens of the candidate.
    """

    common: tuple[int, ...]
    golden: tuple[int, ...]
    candidate: tuple[int, ...]
    golden_tokens: int
    candidate_tokens: int


def document_overlap(comparison: Comparison) -> NgramOverlap:
    """Return the n-gram counts of both workflows, steps in topological order. Cached for BLEU and GLEU of one pair."""
    return _overlap(
        _document(tuple(comparison.golden.tasks[task].text for task in comparison.golden_order)),
        _document(tuple(comparison.candidate.tasks[task].text for task in comparison.candidate_order)),
    )


def _document(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tokens of all step texts.

    Steps are tokenized separately. The tokens are the same as for the joined text, because no rule of 13a spans white
    space.
    """
    return tuple(token for text in texts for token in _tokens(text))


@lru_cache(maxsize=4)
def _overlap(golden: tuple[str, ...], candidate: tuple[str, ...]) -> NgramOverlap:
    theirs, ours = ngrams(golden), ngrams(candidate)
    return NgramOverlap(
        common=tuple(overlaps(theirs, ours)),
        golden=tuple(counter.total() for counter in theirs),
        candidate=tuple(counter.total() for counter in ours),
        golden_tokens=len(golden),
        candidate_tokens=len(candidate),
    )


@lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[str, ...]:
    """Return the tokens of mteval-v13a (sacrebleu's default), case kept: split at white space and punctuation.

    Written out, because sacrebleu's import takes a tenth of a cold `wfgate gate`; a test compares the two.
    """
    text = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, character in _ENTITIES:
        text = text.replace(entity, character)
    text = f" {text} "
    for pattern, replacement in _13A:
        text = pattern.sub(replacement, text)
    return tuple(text.split())


def ngrams(tokens: Sequence[str]) -> list[Counter[Any]]:
    """Return the n-gram counts, one counter per n = 1..4.

    Example:
        >>> [sum(counter.values()) for counter in ngrams(["a", "b", "a"])]
        [3, 2, 1, 0]
    """
    return [
        Counter(tokens) if n == 1 else Counter(zip(*(tokens[start:] for start in range(n)), strict=False))
        for n in range(1, MAX_ORDER + 1)
    ]


def overlaps(golden: Sequence[Counter[Any]], candidate: Sequence[Counter[Any]]) -> list[int]:
    """Return the number of shared n-grams per n; an n-gram counts as often as it occurs in both documents."""
    return [
        sum([min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs])
        for ours, theirs in zip(candidate, golden, strict=True)
    ]
