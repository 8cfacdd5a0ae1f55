"""The local files that a workflow is continued in: opened inside the checkout, at the revision of the file.

All formats use this one way. A file is opened through `Document.beside`, which knows the working tree or a revision,
and never leaves the checkout: no `..` out of it, no absolute path, no link, no network.
"""

import posixpath
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from wfgate.errors import FormatError, printable
from wfgate.read.documents.beside import Beside, is_outside
from wfgate.read.documents.document import Diagnostic, Document, Key
from wfgate.read.documents.kind import document_of
from wfgate.read.documents.limits import MAX_VALUES

MAX_FILES = 100
"""Most local files of one workflow."""
MAX_LEVELS = 10
"""Most levels of local files that call local files; GitHub allows 10."""


class Roots(NamedTuple):
    """Where references of a file start.

    Attributes:
        folders: The folders, relative to the top of the checkout; the first one with the file counts.
        usual: Whether the file is where its format has it, so that the first folder is its root.
    """

    folders: tuple[str, ...] = ()
    usual: bool = True


@dataclass
class LocalFiles:
    """Opens the local files of one workflow.

    Attributes:
        document: The file of the workflow.
        roots: Where references start.
        notes: Warnings about files that cannot be read.
        unread: The references that were not followed.
        opened: The documents of the opened files, by the name of the file.
    """

    document: Document
    roots: Roots = field(default_factory=Roots)
    notes: list[Diagnostic] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)
    opened: dict[str, Document] = field(default_factory=dict)
    _values: int = 0

    def find(self, written: str, names: Iterable[str], by: Document, *path: Key) -> Beside | None:
        """Return the file of a reference, and None without one.

        A missing file is a warning; without a checkout, and if the golden's reference is not followed, it is none.

        Args:
            written: The reference as written.
            names: The names that the file may have, below one of the roots.
            by: The file with the reference.
            path: Where the reference is.
        """
        around = self.document.beside
        if around is None or around.name is None or written in around.unread:
            self.unread.add(written)
            return None
        within = [name for each in names if not is_outside(name := posixpath.normpath(each.lstrip("/")))]
        places = [[posixpath.normpath(posixpath.join(root, name)) for name in within] for root in self.roots.folders]
        first = (next(filter(None, map(around.at, names)), None) for names in places)
        files = [file for file in first if file is not None]
        if files:
            if around.tested and not self.roots.usual and any(map(_differs(files[0]), files[1:])):
                message = f"{files[0].name} is read, but the checkout also has {files[-1].name}, which differs"
                fix = "delete one of the two, or gate the file where it runs"
                self.notes.append(by.diagnostic("warning", printable(message), *path, fix=fix))
            return files[0]
        self.unread.add(written)
        if within:
            message, fix = "is not in the checkout", "add the file, or correct the path; links are not followed"
        else:
            message, fix = "is outside of the checkout", "give the path of a file of the checkout"
        message = f"the local file {written[:200]!r} {message}, so what it says is not read"
        self.notes.append(by.diagnostic("warning", message, *path, fix=fix))
        return None

    def open(self, file: Beside, by: Document, *path: Key) -> Document:
        """Return the document of a file.

        Args:
            file: The file.
            by: The file with the reference.
            path: Where the reference is.

        Raises:
            FormatError: If the file cannot be read, or the workflow has too many files or values.
        """
        name = file.name or ""
        if name not in self.opened:
            if len(self.opened) >= MAX_FILES:
                message = f"the workflow calls more than {MAX_FILES} local files"
                raise by.error(message, *path, fix="split the workflow into smaller workflows")
            shown = printable(str(file.path))
            document = replace(document_of(file.text(), shown), beside=file)
            self._values += sum(len(part.spans) for part in (document, *document.parts))
            if self._values > MAX_VALUES:
                message = f"the local files have more than {MAX_VALUES:,} values"
                raise by.error(message, *path, fix="split the workflow into smaller workflows")
            self.opened[name] = document
        return self.opened[name]


def check_chain(chain: Sequence[str], name: str, by: Document, *path: Key) -> None:
    """Check that a file may be read as the next one of a chain of files.

    Args:
        chain: The names of the files, each called by the one before it.
        name: The next file.
        by: The file with the reference.
        path: Where the reference is.

    Raises:
        FormatError: If the file is in the chain, or the chain is too long.
    """
    error: FormatError | None = None
    if name in chain:
        error = by.error(f"the local file {name[:200]!r} calls itself", *path, fix="delete one of the calls")
    elif len(chain) > MAX_LEVELS:
        message = f"local files call each other over more than {MAX_LEVELS} levels"
        error = by.error(message, *path, fix="use fewer levels")
    if error is not None:
        raise error


def _differs(file: Beside) -> Callable[[Beside], bool]:
    """Return a function that says whether another file has another text; a file that cannot be read does."""

    def differs(other: Beside) -> bool:
        try:
            return file.text() != other.text()
        except FormatError:
            return True

    return differs


def roots_of(document: Document, *layout: str, usual: str | None = None) -> Roots:
    """Return the folders that references of a file may start at: its own root, then the top of the checkout.

    A file with the place that its format prescribes (`.github/workflows/x.yml`) has the root above this place. Of any
    other file, such as an approved copy, the root is its own folder.

    Args:
        document: The file.
        layout: The folders, relative to the root, in which the format has its files.
        usual: The name of the file that the format has in the root itself.
    """
    name = document.beside.name if document.beside is not None else None
    folder = posixpath.dirname(name or "")
    for each in layout:
        if f"/{folder}/".endswith(f"/{each}/"):
            return Roots(tuple(dict.fromkeys((folder[: len(folder) - len(each)].rstrip("/"), ""))))
    for each in layout:
        above, found, _ = f"/{folder}/".partition(f"/{each}/")
        if found:
            return Roots(tuple(dict.fromkeys((above.lstrip("/"), ""))))
    return Roots(tuple(dict.fromkeys((folder, ""))), posixpath.basename(name or "") == usual)
