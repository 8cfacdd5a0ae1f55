"""The files below a folder: all files, or an error."""

import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG
from typing import NoReturn

from wfgate.errors import ConfigError


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder, in no order; no files if the folder does not exist.

    A file that another process deletes while the folder is read, for example the temporary file of an atomic write, is
    not below it.

    Raises:
        OSError: If a folder below cannot be listed; `Path.rglob` would silently leave out its files.
        ConfigError: If something below is not a regular file, a link to one, or a folder. A link to a folder or to
            nothing can lead to other files later, after the gate.
    """
    for current, folders, names in os.walk(folder, onerror=_refuse) if os.path.lexists(folder) else ():
        for path in (Path(current, name) for name in (*folders, *names)):
            try:
                mode = path.lstat().st_mode
            except FileNotFoundError:
                continue
            if S_ISREG(mode) or (S_ISLNK(mode) and path.is_file()):
                yield path
            elif not S_ISDIR(mode):
                kind = "a link to a folder or to nothing" if S_ISLNK(mode) else "not a regular file"
                raise ConfigError(f"{path}: {kind}", fix="remove it, or replace it by the files")


def _refuse(error: OSError) -> NoReturn:
    raise error
