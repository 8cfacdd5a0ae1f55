"""Free names: the one way to name a node or a sub-workflow without taking a name that is in use."""

from collections import Counter
from collections.abc import Iterable


class Names:
    """The names (or ids) in use.

    Args:
        taken: Names in use from the start.
        variant: How a name that is in use is numbered; counts from 2.
        reserved: Words that no name may be, in lower case.
        fold: Whether names that differ only in case are the same.

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
        """Return the name, or its next free variant, and take it. Cost: constant per call, on average."""
        found = name
        while found in self or found.casefold() in self._reserved:
            self._numbers[self._key(name)] += 1
            found = self._variant.format(name, self._numbers[self._key(name)] + 1)
        self.take(found)
        return found

    def take(self, name: str) -> None:
        """Mark a name as in use."""
        self._taken.add(self._key(name))
