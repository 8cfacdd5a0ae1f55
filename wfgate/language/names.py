"""Whether a text has the path, file or package of another one replaced by another of the same kind."""

import re

from wfgate.base import READ
from wfgate.language.contradiction import Contradiction
from wfgate.language.phrases import agreement, contains, folded, parsed

LIKE = 0.5
"""Smallest agreement of the other words of two texts of which such names are compared."""
_NAME = re.compile(r"(?<![\w@./-])(?:@?[\w.-]*/[\w.@/-]*[\w/]|[\w-]{2,}\.[a-z]{1,5})(?![\w/-])")
_SIGNS = re.compile(r"[@_.\d-]|/$|^/")
"""What a path has and "and/or" has not."""
_FIRST, _LAST = re.compile(r"^[^/]*/"), re.compile(r"(?:/|\.\w+)$")
"""The first folder of a name; its ending."""


def replaced_name(golden: str, candidate: str, wholes: tuple[str, str] = ("", "")) -> Contradiction | None:
    """Return the only path, file or package of a text that nothing else says, and the only new one of the other text.

    Both have the same beginning or the same ending. Rewordings keep such names as they are.

    Args:
        golden: The step of the golden.
        candidate: The steps of the candidate that do its work.
        wholes: All texts of both workflows, folded: a name that the other one has at another place is not replaced.

    Example:
        >>> found = replaced_name("Keep tokens with @shop/secure-storage", "Tokens are kept with @shop/settings")
        >>> found.golden_words, found.candidate_words
        ('@shop/secure-storage', '@shop/settings')
        >>> replaced_name("Read docs/a.md and/or ask", "Ask and/or read docs/a.md") is None
        True
    """
    golden, candidate = golden[:READ], candidate[:READ]
    was, now = _names(golden), _names(candidate)
    gone = [name for name in was if name not in now and not contains(wholes[1], folded(name))]
    new = [name for name in now if name not in was and not contains(wholes[0], folded(name))]
    if len(gone) != 1 or len(new) != 1 or not _is_alike(gone[0], new[0]):
        return None
    others = (parsed(text.replace(name, " ")).content for text, name in ((golden, gone[0]), (candidate, new[0])))
    return Contradiction("name", gone[0], new[0]) if agreement(*others) >= LIKE else None


def _names(text: str) -> list[str]:
    return [name for name in dict.fromkeys(_NAME.findall(text)) if _SIGNS.search(name)]


def _is_alike(golden: str, candidate: str) -> bool:
    """Return whether two names have the same first folder, or the same ending."""
    begins, ends = ([pattern.search(name) for name in (golden, candidate)] for pattern in (_FIRST, _LAST))
    return any(one and other and one[0] == other[0] for one, other in (begins, ends))
