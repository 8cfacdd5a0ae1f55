"""The local files that a workflow calls and that differ from the base revision: the workflow may be the same bytes."""

import os
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from wfgate.decide import Called, Change, Pair
from wfgate.errors import FormatError
from wfgate.read import (
    ACTION,
    DETECTED,
    FORMATS,
    Call,
    Document,
    Format,
    Formats,
    ProseFormat,
    called_by_commands,
    called_by_values,
    document_of,
    find,
    format_of,
    load_text,
    recognising,
)
from wfgate.run.repository import require_inside
from wfgate.run.revision import Revision

MAX_FILES = 1_000
"""Most called files of a workflow that are followed to the files that they call."""
_BATCH = 500
_DATA = (".yml", ".yaml", ".json")


class CalledFiles:
    """Finds the changed files that workflows of the working tree call, also through other called files.

    Nothing is run. Contents are read for the names in them, and compared by their hashes. A link within the checkout
    is followed, and is a called file itself.

    Args:
        base: The base revision.
        formats: Format ids by pattern of file names (see `wfgate.read.formats.choice`).
    """

    def __init__(self, base: Revision, formats: Formats = DETECTED) -> None:
        self._base = base
        self._formats = formats
        self._top = base.top.resolve()
        self._edits: dict[str, dict[str, Change]] = {}
        self._calls: dict[tuple[str, str], tuple[Call, ...]] = {}

    def in_pairs(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield pairs with the changed files that their candidates call."""
        for pair in pairs:
            called = self.of(pair.candidate) if isinstance(pair.candidate, Path) and pair.problem is None else ()
            yield replace(pair, called=called) if called else pair

    def of(self, path: Path) -> tuple[Called, ...]:
        """Return the changed files that a workflow calls; those that it calls itself come first.

        A change that somebody who may do so has approved is left out (see `Revision.accepts`).

        Raises:
            ConfigError: If a changed link among them leaves the checkout.
        """
        own, document = self._base.name_of(path), _document(path)
        if own is None or document is None:
            return ()
        form = self._format(document, path)
        level = [(call, "") for call in _calls_in(document, posixpath.dirname(own), form)]
        changed: dict[str, Called] = {}
        seen = {own}
        while level:
            self._compare(call for call, _ in level)
            following: list[tuple[Call, str]] = []
            for call, by in level:
                for file, change in self._changed(call):
                    require_inside(self._base.top / file)
                    if file != own and not self._base.accepts(file):
                        changed.setdefault(file, Called(file, change, by, call.span))
                for file in self._followed(call):
                    if file not in seen and len(seen) > MAX_FILES:
                        return (*changed.values(), Called(file, None, by, call.span))
                    if file not in seen:
                        seen.add(file)
                        following += [(each._replace(span=call.span), file) for each in self._called_by(file, form)]
            level = following
        return tuple(changed.values())

    def _format(self, document: Document, path: Path) -> Format | None:
        chosen = format_of(path, self._formats)
        if chosen is not None:
            return find(chosen)
        forms = recognising(document, FORMATS)
        return min(forms, key=lambda form: isinstance(form, ProseFormat), default=None)

    def _called_by(self, name: str, form: Format | None) -> tuple[Call, ...]:
        key = name, form.id if form else ""
        if key not in self._calls:
            document, folder = _document(self._top / name), posixpath.dirname(name)
            if document is None:
                self._calls[key] = ()
            elif name.lower().endswith(_DATA):
                self._calls[key] = tuple(_calls_in(document, folder, form))
            else:
                self._calls[key] = tuple(called_by_commands(document.text, folder, ""))
        return self._calls[key]

    def _compare(self, calls: Iterable[Call]) -> None:
        """Compare all places of calls with the base revision, at once."""
        names = {name for call in calls for place in call.places for name in self._names(place)} - self._edits.keys()
        for part in _batched(sorted(names)):
            edits = self._base.edits_of(part)
            for name in part:
                self._edits[name] = {file: change for file, change in edits.items() if _is_at(file, name)}

    def _changed(self, call: Call) -> Iterator[tuple[str, Change]]:
        for name in (name for place in call.places for name in self._names(place)):
            for file, change in self._edits[name].items():
                if file == name or (call.folder is not None and fnmatchcase(file, call.folder)):
                    yield file, change

    def _followed(self, call: Call) -> Iterator[str]:
        """Yield the called files that exist: of the folder of an action, the file that says what it runs."""
        for real in filter(None, map(self._real, call.places)):
            if real.is_file() and call.folder is None:
                yield self._name(real)
            elif real.is_dir() and call.folder is not None:
                below = (real / name for name in ACTION) if call.folder == "*" else sorted(real.rglob("*"))
                names = (self._name(each) for each in below if each.is_file() and not each.is_symlink())
                yield from (name for name in names if fnmatchcase(name, call.folder))

    def _names(self, place: str) -> list[str]:
        """Return the names under which git may know a place: its own, links on the way, and where they lead."""
        parts, real = place.split("/"), self._real(place)
        ways = ("/".join(parts[:end]) for end in range(1, len(parts)))
        links = [way for way in ways if os.path.islink(self._top / way)]  # noqa: PTH114 - no error for long names
        return list(dict.fromkeys([place, *links, *([] if real is None else [self._name(real)])]))

    def _real(self, place: str) -> Path | None:
        """Return the file or folder at a place, without links; None if there is none in the checkout."""
        try:
            real = (self._top / place).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):  # impossible in a file system, or links in a circle
            return None
        return real if real.is_relative_to(self._top) else None

    def _name(self, path: Path) -> str:
        return path.relative_to(self._top).as_posix()


def _document(path: Path) -> Document | None:
    """Return a file as a document; None if it cannot be read as text."""
    try:
        return document_of(load_text(path), str(path))
    except FormatError:
        return None


def _calls_in(document: Document, folder: str, form: Format | None) -> Iterator[Call]:
    return form.calls(document, folder) if form is not None else called_by_values(document, "", folder)


def _batched(names: list[str]) -> Iterator[list[str]]:
    """Yield names in lists that fit into one command."""
    yield from (names[start : start + _BATCH] for start in range(0, len(names), _BATCH))


def _is_at(file: str, name: str) -> bool:
    return name in {file, "."} or file.startswith(f"{name}/")
