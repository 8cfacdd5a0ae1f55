"""Who approves, when, and at which commit: read from git, the clock and the account for the approval record."""

import getpass
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wfgate.baseline import Signer

_GIT_SECONDS = 20


BUILD_SERVERS = (
    "CI",
    "GITHUB_ACTIONS",
    "GITLAB_CI",
    "TF_BUILD",
    "BUILD_NUMBER",
    "JENKINS_URL",
    "TEAMCITY_VERSION",
    "CODEBUILD_BUILD_ID",
    "BITBUCKET_BUILD_NUMBER",
)
"""Environment variables that identify build servers. Most set `CI`; Azure Pipelines and Jenkins do not."""


def build_server() -> str | None:
    """Return the variable that identifies a build server; None without one, or if `CI` is 0, false or no."""
    values = {name: os.environ.get(name, "").strip().casefold() for name in BUILD_SERVERS}
    if values["CI"] in {"0", "false", "no"}:
        return None
    return next((name for name, value in values.items() if value not in {"", "0", "false", "no"}), None)


def refuse_in_ci(what: str) -> None:
    """Raise an error on a build server: approvals are made by people.

    Raises:
        ConfigError: On a build server.
    """
    from wfgate.errors import ConfigError

    if (name := build_server()) is not None:
        fix = "approve on your own machine and commit the result"
        raise ConfigError(f"{what} is refused on a build server ({name} is set)", fix=fix)


def signer(by: str | None, folder: Path, reason: str | None = None) -> "Signer":
    """Return the signer of an approval: name, time, commit, reason.

    Args:
        by: Name of the signer. By default git's `user.name` and `user.email`, else the name of the account.
        folder: Folder in which git is run.
        reason: Why it is approved.
    """
    from wfgate.baseline import Signer

    name, address = (_git(folder, "config", key) for key in ("user.name", "user.email"))
    known = f"{name} <{address}>" if name and address else name or address or _account()
    return Signer(
        by=" ".join((by or known).split()),
        when=datetime.now(tz=UTC).replace(microsecond=0),
        commit=_git(folder, "rev-parse", "HEAD"),
        reason=reason,
    )


def _account() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def _git(folder: Path, *arguments: str) -> str | None:
    """Return the output of a git command; None if git is not installed, fails, or prints nothing."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    try:
        done = subprocess.run(  # noqa: S603 - the arguments are constants
            ["git", "-C", str(folder), *arguments],  # noqa: S607 - the user's own git
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_GIT_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
