"""The files around a file that its reader may read: inside the checkout, and never outside."""

import os
import posixpath
from collections.abc import Callable
from copy import copy
from pathlib import Path, PurePosixPath

from wfgate.read.documents.folders import repository_of
from wfgate.read.documents.text import load_text


class Beside:
    """The files around a file. What leads out of the limit, by `..` or by a link, does not exist for a reader.

    Args:
        path: The file.
        limit: The folder that is not left; by default the checkout (git) around the file, without one the folder of
            the file.

    Attributes:
        unread: References that are not followed, because the golden's are not (see `Reading.unread`).
        tested: Whether the file is a candidate.
    """

    unread: frozenset[str] = frozenset()
    tested: bool = False

    def __init__(self, path: Path, limit: Path | None = None) -> None:
        self.path = path
        self._folder = path.parent.resolve()
        self._top = repository_of(self._folder)
        self._limit = limit or self._top or self._folder

    def file(self, relative: str) -> "Beside | None":
        """Return a file by its path relative to this file's folder; None if it is no regular file within the limit."""
        try:
            place = (self._folder / relative).resolve()
            inside = place.is_relative_to(self._limit) and place.is_file()
        except (OSError, RuntimeError, ValueError):  # impossible in a file system, or links in a circle
            return None
        return Beside(self.path.parent / relative, self._limit) if inside else None

    def names(self, relative: str, suffix: str) -> list[str]:
        """Return the names of the files in a folder with a suffix, sorted; none if the folder is not within the limit.

        Args:
            relative: The folder, relative to this file's folder.
            suffix: The suffix with its dot.
        """
        try:
            place = (self._folder / relative).resolve()
            if not place.is_relative_to(self._limit):
                return []
            return sorted(path.name for path in place.iterdir() if path.suffix == suffix)
        except (OSError, RuntimeError, ValueError):
            return []

    @property
    def name(self) -> str | None:
        """The file, relative to the top of the checkout, with `/`; None if it is in no checkout."""
        if self._top is None:
            return None
        return (self._folder / self.path.name).relative_to(self._top).as_posix()

    def listed(self, folder: str) -> list[str]:
        """Return the names of the regular files in a folder of the checkout, sorted, without links."""
        return self._entries(folder, Path.is_file)

    def folders_in(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder of the checkout, sorted, without links and hidden ones."""
        return [name for name in self._entries(folder, Path.is_dir) if name[0] != "."]

    def at(self, name: str) -> "Beside | None":
        """Return a regular file of the checkout by its name relative to the top; links are not followed."""
        place = self._inside(name)
        if place is None or self._top is None or not place.is_file() or not _is_spelled(place):
            return None
        up = self._folder.relative_to(self._top).parts
        shown = Path(posixpath.normpath(PurePosixPath(self.path.parent.as_posix(), *(".." for _ in up), name)))
        around = Beside(shown if shown.resolve() == place else place, self._limit)
        around.unread = self.unread
        return around

    def _entries(self, folder: str, wanted: Callable[[Path], bool]) -> list[str]:
        """Return the names of what a folder of the checkout contains, sorted, without links."""
        place = self._inside(folder)
        try:
            entries = [*place.iterdir()] if place else []
            return sorted(path.name for path in entries if wanted(path) and not path.is_symlink())
        except OSError:
            return []

    def _inside(self, name: str) -> Path | None:
        """Return a place in the checkout by its name relative to the top; None without one, or if it is a link."""
        if self._top is None or is_outside(name):
            return None
        place = self._top / name
        try:
            return place if place.resolve() == place else None
        except (OSError, RuntimeError, ValueError):
            return None

    def without(self, names: frozenset[str] | None) -> "Beside":
        """Return the same files for a reader that does not follow some references; None for any reference."""
        other = copy(self)
        if names is None:
            other._top = None  # noqa: SLF001 - of the same class
        else:
            other.unread = names
        return other

    @property
    def place(self) -> Path:
        """The file without symbolic links, which identifies it."""
        return self.path.resolve()

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders above the file, the nearest one last."""
        return self._folder.parts

    def text(self) -> str:
        """Return the text of the file.

        Raises:
            FormatError: If the file cannot be read, is too large, is binary, or is not UTF-8.
        """
        return load_text(self.path)


def _is_spelled(place: Path) -> bool:
    """Return whether the folder of a file lists it by this name: some file systems know it by other spellings, too."""
    try:
        return place.name in os.listdir(place.parent)  # noqa: PTH208 - names alone, without a path for each
    except OSError:
        return False


def is_outside(name: str) -> bool:
    r"""Return whether a normalised name relative to the top of a checkout is no place in it, or in git's own folder.

    Example:
        >>> [is_outside(name) for name in ("a/b.yml", "../b.yml", "/etc/x", "C:/x", ".git/x", "a\\..\\..\\b")]
        [False, True, True, True, True, True]
    """
    parts = name.split("/")
    return (
        name.startswith("/") or "\\" in name or ":" in parts[0] or "\0" in name or not {"..", ".git"}.isdisjoint(parts)
    )
