"""Recorded answers of a model in a readable JSON file, for tests.

The answers are recorded once from a service. Tests use the recorded answers.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from wfgate.errors import ConfigError
from wfgate.store import write_atomically


class Recording:
    """A `Memory` in one JSON file: answers under the hash of their question, sorted by hash.

    A client that is not `offline` adds new answers to the recording. An `offline` client only uses recorded answers,
    and raises an error if an answer is missing. The file contains no API keys, addresses or questions.

    Args:
        path: The file; created when the first answer is written.

    Raises:
        ConfigError: If the file is not a recording; raised when it is read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored values of these keys; missing keys are left out."""
        recorded = self._recorded()
        return {key: recorded[key.hex()].encode() for key in keys if key.hex() in recorded}

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Add values and write the file."""
        recorded = self._recorded() | {key.hex(): value.decode() for key, value in values.items()}
        write_atomically(self.path, json.dumps(recorded, indent=1, sort_keys=True, ensure_ascii=False) + "\n")

    def _recorded(self) -> dict[str, str]:
        try:
            recorded = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
            json.dumps(recorded, ensure_ascii=False).encode()  # fails on lone surrogates
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(
                f"{self.path}: not a recording: {error}", fix="delete the file and record again"
            ) from None
        if not isinstance(recorded, dict) or not all(isinstance(value, str) for value in recorded.values()):
            raise ConfigError(f"{self.path}: not a recording", fix="delete the file and record again")
        return recorded
