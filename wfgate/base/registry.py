"""Registries of formats, metrics, checks and the like: tables of classes, each of which is loaded on first use."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar

from wfgate.base.extensions import Extensions
from wfgate.errors import ConfigError

T = TypeVar("T")


class Registered:
    """A line of the table of a registry: the place of a class and its summary.

    Args:
        where: The class, as `module:Class`.
        summary: The first line of its documentation, which lists and completions show without loading it.
    """

    def __init__(self, where: str, summary: str) -> None:
        self.where = where
        self.summary = summary

    @cached_property
    def kind(self) -> Any:
        """The class."""
        module, _, name = self.where.partition(":")
        return getattr(import_module(module), name)

    @cached_property
    def made(self) -> Any:
        """The only object of the class, made without arguments."""
        return self.kind()

    @classmethod
    def of(cls, entry: object) -> "Registered":
        """Return the line of an entry that is loaded already."""
        line = cls("", summary_of(entry))
        vars(line)["made"] = entry
        return line


def table(home: str, lines: Mapping[str, tuple[str, str]]) -> dict[str, Registered]:
    """Return the lines of a table: by id the class, as `module:Class` in the package `home`, and its summary."""
    return {name: Registered(f"{home}.{where}", summary) for name, (where, summary) in lines.items()}


class Registry(Mapping[str, T]):
    """A read-only mapping from id to entry, in display order. An entry is loaded when it is first asked for.

    Entries of other packages are found by their id, too, but they are never among the values: an installed package
    does nothing unless somebody asks for it.

    Args:
        kind: Kind of the entries, in the singular, for example "metric"; used in messages.
        lines: The table, by id.
        classes: Whether the entries are the classes themselves, not objects of them.
        group: The entry point group of other packages; empty if they cannot add entries.
        added: The function that makes an entry of another package, as `module:function` (see `Extensions`).

    Example:
        >>> registry = Registry("text", table("wfgate.base", {"store": ("store:Store", "A cache.")}), classes=True)
        >>> list(registry), registry["store"].__name__, registry.summaries["store"]
        (['store'], 'Store', 'A cache.')
    """

    def __init__(
        self, kind: str, lines: Mapping[str, Registered], *, classes: bool = False, group: str = "", added: str = ""
    ) -> None:
        self.kind = kind
        self.extensions: Extensions[T] = Extensions(kind, group, lines, added)
        self._lines = lines
        self._classes = classes

    def __getitem__(self, key: str) -> T:
        line = self._lines.get(key)
        if line is None:
            return self.extensions.find(key)
        entry: T = line.kind if self._classes else line.made
        return entry

    def __contains__(self, key: object) -> bool:
        return key in self._lines or key in self.extensions.ids

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def summaries(self) -> dict[str, str]:
        """What each of wfgate's own entries does, by id; nothing is loaded."""
        return {name: line.summary for name, line in self._lines.items()}

    def with_extensions(self) -> "Registry[T]":
        """Return these entries and those of other packages, all of which are loaded; faulty ones are left out."""
        others = {name: Registered.of(entry) for name, entry in self.extensions.usable().items()}
        return Registry(self.kind, {**self._lines, **others})

    def find(self, key: str) -> T:
        """Return the entry with the id `key`, from wfgate or an installed package; use it for ids from users.

        Raises:
            ConfigError: If there is no such entry (the message lists all ids), or its package cannot be loaded.
        """
        try:
            return self[key]
        except KeyError:
            known = ", ".join([*self, *self.extensions.ids])
            raise ConfigError(f"unknown {self.kind} {key!r}", fix=f"use one of: {known}") from None


def summary_of(entry: object) -> str:
    """Return the first line of an entry's documentation, as printed by `wfgate list`."""
    documented = entry if isinstance(entry, type) or not type(entry).__doc__ else type(entry)
    text = getattr(entry, "documentation", None)
    return (text if isinstance(text, str) else documented.__doc__ or "").strip().split("\n", 1)[0]
