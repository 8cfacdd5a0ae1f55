"""Unused names for nodes and sub-workflows."""

from collections import Counter
from collections.abc import Iterable


class Names:
    """The names (or ids) in use.

    Args:
        taken: The names in use at the start.
        variant: Format of the name with a number if the name is in use. Numbers start at 2.
        reserved: Words that are not allowed as names, in lower case.
        fold: Whether names that differ only in case count as equal.

    Example:
        >>> names = Names(["END"], reserved={"and"})
        >>> [names.free(name) for name in ("build", "build", "END", "and", "build (2)")]
        ['build', 'build (2)', 'END (2)', 'and (2)', 'build (2) (2)']
    """

    def __init__(
        self,
        taken: Iterable[str] = (),
        *,
        variant: str = "{} ({})",
        reserved: Iterable[str] = (),
        fold: bool = False,
    ) -> None:
        self._key = str.casefold if fold else str
        self._taken = {self._key(name) for name in taken}
        self._variant = variant
        self._reserved = frozenset(reserved)
        self._numbers: Counter[str] = Counter()

    def __contains__(self, name: str) -> bool:
        return self._key(name) in self._taken

    def free(self, name: str) -> str:
        """Return the name or its next unused variant, and mark it as in use. Cost: constant per call, on average."""
        candidate = name
        while candidate in self or candidate.casefold() in self._reserved:
            self._numbers[self._key(name)] += 1
            candidate = self._variant.format(name, self._numbers[self._key(name)] + 1)
        self.take(candidate)
        return candidate

    def take(self, name: str) -> None:
        """Mark a name as in use."""
        self._taken.add(self._key(name))
