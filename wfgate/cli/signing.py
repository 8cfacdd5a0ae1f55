"""Who approves, when and where: what the baseline records and does not find out itself."""

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
"""Variables by which build servers are known; most of them set `CI`, Azure Pipelines and Jenkins do not."""


def build_server() -> str | None:
    """Return the variable that tells that this is a build server; none tells so where `CI` is said to be false."""
    values = {name: os.environ.get(name, "").strip().casefold() for name in BUILD_SERVERS}
    if values["CI"] in {"0", "false", "no"}:
        return None
    return next((name for name, value in values.items() if value not in {"", "0", "false", "no"}), None)


def refuse_in_ci(what: str) -> None:
    """Refuse to approve where nobody looks.

    Raises:
        ConfigError: On a build server.
    """
    from wfgate.errors import ConfigError

    if (name := build_server()) is not None:
        fix = "approve on your own machine, and commit it"
        raise ConfigError(f"{what} writes nothing on a build server ({name} is set)", fix=fix)


def signer(by: str | None, folder: Path, reason: str | None = None) -> "Signer":
    """Return who approves now.

    Args:
        by: A name that was given; git's `user.name` and `user.email` by default, else the name of the account.
        folder: Where to ask git.
        reason: Why, in words.
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
    """Return what git says; None where it is not installed, fails, or has nothing to say."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    try:
        done = subprocess.run(  # noqa: S603 - arguments of our own
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
