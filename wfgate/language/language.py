"""The language of texts in Latin script: English, or one of six others that frequent words tell apart from it."""

import re
from collections.abc import Iterable

from wfgate.language.lexicon.foreign import ENGLISH, LETTERS, OWN_WORDS, SHARED_WORDS

READ_WORDS = 20_000
"""Words of the texts that are counted."""
LEAST_WORDS = 2
"""Different words of another language that texts need to count as written in it."""
LEAST_SHARE = 0.1
"""Least share of these words among all words."""
CLEARLY = 2
"""A word of another language must occur this often for each word that is English only."""

_WORD = re.compile(r"[^\W\d_]+")
_CODE = re.compile(r"`[^`]*`|\b[\w.+-]*[/\\@=_][^\s]*")
"""Code, paths, addresses and identifiers: they have no language."""


def foreign_language(texts: Iterable[str]) -> str | None:
    """Return the name of the language of texts in Latin script; None if they are English or too short to tell.

    Counted are frequent words of German, French, Spanish, Italian, Portuguese and Dutch (function words, and the verbs
    of steps), words with a letter of the language, and function words of English. Texts are in another language if
    they have at least two different words of it, these are a tenth of all words, and there are twice as many of them
    as English function words. Code in backticks, paths and identifiers do not count.

    Cost: linear in the texts, up to 20,000 words.

    Example:
        >>> foreign_language(["Keine Datensicherung anlegen", "Server neu starten"])
        'German'
        >>> foreign_language(["Send the report to the team of São Paulo", "Deploy"]) is None
        True
    """
    words: list[str] = []
    for text in texts:
        if len(words) > READ_WORDS:
            break
        plain = _CODE.sub(" ", text[: 10 * READ_WORDS])
        words += [word.casefold() for word in _WORD.findall(plain)]
    if not words:
        return None
    english = sum(word in ENGLISH for word in words)
    counts = {language: _hits(words, language) for language in OWN_WORDS}
    best = max(counts, key=lambda language: len(counts[language]))
    own = counts[best]
    clear = len(set(own)) >= LEAST_WORDS and len(own) >= LEAST_SHARE * len(words) and len(own) > CLEARLY * english
    return best if clear else None


def _hits(words: list[str], language: str) -> list[str]:
    """Return the words that are of a language and not English."""
    own, letters = OWN_WORDS[language], set(LETTERS[language])
    counted = [word for word in words if word in own or not letters.isdisjoint(word)]
    if own.isdisjoint(counted):
        return counted
    return counted + [word for word in words if word in SHARED_WORDS[language]]
