"""Shipped data files, verified against the hashes recorded when they were created.

The hash detects damage, not an attack: an attacker who can change both files can also change the code. Hash-locked
requirements protect against that.
"""

import hashlib
import json
from importlib.resources.abc import Traversable
from typing import Any


def provenance(folder: Traversable) -> dict[str, Any]:
    """Return the content of a folder's `provenance.json`: origin and hashes of its files.

    Raises:
        OSError: If there is no such file.
        ValueError: If it does not contain a JSON object.
    """
    found = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - the same error as for invalid JSON
    return found


def recorded(folder: Traversable, name: str, provenance: dict[str, Any]) -> bytes:
    """Return the content of a file, verified by the SHA-256 recorded under "sha256". Cost: 1 to 2 ms per MB.

    Raises:
        OSError: If it cannot be read.
        ValueError: If its hash differs.
    """
    content = (folder / name).read_bytes()
    hashes = provenance.get("sha256")
    if not isinstance(hashes, dict) or hashlib.sha256(content).hexdigest() != hashes.get(name):
        raise ValueError("the hash differs from the recorded one")
    return content
