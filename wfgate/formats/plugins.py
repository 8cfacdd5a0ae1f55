"""Formats of other packages: found by their entry point, loaded when needed. Errors name the package.

A package declares a reader in its metadata. The name of the entry point is the id of the format::

[project.entry-points."wfgate.formats"] steplist = "wfgate_steplist:StepListFormat"

The class derives from `wfgate.formats.Format`. A package is imported only when the format of a text must be found, or
when a format is requested that is not part of wfgate. A faulty package never stops wfgate, and is always reported.
"""

import inspect
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from wfgate.documents import Diagnostic, Document
from wfgate.errors import ConfigError, FormatError
from wfgate.formats.base import Format, Reading
from wfgate.formats.builder import check_size
from wfgate.model import Workflow

GROUP = "wfgate.formats"
"""The entry point group."""

_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_Kind = TypeVar("_Kind")
_SAID = 200
"""Most characters of a package's error that are shown."""


class PluginFormat(Format):
    """A format of another package. Its errors become `FormatError`s that name the package.

    Args:
        form: The format.
        package: The distribution of the format, with its version.
    """

    def __init__(self, form: Format, package: str) -> None:
        self.form = form
        self.package = package
        said = ("id", "version", "writes", "signature", "keys", "words", "suffixes")
        vars(self).update({name: getattr(form, name) for name in said})

    @property
    def documentation(self) -> str:
        """The documentation that `wfgate explain` shows."""
        return f"{inspect.getdoc(type(self.form)) or 'No description.'}\n\nFrom the package {self.package}."

    def recognises(self, document: Document) -> bool:
        """Return whether the content has this format.

        Raises:
            FormatError: If the package fails.
        """
        with self._blamed(document.name):
            return bool(self.form.recognises(document))

    def read(self, document: Document) -> Reading:
        """Read the workflow.

        Raises:
            FormatError: If there is no workflow, the package fails, or the result is not a `Reading`.
        """
        with self._blamed(document.name):
            reading = _checked(self.form.read(document), Reading, "read() returned")
            _checked(reading.workflow, Workflow, "read() returned a Reading whose workflow is")
            for note in reading.diagnostics:
                _checked(note, Diagnostic, "read() returned a Reading with a diagnostic that is")
        parts = (reading.workflow, *reading.workflow.subworkflows)
        check_size(document, sum(len(part.tasks) for part in parts), sum(len(part.links) for part in parts))
        return replace(reading, format=self.id)

    def write(self, workflow: Workflow) -> str:
        """Return the workflow in this format.

        Raises:
            FormatError: If the package has no writer for the format, or fails.
        """
        with self._blamed(workflow.name or "workflow"):
            return _checked(self.form.write(workflow), str, "write() returned")

    @contextmanager
    def _blamed(self, path: str) -> Iterator[None]:
        try:
            yield
        except FormatError:
            raise
        except (Exception, SystemExit) as problem:  # SystemExit: a package that calls exit(0) must not pass a gate
            raise FormatError(
                f"the reader of the format {self.id!r} failed: {_said(problem)}",
                path=path,
                fix=f"report this error to the authors of {self.package}, or choose another format with --from",
            ) from problem


class Plugins:
    """The formats that installed packages add.

    Args:
        taken: Ids of wfgate's own formats, which no package may use.
    """

    def __init__(self, taken: Collection[str]) -> None:
        self._taken = taken
        self._loaded: dict[str, PluginFormat | ConfigError] = {}

    @cached_property
    def _found(self) -> dict[str, list[EntryPoint]]:
        found: dict[str, list[EntryPoint]] = {}
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, _package(entry), entry.value)):
            found.setdefault(entry.name, []).append(entry)
        return found

    @property
    def ids(self) -> list[str]:
        """Ids of all installed formats, even if they cannot be loaded; no package is imported."""
        return [name for name in self._found if name not in self._taken]

    def find(self, format_id: str) -> PluginFormat:
        """Return the format with this id.

        Raises:
            KeyError: If no package has a format with this id.
            ConfigError: If the format cannot be loaded; the message names the package.
        """
        if format_id not in self._loaded:
            self._loaded[format_id] = self._load(format_id, self._found[format_id])
        loaded = self._loaded[format_id]
        if isinstance(loaded, ConfigError):
            raise ConfigError(loaded.message, fix=loaded.fix)
        return loaded

    def usable(self) -> dict[str, PluginFormat]:
        """Return the formats that can be loaded, by id."""
        return {name: loaded for name, loaded in self._all() if isinstance(loaded, PluginFormat)}

    def broken(self) -> tuple[ConfigError, ...]:
        """Return the errors of the formats that cannot be loaded."""
        return tuple(loaded for _, loaded in self._all() if isinstance(loaded, ConfigError))

    def notes(self, document: Document) -> tuple[Diagnostic, ...]:
        """Return a warning for each format that cannot be loaded."""
        return tuple(
            Diagnostic(severity="warning", message=problem.message, path=document.name, fix=problem.fix)
            for problem in self.broken()
        )

    def _all(self) -> Iterator[tuple[str, PluginFormat | ConfigError]]:
        for name, entries in self._found.items():
            if name not in self._loaded:
                self._loaded[name] = self._load(name, entries)
            yield name, self._loaded[name]

    def _load(self, name: str, entries: list[EntryPoint]) -> PluginFormat | ConfigError:
        packages = [_package(entry) for entry in entries]
        if name in self._taken:
            return ConfigError(
                f"the format {name!r} of {' and '.join(packages)} is not used: wfgate has a format with this id",
                fix="change the id of that format, or uninstall the package",
            )
        if len(entries) > 1:
            return ConfigError(
                f"the format {name!r} is not used: {' and '.join(packages)} have a format with this id",
                fix="keep one of these packages and uninstall the others",
            )
        try:
            return PluginFormat(_made(name, entries[0].load()), packages[0])
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - what a stranger's module does when imported
            return ConfigError(
                f"the format {name!r} of {packages[0]} cannot be loaded: {_said(problem)}",
                fix="repair or uninstall the package",
            )


def _made(name: str, kind: object) -> Format:
    if not isinstance(kind, type) or not issubclass(kind, Format):
        raise TypeError(f"the entry point is not a subclass of {Format.__module__.rpartition('.')[0]}.Format")
    form = kind()
    if form.id != name:
        raise ValueError(f"the entry point has the name {name!r}, but its format has the id {form.id!r}")
    if not _ID.fullmatch(name):
        raise ValueError("an id must consist of lower-case letters and digits, with single dashes between them")
    _checked(form.signature, str, "the attribute `signature` is")
    for mark in (mark for marks in (*form.keys, *form.words) for mark in marks):
        _checked(mark, str, "an item of `keys` or `words` is")
    return form


def _checked(value: object, kind: type[_Kind], what: str) -> _Kind:
    """Return a value of a package, if it has the right type."""
    if not isinstance(value, kind):
        raise TypeError(f"{what} {type(value).__name__}, not a {kind.__name__}")
    return value


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value


def _said(problem: BaseException) -> str:
    words = " ".join(str(problem).split())[:_SAID]
    return f"{type(problem).__name__}: {words}" if words else type(problem).__name__
