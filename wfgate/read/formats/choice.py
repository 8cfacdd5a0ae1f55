"""Which format a file is read in, by patterns of file names."""

import os
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType

IGNORED = "ignored"
"""In place of a format id: files that are no workflows, although they are in a folder of workflows."""
EVERY = "*"
"""The pattern of all files, and of texts without a file."""

Formats = Mapping[str, str]
"""Format ids by pattern (`*` also matches `/`); the first pattern that matches decides."""
DETECTED: Formats = MappingProxyType({})
"""No patterns: the content of each file decides."""


def format_of(path: Path | None, formats: Formats) -> str | None:
    """Return the id of the format in which a file is read; None to detect the format from the content.

    A file that is ignored in folders can be given by its name; its format is then detected.

    Args:
        path: The file; None for a text without a file.
        formats: Format ids by pattern. Patterns other than `*` are absolute.

    Example:
        >>> formats = {"/plans/runbooks/*.txt": "markdown"}
        >>> [format_of(Path(name), formats) for name in ("/plans/runbooks/db.txt", "/plans/db.txt")]
        ['markdown', None]
    """
    chosen = _choice(path, formats)
    return None if chosen == IGNORED else chosen


def is_listed(path: Path, formats: Formats) -> bool:
    """Return whether a pattern other than `*` matches a file; such files of a folder are read, whatever their suffix.

    Example:
        >>> is_listed(Path("/plans/db.plan"), {"/plans/*.plan": "markdown"}), is_listed(Path("/a"), {"*": "markdown"})
        (True, False)
    """
    return _choice(path, _patterns(formats)) not in {None, IGNORED}


def is_ignored(path: Path, formats: Formats) -> bool:
    """Return whether a file in a folder is ignored.

    Example:
        >>> is_ignored(Path("/plans/README.md"), {"/plans/README.md": "ignored"})
        True
    """
    return _choice(path, _patterns(formats)) == IGNORED


def _patterns(formats: Formats) -> Formats:
    return {pattern: name for pattern, name in formats.items() if pattern != EVERY}


def _choice(path: Path | None, formats: Formats) -> str | None:
    name = None if path is None else Path(os.path.abspath(path)).as_posix()  # noqa: PTH100 - resolves `..`, not links
    for pattern, format_id in formats.items():
        if pattern == EVERY or (name is not None and fnmatchcase(name, pattern)):
            return format_id
    return None
