"""The files around a file of a git revision, at this revision."""

import posixpath
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from wfgate.read import Beside, decode, is_outside

if TYPE_CHECKING:
    from wfgate.run.revision import Revision


class BesideRevision(Beside):
    """The files around a file of a revision. The whole repository is the limit; links do not exist.

    Only files that `at` or `file` returned have a text.

    Args:
        revision: The revision.
        name: The file, relative to the top of the repository.
        path: Its path in the working tree, which reports show.
    """

    def __init__(self, revision: "Revision", name: str, path: Path) -> None:
        self.path = path
        self._revision = revision
        self._name = name
        self._alone = False
        self._content = b""

    @property
    def name(self) -> str | None:
        """The file, relative to the top of the repository."""
        return None if self._alone else self._name

    def file(self, relative: str) -> Beside | None:
        """Return a file by its path relative to this file's folder; None if it is not in the revision."""
        return self.at(posixpath.normpath(posixpath.join(posixpath.dirname(self._name), relative)))

    def names(self, relative: str, suffix: str) -> list[str]:
        """Return the names of the files in a folder with a suffix, sorted."""
        folder = posixpath.normpath(posixpath.join(posixpath.dirname(self._name), relative))
        return [name for name in self.listed("" if folder == "." else folder) if PurePosixPath(name).suffix == suffix]

    def listed(self, folder: str) -> list[str]:
        """Return the names of the regular files in a folder, sorted."""
        return sorted(part for part in self._below(folder) if "/" not in part)

    def folders_in(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, sorted, without hidden ones."""
        return sorted({part.partition("/")[0] for part in self._below(folder) if "/" in part and part[0] != "."})

    def at(self, name: str) -> Beside | None:
        """Return a file by its name relative to the top; links are not followed."""
        content = None if is_outside(name) else self._revision.in_force(name)
        if content is None:
            return None
        up = PurePosixPath(self._name).parent.parts
        shown = Path(posixpath.normpath(PurePosixPath(self.path.parent.as_posix(), *(".." for _ in up), name)))
        other = BesideRevision(self._revision, name, shown)
        other.unread, other._content = self.unread, content
        return other

    def without(self, names: frozenset[str] | None) -> Beside:
        """Return the same files for a reader that does not follow some references; None for any reference."""
        other = BesideRevision(self._revision, self._name, self.path)
        other._alone = self._alone or names is None
        other.unread = names or frozenset()
        return other

    @property
    def place(self) -> Path:
        """The name of the file, which identifies it."""
        return Path(self._name)

    @property
    def folders(self) -> tuple[str, ...]:
        """The names of the folders above the file, the nearest one last."""
        return PurePosixPath(self._name).parent.parts

    def text(self) -> str:
        """Return the text of the file.

        Raises:
            FormatError: If the file is too large, is binary, or is not UTF-8.
        """
        return decode(self._content, str(self.path))

    def _below(self, folder: str) -> list[str]:
        if folder and is_outside(folder):
            return []
        names = self._revision.names_below(folder)
        return [name.removeprefix(f"{folder}/" if folder else "") for name in names]
