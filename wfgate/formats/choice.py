"""Which format a file is read in, by patterns of file names."""

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType

EVERY = "*"
"""The pattern of all files, and of texts without a file."""

Formats = Mapping[str, str]
"""Format ids by pattern (`*` also matches `/`); the first pattern that matches decides."""
DETECTED: Formats = MappingProxyType({})
"""No patterns: the content of each file decides."""


def format_of(path: Path | None, formats: Formats) -> str | None:
    """Return the id of the format in which a file is read; None to detect the format from the content.

    Args:
        path: The file; None for a text without a file.
        formats: Format ids by pattern. Patterns other than `*` are absolute.

    Example:
        >>> formats = {"/plans/runbooks/*.txt": "markdown"}
        >>> [format_of(Path(name), formats) for name in ("/plans/runbooks/db.txt", "/plans/db.txt")]
        ['markdown', None]
    """
    name = None if path is None else Path(os.path.abspath(path)).as_posix()  # noqa: PTH100 - resolves `..`, not links
    for pattern, format_id in formats.items():
        if pattern == EVERY or (name is not None and fnmatchcase(name, pattern)):
            return format_id
    return None


def is_listed(path: Path, formats: Formats) -> bool:
    """Return whether a pattern other than `*` matches a file; such files of a folder are read, whatever their suffix.

    Example:
        >>> is_listed(Path("/plans/db.plan"), {"/plans/*.plan": "markdown"}), is_listed(Path("/a"), {"*": "markdown"})
        (True, False)
    """
    return format_of(path, {pattern: name for pattern, name in formats.items() if pattern != EVERY}) is not None
