"""A size-limited in-memory cache."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memory(Generic[K, V]):
    """A dictionary that is cleared before it exceeds its capacity. Pickling drops the entries.

    Args:
        capacity: Largest total size of the entries.
        size_of: Returns the size of an entry. It must be a module-level function, so that it can be pickled.
    """

    def __init__(self, capacity: int, size_of: Callable[[K, V], int]) -> None:
        self.kept: dict[K, V] = {}
        self.size = 0
        self.capacity = capacity
        self._size_of = size_of

    def __reduce__(self) -> tuple[Any, ...]:
        return Memory, (self.capacity, self._size_of)

    def add(self, fresh: Mapping[K, V]) -> None:
        """Add entries. If together they exceed the capacity, nothing is added."""
        size = sum(self._size_of(key, value) for key, value in fresh.items())
        if self.size + size > self.capacity:
            self.kept.clear()
            self.size = 0
        if size <= self.capacity:
            self.kept.update(fresh)
            self.size += size
