"""Words of the readers' messages, and texts as literals of conditions."""

from collections.abc import Sequence

from rapidfuzz import fuzz, process

_NAMES = {
    dict: "a mapping",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "empty",
}
_LIKELY = 60
"""rapidfuzz score (0 to 100) above which a known word is offered for an unknown one."""


def kind_of(value: object) -> str:
    """Return the type of a value in words.

    Example:
        >>> kind_of([1])
        'a list'
    """
    return _NAMES.get(type(value), type(value).__name__)


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """Return the fix for an unknown word: the most similar known word, or all known words.

    Example:
        >>> did_you_mean("need", ("name", "needs"))
        "did you mean 'needs'?"
    """
    best = process.extractOne(word[:80], known, scorer=fuzz.ratio, score_cutoff=_LIKELY) if known else None
    return f"did you mean {best[0]!r}?" if best else f"use one of: {', '.join(known)}"


def quoted(text: str) -> str:
    r"""Return a text as a literal of a condition.

    Example:
        >>> quoted("it's")
        "'it\\'s'"
    """
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
