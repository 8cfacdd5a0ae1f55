"""Runs git: the only place that does."""

import os
import shutil
import subprocess
from pathlib import Path

from wfgate.errors import ConfigError
from wfgate.read import repository_of

_OPTIONS = (
    "--no-pager",
    "--no-optional-locks",
    "--no-replace-objects",
    "--literal-pathspecs",
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.commitGraph=false"),
)
"""Options of each git process: nothing that the repository configures runs or changes the history."""


def require_inside(path: Path) -> None:
    """Check that a file of the checkout around the current folder is no link out of it.

    What it leads to may be another file where the workflow runs, and its content is not a part of the change.

    Raises:
        ConfigError: If a link leads out of the checkout. Paths outside of it are not checked.
    """
    top = repository_of(Path.cwd())
    whole = Path(os.path.normpath(Path.cwd() / path))
    if top is not None and whole.is_relative_to(top) and not whole.resolve().is_relative_to(top.resolve()):
        raise ConfigError(f"{path}: a link that leaves the checkout", fix="replace the link by the file")


def git(folder: Path, *arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Return the exit status and the output of git, run in a folder.

    Raises:
        ConfigError: If git is not installed.
    """
    program = shutil.which("git")
    if program is None:
        raise ConfigError("git is not installed", fix="install git")
    return subprocess.run(  # noqa: S603 - no shell, no options
        [program, *_OPTIONS, "-C", str(folder), *arguments],
        input=data,
        capture_output=True,
        check=False,
    )


def git_output(folder: Path, *arguments: str) -> str | None:
    """Return the output of git; None if git is not installed, fails, or prints nothing."""
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    try:
        done = git(folder, *arguments)
    except ConfigError:
        return None
    return (done.stdout.decode(errors="replace").strip() or None) if done.returncode == 0 else None


def complaint(done: subprocess.CompletedProcess[bytes]) -> tuple[str, str]:
    """Return the first line of the error message of git, and the others as one line (its advice, or empty)."""
    first, *others = done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"]
    return first.removeprefix("fatal: "), " ".join(" ".join(others).split())
