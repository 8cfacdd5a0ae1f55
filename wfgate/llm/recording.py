"""Recorded answers of a model in a JSON Lines file, for tests and benchmarks without a service.

The answers are recorded once, from a service or by hand. Tests and benchmarks use the recorded answers.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from wfgate.base import write_atomically
from wfgate.errors import ConfigError


class Recording:
    """A `Memory` in a JSON Lines file: one line for each answer, sorted by the hash of its prompt.

    A line has the fields `prompt` (see `Client.key`), `model`, `date` and `answer` (the text). A client that is not
    `offline` adds new answers to the recording. An `offline` client only uses recorded answers, and raises an error if
    an answer is missing. The file contains no API keys, addresses or prompts. It is read once.

    Args:
        path: The file; created when the first answer is written.
        model: The model that gives the answers that are written.
        date: The day of these answers, as YYYY-MM-DD.

    Raises:
        ConfigError: If the file is not a recording; raised when it is read.
    """

    def __init__(self, path: Path, model: str = "", date: str = "") -> None:
        self.path = path
        self.model = model
        self.date = date

    def read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored values of these keys; missing keys are left out."""
        recorded = self._recorded
        return {key: recorded[key.hex()]["answer"].encode() for key in keys if key.hex() in recorded}

    def write(self, values: Mapping[bytes, bytes]) -> None:
        """Add values and write the file."""
        for key, value in values.items():
            entry = {"prompt": key.hex(), "model": self.model, "date": self.date, "answer": value.decode()}
            self._recorded[key.hex()] = entry
        lines = [json.dumps(self._recorded[key], ensure_ascii=False) + "\n" for key in sorted(self._recorded)]
        write_atomically(self.path, "".join(lines))

    @cached_property
    def _recorded(self) -> dict[str, dict[str, str]]:
        try:
            text = self.path.read_text(encoding="utf-8") if self.path.exists() else ""
            entries = [json.loads(line) for line in text.split("\n") if line.strip()]
            json.dumps(entries, ensure_ascii=False).encode()  # fails on lone surrogates
            recorded = {entry["prompt"]: {name: str(entry[name]) for name in _FIELDS} for entry in entries}
        except (OSError, ValueError, RecursionError, KeyError, TypeError) as error:
            raise ConfigError(
                f"{self.path}: not a recording: {error}", fix="delete the file and record again"
            ) from None
        return recorded


_FIELDS = ("prompt", "model", "date", "answer")
