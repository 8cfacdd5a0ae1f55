"""Files of the package that are, byte for byte, those whose hashes were recorded when they were made.

A hash beside a file finds what a copy, a disk or a hand spoiled; whoever can change both files can change the code as
well, and against that there are hash-locked requirements.
"""

import hashlib
import json
from importlib.resources.abc import Traversable
from typing import Any


def provenance(folder: Traversable) -> dict[str, Any]:
    """Return what is recorded in a folder's `provenance.json`: where its files come from, and their hashes.

    Raises:
        OSError: If there is no such file.
        ValueError: If it holds no JSON object.
    """
    found = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError("no object")  # noqa: TRY004 - as where it is no JSON
    return found


def recorded(folder: Traversable, name: str, provenance: dict[str, Any]) -> bytes:
    """Return a file if it is the one whose SHA-256 is recorded under "sha256"; 1 to 2 ms per MB.

    Raises:
        OSError: If it cannot be read.
        ValueError: If it is another one.
    """
    content = (folder / name).read_bytes()
    hashes = provenance.get("sha256")
    if not isinstance(hashes, dict) or hashlib.sha256(content).hexdigest() != hashes.get(name):
        raise ValueError("it is not the file that was recorded")
    return content
