"""Sentences around the steps that switch steps off."""

import re
from collections.abc import Iterator

from wfgate.texts import phrases
from wfgate.texts.phrases import parsed

_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n")
_STEPS = re.compile(
    r"\b(?:steps?|tasks?|items?|phases?|stages?)[ \t]+((?:#?\d{1,4}|and|or|to|through|[ \t,&\u2013\u2014-]){1,40})",
    re.IGNORECASE,
)
_ID = re.compile(r"\b[A-Z]{1,4}-?\d{1,5}\b")
_OFF = (phrases.SKIPPING, phrases.HEDGES)
_INSTEAD = re.compile(r"\b(?:instead|rather than|unless|except)\b", re.IGNORECASE)
_TO_THE_READER = re.compile(r"\?$|\b(?:let me know|tell me|feel free|I can|I could)\b", re.IGNORECASE)
"""What language models write around their answers."""


def changed_remarks(golden: str, candidate: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences that name a step and switch it off, if the other text has none about this step.

    Each is a pair of the golden's sentence and the candidate's, of which one is empty. Cost: linear in the texts.

    Example:
        >>> list(changed_remarks("Release in 8 steps.", "Release in 8 steps.\\nSkip steps 3 and 4 if it is urgent."))
        [('', 'Skip steps 3 and 4 if it is urgent.')]
        >>> list(changed_remarks("Step 3 is optional.", "Sure! You may skip step 3. Shall I leave out step 4?"))
        []
    """
    was, now = _switched_off(golden), _switched_off(candidate)
    for sentence in dict.fromkeys(was[step] for step in was if step not in now):
        yield sentence, ""
    for sentence in dict.fromkeys(now[step] for step in now if step not in was):
        yield "", sentence


def _switched_off(text: str) -> dict[str, str]:
    """Return the first sentence that switches off each step, by the number or id of the step."""
    found: dict[str, str] = {}
    for sentence in map(str.strip, _SENTENCE.split(text)):
        steps = [number for match in _STEPS.finditer(sentence) for number in re.findall(r"\d+", match[1])]
        steps += _ID.findall(sentence)
        if not steps or _TO_THE_READER.search(sentence):
            continue
        if _INSTEAD.search(sentence) or any(map(parsed(sentence).hits, _OFF)):
            found = dict.fromkeys(steps, sentence) | found
    return found
