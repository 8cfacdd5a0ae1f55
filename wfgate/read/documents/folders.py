"""The files below a folder: all files, or an error."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import NoReturn

from wfgate.errors import ConfigError


def repository_of(folder: Path) -> Path | None:
    """Return the top of the repository of a resolved folder: the nearest folder with `.git`; None without one.

    The file system decides, not git's answer: what git cannot read is a repository, too.
    """
    return next((each for each in (folder, *folder.parents) if os.path.lexists(each / ".git")), None)


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder, in no order; no files if the folder does not exist.

    A file that another process deletes while the folder is read, for example the temporary file of an atomic write, is
    not below it.

    Raises:
        OSError: If a folder below cannot be listed; `Path.rglob` would silently leave out its files.
        ConfigError: If something below is not a regular file, a link to one, or a folder. A link to a folder or to
            nothing can lead to other files later, after the gate.
    """
    for path, problem in entries_below(folder):
        if problem is not None:
            raise ConfigError(f"{path}: {problem}", fix="remove it, or replace it by the files")
        yield path


def entries_below(folder: Path, without: Collection[str] = ()) -> Iterator[tuple[Path, str | None]]:
    """Yield everything below a folder except folders, in no order: the path, and why it is no regular file.

    Args:
        folder: The folder; nothing is yielded if it does not exist.
        without: Names of folders that are not entered.

    Raises:
        OSError: If a folder below cannot be listed.
    """
    for current, folders, names in os.walk(folder, onerror=_refuse) if os.path.lexists(folder) else ():
        folders[:] = [name for name in folders if name not in without]
        for path in (Path(current, name) for name in (*folders, *names)):
            try:
                mode = path.lstat().st_mode
            except FileNotFoundError:
                continue
            if S_ISREG(mode) or (S_ISLNK(mode) and path.is_file()):
                yield path, None
            elif not S_ISDIR(mode):
                yield path, "a link to a folder or to nothing" if S_ISLNK(mode) else "not a regular file"


def _refuse(error: OSError) -> NoReturn:
    raise error
