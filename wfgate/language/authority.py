"""Whether a step has lost its authority: it only informs ("tell ..."), or is no demand any more ("plan to ...")."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise, zip_longest

from wfgate.language.contradiction import Contradiction
from wfgate.language.lexicon import alternatives, demands
from wfgate.language.lexicon.grammar import BEFORE_INFORMED
from wfgate.language.phrases import ParsedText, agreement, parsed
from wfgate.language.words import stem


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.replace(",", " ").split()))


_DECIDING, _STOPPING = _stems(demands.DECIDING), _stems(demands.STOPPING)
_STILL_DECIDING = _stems(demands.STILL_DECIDING)
_STILL_STOPPING = (_STILL_DECIDING - _stems(demands.CHECKING)) | _stems(demands.STILL_STOPPING)
"""What may say that something stops: a check alone stops nothing. Of 10,828 steps in accepted rewordings, none has
lost its stop in this way; of 1,494 that were weakened or have another condition or action, two."""
_INFORMING, _MAYBE_INFORMING = _stems(demands.NOTIFYING), _stems(demands.MAYBE_NOTIFYING)
_HANDING = _stems(demands.HANDING)
_PAUSES = frozenset(":;,\u2013\u2014")
CLOSE = 0.5
"""Smallest agreement of the other words for texts that are otherwise close."""
_COVERED = 0.8
"""Share of the content words of the golden that stand behind such a beginning."""


def lost_demand(golden: str, candidate: str) -> Contradiction | None:
    """Return the words that make the golden's demand an example, an intention, a task of others, or free to skip.

    They stand before the golden's own words in one sentence, or beside them, and the golden has no such words.

    Args:
        golden: The step of the golden.
        candidate: The steps of the candidate that do its work.

    Example:
        >>> lost_demand("Back up the database", "Plan to back up the database").candidate_words
        'Plan to'
        >>> lost_demand("Back up the database", "Back up the database (you can skip this)").candidate_words
        'you can skip this'
        >>> lost_demand("Back up the database", "Make sure to back up the database")
        >>> lost_demand("Evaluate a new index for the table of orders", "Consider a new index for the table of orders")
    """
    was = parsed(golden)
    first = next((token.stem for token in was.tokens if token.stem in was.content), None)
    if first is None or _lead().match(golden.strip()) or _aside().search(golden):
        return None
    for sentence in parsed(candidate).sentences:
        text = sentence.original.strip()
        lead = _lead().match(text) or _aside().search(text)
        if lead is None:
            continue
        rest = parsed(text[: lead.start()] + text[lead.end() :]).content
        if first in rest and len(was.content & rest) >= _COVERED * len(was.content):
            return Contradiction("weakened", "", lead[0].strip(" \t:,()-\u2013\u2014"))
    return None


def lost_authority(golden: str, candidate: str, others: str = "") -> Contradiction | None:
    """Return which deciding word of the golden became which informing word; None if that is not certain.

    The candidate has no word that decides, in any form, and informs, which the golden does not. A step that stops
    something needs more than a check.

    Args:
        golden: The step of the golden.
        candidate: The steps of the candidate that do its work.
        others: The steps of the candidate of which the golden has nothing; they may decide instead.

    Example:
        >>> lost = lost_authority("Ask the user to confirm the deletion", "Tell the user that it is deleted")
        >>> lost.golden_words, lost.candidate_words
        ('confirm', 'Tell')
        >>> lost_authority("Confirm the deletion with the user", "Tell the user about it and wait for a yes")
        >>> lost_authority("Verify the services", "Measure the services by the report")
        >>> lost_authority("Have the controller approve it", "Send it to the controller").candidate_words
        'Send'
        >>> lost_authority("Stop if it costs too much", "Cost check: report high costs").golden_words
        'Stop'
    """
    was, now = parsed(golden), parsed(candidate)
    deciding = [*_deciding(was)]
    if not deciding:
        return None
    known = {token.stem for token in was.tokens}
    informing = [(word, stemmed) for word, stemmed in _informing(now) if stemmed not in known]
    if not informing:
        return None
    stopping = [word for word in deciding if stem(word.lower()) in _STOPPING]
    still = _STILL_STOPPING if stopping else _STILL_DECIDING | {stem(word.lower().split()[0]) for word in deciding}
    if any(token.stem in still for token in parsed(others).tokens):
        return None
    about = _pairs(was)  # "health check": what the golden decides about
    left = {pair[1] for pair in _pairs(now) if pair[1] in _DECIDING or pair not in about}
    lost = (stopping or deciding)[0]
    if any(stemmed in _INFORMING for _, stemmed in informing):
        others_deciding = {stem(word.lower()) for word in deciding} - {stem(lost.lower().split()[0])}
        left -= others_deciding  # "confirm what was verified", "inform about what was verified"
    return None if left & still else Contradiction("weakened", lost, informing[0][0])


@cache  # compiled when it is first needed: equal texts need none of it
def _lead() -> re.Pattern[str]:
    """Return what a step begins with that is an example, an intention, or left to others."""
    return re.compile(
        r"(?:for (?:example|instance)|e\.g\.|(?:an? )?(?:example|idea|proposal|suggestion|sample|sketch|illustration))"
        r"[ \t]*[:,\u2013\u2014-]|"
        r"(?:(?:we|you|they|i)(?:'ll| will| should| would)? )?"
        r"(?:plan(?:ning)?|intend(?:ing)?|aim(?:ing)?|hop(?:e|ing)|try(?:ing)?|attempt(?:ing)?|wish|want|mean|pretend|"
        r"propose|promise|used|prepare|remember how) to\b|"
        r"remind [^,.;:]{2,40}? to\b|"
        r"(?:consider|discuss|debate|think about|imagine|suggest|recommend|decide later)\b"
        r"(?: (?:whether|how|if|when))?(?: to\b)?|"
        r"(?:(?:some|any)(?:body|one)(?: else)?|others|another \w+|other \w+) "
        r"(?:will|would|should|can|could|may|might)\b",
        re.IGNORECASE,
    )


@cache
def _aside() -> re.Pattern[str]:
    """Return what stands beside a demand that makes it an example, or free to leave out."""
    return re.compile(
        r"\((?:just |only )?(?:(?:an?|as an?|for) )?(?:example|idea|suggestion|proposal)\)|"
        r"[(,;\u2013\u2014-][ \t]*(?:(?:but|and|which|this|it|you|we|one) ){0,2}"
        r"(?:(?:can|may|could|might)(?: also| just| safely)?|(?:are )?free to|feel free to) (?:be )?"
        rf"(?:{alternatives(demands.LEFT_OUT_FORMS)}|left out|leave (?:this |it )?out)"
        r"(?: (?:this|it|that))?(?: (?:step|one))?[ \t]*(?:[).!]|$)",
        re.IGNORECASE,
    )


def _pairs(text: ParsedText) -> frozenset[tuple[str, str]]:
    """Return the stem of each word, with the stem of the word before."""
    stems = ["", *(token.stem for token in text.tokens)]
    return frozenset(pairwise(stems))


def _deciding(text: ParsedText) -> Iterator[str]:
    """Yield the words of a text that say that somebody decides."""
    for token, after in zip_longest(text.tokens, text.tokens[1:]):
        if token.lower in {"sign", "signs"} and after and after.lower == "off":
            yield f"{token.text} {after.text}"
        elif token.stem in _DECIDING or token.lower in demands.SIGNING:
            yield token.text


def _informing(text: ParsedText) -> Iterator[tuple[str, str]]:
    """Yield the words of a text that say that somebody is informed, with their stems."""
    for sentence in text.sentences:
        before = ""
        for token in sentence.tokens:
            verb = token.stem in _MAYBE_INFORMING | _HANDING and (
                not before or before in BEFORE_INFORMED or before in _PAUSES
            )
            known = token.lower == "know" and sentence.tokens[0].lower == "let"
            if token.stem in _INFORMING or verb or known:
                yield token.text, token.stem
            before = token.lower


def is_otherwise_close(golden: str, candidate: str) -> bool:
    """Return whether most other words of the shorter of two texts are in the longer one."""
    return agreement(_others(parsed(golden)), _others(parsed(candidate))) >= CLOSE


def _others(text: ParsedText) -> frozenset[str]:
    return text.content - _DECIDING - _INFORMING - _MAYBE_INFORMING
