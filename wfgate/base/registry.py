"""The class of all registries (formats, metrics, checks, ...): a read-only mapping from id to implementation."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeVar

from wfgate.errors import ConfigError


class Identified(Protocol):
    """The interface of a registry entry: it has an `id` in kebab-case."""

    @property
    def id(self) -> str:
        """The published name; it never changes."""


T = TypeVar("T", bound=Identified)


class Registry(Mapping[str, T]):
    """An ordered, read-only mapping from id to entry.

    Args:
        kind: Kind of the entries, in the singular, for example "metric"; used in messages.
        entries: The entries, in display order.

    Raises:
        ValueError: If two entries share an id.

    Example:
        >>> class Entry:
        ...     id = "one"
        >>> registry = Registry("entry", [Entry()])
        >>> list(registry), registry["one"].id
        (['one'], 'one')
    """

    def __init__(self, kind: str, entries: Iterable[T]) -> None:
        self.kind = kind
        self._entries: dict[str, T] = {}
        for entry in entries:
            if entry.id in self._entries:
                raise ValueError(f"two {kind} entries have the id {entry.id!r}")
            self._entries[entry.id] = entry

    def __getitem__(self, key: str) -> T:
        return self._entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def find(self, key: str) -> T:
        """Return the entry with the id `key`; use this method for ids from users.

        Raises:
            ConfigError: If there is no such entry; the message lists all ids.
        """
        try:
            return self._entries[key]
        except KeyError:
            raise ConfigError(f"unknown {self.kind} {key!r}", fix=f"use one of: {', '.join(self)}") from None


def summary_of(entry: object) -> str:
    """Return the first line of an entry's documentation, as printed by `wfgate list`."""
    documented = entry if isinstance(entry, type) or not type(entry).__doc__ else type(entry)
    text = getattr(entry, "documentation", None)
    return (text if isinstance(text, str) else documented.__doc__ or "").strip().split("\n", 1)[0]
