"""Similarity of step texts: the cosine of the embeddings, blended with a lexical ratio."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from wfgate.base import spare_threads
from wfgate.language import Embedder

THREADED = 1_000_000
"""Number of pairs of texts from which on several threads compare their letters."""
_ROWS = 256
"""Rows of the similarity that are computed together."""


def text_similarity(
    golden_texts: Sequence[str], candidate_texts: Sequence[str], embedder: Embedder
) -> NDArray[np.float64]:
    """Return the blended similarity of every pair of texts.

    The value is (1 - w) * max(0, cosine) + w * token-sort ratio; w is the lexical weight of the embedder. Texts that
    differ only in case and white space score exactly 1.

    Args:
        golden_texts: n texts.
        candidate_texts: m texts.
        embedder: The embedder for the vectors and the weight.

    Returns:
        Values in [0, 1], shape (n, m).

    Example:
        >>> from wfgate.language import StaticEmbedder
        >>> text_similarity(["Run  tests"], ["run tests", "Drop the table"], StaticEmbedder()).round(1)
        array([[1. , 0.2]])
    """
    if not golden_texts or not candidate_texts:
        return np.zeros((len(golden_texts), len(candidate_texts)))
    weight = embedder.parameters.lexical_weight
    cosine = embedder.embed(golden_texts).astype(np.float64) @ embedder.embed(candidate_texts).astype(np.float64).T
    plain = [" ".join(text.casefold().split()) for text in golden_texts]
    other = [" ".join(text.casefold().split()) for text in candidate_texts]
    # The token-sort ratio, each text sorted once instead of once per pair.
    threads = spare_threads() if len(plain) * len(other) >= THREADED else 1
    ours, theirs = _sorted_words(plain), _sorted_words(other)
    number = {text: place for place, text in enumerate(dict.fromkeys((*plain, *other)))}
    mine, its = (np.array([number[text] for text in side], dtype=np.intp) for side in (plain, other))
    # In place and by blocks: with thousands of steps on each side, every matrix takes hundreds of megabytes.
    for first in range(0, len(plain), _ROWS):
        rows = slice(first, first + _ROWS)
        spelling = process.cdist(ours[rows], theirs, scorer=fuzz.ratio, dtype=np.float64, workers=threads)
        spelling /= 100
        spelling *= weight
        blended = np.clip(cosine[rows], 0, 1, out=cosine[rows])
        blended *= 1 - weight
        blended += spelling
        np.minimum(blended, 1.0, out=blended)
        blended[np.equal.outer(mine[rows], its)] = 1.0
    return np.asarray(cosine)


def _sorted_words(texts: Sequence[str]) -> list[str]:
    return [" ".join(sorted(text.split())) for text in texts]
