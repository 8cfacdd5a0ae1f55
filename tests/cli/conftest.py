"""The command line as people run it: its output, its exit code; in a process of its own where that is the subject."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from wfgate.approvals.signing import BUILD_SERVERS
from wfgate.cli import run

ROOT = Path(__file__).parents[2]
APPROVED = "examples/deploy/approved/deploy.yaml"
GENERATED = "examples/deploy/generated"
SUITE = "examples/deploy/suite.jsonl"

GOLDEN = """\
wfgate: "1"
name: Ship a report
steps:
  - {id: a, name: Collect the sales figures of the quarter}
  - {id: b, name: Remove duplicate rows from the table, needs: [a]}
  - {id: c, name: Convert every amount to euros, needs: [b]}
  - {id: d, name: Draw a chart of revenue by region, needs: [c]}
  - {id: e, name: Ask the finance lead to approve the numbers, needs: [d]}
  - {id: f, name: Publish the report on the intranet, needs: [e]}
  - {id: g, name: Email the link to all managers, needs: [f]}
"""
"""Seven steps in a row."""


@dataclass(frozen=True)
class Run:
    """What a process said, and how it ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


def wfgate(
    *args: str | Path,
    cwd: Path = ROOT,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
    terminal: bool = False,
) -> Run:
    """Run a command to its end as in a process of its own, but in this one: nothing is imported or loaded again."""
    before = dict(os.environ), Path.cwd()
    os.chdir(cwd)
    try:
        _set_environment(environment(env))
        return inline(*args, stdin=stdin, terminal=terminal)
    finally:
        _set_environment(before[0])
        os.chdir(before[1])


def process(
    *args: str | Path,
    cwd: Path = ROOT,
    stdin: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> Run:
    """Run a command in a process of its own, for what only a process can show; no traceback may come of it."""
    done = subprocess.run(
        command(*args),
        cwd=cwd,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        env=environment(env),
        capture_output=True,
        timeout=300,
        check=False,
    )
    ended = Run(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in ended.out + ended.err, ended.err
    return ended


class _Terminal(TextIOWrapper):
    """Standard input that says that a person types it."""

    def isatty(self) -> bool:
        return True


def inline(*args: str | Path, stdin: bytes | None = None, terminal: bool = False) -> Run:
    """Run a command in this process, in the folder and with the environment of the test."""
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    handler = signal.getsignal(signal.SIGTERM)
    out, err = TextIOWrapper(BytesIO(), "utf-8"), TextIOWrapper(BytesIO(), "utf-8")
    sys.argv, sys.stdout, sys.stderr = ["wfgate", *map(str, args)], out, err
    sys.stdin = (_Terminal if terminal else TextIOWrapper)(BytesIO(stdin or b""), "utf-8")
    try:
        run()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    finally:
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before
        signal.signal(signal.SIGTERM, handler)
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return Run(code, *said)


def _set_environment(wanted: Mapping[str, str]) -> None:
    for name in os.environ.keys() - wanted.keys():
        del os.environ[name]
    os.environ.update(wanted)


def command(*args: str | Path) -> list[str]:
    return [sys.executable, "-m", "wfgate", *map(str, args)]


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in {"NO_COLOR", "WFGATE_DEBUG", "FORCE_COLOR", *BUILD_SERVERS}
    }
    return {**kept, "COLUMNS": "80", **(changes or {})}


def on_no_build_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have commands believe that they run on somebody's own machine, also where the tests do not."""
    for name in BUILD_SERVERS:
        monkeypatch.delenv(name, raising=False)


@cache
def once(*args: str) -> Run:
    """Run a command from the root of the checkout; several tests look at the same run."""
    return wfgate(*args)


def is_error(ended: Run, code: int, *said: str) -> bool:
    """Assert that a run failed as it should: nothing on standard output, one clear message, a way out."""
    assert (ended.code, ended.out) == (code, ""), ended
    assert ended.err.startswith("error: ")
    assert "\n  fix: " in ended.err
    assert len(ended.err.splitlines()) == 2
    for words in said:
        assert words in ended.err, ended.err
    return True


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("golden") / "report.yaml"
    path.write_text(GOLDEN)
    return path


@pytest.fixture(scope="session")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files from which no workflow can be read."""
    folder = tmp_path_factory.mktemp("bad")
    texts = {
        "empty.yaml": b"",
        "blank.yaml": b" \n\n",
        "binary.yaml": bytes(range(256)) * 8,
        "latin1.yaml": "wfgate: '1'\nsteps: [Präsentieren]\n".encode("latin-1"),
        "deep.json": b"[" * 100_000,
        "deep.yaml": b"a: " + b"[" * 5_000,
        "bomb.yaml": b"a0: &a0 [x, x]\n"
        + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 12)),
        "twice.yaml": b'wfgate: "1"\nsteps: [Build]\nsteps: [Test]\n',
        "twice.json": b'{"wfgate": "1", "steps": ["Build"], "steps": ["Test"]}',
        "unknown.yaml": b'wfgate: "1"\nsteps: [Build]\nsetps: [Test]\n',
        "truncated.json": b'{"wfgate": "1", "steps": ["Bui',
        "tabs.yaml": b'wfgate: "1"\nsteps:\n\t- Build\n',
        "python.yaml": b'wfgate: "1"\nsteps: !!python/object/apply:os.system ["true"]\n',
        "list.json": b"[1, 2, 3]",
        "prose.txt": b"Dear team, please deploy the thing.\n",
        HOSTILE: b'wfgate: "1"\nsteps: {\n',
    }
    for name, content in texts.items():
        (folder / name).write_bytes(content)
    with (folder / "big.yaml").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    (folder / "folder.yaml").mkdir()
    (folder / "loop.yaml").symlink_to("loop.yaml")
    (folder / "zero.yaml").symlink_to("/dev/zero")
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe.yaml")
    (folder / "secret.yaml").write_text(GOLDEN)
    (folder / "secret.yaml").chmod(0 if os.geteuid() else stat.S_IRUSR)
    if not os.geteuid():
        (folder / "secret.yaml").unlink()  # nothing is unreadable for root
    return folder


HOSTILE = "a\nb\x1b[31m[bold]<b>&.yaml"
"""A file name that tries to be a line break, a colour and markup."""
