"""Word n-grams of a whole workflow's text, as BLEU and GLEU count them."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from wfgate.model import Workflow

MAX_ORDER = 4
"""Longest n-gram, in tokens."""


def document_tokens(workflow: Workflow, order: Sequence[int]) -> list[str]:
    """Return the tokens of all step texts, in the given order of task positions.

    Tokens are those of mteval-v13a, sacrebleu's default, case kept: punctuation apart, words by white space. Each
    step is tokenized for itself; no rule of 13a looks across white space, so the result is that of the joined text.
    """
    tokenize = _tokenizer()
    return [token for task in order for token in tokenize(workflow.tasks[task].text).split()]


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
