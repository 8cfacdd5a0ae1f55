"""What goes wrong around the gate: disks, folders, processes, signals, services. Real processes, real files.

Shown elsewhere: unreadable and hostile files (`cli/test_bad_input.py`), a spoiled, locked or missing cache
(`test_store.py`), a spoiled score table (`calibration/test_score_table.py`), vanished dask workers and schedulers
(`calibration/test_dask.py`), Ctrl-C in a calibration and a reader that goes away (`cli/test_process.py`), most of what
a service does wrong (`llm/test_client.py`), kills of a whole calibration (`test_kills.py`).
"""

import json
import os
import re
import resource
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import (
    APPROVED,
    GENERATED,
    GOLDEN,
    ROOT,
    Run,
    command,
    environment,
    inline,
    is_error,
    once,
    wfgate,
)
from wfgate.base import Store, key_of, worker_pool
from wfgate.cli import options
from wfgate.decide import default_profile
from wfgate.errors import LlmMalformedError, LlmServiceError, WorkerLostError
from wfgate.llm import Client, Limits, LlmQuestion, Message, service

FULL = Path("/dev/full")
GATE = ("gate", ROOT / GENERATED / "reworded.yaml", "-r", ROOT / APPROVED)
POSIX = pytest.mark.skipif(os.name != "posix", reason="no signals and no permissions here")


def ended(*args: str | Path, **given: Any) -> Run:
    """Run a command with whatever a process can be given, behind another command if there is one."""
    done = subprocess.run(
        [*given.pop("before", ()), *command(*args)],
        # A process whose files are cut must not write compiled modules: Python would leave cut ones to all later runs.
        env=environment({"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **given.pop("env", {})}),
        stdin=subprocess.DEVNULL,
        stdout=given.pop("stdout", subprocess.PIPE),
        stderr=given.pop("stderr", subprocess.PIPE),
        cwd=given.pop("cwd", ROOT),
        timeout=300,
        check=False,
        **given,
    )
    said = Run(done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode())
    assert "Traceback" not in said.out + said.err, said.err
    return said


# --- a full disk -----------------------------------------------------------------------------------------------------


def small_files(size: int) -> Callable[[], None]:
    """Let the process write no file beyond a size: what a full disk does, without one."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize(
    "arguments",
    [("list", "checks"), *(pytest.param(each, marks=pytest.mark.slow) for each in (GATE, ("lint", ROOT / APPROVED)))],
    ids=lambda given: given[0],
)
def test_a_full_disk_behind_standard_output(arguments: tuple[str, ...]):
    with FULL.open("wb") as full:
        said = ended(*arguments, stdout=full)
    assert is_error(said, 2, "standard output cannot be written: no space left on device")


@pytest.mark.slow
@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
def test_a_full_disk_behind_standard_error_changes_no_exit_code():
    with FULL.open("wb") as full:
        assert ended("convert", "nowhere", "--to", "native", stderr=full).code == 3


@POSIX
@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        pytest.param("1>&-", ("lint", APPROVED), 0, marks=pytest.mark.slow),
        pytest.param("2>&-", ("convert", "nowhere", "--to", "native"), 3, marks=pytest.mark.slow),
        ("0<&- 1>&- 2>&-", ("convert", "nowhere", "--to", "native"), 3),
    ],
)
def test_closed_streams_change_no_exit_code(closed: str, arguments: tuple[str, ...], code: int):
    given = ["sh", "-c", f'"$@" {closed}', "sh", *command(*arguments)]
    assert subprocess.run(given, cwd=ROOT, env=environment(), check=False).returncode == code


@POSIX
def test_a_report_for_which_there_is_no_room_leaves_the_old_one(tmp_path: Path):
    report = tmp_path / "result.json"
    report.write_text("old")
    said = ended("lint", ROOT / APPROVED, "-f", "json", "-o", report, preexec_fn=small_files(10))
    assert is_error(said, 2, "result.json: the file cannot be written: file too large")
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]
    assert report.read_text() == "old"


@POSIX
@pytest.mark.slow
def test_a_cache_for_which_there_is_no_room_is_no_reason_to_fail(tmp_path: Path):
    said = ended(*GATE, env={"WFGATE_CACHE": str(tmp_path)}, preexec_fn=small_files(1000))
    assert (said.code, said.err) == (0, "")
    assert said.out == wfgate(*GATE).out


@POSIX
@pytest.mark.slow
def test_a_score_table_for_which_there_is_no_room(corpus: Path, tmp_path: Path):
    arguments = ("calibrate", corpus, "--output", tmp_path / "p.json", "--jobs", "1")
    said = ended(*arguments, preexec_fn=small_files(60_000))
    assert is_error(said, 2, "p.scores.sqlite: the score table cannot be used", "the disk is not full")
    assert not (tmp_path / "p.json").exists()
    assert wfgate(*arguments).code == 0  # with room, it goes on


# --- what may not be read or written ---------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder with two references and two candidates; its owner may do everything again when the test is over."""
    for kind in ("approved", "new"):
        (tmp_path / kind / "team").mkdir(parents=True)
        for workflow in ("report", "team/report"):
            (tmp_path / kind / f"{workflow}.yaml").write_text(GOLDEN)
    yield tmp_path
    for folder in (tmp_path, *(tmp_path / kind / name for kind in ("approved", "new") for name in (".", "team"))):
        if folder.exists():
            folder.chmod(0o700)


@pytest.fixture
def anyone(place: Path) -> Callable[..., Run]:
    """Run a command as somebody for whom permissions count: they do not for root."""
    plain = ("setpriv", "--bounding-set=-all", "--inh-caps=-all") if not os.geteuid() else ()
    if plain and not shutil.which("setpriv"):
        pytest.skip("root may do everything here")
    return lambda *args: ended(*args, cwd=place, before=plain)


@pytest.mark.slow
@POSIX
def test_a_folder_in_which_nothing_may_be_written(anyone: Callable[..., Run], place: Path):
    gate = ("gate", "new", "-r", "approved")
    for folder in (place, place / "approved", place / "approved" / "team"):
        folder.chmod(0o500)
    assert anyone(*gate).code == 0
    assert is_error(anyone(*gate, "-o", "report.txt"), 2, "report.txt: the file cannot be written: permission denied")
    assert is_error(anyone("calibrate", "new", "-o", "deep/p.json"), 2, "cannot be written: permission denied")
    calibrated = anyone("calibrate", "new", "-o", "p.json")
    assert (calibrated.code, "\nerror: 1 usable golden" in calibrated.err) == (2, True)
    assert is_error(
        anyone(
            "approve",
            "new/report.yaml",
            "-r",
            "approved",
            "--by",
            "me",
            "--variant",
            "--name",
            "two",
            "--reason",
            "meant by all",
        ),
        2,
        "denied",
    )
    assert sorted(path.name for path in place.iterdir()) == ["approved", "new"]
    assert sorted(path.name for path in (place / "approved").iterdir()) == ["report.yaml", "team"]


@pytest.mark.slow
@POSIX
@pytest.mark.parametrize("kind", ["new", "approved"])
def test_files_and_folders_that_may_not_be_read_are_never_left_out(anyone: Callable[..., Run], place: Path, kind: str):
    (place / kind / "report.yaml").chmod(0)
    said = anyone("gate", "new", "-r", "approved")
    assert said.code == 3
    assert f"{kind}/report.yaml: cannot be read: permission denied" in " ".join(said.out.split())
    (place / kind / "report.yaml").chmod(0o644)
    for mode in (0, 0o400):  # may not be listed; may be listed, and nothing in it looked at
        (place / kind / "team").chmod(mode)
        shutil.rmtree(place / ("approved" if kind == "new" else "new") / "team", ignore_errors=True)
        assert is_error(anyone("gate", "new", "-r", "approved"), 2, "team", "permission denied")


@pytest.mark.slow
@POSIX
def test_what_decides_and_may_not_be_read(anyone: Callable[..., Run], place: Path):
    for name, flag in (("p.json", "--profile"), ("w.toml", "--waivers"), ("c.toml", "--config")):
        (place / name).touch(mode=0)
        said = anyone("gate", "new", "-r", "approved", flag, name)
        assert (said.code, said.out) == (2, "")
        assert re.search(f"{name}.*(cannot be read: permission denied|is not readable)", said.err)
    (place / "s.jsonl").touch(mode=0)
    assert is_error(anyone("gate", "--pairs", "s.jsonl"), 2, "s.jsonl: cannot be read: permission denied")
    (place / "wfgate.toml").touch(mode=0)
    assert is_error(anyone("gate", "new", "-r", "approved"), 2, "wfgate.toml: cannot be read: permission denied")


# --- caches ----------------------------------------------------------------------------------------------------------


def other_schema(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE known (name TEXT, wrong REAL)")
        connection.execute("INSERT INTO known VALUES ('x', 1.5)")


def halved(path: Path) -> None:
    Store(path).write({key_of(str(number)): bytes(1000) for number in range(100)})
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b"garbage" * 999),
        lambda path: path.write_bytes(b""),
        halved,
        other_schema,
        lambda path: path.mkdir(),
    ],
    ids=["garbage", "empty", "truncated", "other schema", "folder"],
)
def test_a_spoiled_cache_changes_nothing(spoil: Callable[[Path], Any], tmp_path: Path, monkeypatch: Any):
    usual = once(*map(str, GATE), "-f", "json")
    spoil(tmp_path / "computed.sqlite")
    monkeypatch.setenv("WFGATE_CACHE", str(tmp_path))
    assert inline(*GATE, "-f", "json") == usual
    assert inline(*GATE, "-f", "json") == usual  # also from what the first one left


def test_a_cache_that_somebody_keeps_locked_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("wfgate.base.store._WAIT", 0.3)
    waited = []
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, timeout: waited.append(timeout) or connect(path, timeout))
    path = tmp_path / "computed.sqlite"
    Store(path).write({b"a": b"1"})
    waited.clear()
    with closing(connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store = Store(path)
        for _ in range(3):
            store.write({b"b": b"2"})
        assert store.read([b"a"]) == {b"a": b"1"}
        assert waited == [0.3, 0.0, 0.0, 0.0]
    store.write({b"b": b"2"})
    assert store.read([b"b"]) == {b"b": b"2"}


@pytest.mark.slow
def test_two_gates_at_once_share_a_cache(tmp_path: Path):
    usual = wfgate(*GATE, "-f", "json").out
    started = [
        subprocess.Popen(
            command(*GATE, "-f", "json"),
            cwd=ROOT,
            env=environment({"WFGATE_CACHE": str(tmp_path)}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for process in started:
        assert (*process.communicate(), process.returncode) == (usual, "", 0)
    with closing(sqlite3.connect(tmp_path / "computed.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM known").fetchone()[0] > 0


# --- clocks ----------------------------------------------------------------------------------------------------------


def clock(year: int) -> type[datetime]:
    """Make a clock that stands in a year."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime(year, 6, 1, tzinfo=tz or UTC)

    return Clock


@pytest.mark.parametrize(("year", "code"), [(1, 0), (1970, 0), (2027, 0), (2028, 4), (9999, 4)])
def test_a_clock_that_jumps_decides_about_a_profile_by_its_day(
    year: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    data = json.loads(default_profile().to_json()) | {"expires": "2027-06-01"}
    (tmp_path / "p.json").write_text(json.dumps(data))
    monkeypatch.setattr(options, "datetime", clock(year))
    said = inline(*GATE, "--profile", tmp_path / "p.json")
    assert said.code == code
    assert ("the profile expired on 2027-06-01" in said.err) is (code == 4)


@pytest.mark.parametrize(("year", "code"), [(1, 0), (2027, 0), (2028, 1), (9999, 1)])
def test_a_clock_that_jumps_decides_about_a_waiver_by_its_day(
    year: int, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "w.toml").write_text(
        '[[waiver]]\nfingerprint = "58f420240909b1bc"\nreason = "r"\nowner = "o"\nexpires = 2027-06-01\n'
    )
    monkeypatch.setattr(options, "datetime", clock(year))
    bad = ROOT / GENERATED / "missing-hardening.yaml"
    said = inline("gate", bad, "-r", ROOT / APPROVED, "--waivers", tmp_path / "w.toml")
    assert said.code == code
    assert ("expired on 2027-06-01 [WP001]" in " ".join(said.out.split())) is (code == 1)


# --- processes and signals -------------------------------------------------------------------------------------------


@POSIX
def test_a_worker_that_is_killed_is_named():
    with (
        pytest.raises(WorkerLostError, match="a worker process was killed") as raised,
        worker_pool(2, int, ()) as pool,
    ):
        list(pool.map(signal.raise_signal, [signal.SIGKILL] * 2))
    assert "--jobs" in (raised.value.fix or "")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """The six smallest goldens of the operations corpus."""
    lines = (ROOT / "calibration/corpora/ops/ops.jsonl").read_text("utf-8").splitlines()
    lines = sorted(lines, key=lambda line: len(json.loads(line)["steps"]))[:6]
    (tmp_path / "own.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path / "own.jsonl"


def suite(tmp_path: Path, cases: int) -> Path:
    """A suite that takes long enough to be interrupted, and is big enough for several processes."""
    place = {"golden": str(ROOT / APPROVED), "candidate": str(ROOT / GENERATED / "reworded.yaml")}
    path = tmp_path / "suite.jsonl"
    path.write_text("".join(json.dumps({"id": f"case {number}", **place}) + "\n" for number in range(cases)))
    return path


def started(*arguments: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(*arguments),
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def children(process: subprocess.Popen[str]) -> list[int]:
    """Wait for the worker processes of a process, and return them."""
    found: list[int] = []
    while process.poll() is None and len(found) < 2:
        time.sleep(0.05)  # until they are there: there is nothing else to wait for
        tasks = Path(f"/proc/{process.pid}/task").glob("*/children")
        begun = [int(child) for task in tasks for child in task.read_text().split()]
        found = [child for child in begun if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]
    return found


def stop(process: subprocess.Popen[str], sign: signal.Signals) -> Run:
    process.send_signal(sign)
    out, err = process.communicate(timeout=300)
    return Run(process.returncode, out, err)


@POSIX
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks processes up in /proc")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_a_gate_that_is_told_to_stop_ends_with_130_and_no_report(sign: signal.Signals, tmp_path: Path):
    report = tmp_path / "result.json"
    process = started("gate", "--pairs", suite(tmp_path, 5000), "-j", "2", "-f", "json", "-o", report)
    workers = children(process)
    assert stop(process, sign) == Run(130, "", "error: interrupted\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["suite.jsonl"]
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


@POSIX
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks processes up in /proc")
def test_a_gate_whose_worker_is_killed_is_never_green(tmp_path: Path):
    report = tmp_path / "result.json"
    process = started("gate", "--pairs", suite(tmp_path, 5000), "-j", "2", "-f", "json", "-o", report)
    os.kill(children(process)[0], signal.SIGKILL)
    out, err = process.communicate(timeout=300)
    assert is_error(Run(process.returncode, out, err), 2, "a worker process was killed or ran out of memory")
    assert not report.exists()


@POSIX
@pytest.mark.slow
def test_a_calibration_that_is_told_to_stop_says_how_it_goes_on(corpus: Path, tmp_path: Path):
    process = started("calibrate", corpus, "--output", tmp_path / "p.json", "--jobs", "1")
    while process.poll() is None and not (tmp_path / "p.scores.sqlite").exists():
        time.sleep(0.05)  # until it works: there is nothing else to wait for
    said = stop(process, signal.SIGTERM)
    assert is_error(said, 130, "error: interrupted", f"resumes from {tmp_path / 'p.scores.sqlite'}")
    assert not (tmp_path / "p.json").exists()


# --- a model's service -----------------------------------------------------------------------------------------------

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


def reset(connection: socket.socket) -> None:
    connection.sendall(HEAD + b'Content-Length: 1000\r\n\r\n{"id": ')
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def hang_up(connection: socket.socket) -> None:
    connection.sendall(HEAD + b'Content-Length: 1000\r\n\r\n{"id": ')


def drip(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"\r\n")
    while True:
        connection.sendall(b"\n")  # what some services send while they think
        time.sleep(0.02)


def drip_before(connection: socket.socket) -> None:
    connection.sendall(HEAD)
    for _ in range(150):  # whoever asked has long gone; what still reads for it is nobody's business
        connection.sendall(b"X-Wait: a little\r\n")
        time.sleep(0.02)


def flood(connection: socket.socket) -> None:
    connection.sendall(HEAD + b"\r\n")
    while True:
        connection.sendall(b" " * (1 << 20))


def noise(connection: socket.socket) -> None:
    connection.sendall(bytes(range(256)) * 4)


def redirect(connection: socket.socket) -> None:
    where = b"Location: http://127.0.0.1:%d/elsewhere\r\n" % connection.getsockname()[1]
    connection.sendall(b"HTTP/1.1 307 Temporary Redirect\r\n" + where + b"Content-Length: 0\r\n\r\n")


def page(connection: socket.socket) -> None:
    text = b"<html>Please log in</html>"
    connection.sendall(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text)
    )


class Faulty:
    """A service that answers each request with the same fault."""

    def __init__(self, fault: Callable[[socket.socket], None]) -> None:
        self.fault = fault
        self.asked: list[bytes] = []
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self) -> None:
        while True:
            connection, _ = self.listening.accept()
            with connection:
                data = connection.recv(1 << 16)
                if not data:
                    return
                while not data.endswith(b"}"):  # a request is one object of JSON
                    data += connection.recv(1 << 16)
                self.asked.append(data)
                try:
                    self.fault(connection)
                except OSError:  # who asked hung up
                    continue

    def close(self) -> None:
        with socket.create_connection(self.listening.getsockname()):
            pass  # says nothing: that ends it
        self.thread.join()
        self.listening.close()


@pytest.fixture
def faulty(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Faulty]:
    service = Faulty(request.param)
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{service.listening.getsockname()[1]}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "secret-of-the-test")
    yield service
    service.close()


@pytest.mark.parametrize(
    ("faulty", "kind", "said"),
    [
        (reset, LlmServiceError, "Connection error"),
        (hang_up, LlmServiceError, "Connection error"),
        (noise, LlmServiceError, "Connection error"),
        (drip, LlmServiceError, "timed out"),
        (drip_before, LlmServiceError, "timed out"),
        (redirect, LlmServiceError, "307"),
        (page, LlmMalformedError, "is not a completion"),
    ],
    indirect=["faulty"],
)
def test_a_service_that_fails_in_the_middle(faulty: Faulty, kind: type[Exception], said: str):
    client = Client("mini", limits=Limits(timeout=0.3, retries=0, reasks=0))
    with pytest.raises(kind, match=said):
        client.write(LlmQuestion((Message("user", "Is it good?"),)))
    assert len(faulty.asked) == 1  # a redirect takes the question to nobody else


@pytest.mark.parametrize("faulty", [flood], indirect=True)
def test_a_service_whose_answer_has_no_end(faulty: Faulty, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(service, "_LARGEST", 5_000_000)
    client = Client("mini", limits=Limits(timeout=60, retries=0, reasks=0))
    with pytest.raises(LlmServiceError, match="Connection error"):
        client.write(LlmQuestion((Message("user", "Is it good?"),)))


@pytest.mark.slow
@pytest.mark.parametrize("faulty", [hang_up], indirect=True)
def test_a_command_whose_service_fails_in_the_middle(faulty: Faulty, tmp_path: Path):
    said = wfgate("generate", "--task", "x", "--model", "mini", "-o", tmp_path / "new")
    assert is_error(said, 2, "http://127.0.0.1", "OPENAI_BASE_URL")
    assert "secret" not in said.err
    assert list((tmp_path / "new").iterdir()) == []
