"""Runs the commands of README and docs/, and writes their output into the pages.

A page is run from top to bottom in one folder that has a copy of `DATA`. Its blocks of the language `sh` are run, line
by line; a comment `# exit code N` at the end of a line states an exit code that is not 0. Blocks of the language
`shell` are not run. A block of the language `text` after the marker `<!-- output -->` is what the block before it
prints; `<!-- output: N lines -->` keeps the first N lines, `<!-- output: last N lines -->` the last. A page with the
marker `<!-- slow -->` is only run if that is requested.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from pathlib import Path

from wfgate.approvals.signing import BUILD_SERVERS
from wfgate.cli import run

BLOCK = re.compile(
    r"^```sh\n(?P<commands>.*?)^```$"
    r"(?:\n\n(?P<marker><!-- output(?:: (?P<last>last )?(?P<lines>\d+) lines)? -->)\n```text\n.*?^```$)?",
    re.DOTALL | re.MULTILINE,
)
COMMIT = re.compile(r"\b[0-9a-f]{12}\b")
"""The name of a commit; it is another one in each run."""
PROGRESS = re.compile(r"^[a-z ]+: [\d,]+ of [\d,]+, about .* left\n", re.MULTILINE)
"""A line about the progress of a command that takes long; it is another one in each run."""
SLOW = "<!-- slow -->"
DATA = ("examples", "calibration/corpora/ops")
"""What a reader has in the checkout, and the pages use."""
ENVIRONMENT = {
    "NO_COLOR": "1",
    "WFGATE_CACHE": "off",
    "SOURCE_DATE_EPOCH": "1782900000",  # the time of runs in a history
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


class CommandError(Exception):
    """A command of a page ended with another exit code than the page states."""


def written_pages(root: Path) -> list[Path]:
    """Return README and the pages of docs/ that people write: all except those generated per check and format."""
    made = {root / "docs" / "checks", root / "docs" / "formats"}
    pages = sorted((root / "docs").rglob("*.md"))
    return [root / "README.md", *(path for path in pages if path.parent not in made or path.name == "index.md")]


def with_output(text: str, root: Path, *, slow: bool) -> str:
    """Return a page with the output of its commands made again; without running anything if it has no commands.

    Raises:
        CommandError: If a command ends with another exit code than the page states.
    """
    if not BLOCK.search(text) or (SLOW in text and not slow):
        return text
    with _checkout(root):

        def again(match: re.Match[str]) -> str:
            printed = "".join(_run(command) for command in _commands(match["commands"]))
            block = f"```sh\n{match['commands']}```"
            if not match["marker"]:
                return block
            printed = COMMIT.sub("0123456789ab", PROGRESS.sub("", printed)).rstrip("\n")
            lines = [line.rstrip() for line in printed.split("\n")]
            shown = "\n".join(_kept(lines, int(match["lines"] or 0), last=bool(match["last"])))
            return f"{block}\n\n{match['marker']}\n```text\n{shown}\n```"

        return BLOCK.sub(again, text)


def _kept(lines: list[str], count: int, *, last: bool) -> list[str]:
    """Return the first or last lines, with a mark where others are left out; all lines if `count` is 0."""
    if not 0 < count < len(lines):
        return lines
    return ["...", *lines[-count:]] if last else [*lines[:count], "..."]


@contextmanager
def _checkout(root: Path) -> Iterator[None]:
    """Work in a copy of the data, outside of a build server."""
    before = dict(os.environ), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name in DATA:
            shutil.copytree(root / name, Path(folder) / name)
        os.chdir(folder)
        for name in BUILD_SERVERS:
            os.environ.pop(name, None)
        os.environ.update(ENVIRONMENT)
        try:
            yield
        finally:
            os.chdir(before[1])
            os.environ.clear()
            os.environ.update(before[0])


def _commands(block: str) -> list[str]:
    lines = block.replace("\\\n", " ").splitlines()
    return [part for line in lines if line.strip() and not line.startswith("#") for part in line.split(" && ")]


def _run(line: str) -> str:
    """Run a command in this process if it is one of wfgate, else in a shell, and return what it prints."""
    words = shlex.split(line, comments=True)
    if words[0] == "cd":
        os.chdir(words[1])
        return ""
    if words[0] == "wfgate":
        code, printed = _wfgate(words[1:])
    else:
        shell = ["bash", "-c", line]
        done = subprocess.run(shell, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        code, printed = done.returncode, done.stdout.decode()
    stated = re.search(r"# exit code (\d+)$", line)
    if code != (int(stated[1]) if stated else 0):
        raise CommandError(f"{line}\nends with exit code {code}:\n{printed}")
    return printed


def _wfgate(arguments: list[str]) -> tuple[int, str]:
    before = sys.argv, sys.stdout, sys.stderr, signal.getsignal(signal.SIGTERM)
    stream = TextIOWrapper(BytesIO(), "utf-8", write_through=True)
    sys.argv, sys.stdout, sys.stderr = ["wfgate", *arguments], stream, stream
    code = 0
    try:
        run()
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    finally:
        sys.argv, sys.stdout, sys.stderr = before[:3]
        signal.signal(signal.SIGTERM, before[3])
    return code, stream.buffer.getvalue().decode()  # type: ignore[attr-defined]
