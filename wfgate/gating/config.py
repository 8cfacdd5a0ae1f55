"""`wfgate.toml`, or `[tool.wfgate]` in pyproject.toml."""

import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from wfgate.alignment.embedders import DEFAULT_EMBEDDER
from wfgate.alignment.meaning import DEFAULT_MEANING_MODEL
from wfgate.errors import ConfigError, os_words
from wfgate.gating.policy import Levels, Policy
from wfgate.gating.revision import Revision
from wfgate.llm import Prices
from wfgate.metrics import DEFAULT_METRICS
from wfgate.model.workflow import Frozen

PYPROJECT = "pyproject.toml"
FILE_NAMES = ("wfgate.toml", PYPROJECT)


class JudgeSettings(Frozen):
    """A language model that is asked to judge, too; it can only make a verdict stricter.

    Attributes:
        model: Its name at the service, or `azure:DEPLOYMENT`.
        concurrency: Requests at a time.
        timeout: Seconds for one request.
        require_exam: The gate takes the model only if its profile records that it passed `wfgate exam` with at least
            this score, in [0, 1]; None to ask for no exam.
    """

    model: str = Field(min_length=1)
    concurrency: int = Field(default=8, ge=1, le=256)
    timeout: float = Field(default=60.0, gt=0)
    require_exam: float | None = Field(default=None, ge=0, le=1)


class Config(Frozen):
    """Settings of a project; flags override them.

    Attributes:
        reference: File or folder of approved workflows.
        profile: A fitted calibration; the shipped one where there is none.
        waivers: Findings that the team accepts; `wfgate-waivers.toml` beside the configuration by default.
        embedder: What embeds step texts.
        meaning_model: What judges whether a changed step still means the same.
        metrics: The metric bundle.
        judge: A language model that judges, too; none where None.
        prices: What services charge for a million tokens, by the name of the model; for accounts on standard error.
        policy: The rules of the gate.
        checks: Severities of checks by id or defect: error, warning, info or off. They become part of the policy.
    """

    reference: Path | None = None
    profile: Path | None = None
    waivers: Path | None = None
    embedder: str = DEFAULT_EMBEDDER
    meaning_model: str = DEFAULT_MEANING_MODEL
    metrics: tuple[str, ...] = tuple(DEFAULT_METRICS)
    judge: JudgeSettings | None = None
    prices: dict[str, Prices] = Field(default_factory=dict)
    policy: Policy = Policy()
    checks: Levels = Field(default_factory=dict)

    @field_validator("reference", "profile", "waivers")
    @classmethod
    def _can_be_a_path(cls, path: Path | None) -> Path | None:
        if path is not None and "\0" in str(path):
            raise ValueError("a path has no NUL in it")
        return path


def load_config(path: Path | None, folder: Path, base: Revision | None = None) -> Config:
    """Read the configuration.

    Args:
        path: The file that was asked for; None looks for `wfgate.toml`, then `[tool.wfgate]` in `pyproject.toml`,
            in `folder` and the folders above it.
        folder: Where to start looking; paths below it are named from it, as it is named itself.
        base: Where to look instead of the disk.

    Returns:
        The settings, paths made relative to their file; the defaults where there is no file.

    Raises:
        ConfigError: If the file is missing or broken, or has a key or value that makes no sense.
    """
    if path is not None:
        table = _table(path, base)
        if table is None:
            raise ConfigError(f"{path}: there is no [tool.wfgate] in it", fix="add it, or give another file")
        return _parsed(path, table, folder)
    for place in (folder, *folder.resolve().parents):
        for found in (place / name for name in FILE_NAMES):
            table = _table(found, base) if _exists(found, base) else None
            if table is not None:
                return _parsed(found, table, folder)
    return Config()


def named_from(folder: Path, path: Path) -> Path:
    """Return the same path, named from a folder where it is below it: what a report says is what can be typed there.

    Only the name changes: no link is followed, no `..` is resolved.

    Example:
        >>> named_from(Path(), Path.cwd() / "approved/a.yaml").as_posix(), named_from(Path(), Path("/")).as_posix()
        ('approved/a.yaml', '/')
    """
    here = folder.resolve()
    return folder / path.relative_to(here) if path.is_relative_to(here) else path


def _exists(path: Path, base: Revision | None) -> bool:
    return path.is_file() if base is None else base.read(path) is not None


def read_toml(path: Path, base: Revision | None = None) -> dict[str, Any]:
    """Read a TOML file.

    Args:
        path: The file.
        base: Where to read it from instead of the disk.

    Raises:
        ConfigError: If it is missing or no TOML; says where.
    """
    try:
        if base is None and path.exists() and not path.is_file():
            raise ConfigError(f"{path}: not a regular file", fix="give a TOML file")
        content = path.read_bytes() if base is None else base.read(path)
        if base is not None and content is None:
            raise ConfigError(f"{path}: not in the base revision {base.ref}", fix="check the path")
        return tomllib.loads((content or b"").decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {os_words(error)}", fix="check the path") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8: {error.reason} at byte {error.start}", fix="save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said, _, place = str(error).partition(" (at ")
        position = "".join(f":{number}" for number in re.findall(r"\d+", place))
        raise ConfigError(f"{path}{position}: not TOML: {said}", fix="mend the file there") from None
    except ValueError:  # Python converts no whole number of thousands of digits
        raise ConfigError(f"{path}: a number in it has too many digits", fix="write a smaller one") from None


def _table(path: Path, base: Revision | None) -> dict[str, Any] | None:
    """Return the settings in a file; None for a `pyproject.toml` that has none."""
    data = read_toml(path, base)
    if path.name != PYPROJECT:
        return data
    tool = data.get("tool", {})
    table = tool.get("wfgate") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.wfgate is no table", fix="write [tool.wfgate]")
    return table


def _parsed(path: Path, table: dict[str, Any], folder: Path) -> Config:
    policy = table.get("policy")
    if isinstance(policy, dict) and "checks" in policy:
        raise ConfigError(f"{path}: policy.checks: unknown key", fix="checks belongs at the top, as [checks]")
    try:
        config = Config.model_validate(table)
    except ConfigError as error:
        raise ConfigError(f"{path}: checks: {error.message}", fix=error.fix) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        unknown = first["type"] == "extra_forbidden"
        raise ConfigError(
            f"{path}: {where}: {'unknown key' if unknown else first['msg']}",
            fix=_suggestion(where) if unknown else "see `wfgate schema config`",
        ) from None
    home = path.parent
    update: dict[str, Any] = {"policy": config.policy.model_copy(update={"checks": config.checks})}
    update |= {
        name: named_from(folder, home / value)
        for name in ("reference", "profile", "waivers")
        if (value := getattr(config, name)) is not None
    }
    return config.model_copy(update=update)


def _suggestion(where: str) -> str:
    """Return what to write instead of an unknown key."""
    table, _, key = where.rpartition(".")
    tables: dict[str, type[Frozen]] = {"policy": Policy, "judge": JudgeSettings}
    inner = Prices if table.startswith("prices.") else Config
    known = list(tables.get(table, inner).model_fields)
    if near := get_close_matches(key, known, n=1):
        return f"did you mean {near[0]}?"
    if not table and key in Policy.model_fields:
        return f"{key} belongs under [policy]"
    return f"known keys are {', '.join(known)}"
