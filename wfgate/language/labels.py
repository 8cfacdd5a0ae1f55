"""Labels that say of a text that it is not done: "N/A: scan the image", "scan the image (off)"."""

import re
from collections.abc import Iterator
from itertools import islice

from wfgate.base import READ
from wfgate.language.lexicon import demands
from wfgate.language.lexicon.demands import BESIDE_OFF
from wfgate.language.lexicon.grammar import DENYING_LABELS
from wfgate.language.phrases import ParsedText, folded, parsed
from wfgate.language.words import tokens

_LONGEST_LABEL = 60
"""Largest number of characters of a label."""
_MOST = 32
"""Most labels of a text that are looked at."""
_COVERED = 0.8
"""Share of the content words of a sentence with which a text says the sentence."""
_BREAK = re.compile(
    r"\s*(?:[\[\](){}|:;\n\u2013\u2014\u2192\u2026\"]|(?:^|\s)[-=>~*_#/%+]+(?=\s|$)|=>|->|[.!,?]+(?=\s|$))\s*"
)
_CROSSES = frozenset(
    "\u2715\u2716\u2717\u2718\u274c\u274e\u2612\u2613\u26d4\u23f8\u23ed\u23f9"
    "\U0001f6ab\U0001f6d1\U0001f5d1\U0001f4a4\U0001f6a7\U0001f44e"
)
_UNSAID = re.compile(r"<!--|~~|</?(?:del|s|strike)>|^(?:\s*)(?://|/\*|--\s|#\s|%\s|rem\s|echo\s)", re.IGNORECASE)
"""Comments, struck out text, and commands that only print: the text is there, and is not done."""


def _listed(text: str) -> frozenset[tuple[str, ...]]:
    listed = map(tokens, " ".join(text.split()).split(", "))
    return frozenset(tuple(token.lower for token in phrase if token.kind != "mark") for phrase in listed)


_OFF = _listed(demands.OFF)
_STATES = _listed(demands.STATES)
_LONGEST = max(map(len, _OFF))


def turns_off(label: str, *, bracketed: bool = False) -> bool:
    """Return whether a text, as a label, says that what it labels is not done.

    In brackets, a state ("rejected") says so too; before a colon, it is often a condition.

    Example:
        >>> turns_off("N/A"), turns_off("Skipped for now"), turns_off("Old database"), turns_off("Not optional")
        (True, True, False, False)
    """
    words = [token.lower for token in parsed(label[:100]).tokens if token.kind != "mark"]
    listed = _OFF | _STATES if bracketed else _OFF
    place, off = 0, False
    while place < len(words):
        for size in range(min(_LONGEST, len(words) - place), 0, -1):
            if tuple(words[place : place + size]) in listed:
                if size < len(words) and tuple(words[place : place + size]) in DENYING_LABELS:
                    return False  # "not optional", "do not skip"
                off, place = True, place + size
                break
        else:
            if words[place] not in BESIDE_OFF and not words[place].isdigit():
                return False
            place += 1
    return off


def off_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a heading or name that say that what is below it is not done.

    Example:
        >>> off_parts("Phase 2: not done"), off_parts("Release (disabled)"), off_parts("Replace the old database")
        (('not done',), ('disabled',), ())
    """
    parts = [part.strip() for part in _BREAK.split(text[:READ])]
    return tuple(part for part in parts if part and turns_off(part, bracketed=True))


def added_label(golden: ParsedText, candidate: ParsedText) -> str:
    """Return a label that the candidate adds to the words of the golden and that turns them off; "" if there is none.

    That is a word or mark that says so ("N/A", "disabled", a cross, a comment), next to most words of a sentence of
    the golden. Other labels do not count: in harmless rewordings they are conditions and topics ("In stock: pick it").

    Example:
        >>> added_label(parsed("Scan the image"), parsed("Backlog: scan the image"))
        'Backlog'
        >>> added_label(parsed("Scan the image"), parsed("Important: scan the image"))
        ''
    """
    for mark in _marks(candidate.original):
        if mark not in golden.original and _covers(golden, candidate):
            return mark
    if not _says_no(golden) or folded(golden.original) in folded(candidate.original):
        known = {token.lower for token in golden.tokens}
        for label, before, after in islice(_labels(candidate.original, known), _MOST):
            for sentence in {golden, *golden.sentences}:
                said = _covers(sentence, parsed(before)), _covers(sentence, parsed(after))
                if said in {(False, True), (True, False)}:
                    return label
    return ""


def _says_no(text: ParsedText) -> bool:
    """Return whether a text denies something, so that "do not wipe it" can become "wiping it: no"."""
    single = {phrase[0] for phrase in _OFF if len(phrase) == 1}
    return bool(text.negators or text.hits(demands.DENYING)) or any(token.lower in single for token in text.tokens)


def _marks(text: str) -> Iterator[str]:
    yield from (character for character in text if character in _CROSSES)
    for sentence in re.split(r"(?<=[.!?])\s+|\n", text):
        if match := _UNSAID.search(sentence):
            yield match[0].strip()


def _labels(text: str, known: set[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the labels of a text that turn off, with other words than those known, and the texts that they may label.

    What is before a colon labels only what follows it.
    """
    start, before, breaks = 0, "", [*_BREAK.finditer(text)]
    for end, behind, mark in [*((one.start(), one.end(), one[0]) for one in breaks), (len(text), len(text), "")]:
        part = text[start:end].strip()
        bracketed = not {"(", "["}.isdisjoint(before)
        off = part and len(part) <= _LONGEST_LABEL and turns_off(part, bracketed=bracketed)
        if off and not {token.lower for token in parsed(part).tokens} <= known:
            yield part, "" if ":" in mark else text[:start], text[behind:]
        start, before = behind, mark


def _covers(sentence: ParsedText, text: ParsedText) -> bool:
    """Return whether a text says most of a sentence."""
    return bool(sentence.content) and len(sentence.content & text.content) >= _COVERED * len(sentence.content)
