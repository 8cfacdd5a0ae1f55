"""Whether somebody else decides than in another text: "signed by the data owner", "the backup operator signs"."""

import re

from wfgate.language.contradiction import Contradiction
from wfgate.language.phrases import parsed
from wfgate.language.words import lemma, plain_text, stem, word_set

_VERB = r"(?:approv|sign|review|confirm|authori[sz]|accept|releas|verif|check|agree|clear|order|decid|inspect)"
_ARTICLE = r"(?:(?:the|an?|one|two|\d{1,3}) )?"
_ACTOR = r"((?:[\w'-]{1,40} ){0,3}?[\w'-]{1,40})"
_END = r"(?=[,.;|:()]|$| (?:of|in|on|for|before|after|and|with|from|at|within|who|if|to)\b)"
_ASKING = r"(?:have|get|let|make|ask|wait for|(?:approval|consent|sign-?off) (?:of|from|by))"
_START = r"(?:^|[.;|:,] ?|\b(?:if|once|when|after|until|before) )"
_MODAL = r"(?:(?:must|shall|has to|have to|will|should|has|have) )?"
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_VERB}\w*\b[^.;|]{{0,40}}?\bby {_ARTICLE}{_ACTOR}{_END}",
        rf"\b{_ASKING} {_ARTICLE}{_ACTOR}(?= (?:to )?{_VERB}|[,.;|:()]|$)",
        rf"{_START}{_ARTICLE}{_ACTOR} {_MODAL}{_VERB}\w*\b",
    )
)
_ROLE = re.compile(
    r"(?:\w{2,}(?:er|or|ist|ant|yst)s?|owners?|teams?|leads?|heads?|desk|board|committee|office|council|staff|chair|"
    r"counsel|legal|finance|security|on-call|dpo|ciso|cto|cfo|support|group|department|signator(?:y|ies)|parents?|"
    r"physicians?|nurses?)",
    re.IGNORECASE,
)
"""A word for a role: "manager", "owner", "team"."""
_THINGS = word_set(
    """order error server number after under over before whether per their other filter letter counter register offer
    paper water layer power cluster router container header folder answer buffer matter center parameter vector sensor
    monitor factor color transfer ledger printer computer sticker meter timer"""
)
"""Words that only look like one."""


def changed_actor(golden: str, candidate: str) -> Contradiction | None:
    """Return who decides in the golden, and who in the candidate, if neither has a word for the other; else None.

    Only roles ("manager", "team") beside a verb that decides are compared. Of 332 steps in accepted rewordings in
    which somebody decides, none has another one; of 23 steps with another object or place, 7. Cost: linear.

    Example:
        >>> found = changed_actor("Have the data owner sign the report", "The report is signed by the backup operator")
        >>> found.golden_words, found.candidate_words
        ('data owner', 'backup operator')
        >>> changed_actor("The release manager approves", "Approval by the manager of the release") is None
        True
    """
    was = _actors(golden)
    if not was or not (now := _actors(candidate)):
        return None
    known, said = _words(golden), _words(candidate)
    for actor in was:
        for other in now:
            initials = {_initials(actor) == other.split()[-1].casefold(), _initials(other) == actor.casefold()}
            if not (_forms(actor.split()[-1]) & said or _forms(other.split()[-1]) & known or any(initials)):
                return Contradiction("name", actor, other)
    return None


def _actors(text: str) -> list[str]:
    text = plain_text(text)
    found = (match[1] for pattern in _PATTERNS for match in pattern.finditer(text))
    return [actor for actor in found if _is_role(actor.split()[-1])]


def _is_role(word: str) -> bool:
    return _ROLE.fullmatch(word) is not None and word.casefold() not in _THINGS


def _words(text: str) -> set[str]:
    return {form for token in parsed(text).tokens for form in _forms(token.lower)}


def _forms(word: str) -> set[str]:
    parts = word.casefold().split("-")  # "on-call" is two words of a text
    return {form for part in parts for form in (lemma(part), stem(part))}


def _initials(actor: str) -> str:
    return "".join(word[0] for word in actor.split()).casefold()
