"""The files below a folder: all of them, or an error."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn


def files_below(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder, in no order; links to folders and those that lead nowhere are left out.

    There are none below a folder that does not exist.

    Raises:
        OSError: If a folder below cannot be looked into; `Path.rglob` would leave out what is in it, and nobody would
            notice.
    """
    for place, _, names in os.walk(folder, onerror=_refuse) if os.path.lexists(folder) else ():
        yield from (path for name in names if _is_regular(path := Path(place, name)))


def _refuse(error: OSError) -> NoReturn:
    raise error


def _is_regular(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except PermissionError:
        raise
    except OSError:  # a link that leads nowhere, or in a circle
        return False
