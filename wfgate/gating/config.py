"""`wfgate.toml`, or `[tool.wfgate]` in pyproject.toml."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from wfgate.errors import ConfigError
from wfgate.gating.policy import Policy
from wfgate.matching.embedders import DEFAULT_EMBEDDER
from wfgate.metrics import DEFAULT_METRICS
from wfgate.model.workflow import Frozen

FILE_NAMES = ("wfgate.toml", "pyproject.toml")


class Config(Frozen):
    """Settings of a project; flags override them.

    Attributes:
        reference: File or folder of approved workflows.
        profile: A fitted calibration; the shipped one where there is none.
        embedder: What embeds step texts.
        metrics: The metric bundle.
        policy: The rules of the gate.
    """

    reference: Path | None = None
    profile: Path | None = None
    embedder: str = DEFAULT_EMBEDDER
    metrics: tuple[str, ...] = tuple(DEFAULT_METRICS)
    policy: Policy = Policy()


def load_config(path: Path | None, folder: Path) -> Config:
    """Read the configuration.

    Args:
        path: The file that was asked for; None looks for `wfgate.toml`, then `[tool.wfgate]` in `pyproject.toml`,
            in `folder` and the folders above it.
        folder: Where to start looking.

    Returns:
        The settings, paths made relative to their file; the defaults where there is no file.

    Raises:
        ConfigError: If the file is missing or broken, or has a key or value that makes no sense.
    """
    if path is not None:
        return _parsed(path, _table(path))
    for place in (folder, *folder.resolve().parents):
        for name in FILE_NAMES:
            found = place / name
            if found.is_file():
                table = _table(found)
                if name == FILE_NAMES[0] or table:
                    return _parsed(found, table)
    return Config()


def _table(path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}", fix="check the path") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}", fix="mend the file") from None
    if path.name == "pyproject.toml":
        tool = data.get("tool", {})
        return dict(tool.get("wfgate", {}))
    return data


def _parsed(path: Path, table: dict[str, Any]) -> Config:
    try:
        config = Config.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        known = ", ".join(Policy.model_fields if where.startswith("policy.") else Config.model_fields)
        unknown = first["type"] == "extra_forbidden"
        raise ConfigError(
            f"{path}: {where}: {'unknown key' if unknown else first['msg']}",
            fix=f"known keys are {known}" if unknown else "see `wfgate schema config`",
        ) from None
    home = path.parent
    update = {name: home / value for name in ("reference", "profile") if (value := getattr(config, name)) is not None}
    return config.model_copy(update=update)
