"""JSON Lines: one object per line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wfgate.errors import CalibrationError, os_words


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a JSON Lines file with their line numbers.

    Raises:
        CalibrationError: If the file cannot be read or a line is not a JSON object.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise CalibrationError(f"{path}: cannot be read: {os_words(error)}", fix="check the path") from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:  # a UnicodeDecodeError is a ValueError
                fix = "write one JSON object per line"
                raise CalibrationError(f"{path}:{number}: not JSON: {error}", fix=fix) from None
            if not isinstance(record, dict):
                raise CalibrationError(f"{path}:{number}: not a JSON object", fix="write one JSON object per line")
            yield number, record
