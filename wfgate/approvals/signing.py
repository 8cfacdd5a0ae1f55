"""Finds the approver and the commit of an approval. The time and the environment are arguments."""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from wfgate.approvals.approvals import Signer
from wfgate.errors import ConfigError
from wfgate.run import git_output

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
"""Variables that identify a build server. Most servers set `CI`; Azure Pipelines and Jenkins do not."""
_OFF = {"", "0", "false", "no"}


def build_server(environ: Mapping[str, str]) -> str | None:
    """Return the environment variable that shows that this is a build server; None if there is no such variable."""
    values = {name: environ.get(name, "").strip().casefold() for name in BUILD_SERVERS}
    return next((name for name, value in values.items() if value not in _OFF), None)


def refuse_in_ci(command: str, environ: Mapping[str, str]) -> None:
    """Raise an error on a build server, where an approval is a mistake.

    It prevents mistakes, not attacks: anyone who can unset these variables can also write the files. Whose approvals
    count is decided by `OwnedRevision` and `Repository`.

    Raises:
        ConfigError: On a build server.
    """
    if (name := build_server(environ)) is not None:
        fix = "run the command on your own machine, and commit the result"
        raise ConfigError(f"{command} is not allowed on a build server ({name} is set)", fix=fix)


def signer(
    by: str | None, folder: Path, when: datetime, environ: Mapping[str, str], reason: str | None = None
) -> Signer:
    """Return the approver, the time and the commit of an approval.

    Args:
        by: Name of the approver; by default git's `user.name` and `user.email`, else the user account in `environ`.
        folder: Folder of the repository.
        when: The time of the approval.
        environ: The environment variables.
        reason: Why the approval is right.
    """
    name, address = (git_output(folder, "config", key) for key in ("user.name", "user.email"))
    account = next((environ[key] for key in ("LOGNAME", "USER", "USERNAME") if environ.get(key)), "unknown")
    known = f"{name} <{address}>" if name and address else name or address or account
    return Signer(
        by=" ".join((by or known).split()),
        when=when.replace(microsecond=0),
        commit=git_output(folder, "rev-parse", "HEAD"),
        reason=reason,
        person=bool(by or name or address),
    )
