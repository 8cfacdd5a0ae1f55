"""Reads the data files that wfgate contains, and verifies them by their recorded hashes.

The hash detects damaged files. It does not detect an attack, because an attacker who can change the data can also
change the hash and the code. Hash-locked requirements protect against attacks.
"""

import hashlib
import json
from importlib.resources.abc import Traversable
from typing import Any


def provenance(folder: Traversable) -> dict[str, Any]:
    """Return the content of a folder's `provenance.json`: origin and hashes of its files.

    Raises:
        OSError: If there is no such file.
        ValueError: If the file does not contain a JSON object.
    """
    content = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - the same error as for invalid JSON
    return content


def recorded(folder: Traversable, name: str, provenance: dict[str, Any]) -> bytes:
    """Return the content of a file, verified by the SHA-256 recorded under "sha256". Cost: 1 to 2 ms per MB.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If the hash of the file differs from the recorded hash.
    """
    content = (folder / name).read_bytes()
    hashes = provenance.get("sha256")
    if not isinstance(hashes, dict) or hashlib.sha256(content).hexdigest() != hashes.get(name):
        raise ValueError("the hash differs from the recorded one")
    return content
