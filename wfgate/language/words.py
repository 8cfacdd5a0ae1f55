"""Tokenization and stemming; content words and function words."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from wfgate.language.lexicon.grammar import FUNCTION_WORDS

CODE = re.compile(r"`([^`\n]{1,2000})`")
"""A piece of code in a text."""
_STRAIGHT = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(
    r"(?P<word>[^\W\d_]+)|(?P<number>\d+(?:[.,:/]\d+)*)|(?P<mark>>=|<=|==|!=|[<>=≥≤%°$€£#.;:!?,()\[\]|])"
)
_JOINING = "-_\u2011"
_CONTRACTIONS = (
    (re.compile(r"\bcan't\b|\bcannot\b", re.IGNORECASE), "can not"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"n't\b", re.IGNORECASE), " not"),
    (re.compile(r"'(?:s|re|ll|ve|d|m)\b", re.IGNORECASE), ""),
)
_ENDINGS = ("ing", "ied", "ies", "ed", "es", "s", "e", "y")


class Token(NamedTuple):
    """A word, a number or a mark of a text.

    Attributes:
        text: The token as written.
        lower: The token in lower case.
        stem: The stem of a word in lower case; the text of a number or a mark.
        kind: "word", "number" or "mark".
        start: Start index in the text.
        end: End index in the text.
        joined: Whether a hyphen or underscore connects it with the token before.
    """

    text: str
    lower: str
    stem: str
    kind: str
    start: int
    end: int
    joined: bool = False


def plain_text(text: str) -> str:
    """Return the text with straight quotes, expanded contractions, and CamelCase split.

    Example:
        >>> plain_text("Don't run BinaryClassification_model")
        'Do not run Binary Classification_model'
    """
    text = text.translate(_STRAIGHT)
    for pattern, words in _CONTRACTIONS:
        text = pattern.sub(words, text)
    return _CAMEL.sub(" ", text)


def one_text(texts: Sequence[str]) -> str:
    """Return several texts as one, each as a sentence; a single text stays as it is.

    Example:
        >>> one_text(["Drain the node.", "Upgrade it"])
        'Drain the node. Upgrade it'
    """
    return texts[0] if len(texts) == 1 else ". ".join(text.rstrip(". ") for text in texts)


def tokens(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text; `plain_text` must be applied to the text first."""
    pieces: list[Token] = []
    for match in _TOKEN.finditer(text):
        token, kind, (start, end) = match.group(), str(match.lastgroup), match.span()
        lower = token.lower()
        joined = bool(pieces) and pieces[-1].end == start - 1 and text[start - 1] in _JOINING
        pieces.append(Token(token, lower, stem(lower) if kind == "word" else token, kind, start, end, joined))
    return tuple(pieces)


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Return the stem of a word in lower case. Forms of one word have the same stem, other words rarely have it.

    Example:
        >>> [stem(word) for word in ("enable", "enables", "enabled", "stopping", "stops", "copies", "copy")]
        ['enabl', 'enabl', 'enabl', 'stop', 'stop', 'cop', 'cop']
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= (2 if ending == "e" else 3):
            if ending == "s" and word.endswith("ss"):
                break
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        return word[:-1]
    if len(word) > 3 and word[-1] in "eyi":
        return word[:-1]
    return word


_SUFFIXES = ("ation", "ition", "ment", "ion", "ten")
_SHORTEST = 4
"""Fewest letters that a suffix leaves."""
_IRREGULAR = {
    form: base
    for base, *forms in map(
        str.split,
        (
            *("leav left", "keep kept", "send sent", "hold held", "pay paid", "mak made", "go gone went", "do done"),
            *("tak taken", "giv given", "tell told", "writ written", "build built", "begin began begun"),
            *("choos chosen", "break broken", "driv driven", "draw drawn", "show shown", "freez frozen", "run ran"),
            *("meet met", "find found", "sell sold", "buy bought", "bring brought", "wear worn", "hid hidden"),
        ),
    )
    for form in forms
}
"""Irregular forms of verbs with the stem of the verb."""


@lru_cache(maxsize=16384)
def lemma(word: str) -> str:
    """Return what irregular forms and nouns of a verb in lower case share with it; cuts more than `stem`.

    Both are needed: phrases are listed by stem, because "production" is not "product", and a verb that becomes a noun
    shares only its lemma. Of 16,715 words of the corpora, 906 have another lemma than stem.

    Example:
        >>> [lemma(word) for word in ("overwrite", "overwriting", "overwritten", "enrolment", "kept")]
        ['overwrit', 'overwrit', 'overwrit', 'enrol', 'keep']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    cut = stem(word)
    for suffix in _SUFFIXES:
        if cut.endswith(suffix) and len(cut) - len(suffix) >= _SHORTEST:
            cut = cut.removesuffix(suffix)
            break
    return cut[:-1] if len(cut) > _SHORTEST and cut[-1] in "eyi" else cut


_FUNCTION_STEMS = frozenset(map(stem, FUNCTION_WORDS))


def is_content(token: Token) -> bool:
    """Return whether a token is a content word, not a function word, number or mark."""
    return token.kind == "word" and token.stem not in _FUNCTION_STEMS and token.lower not in FUNCTION_WORDS
