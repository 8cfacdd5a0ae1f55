"""Reads the configuration: `wfgate.toml`, or `[tool.wfgate]` in pyproject.toml."""

import glob
import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import Field, JsonValue, ValidationError, field_validator

from wfgate.compare import DEFAULT_METRICS
from wfgate.decide import DEFAULT_PROFILE, SHIPPED_PROFILES, WAIVERS_FILE, Levels, Policy
from wfgate.errors import ConfigError, os_words
from wfgate.language import DEFAULT_EMBEDDER, DEFAULT_MEANING_MODEL
from wfgate.llm import Prices
from wfgate.model import Frozen
from wfgate.read import IGNORED, find, repository_of
from wfgate.rules import levels_of
from wfgate.run.revision import Revision

PYPROJECT = "pyproject.toml"
FILE_NAMES = ("wfgate.toml", PYPROJECT)


_YES = re.compile(r"=\s*(?:yes|no|on|off)\s*(?:#.*)?$", re.IGNORECASE)
"""A boolean as in YAML; TOML has only `true` and `false`."""


class JudgeSettings(Frozen):
    """Settings of the judge (a language model that grades).

    Its grade can only make a verdict stricter; its quotes can turn a block into a review, if the policy allows this.

    Attributes:
        model: Name of the model, as the service calls it, or `azure:DEPLOYMENT`.
        grades: Whether it grades each pair, which needs a profile that is calibrated for it. If false, it is only
            asked for quotes (see `judge_may_clear` of the policy).
        concurrency: Number of parallel requests.
        timeout: Seconds for one request.
        require_exam: Minimum score of this model in `wfgate exam`, in [0, 1]. The profile must contain the score. None
            requires no exam.
    """

    model: str = Field(min_length=1)
    grades: bool = True
    concurrency: int = Field(default=8, ge=1, le=256)
    timeout: float = Field(default=60.0, gt=0)
    require_exam: float | None = Field(default=None, ge=0, le=1)


class Config(Frozen):
    """Settings of a project. Command-line options override them.

    Attributes:
        reference: File or folder of approved workflows.
        profile: File of a fitted profile, or the name of a shipped one ("default", "reworded"); None uses the shipped
            profile "default".
        waivers: File of waivers (findings accepted until a date). If not set, `load_config` looks for
            `wfgate-waivers.toml`.
        embedder: Embedder of step texts.
        beta: Matching threshold in [0, 1]: the smallest similarity of two matched steps, also for the WorFEval metrics
            (else 0.6). None uses that of the embedder (0.05 for the shipped one, 0.35 for others). The meaning model
            keeps pairs below it if they mean the same. A profile must be fitted with the same threshold.
        meaning_model: Model that decides whether a changed step still means the same.
        metrics: Metrics to compute.
        judge: Settings of the judge; None uses no judge.
        prices: Price per million tokens by model name, for the cost summary on standard error.
        policy: Rules of the gate.
        checks: Severity by check (id or name of the defect): error, warning, info or off. `load_config` adds these
            severities to the policy.
        formats: Format by pattern of file names, such as `"runbooks/*.txt" = "markdown"`; the first pattern that
            matches decides, and the content of all other files decides theirs. `*` also matches `/`. Patterns start
            at the folder of the configuration file. With "ignored" instead of a format, a file in a folder of
            workflows is not read.
        rules: Rules of your own, for all cases or for those that `cases` of a rule names (see `wfgate schema rules`).
            Rules of one workflow stand beside its golden, in `deploy.rules.toml`.
    """

    reference: Path | None = None
    profile: Path | None = None
    waivers: Path | None = None
    embedder: str = DEFAULT_EMBEDDER
    beta: float | None = Field(default=None, ge=0, le=1)
    meaning_model: str = DEFAULT_MEANING_MODEL
    metrics: tuple[str, ...] = tuple(DEFAULT_METRICS)
    judge: JudgeSettings | None = None
    prices: dict[str, Prices] = Field(default_factory=dict)
    policy: Policy = Policy()
    checks: Levels = Field(default_factory=dict)
    formats: dict[str, str] = Field(default_factory=dict)
    rules: tuple[dict[str, JsonValue], ...] = ()

    @property
    def shipped_profile(self) -> str | None:
        """The name of the shipped profile that is used; None if a file is used."""
        name = str(self.profile or DEFAULT_PROFILE)
        return name if name in SHIPPED_PROFILES else None

    @property
    def profile_file(self) -> Path | None:
        """The file of the profile that is used; None if a shipped profile is used."""
        return None if self.shipped_profile else self.profile

    @field_validator("reference", "profile", "waivers")
    @classmethod
    def _can_be_a_path(cls, path: Path | None) -> Path | None:
        if path is not None and "\0" in str(path):
            raise ValueError("a path cannot contain a NUL character")
        return path


def load_config(path: Path | None, folder: Path, base: Revision | None = None) -> Config:
    """Read the configuration.

    Args:
        path: Configuration file; None looks for `wfgate.toml`, then `[tool.wfgate]` in `pyproject.toml`, in `folder`
            and in each folder above it, up to the top of the git repository if it is in one.
        folder: Folder in which the search starts. Paths below this folder are returned relative to it.
        base: Git revision to read from; None reads from the disk.

    Returns:
        The settings, or the defaults if there is no configuration file. Relative paths in the file start at the folder
        of the file. If the file sets no waiver file, the nearest `wfgate-waivers.toml` is used, found in the same way.

    Raises:
        ConfigError: If the file is missing or malformed, or has an unknown key or an invalid value; or if something
            other than a regular file has one of the names that it looks for.
    """
    config = Config()
    for file in [path] if path else _upwards(folder, FILE_NAMES, base):
        table = _table(file, base)
        if table is not None:
            config = _parsed(file, table, folder)
            if config.rules:
                from wfgate.run.rule_tables import placed  # noqa: PLC0415 - only with own rules

                config = config.model_copy(update={"rules": placed(file, config.rules, toml_bytes(file, base))})
            break
        if path is not None:
            raise ConfigError(
                f"{path}: it has no [tool.wfgate] table", fix="add the table [tool.wfgate], or give another file"
            )
    if config.waivers is None:
        config = config.model_copy(update={"waivers": next(_upwards(folder, [WAIVERS_FILE], base), None)})
    return config


def found_config(folder: Path) -> Path | None:
    """Return the configuration file that `load_config` finds; None if there is none."""
    return next((file for file in _upwards(folder, FILE_NAMES, None) if _table(file, None) is not None), None)


def _upwards(folder: Path, names: Sequence[str], base: Revision | None) -> Iterator[Path]:
    """Yield the files with these names in a folder and in the folders above it, the nearest first.

    The last folder is the top of the repository: what is above it belongs to others.
    """
    here = folder.resolve()
    top = repository_of(here)
    for parent in (here, *here.parents):
        for name in names:
            path = (folder if parent == here else parent) / name
            # a pipe or device, too: it is an error when it is read
            if os.path.lexists(path) if base is None else base.read(path) is not None:
                yield path
        if parent == top:
            return


def named_from(folder: Path, path: Path) -> Path:
    """Return a path relative to a folder. A path that is not below the folder is returned unchanged.

    Symbolic links are not followed and `..` is not resolved.

    Example:
        >>> named_from(Path(), Path.cwd() / "approved/a.yaml").as_posix(), named_from(Path(), Path("/")).as_posix()
        ('approved/a.yaml', '/')
    """
    here = folder.resolve()
    return folder / path.relative_to(here) if path.is_relative_to(here) else path


def read_toml(path: Path, base: Revision | None = None) -> dict[str, Any]:
    """Read a TOML file.

    Args:
        path: The file.
        base: Git revision to read from; None reads from the disk.

    Raises:
        ConfigError: If the file is missing or not valid TOML, with the position of the error.
    """
    return toml_in(path, toml_bytes(path, base))


def toml_bytes(path: Path, base: Revision | None = None) -> bytes:
    """Return the content of a TOML file; the arguments are those of `read_toml`.

    Raises:
        ConfigError: If the file is missing or no regular file.
    """
    try:
        if base is None and os.path.lexists(path) and not path.is_file():
            raise ConfigError(f"{path}: not a regular file", fix="put a TOML file there, or remove it")
        content = path.read_bytes() if base is None else base.read(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {os_words(error)}", fix="check the path") from None
    if base is not None and content is None:
        raise ConfigError(f"{path}: not in the base revision {base.ref}", fix="commit it there, or check the path")
    return content or b""


def toml_in(path: Path, content: bytes) -> dict[str, Any]:
    """Return the values in the content of a TOML file.

    Args:
        path: The file, for messages.
        content: Its bytes.

    Raises:
        ConfigError: If it is not valid TOML, with the position of the error.
    """
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8: {error.reason} at byte {error.start}", fix="save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message, _, where = str(error).partition(" (at ")
        lines = content.decode("utf-8-sig").splitlines()
        at = re.findall(r"\d+", where) or ([str(len(lines))] if "end of document" in where else [])
        position = "".join(f":{number}" for number in at)
        number = int((at or ["0"])[0])
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        fix = "write true or false" if _YES.search(line) else "correct the file at this position"
        raise ConfigError(f"{path}{position}: not TOML: {message}", fix=fix) from None
    except ValueError:  # Python refuses to convert integers of thousands of digits
        raise ConfigError(
            f"{path}: a number is too long to be read", fix="write the number with fewer digits"
        ) from None


def _table(path: Path, base: Revision | None) -> dict[str, Any] | None:
    """Return the settings in a file; None for a `pyproject.toml` without `[tool.wfgate]`."""
    data = read_toml(path, base)
    if path.name != PYPROJECT:
        return data
    tool = data.get("tool", {})
    table = tool.get("wfgate") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.wfgate is not a table", fix="write [tool.wfgate]")
    return table


def _parsed(path: Path, table: dict[str, Any], folder: Path) -> Config:
    policy = table.get("policy")
    if isinstance(policy, dict) and "checks" in policy:
        raise ConfigError(
            f"{path}: policy.checks: unknown key", fix="move `checks` to the top level, as the table [checks]"
        )
    try:
        config = Config.model_validate(table)
    except (ConfigError, ValidationError) as error:
        problems = [*(_problems(error) if isinstance(error, ValidationError) else ()), *_unknown_checks(table)]
        if isinstance(error, ConfigError) and not problems:  # a check that is named twice
            problems = [("checks", error.message, error.fix or "")]
        message = "; ".join(f"{where}: {what}" for where, what, _ in problems)
        fixes = dict.fromkeys(fix for _, _, fix in problems)
        raise ConfigError(f"{path}: {message}", fix="; ".join(fixes)) from None
    for pattern, format_id in config.formats.items():
        try:
            if format_id != IGNORED:
                find(format_id)
        except ConfigError as error:
            raise ConfigError(f"{path}: formats.{pattern}: {error.message}", fix=error.fix) from None
    home = path.parent
    update: dict[str, Any] = {"policy": config.policy.model_copy(update={"checks": config.checks})}
    update |= {
        name: named_from(folder, home / value)
        for name, value in (
            ("reference", config.reference),
            ("profile", config.profile_file),
            ("waivers", config.waivers),
        )
        if value is not None
    }
    below = glob.escape(home.absolute().as_posix()) + "/"
    update["formats"] = {below + pattern: format_id for pattern, format_id in config.formats.items()}
    return config.model_copy(update=update)


def _problems(error: ValidationError) -> Iterator[tuple[str, str, str]]:
    """Yield where each mistake is, what it is, and how to correct it."""
    for one in error.errors():
        where = ".".join(str(part) for part in one["loc"])
        if one["type"] == "extra_forbidden":
            yield where, "unknown key", _suggestion(where)
        elif one["type"].startswith("bool_"):
            yield where, f"{one['input']!r} is neither true nor false", "write true or false, without quotes"
        else:
            yield where, one["msg"], "see `wfgate schema config`"


def _unknown_checks(table: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the checks that do not exist; pydantic looks for them only if all levels are valid."""
    named = table.get("checks")
    for name in named if isinstance(named, dict) else ():
        try:
            levels_of({name: "info"})
        except ConfigError as error:
            yield "checks", error.message, error.fix or ""


def _suggestion(where: str) -> str:
    """Return the fix for an unknown key: the most similar key, or the list of keys."""
    table, _, key = where.rpartition(".")
    tables: dict[str, type[Frozen]] = {"policy": Policy, "judge": JudgeSettings}
    inner = Prices if table.startswith("prices.") else Config
    known = list(tables.get(table, inner).model_fields)
    if near := get_close_matches(key, known, n=1):
        return f"did you mean {near[0]}?"
    if not table and key in Policy.model_fields:
        return f"move {key} to [policy]"
    return f"known keys are {', '.join(known)}"
