"""Reads TOML files, from the working tree or from the base revision."""

import os
import re
import tomllib
from pathlib import Path
from typing import Any

from wfgate.errors import ConfigError, os_words
from wfgate.run.revision import Revision

_YES = re.compile(r"=\s*(?:yes|no|on|off)\s*(?:#.*)?$", re.IGNORECASE)
"""A boolean as in YAML; TOML has only `true` and `false`."""


def read_toml(path: Path, base: Revision | None = None) -> dict[str, Any]:
    """Read a TOML file.

    Args:
        path: The file.
        base: Git revision to read from; None reads from the disk.

    Raises:
        ConfigError: If the file is missing or not valid TOML, with the position of the error.
    """
    return toml_in(path, toml_bytes(path, base))


def toml_bytes(path: Path, base: Revision | None = None) -> bytes:
    """Return the content of a TOML file; the arguments are those of `read_toml`.

    Raises:
        ConfigError: If the file is missing or no regular file.
    """
    try:
        if base is None and os.path.lexists(path) and not path.is_file():
            raise ConfigError(f"{path}: not a regular file", fix="put a TOML file there, or remove it")
        content = path.read_bytes() if base is None else base.read(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {os_words(error)}", fix="check the path") from None
    if base is not None and content is None:
        raise ConfigError(f"{path}: not in the base revision {base.ref}", fix="commit it there, or check the path")
    return content or b""


def toml_in(path: Path, content: bytes) -> dict[str, Any]:
    """Return the values in the content of a TOML file.

    Args:
        path: The file, for messages.
        content: Its bytes.

    Raises:
        ConfigError: If it is not valid TOML, with the position of the error.
    """
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8: {error.reason} at byte {error.start}", fix="save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message, _, where = str(error).partition(" (at ")
        lines = content.decode("utf-8-sig").splitlines()
        at = re.findall(r"\d+", where) or ([str(len(lines))] if "end of document" in where else [])
        position = "".join(f":{number}" for number in at)
        number = int((at or ["0"])[0])
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        fix = "write true or false" if _YES.search(line) else "correct the file at this position"
        raise ConfigError(f"{path}{position}: not TOML: {message}", fix=fix) from None
    except ValueError:  # Python refuses to convert integers of thousands of digits
        raise ConfigError(
            f"{path}: a number is too long to be read", fix="write the number with fewer digits"
        ) from None
