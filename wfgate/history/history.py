"""Reads and extends a history: one run per line, in JSON Lines. A history never changes a verdict."""

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import from_json

from wfgate.base import write_atomically
from wfgate.decide import Origin, RunRecord, address, record_of
from wfgate.errors import CalibrationError, ConfigError, first_problem, os_words
from wfgate.history.results import read_result
from wfgate.read import records
from wfgate.run import git_output

EPOCH = "SOURCE_DATE_EPOCH"
"""Environment variable with the time of a run in seconds since 1970 (https://reproducible-builds.org)."""
_COMMIT = ("GITHUB_SHA", "CI_COMMIT_SHA")
_REF = ("GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME")
"""In a pull request on GitHub, only the first one is the name of a branch."""


def origin_of(environ: Mapping[str, str], folder: Path, now: datetime, url: str | None = None) -> Origin:
    """Return where and when a run takes place: from the variables of GitHub and GitLab, else from git.

    Args:
        environ: The environment variables. `SOURCE_DATE_EPOCH` is the time of the run.
        folder: Folder of the repository.
        now: The time of the run without `SOURCE_DATE_EPOCH`.
        url: Where the report will be; by default the address of the run on GitHub or of the job on GitLab.

    Raises:
        ConfigError: If `url` is not an address, or `SOURCE_DATE_EPOCH` is not a time.
    """
    commit = _first(environ, _COMMIT) or git_output(folder, "rev-parse", "HEAD")
    ref = _first(environ, _REF) or git_output(folder, "symbolic-ref", "--short", "HEAD")
    when = _moment(environ) or now.astimezone(UTC).replace(microsecond=0)
    try:
        page = address(url) if url is not None else _run_address(environ)
    except ValueError as error:
        raise ConfigError(f"--run-url: {error}", fix="give the address of the report of this run") from None
    return Origin(when=when, commit=commit, ref=ref, url=page)


def _first(environ: Mapping[str, str], names: Sequence[str]) -> str | None:
    return next((environ[name] for name in names if environ.get(name)), None)


def _moment(environ: Mapping[str, str]) -> datetime | None:
    text = environ.get(EPOCH, "").strip()
    if not text:
        return None
    fix = "give seconds since 1970: SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)"
    if not re.fullmatch(r"\d{1,11}", text):
        raise ConfigError(f"{EPOCH}: {text!r} is not a time", fix=fix)
    return datetime.fromtimestamp(int(text), tz=UTC)


def _run_address(environ: Mapping[str, str]) -> str | None:
    server, repository, run = (environ.get(f"GITHUB_{name}") for name in ("SERVER_URL", "REPOSITORY", "RUN_ID"))
    known = f"{server}/{repository}/actions/runs/{run}" if server and repository and run else None
    try:
        return address(known or environ.get("CI_JOB_URL", ""))
    except ValueError:  # none, or one that no page may link
        return None


def read_runs(path: Path) -> tuple[RunRecord, ...]:
    """Return the runs in a file, the first one first: a history (JSON Lines), or a JSON result, which is one run.

    Raises:
        CalibrationError: If the file cannot be read, or a line is not a run.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        fix = "check the path; `wfgate gate --history FILE` starts a history"
        raise CalibrationError(f"{path}: the history cannot be read: {os_words(error)}", fix=fix) from error
    if _is_result(content):
        return (record_of(read_result(path), source=str(path)),)
    return tuple(_run(path, number, record) for number, record in records(path))


def _is_result(content: bytes) -> bool:
    try:
        data = from_json(content)
    except ValueError:  # several lines, or damaged
        return False
    return isinstance(data, dict) and str(data.get("schema")).startswith("wfgate.result/")


def _run(path: Path, number: int, record: dict[str, object]) -> RunRecord:
    try:
        return RunRecord.model_validate(record | {"source": f"{path}:{number}"})
    except ValidationError as error:
        raise CalibrationError(
            f"{path}:{number}: not a run of `wfgate gate --history`: {first_problem(error, 'the run')}",
            fix="delete the line, or restore the file",
        ) from None


def append(path: Path, run: RunRecord) -> None:
    """Add a run to a history; the file is made if it does not exist.

    The file is replaced as a whole, so that nobody reads half a line. Runs that add to the same file at the same time
    wait for each other (not on Windows, which has no `fcntl`).

    Raises:
        CalibrationError: If the file is not a history.
        OSError: If the file cannot be written.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        content = path.read_bytes()
        if content.strip() and _is_result(content):
            raise CalibrationError(f"{path}: the file is a result, not a history", fix="give another file")
        read_runs(path)
        line = json.dumps(run.model_dump(mode="json", by_alias=True), allow_nan=False)
        ended = content if not content or content.endswith(b"\n") else content + b"\n"
        write_atomically(path, ended + line.encode() + b"\n")


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file, which is made if it does not exist."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        path.touch()
        yield
        return
    while True:
        with path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # While this process waited, another one may have replaced the file: then the lock is on the old one.
            if path.exists() and os.path.samestat(os.fstat(file.fileno()), path.stat()):
                yield
                return
