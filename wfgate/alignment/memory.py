"""What was computed once, kept in memory up to a size."""

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memory(Generic[K, V]):
    """A dictionary that is emptied before it grows too large; when pickled, it stays behind.

    Args:
        capacity: The largest size of all that is kept.
        size_of: The size of one entry; by its name in a module, so that it can be pickled.
    """

    def __init__(self, capacity: int, size_of: Callable[[K, V], int]) -> None:
        self.kept: dict[K, V] = {}
        self.size = 0
        self.capacity = capacity
        self._size_of = size_of

    def __reduce__(self) -> tuple[Any, ...]:
        return Memory, (self.capacity, self._size_of)

    def add(self, fresh: Mapping[K, V]) -> None:
        """Keep entries that are new; none of them where they are too large together."""
        size = sum(self._size_of(key, value) for key, value in fresh.items())
        if self.size + size > self.capacity:
            self.kept.clear()
            self.size = 0
        if size <= self.capacity:
            self.kept.update(fresh)
            self.size += size
