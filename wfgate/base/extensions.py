"""Entries of other packages for a registry: found by their entry point, loaded when needed. Errors name the package.

A package declares an entry in its metadata. The name of the entry point is the id of the entry::

    [project.entry-points."wfgate.metrics"]
    step-count = "wfgate_step_count:StepCount"

A faulty package never stops wfgate, and is always reported.
"""

import inspect
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from wfgate.errors import ConfigError, WfgateError

T = TypeVar("T")
_Kind = TypeVar("_Kind")
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SAID = 200
"""Most characters of a package's error that are shown."""


class Extensions(Generic[T]):
    """The entries that installed packages add to a registry.

    Args:
        kind: Kind of the entries, in the singular, for example "metric"; used in messages.
        group: The entry point group; empty if other packages cannot add entries.
        taken: Ids of wfgate's own entries, which no package may use.
        made: The function that returns the entry for its id, what the entry point leads to, and the package, as
            `module:function`; whatever it raises is a fault of the package.
    """

    def __init__(self, kind: str, group: str, taken: Collection[str], made: str) -> None:
        self.kind = kind
        self.group = group
        self._taken = taken
        self._made = made
        self._loaded: dict[str, T | ConfigError] = {}

    @cached_property
    def _installed(self) -> dict[str, list[EntryPoint]]:
        installed: dict[str, list[EntryPoint]] = {}
        entries = entry_points(group=self.group) if self.group else ()
        for entry in sorted(entries, key=lambda entry: (entry.name, _package(entry), entry.value)):
            installed.setdefault(entry.name, []).append(entry)
        return installed

    @property
    def ids(self) -> list[str]:
        """Ids of all installed entries, even if they cannot be loaded; no package is imported."""
        return [name for name in self._installed if name not in self._taken]

    def find(self, key: str) -> T:
        """Return the entry with this id.

        Raises:
            KeyError: If no package has an entry with this id.
            ConfigError: If the entry cannot be loaded; the message names the package.
        """
        if key not in self._loaded:
            self._loaded[key] = self._load(key, self._installed[key])
        loaded = self._loaded[key]
        if isinstance(loaded, ConfigError):
            raise ConfigError(loaded.message, fix=loaded.fix)
        return loaded

    def usable(self) -> dict[str, T]:
        """Return the entries that can be loaded, by id."""
        return {name: loaded for name, loaded in self._all() if not isinstance(loaded, ConfigError)}

    def broken(self) -> tuple[ConfigError, ...]:
        """Return the errors of the entries that cannot be loaded."""
        return tuple(loaded for _, loaded in self._all() if isinstance(loaded, ConfigError))

    def _all(self) -> Iterator[tuple[str, T | ConfigError]]:
        for name, entries in self._installed.items():
            if name not in self._loaded:
                self._loaded[name] = self._load(name, entries)
            yield name, self._loaded[name]

    def _load(self, name: str, entries: list[EntryPoint]) -> T | ConfigError:
        packages = [_package(entry) for entry in entries]
        if name in self._taken:
            why = f"is not used: wfgate has a {self.kind} with this id"
            return ConfigError(
                f"the {self.kind} {name!r} of {' and '.join(packages)} {why}",
                fix=f"change the id of that {self.kind}, or uninstall the package",
            )
        if len(entries) > 1:
            return ConfigError(
                f"the {self.kind} {name!r} is not used: {' and '.join(packages)} have a {self.kind} with this id",
                fix="keep one of these packages and uninstall the others",
            )
        try:
            module, _, function = self._made.partition(":")
            added: T = getattr(import_module(module), function)(name, entries[0].load(), packages[0])
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - what a stranger's module does when imported
            return ConfigError(
                f"the {self.kind} {name!r} of {packages[0]} cannot be loaded: {said(problem)}",
                fix="repair or uninstall the package",
            )
        return added


def check_class(name: str, kind: object, base: type[_Kind], public: str) -> type[_Kind]:
    """Return what an entry point leads to, if it is a class of the right kind whose id is the name of the entry point.

    Args:
        name: Name of the entry point.
        kind: What it leads to.
        base: The class that it must derive from.
        public: Name of this class for messages.

    Raises:
        TypeError: If it is no such class.
        ValueError: If the class has another id, or the id has other characters than lower-case letters, digits and
            single dashes.
    """
    if not isinstance(kind, type) or not issubclass(kind, base):
        raise TypeError(f"the entry point is not a subclass of {public}")
    given = vars(kind).get("id") or kind.id  # type: ignore[attr-defined] # a class without id is an error
    if given != name:
        raise ValueError(f"the entry point has the name {name!r}, but its class has the id {given!r}")
    if not _ID.fullmatch(name):
        raise ValueError("an id must consist of lower-case letters and digits, with single dashes between them")
    return kind


def documentation_of(kind: type, package: str) -> str:
    """Return the documentation of a class of a package, which `wfgate explain` shows."""
    return f"{inspect.getdoc(kind) or 'No description.'}\n\nFrom the package {package}."


@contextmanager
def blamed(what: str, package: str) -> Iterator[None]:
    """Turn whatever the code of a package raises into an error that names the package; wfgate's errors stay.

    Args:
        what: The entry, for example "the metric 'step-count'".
        package: The distribution with its version.

    Raises:
        ConfigError: If the code raises anything, `SystemExit` included: a package that calls exit(0) must not pass a
            gate.
    """
    try:
        yield
    except WfgateError:
        raise
    except (Exception, SystemExit) as problem:
        raise ConfigError(
            f"{what} failed: {said(problem)}", fix=f"report this error to the authors of {package}, or do not use it"
        ) from problem


def checked(value: object, kind: type[_Kind], what: str) -> _Kind:
    """Return a value of a package, if it has the right type.

    Raises:
        TypeError: If it has another type.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{what} {type(value).__name__}, not a {kind.__name__}")
    return value


def said(problem: BaseException) -> str:
    """Return an exception as one line of limited length."""
    words = " ".join(str(problem).split())[:_SAID]
    return f"{type(problem).__name__}: {words}" if words else type(problem).__name__


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
