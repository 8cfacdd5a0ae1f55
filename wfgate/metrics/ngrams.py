"""Word n-grams of a whole workflow's text, as BLEU and GLEU count them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from wfgate.alignment import Comparison

MAX_ORDER = 4
"""Longest n-gram, in tokens."""


@dataclass(frozen=True)
class Overlap:
    """What two documents share, one number per n = 1..4.

    Attributes:
        common: N-grams that both have, each as often as in the one that has it less.
        golden: N-grams of the golden.
        candidate: N-grams of the candidate.
        golden_tokens: Tokens of the golden.
        candidate_tokens: Tokens of the candidate.
    """

    common: tuple[int, ...]
    golden: tuple[int, ...]
    candidate: tuple[int, ...]
    golden_tokens: int
    candidate_tokens: int


def document_overlap(comparison: Comparison) -> Overlap:
    """Count the n-grams of both workflows, steps in topological order; BLEU and GLEU of one pair share the work."""
    return _overlap(
        _document(tuple(comparison.golden.tasks[task].text for task in comparison.golden_order)),
        _document(tuple(comparison.candidate.tasks[task].text for task in comparison.candidate_order)),
    )


def _document(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tokens of all step texts.

    Tokens are those of mteval-v13a, sacrebleu's default, case kept: punctuation apart, words by white space. Each
    step is tokenized for itself; no rule of 13a looks across white space, so the result is that of the joined text.
    """
    return tuple(token for text in texts for token in _tokens(text))


@lru_cache(maxsize=4)
def _overlap(golden: tuple[str, ...], candidate: tuple[str, ...]) -> Overlap:
    theirs, ours = ngrams(golden), ngrams(candidate)
    return Overlap(
        common=tuple(overlaps(theirs, ours)),
        golden=tuple(counter.total() for counter in theirs),
        candidate=tuple(counter.total() for counter in ours),
        golden_tokens=len(golden),
        candidate_tokens=len(candidate),
    )


@lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_tokenizer()(text).split())


def ngrams(tokens: Sequence[str]) -> list[Counter[Any]]:
    """Return how often each n-gram occurs, one counter per n = 1..4.

    Example:
        >>> [sum(counter.values()) for counter in ngrams(["a", "b", "a"])]
        [3, 2, 1, 0]
    """
    return [
        Counter(tokens) if n == 1 else Counter(zip(*(tokens[start:] for start in range(n)), strict=False))
        for n in range(1, MAX_ORDER + 1)
    ]


def overlaps(golden: Sequence[Counter[Any]], candidate: Sequence[Counter[Any]]) -> list[int]:
    """Return per n how many n-grams both have, each as often as in the one that has it less."""
    return [
        sum([min(count, theirs[gram]) for gram, count in ours.items() if gram in theirs])
        for ours, theirs in zip(candidate, golden, strict=True)
    ]


@cache
def _tokenizer() -> Callable[[str], str]:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a  # noqa: PLC0415 - loaded when a text is scored

    make: Callable[[], Callable[[str], str]] = Tokenizer13a
    return make()
