"""The files around a file that its reader may read: inside the checkout, and never outside."""

from pathlib import Path

from wfgate.read.documents.folders import repository_of
from wfgate.read.documents.text import load_text


class Beside:
    """The files around a file. What leads out of the limit, by `..` or by a link, does not exist for a reader.

    Args:
        path: The file.
        limit: The folder that is not left; by default the checkout (git) around the file, without one the folder of
            the file.
    """

    def __init__(self, path: Path, limit: Path | None = None) -> None:
        self.path = path
        self._folder = path.parent.resolve()
        self._limit = limit or repository_of(self._folder) or self._folder

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
