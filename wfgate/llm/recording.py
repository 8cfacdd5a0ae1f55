"""Answers in a file that people can read and commit: recorded against a service once, replayed in tests."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from wfgate.errors import ConfigError
from wfgate.store import write_atomically


class Recording:
    """A memory in one JSON file: answers by the hash of their question, sorted.

    A client with a recording and a service records; one that is `offline` replays, and says so where an answer is
    missing. Neither keys nor addresses nor questions are in it.

    Args:
        path: The file; made when the first answer is kept.

    Raises:
        ConfigError: When it is read and is no recording.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return what is known of these keys."""
        kept = self._kept()
        return {key: kept[key.hex()].encode() for key in keys if key.hex() in kept}

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Keep values."""
        kept = self._kept() | {key.hex(): value.decode() for key, value in values.items()}
        write_atomically(self.path, json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False) + "\n")

    def _kept(self) -> dict[str, str]:
        try:
            kept = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}
            json.dumps(kept, ensure_ascii=False).encode()  # half a character is no text
        except (OSError, ValueError, RecursionError) as error:
            raise ConfigError(f"{self.path}: no recording: {error}", fix="delete it, and record again") from None
        if not isinstance(kept, dict) or not all(isinstance(value, str) for value in kept.values()):
            raise ConfigError(f"{self.path}: no recording", fix="delete it, and record again")
        return kept
