"""The files below a folder: all files, or an error."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder, in no order; no files if the folder does not exist.

    Raises:
        OSError: If a folder below cannot be listed; `Path.rglob` would silently leave out its files.
    """
    for current, _, names in os.walk(folder, onerror=_refuse) if os.path.lexists(folder) else ():
        yield from (path for name in names if _is_regular(path := Path(current, name)))


def _refuse(error: OSError) -> NoReturn:
    raise error


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except PermissionError:
        raise
    except OSError:  # a broken or circular link
        return False
