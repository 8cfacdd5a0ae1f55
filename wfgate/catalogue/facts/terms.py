"""Words and stems of names and texts, for comparison: camel case is split, endings are removed."""

import re

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+")
_IDLE = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "into", "is", "it", "its", "of", "on"),
        *(
            "one",
            "or",
            "over",
            "that",
            "the",
            "then",
            "this",
            "to",
            "up",
            "use",
            "used",
            "using",
            "via",
            "was",
            "were",
        ),
        *("which", "while", "will", "with", "each", "all", "any", "task", "step", "workflow", "run", "runs", "its"),
    )
)
"""Words without information about what is done."""
_ENDINGS = ("izations", "isations", "ization", "isation", "ations", "ation", "ings", "ing", "ies", "ions", "ion")
_MORE_ENDINGS = ("ers", "ors", "er", "or", "ized", "ised", "ize", "ise", "ed", "es", "e", "s", "y", "ment", "ments")
_SHORTEST = 3


def words_of(text: str) -> tuple[str, ...]:
    """Return the words, in order, in lower case.

    Example:
        >>> words_of("MLModelTraining, of a re-trained model")
        ('ml', 'model', 'training', 'of', 'a', 're', 'trained', 'model')
    """
    return tuple(word.casefold() for word in _WORD.findall(text))


def stem(word: str) -> str:
    """Return a word without its ending, so that "training" and "trained" become equal.

    Example:
        >>> stem("training"), stem("trained"), stem("evaluation"), stem("evaluate"), stem("data")
        ('train', 'train', 'evalu', 'evalu', 'data')
    """
    for ending in (*_ENDINGS, "ate", "ated", "ates", *_MORE_ENDINGS):
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            return word.removesuffix(ending)
    return word


def content(text: str) -> frozenset[str]:
    """Return the stems of the content words."""
    return frozenset(stem(word) for word in words_of(text) if word not in _IDLE)
