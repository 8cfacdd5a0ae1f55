"""Reads a waiver file, from the working tree or from the base revision."""

from pathlib import Path

from pydantic import ValidationError

from wfgate.decide import Waiver, WaiverFile
from wfgate.errors import ConfigError
from wfgate.run.config import read_toml
from wfgate.run.revision import Revision


def load_waivers(path: Path, base: Revision | None = None) -> tuple[Waiver, ...]:
    """Read a waiver file.

    Raises:
        ConfigError: If the file is missing or malformed, or a waiver is incomplete or occurs twice.
    """
    table = read_toml(path, base)
    try:
        waivers = WaiverFile.model_validate(table).waiver
    except ValidationError as error:
        first = error.errors()[0]
        parts = [str(part + 1) if isinstance(part, int) else part for part in first["loc"]]
        problem = "unknown key" if first["type"] == "extra_forbidden" else first["msg"]
        raise ConfigError(
            f"{path}: {' '.join(parts)}: {problem}",
            fix="give each [[waiver]] a fingerprint (16 hex digits), reason, owner, expires (date), optionally a case",
        ) from None
    seen: set[tuple[str, str | None]] = set()
    for waiver in waivers:
        if (waiver.fingerprint, waiver.case) in seen:
            raise ConfigError(f"{path}: {waiver.fingerprint} is waived twice", fix="delete one of the two waivers")
        seen.add((waiver.fingerprint, waiver.case))
    return waivers
