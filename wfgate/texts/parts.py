"""Parts that a text lost or gained, if its other words are the same."""

from wfgate.texts.characters import READ
from wfgate.texts.difference import marked
from wfgate.texts.phrases import parsed
from wfgate.texts.words import is_content

LEAST_WORDS = 2
"""Fewest content words and numbers of a part. One word is often left out in a rewording: "run the drift check"."""
_MARKS = " \t\n,;:.!?-\u2013\u2014()"
_JOINING = frozenset(
    """and or then but plus also afterwards finally next without unless except instead even while""".split()  # noqa: SIM905
)
"""Words with which a text goes on to another action, or to an exception. Other additions ("on the first node", "with
the usual script") are mostly details. Of 601 accepted workflows written anew (half for fitting), none has an addition
with one of these words in a step that keeps the words of the golden; of 287 rejected ones, 4."""


def removed_parts(golden_text: str, candidate_text: str) -> tuple[str, ...]:
    """Return the parts of the golden text that the candidate text lacks; empty if it has another content word.

    Cost: linear in the words; quadratic if they are a part of the golden's words.

    Example:
        >>> removed_parts("Delete the subnet, and stop if one is still in use", "Delete the subnet")
        ('and stop if one is still in use',)
        >>> removed_parts("Delete the subnet, and stop if one is still in use", "Remove the subnet")
        ()
    """
    golden_text, candidate_text = golden_text[:READ], candidate_text[:READ]
    if not parsed(candidate_text).content or not parsed(candidate_text).content <= parsed(golden_text).content:
        return ()
    golden, candidate = marked(golden_text, candidate_text)
    if any(changed and _words(text) for text, changed in candidate):
        return ()
    parts = (text.strip(_MARKS) for text, changed in golden if changed)
    return tuple(part for part in parts if _words(part) >= LEAST_WORDS)


def added_actions(golden_text: str, candidate_text: str) -> tuple[str, ...]:
    """Return the actions and exceptions that the candidate text adds to the golden text.

    Empty if it lacks a content word.

    Example:
        >>> added_actions("Build the image", "Build the image and drop the old tables")
        ('and drop the old tables',)
        >>> added_actions("Build the image", "Build the image with the usual script")
        ()
    """
    parts = removed_parts(candidate_text, golden_text)
    return tuple(part for part in parts if parsed(part).tokens[0].lower in _JOINING)


def keeps_words(golden_text: str, candidate_text: str) -> bool:
    """Return whether one of two texts has all content words of the other one, in the same order."""
    texts = golden_text[:READ], candidate_text[:READ]
    golden, candidate = (parsed(text).content for text in texts)
    if not golden or not candidate or not (golden <= candidate or candidate <= golden):
        return False
    return not all(any(changed and _words(text) for text, changed in side) for side in marked(*texts))


def _words(part: str) -> int:
    return sum(is_content(token) or token.kind == "number" for token in parsed(part).tokens)
