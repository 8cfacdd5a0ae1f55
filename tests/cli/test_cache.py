"""Where computed values are kept, and that nobody who can write them decides a verdict."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from wfgate.base import Store
from wfgate.cli.options import computed
from wfgate.errors import ConfigError

from .conftest import GOLDEN, ROOT, Run, environment, inline, on_no_build_server
from .test_base import git

SECRET = "0123456789abcdef" * 2
WORSE = GOLDEN.replace("Convert every amount to euros", "Order pizza for the whole team")


def test_where_the_file_is(monkeypatch, tmp_path):
    for off in ("off", " OFF "):
        monkeypatch.setenv("WFGATE_CACHE", off)
        assert computed() is None
    monkeypatch.setenv("WFGATE_CACHE", str(tmp_path))
    assert computed().path.parent == tmp_path
    monkeypatch.delenv("WFGATE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert computed().path.parent == tmp_path / "xdg" / "wfgate"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert computed().path.parent == tmp_path / "home" / ".cache" / "wfgate"
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError))
    assert computed() is None


def test_a_secret_that_can_be_guessed_is_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("WFGATE_CACHE", str(tmp_path))
    for secret in (" ", ""):
        monkeypatch.setenv("WFGATE_CACHE_KEY", secret)
        assert (computed(authenticated=True), computed() is None) == (None, False)
    monkeypatch.setenv("WFGATE_CACHE_KEY", SECRET[1:])
    with pytest.raises(ConfigError, match="fewer than 32 characters"):
        computed()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository whose candidate is worse than its approved reference, and a cache that others can write."""
    folder = tmp_path / "repo"
    folder.mkdir()
    monkeypatch.chdir(folder)
    on_no_build_server(monkeypatch)
    monkeypatch.setenv("WFGATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("WFGATE_CACHE_KEY", raising=False)
    for name, text in (("approved", GOLDEN), ("new", WORSE)):
        Path(name).mkdir()
        Path(name, "report.yaml").write_text(text)
    assert inline("approve", "approved", "-r", "approved", "--by", "Ada").code == 0
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "base")
    return tmp_path / "cache" / "computed.sqlite"


def gate(*options: str) -> Run:
    return inline("gate", "new", "-r", "approved", *options)


def forge(file: Path, secret: bytes) -> None:
    """Give every step the score of the same meaning, as anybody can who has the file and wfgate."""
    with closing(sqlite3.connect(file)) as connection:
        keys = [bytes(key) for (key,) in connection.execute("SELECT key FROM known")]
    known = Store(file, secret=secret).read(keys)
    assert known
    for path in file.parent.iterdir():
        path.unlink()
    same = {key: json.dumps([9.0, *json.loads(value)[1:]]).encode() for key, value in known.items()}
    Store(file).write(same)


def test_a_forged_cache_decides_nothing(cache: Path, monkeypatch: pytest.MonkeyPatch):
    assert gate().code == 1
    forge(cache, b"")
    assert gate().code == 0  # your own cache, on your own machine
    before = cache.read_bytes()
    assert gate("--base", "HEAD").code == 1
    assert inline("predeploy", "new/report.yaml", "-r", "approved").code == 1
    assert cache.read_bytes() == before
    monkeypatch.setenv("WFGATE_CACHE_KEY", SECRET)
    assert gate("--base", "HEAD").code == 1  # and replaces what is forged
    monkeypatch.setattr("wfgate.language.meaning.cached.CachedMeaningModel._write", None)  # all of it is known
    assert gate("--base", "HEAD").code == 1


def test_the_action_uses_no_cache_that_another_job_can_write(cache: Path, tmp_path: Path):
    """Not even where there is no base, as on the default branch."""
    assert gate().code == 1
    forge(cache, b"")
    (tmp_path / "action").mkdir()
    written = {name: str(tmp_path / "action" / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
    given = {
        "WFGATE_CANDIDATES": "new",
        "WFGATE_REFERENCE": "approved",
        "WFGATE_BASE": "none",
        "PYTHONPATH": str(ROOT),
    }
    given |= {"PYTHONPATH": str(ROOT), "RUNNER_TEMP": str(tmp_path / "action")}
    env = environment({**written, **given})
    subprocess.run([sys.executable, ROOT / ".ci" / "action" / "gate.py"], env=env, check=True, capture_output=True)
    assert "\nblock\n" in Path(written["GITHUB_OUTPUT"]).read_text()


def test_a_secret_that_is_not_known_cannot_be_forged(cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("WFGATE_CACHE_KEY", SECRET)
    assert gate("--base", "HEAD").code == 1
    forge(cache, SECRET.encode())
    assert gate("--base", "HEAD").code == 1
    assert inline("predeploy", "new/report.yaml", "-r", "approved").code == 1
    monkeypatch.setenv("WFGATE_CACHE_KEY", SECRET[::-1])
    assert gate("--base", "HEAD").code == 1


def test_no_value_is_taken_for_that_of_another_key(tmp_path: Path):
    """Neither as it stands, nor with the border between key and value moved."""
    store = Store(tmp_path / "computed.sqlite", secret=SECRET.encode())
    store.write({b"ab": b"cd"})
    with closing(sqlite3.connect(store.path)) as connection, connection:
        ((kept,),) = connection.execute("SELECT value FROM known").fetchall()
        code = kept[:-2]
        connection.executemany("INSERT INTO known VALUES (?, ?)", [(b"x", kept), (b"a", code + b"bcd")])
    assert store.read([b"ab", b"x", b"a"]) == {b"ab": b"cd"}


VIEW = """
CREATE VIEW known AS WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless)
SELECT zeroblob(16) AS key, zeroblob(20) AS value FROM endless WHERE n < 0
"""
TRIGGER = """
CREATE TABLE known (key BLOB UNIQUE, value BLOB);
CREATE TRIGGER slow AFTER INSERT ON known BEGIN DELETE FROM known WHERE 0 < (SELECT count(*) FROM
(WITH RECURSIVE endless(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM endless) SELECT n FROM endless)); END
"""
GENERATED = "CREATE TABLE known (key BLOB UNIQUE, value BLOB AS (zeroblob(1000000000)))"


@pytest.mark.parametrize("schema", [VIEW, TRIGGER, GENERATED], ids=["view", "trigger", "generated"])
def test_a_hostile_file_holds_nothing_up(tmp_path: Path, schema: str):
    """In a process of its own, since what hangs inside SQLite ignores SIGTERM and Ctrl-C."""
    file = tmp_path / "computed.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(schema)
    code = (
        "import sys; from pathlib import Path; from wfgate.base import Store\n"
        "store = Store(Path(sys.argv[1])); key = bytes(16)\n"
        "print(store.read([key])); store.write({key: b'1'}); print(store.read([key]))"
    )
    done = subprocess.run([sys.executable, "-c", code, file], capture_output=True, text=True, timeout=20, check=True)
    assert done.stdout == f"{{}}\n{{{bytes(16)!r}: b'1'}}\n"


def test_an_access_that_takes_too_long_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Whatever the reason: here a schema that was not known to be hostile."""
    monkeypatch.setattr("wfgate.base.store._LIMIT", 0.2)
    store = Store(tmp_path / "computed.sqlite")
    with closing(sqlite3.connect(store.path)) as connection:
        connection.executescript(VIEW)
        monkeypatch.setattr(
            "wfgate.base.store._SCHEMA", connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall()
        )
    assert store.read([bytes(16)]) == {}
    monkeypatch.setattr("wfgate.base.store._LIMIT", 1000.0)
    assert store.read([bytes(16)]) == {}  # not read again
