"""Edits: steps that keep the words of the golden, except for a part that is gone or an action that is new.

A network that compares meanings is trained on rewordings, where no words are the same. If all words but one clause are
the same, it sees two texts that are nearly equal. These edits are therefore found by their words. So are lost
prohibitions, also of reworded steps: one sentence of many hardly changes the meaning that the network sees.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

from wfgate.base import READ
from wfgate.compare.contract import Contract
from wfgate.language import Contradiction, Prohibitions, WordIndex, added_actions, keeps_words, parsed, removed_parts

KEPT = 0.5
"""Least share of golden steps that keep their words for a removed part to count.

In a workflow written anew, a part may be left out because the links or another step say it: of 601 accepted ones (half
for fitting), 62 have a step without a part. None of these keeps the words of half of the golden's steps.
"""

_Key = TypeVar("_Key")

Edits = dict[int, tuple[Contradiction, ...]]
"""The removed parts and added actions of golden steps, by position."""


def edits_of(
    pairs: Mapping[int, tuple[str, str]], n: int, changed: Mapping[int, str], new: Collection[str], contract: Contract
) -> Edits:
    """Return the edits of the changed steps.

    A part is not removed if a new step has its words (the step was split), or if another approved wording lacks them.
    An action is not added if another golden step whose words the candidate lacks has its words (the steps were
    merged), or another approved wording. Of a step without any words, the whole text is removed.

    Args:
        pairs: The texts of the changed golden steps and of the steps matched with them, by golden position.
        n: Number of golden steps.
        changed: The texts of all golden steps whose words no candidate step has, by golden position.
        new: The texts of the candidate steps whose words no golden step has.
        contract: The contract, for other wordings.
    """
    keeping = {step: texts for step, texts in pairs.items() if keeps_words(*texts)}
    is_edited = n - len(changed) + len(keeping) >= KEPT * n
    added_texts, gone_texts = _Texts({text: text for text in new}), _Texts(changed)
    edits: Edits = {
        step: (Contradiction("removed", golden, ""),)
        for step, (golden, candidate) in pairs.items()
        if parsed(golden[:READ]).content and not parsed(candidate[:READ]).tokens
    }
    for step, texts in keeping.items():
        wordings = contract.texts(step, "")[1:]
        removed = [
            Contradiction("removed", part, "")
            for part in (removed_parts(*texts) if is_edited else ())
            if not added_texts.have(parsed(part).content, besides=texts[1])
            and not _any_of(wordings, parsed(part).content.isdisjoint)
        ]
        added = [
            Contradiction("added", "", part)
            for part in added_actions(*texts)
            if not _any_of(wordings, parsed(part).content.issubset)
            and not gone_texts.have(parsed(part).content, besides=step)
        ]
        if removed or added:
            edits[step] = (*removed, *added)
    return edits


def lost_prohibitions(
    steps: Mapping[int, tuple[str, Sequence[str]]], candidate: Iterable[str], contract: Contract
) -> Edits:
    """Return the prohibitions that changed steps lost, unless another approved wording lacks them too.

    Args:
        steps: The texts of the changed golden steps and of the steps that carry them, by golden position.
        candidate: All texts of the candidate.
        contract: The contract, for other wordings.
    """
    prohibitions = Prohibitions(candidate)
    edits: Edits = {}
    for step, (golden, carriers) in steps.items():
        free = {part for text in contract.texts(step, "")[1:] for part in Prohibitions(()).lost(golden, [text])}
        lost = [part for part in prohibitions.lost(golden, carriers) if part not in free]
        if lost:
            edits[step] = tuple(Contradiction("removed", part, "") for part in lost)
    return edits


class _Texts(Generic[_Key]):
    """Texts by key, indexed by their content words when they are first searched."""

    def __init__(self, texts: Mapping[_Key, str]) -> None:
        self._texts = texts
        self._keys = [*texts]

    @cached_property
    def _index(self) -> WordIndex:
        return WordIndex(map(parsed, self._texts.values()))

    def have(self, words: Collection[str], besides: _Key) -> bool:
        """Return whether a text with another key has all these content words."""
        places = self._index.nearest(words, least=1.0) if words else range(len(self._keys))
        return any(self._keys[place] != besides for place in places)


def _any_of(texts: Iterable[str], holds: Callable[[frozenset[str]], bool]) -> bool:
    return any(holds(parsed(text).content) for text in texts)
