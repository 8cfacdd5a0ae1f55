"""The English words that the rules of this room know: each concept has one home, and patterns are built from it.

- `grammar`: words without a meaning of their own: articles, negations, quantifiers, what begins a condition.
- `opposites`: words that exclude each other: pairs, categories, topics, kinds of actions, states.
- `demands`: what obliges, weakens, leaves out, decides, informs, stops or protects.
- `numbers`: units, number words, bounds.
- `foreign`: frequent words of other languages.

Lists that look alike differ on purpose: each was chosen for one question on the recorded rewordings, and a word too
many reports a harmless text. So what two of them share is one list, and each has its own words beside it. A new word
in any list can change results, see `contradiction.CONTRADICTIONS_VERSION`.
"""

from collections.abc import Iterable


def word_set(words: str) -> frozenset[str]:
    """Return the words of a list that is written as one text.

    Example:
        >>> sorted(word_set("if when"))
        ['if', 'when']
    """
    return frozenset(words.split())


def alternatives(*lists: str | Iterable[str]) -> str:
    """Return the words of lists as the alternatives of a pattern, longer ones before their beginnings.

    Example:
        >>> alternatives("skip omit", ["skipped"])
        'skipped|skip|omit'
    """
    words = [word for each in lists for word in (each.split() if isinstance(each, str) else each)]
    return "|".join(sorted(dict.fromkeys(words), reverse=True))


class PhraseList:
    """Phrases that are looked for in a text, by the stems of their words.

    Args:
        text: The phrases. Commas separate them, `|` separates the sides of a group. A phrase after `=` must have the
            exact form, not only the same stem.
        grouped: Whether each line is a group, and an indented line continues it. Otherwise all are one group.
    """

    def __init__(self, text: str, *, grouped: bool = False) -> None:
        self._text = text
        self._grouped = grouped

    def __str__(self) -> str:
        """Return the phrases as they are written, to be part of a longer list."""
        return self._text.strip()

    @property
    def groups(self) -> list[list[list[str]]]:
        """The phrases by group and side."""
        text = self._text
        lines = text.strip().replace("\n  ", " ").splitlines() if self._grouped else [" ".join(text.split())]
        return [
            [[phrase.strip() for phrase in side.split(",") if phrase.strip()] for side in line.split("|")]
            for line in lines
        ]
