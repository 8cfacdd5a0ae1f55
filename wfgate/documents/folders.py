"""The files below a folder: all files, or an error."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from wfgate.errors import ConfigError


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder, in no order; no files if the folder does not exist.

    Raises:
        OSError: If a folder below cannot be listed; `Path.rglob` would silently leave out its files.
        ConfigError: If something below is not a regular file, a link to one, or a folder. A link to a folder or to
            nothing can lead to other files later, after the gate.
    """
    for current, folders, names in os.walk(folder, onerror=_refuse) if os.path.lexists(folder) else ():
        for path in (Path(current, name) for name in (*folders, *names)):
            if path.is_file():
                yield path
            elif path.is_symlink() or not path.is_dir():
                kind = "a link to a folder or to nothing" if path.is_symlink() else "not a regular file"
                raise ConfigError(f"{path}: {kind}", fix="remove it, or replace it by the files")


def _refuse(error: OSError) -> NoReturn:
    raise error
