"""Whether somebody else decides than in another text: "signed by the data owner", "the backup operator signs"."""

import re
from functools import cache

from wfgate.language.contradiction import Contradiction
from wfgate.language.lexicon import alternatives
from wfgate.language.lexicon.demands import DECIDING_STEMS, NO_ROLES, ROLE_ENDINGS, ROLE_WORDS
from wfgate.language.phrases import parsed
from wfgate.language.words import lemma, plain_text, stem

_VERB = rf"(?:{alternatives(DECIDING_STEMS)})"
_ARTICLE = r"(?:(?:the|an?|one|two|\d{1,3}) )?"
_ACTOR = r"((?:[\w'-]{1,40} ){0,3}?[\w'-]{1,40})"
_END = r"(?=[,.;|:()]|$| (?:of|in|on|for|before|after|and|with|from|at|within|who|if|to)\b)"
_ASKING = r"(?:have|get|let|make|ask|wait for|(?:approval|consent|sign-?off) (?:of|from|by))"
_START = r"(?:^|[.;|:,] ?|\b(?:if|once|when|after|until|before) )"
_MODAL = r"(?:(?:must|shall|has to|have to|will|should|has|have) )?"


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
    actors = (match[1] for pattern in _patterns() for match in pattern.finditer(text))
    return [actor for actor in actors if _is_role(actor.split()[-1])]


@cache  # compiled when it is first needed: equal texts need none of it
def _patterns() -> tuple[re.Pattern[str], ...]:
    """Return the patterns of a phrase that says who decides."""
    return tuple(
        re.compile(pattern, re.IGNORECASE)
        for pattern in (
            rf"\b{_VERB}\w*\b[^.;|]{{0,40}}?\bby {_ARTICLE}{_ACTOR}{_END}",
            rf"\b{_ASKING} {_ARTICLE}{_ACTOR}(?= (?:to )?{_VERB}|[,.;|:()]|$)",
            rf"{_START}{_ARTICLE}{_ACTOR} {_MODAL}{_VERB}\w*\b",
        )
    )


def _is_role(word: str) -> bool:
    return _role().fullmatch(word) is not None and word.casefold() not in NO_ROLES


@cache
def _role() -> re.Pattern[str]:
    """Return the pattern of a word for a role: "manager", "owner", "team"."""
    return re.compile(rf"\w{{2,}}(?:{alternatives(ROLE_ENDINGS)})s?|{alternatives(ROLE_WORDS)}", re.IGNORECASE)


def _words(text: str) -> set[str]:
    return {form for token in parsed(text).tokens for form in _forms(token.lower)}


def _forms(word: str) -> set[str]:
    parts = word.casefold().split("-")  # "on-call" is two words of a text
    return {form for part in parts for form in (lemma(part), stem(part))}


def _initials(actor: str) -> str:
    return "".join(word[0] for word in actor.split()).casefold()
