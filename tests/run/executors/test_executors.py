"""Who does the work: what is understood of a spec, and that chunks are neither hoarded nor lost."""

import operator
import socket
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from wfgate.calibration import Plan
from wfgate.cli import run
from wfgate.errors import ConfigError, WorkerLostError, install_extra
from wfgate.run import LocalExecutor, load_executor
from wfgate.run.executors import dask as dask_module
from wfgate.run.executors.dask import DaskExecutor
from wfgate.run.executors.local import AHEAD

ROOT = Path(__file__).parents[3]
EQUIPMENT = SimpleNamespace(signature="1")


@pytest.fixture
def nobody():
    """An address at which nobody listens."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    return f"127.0.0.1:{port}"


def counted(size, taken):
    for number in range(size):
        taken.append(number)
        yield number


def test_specs():
    local = load_executor("local", 3)
    assert isinstance(local, LocalExecutor)
    assert local.jobs == 3
    for address in ("127.0.0.1:8786", "scheduler.example:1", "[::1]:8786"):
        remote = load_executor(f"dask://{address}")
        assert isinstance(remote, DaskExecutor)
        assert remote.address == address


@pytest.mark.parametrize("spec", ["", "Local", "dask:", "ray://a:1", "tcp://127.0.0.1:8786", "local://", "://a:1"])
def test_what_is_no_executor(spec):
    with pytest.raises(ConfigError, match="unknown executor") as raised:
        load_executor(spec)
    assert raised.value.fix == "use local or dask://HOST:PORT"


def test_what_has_no_address():
    with pytest.raises(ConfigError, match="'dask' is not the address of a Dask scheduler"):
        load_executor("dask")


@pytest.mark.parametrize(
    "address",
    [
        "",
        "host",
        "host:",
        ":8786",
        "host:port",
        "host:0",
        "host:99999",
        "[::1:8786",
        "a:1/b",
        "me@host:1",
        "a:1?x",
        "a:1#x",
    ],
)
def test_what_is_no_address(address):
    with pytest.raises(ConfigError, match="is not the address of a Dask scheduler"):
        Plan(executor=f"dask://{address}")


def test_without_the_extra_it_says_how_to_get_it(monkeypatch):
    monkeypatch.delitem(sys.modules, "wfgate.run.executors.dask")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match="needs the package distributed") as raised:
        Plan(executor="dask://127.0.0.1:8786")
    assert raised.value.fix == install_extra("dask")


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_local_work_is_done_once_and_chunks_are_taken_when_they_are_needed(jobs):
    taken = []
    with closing(LocalExecutor(jobs).run(operator.add, counted(40, taken), 100)) as results:
        found = [next(results)]
        assert len(taken) <= 1 + jobs * AHEAD
        found += results
    assert sorted(found) == list(range(100, 140))


@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_what_was_not_begun_is_dropped(jobs):
    taken = []
    with closing(LocalExecutor(jobs).run(operator.add, counted(40, taken), 100)) as results:
        next(results)
    assert len(taken) <= 1 + jobs * AHEAD


def test_one_chunk_or_none_starts_no_process(monkeypatch):
    monkeypatch.setattr("wfgate.run.executors.local.worker_pool", None)
    assert list(LocalExecutor(8).run(operator.add, iter([1]), 1)) == [2]
    assert list(LocalExecutor(8).run(operator.add, iter([]), 1)) == []


def test_nobody_is_asked_where_there_is_nothing_to_do(nobody):
    assert list(DaskExecutor(nobody).run(operator.add, iter([]), EQUIPMENT)) == []


def test_a_scheduler_that_does_not_answer(nobody, monkeypatch):
    monkeypatch.setattr(dask_module, "CONNECT", 1)
    with pytest.raises(WorkerLostError, match=f"dask://{nobody}: no answer from the scheduler") as raised:
        list(DaskExecutor(nobody).run(operator.add, iter([1]), EQUIPMENT))
    assert "start a scheduler with" in raised.value.fix


@pytest.mark.parametrize(
    "arguments",
    [
        ("calibrate", "calibration/corpora/ops", "--sample", "5"),
        ("gate", "examples/deploy/generated/reworded.yaml", "--reference", "examples/deploy/approved/deploy.yaml"),
    ],
    ids=["calibrate", "gate"],
)
def test_the_command_says_so_and_ends(nobody, arguments, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dask_module, "CONNECT", 1)
    monkeypatch.chdir(ROOT)
    output = ["--output", str(tmp_path / "out")]
    monkeypatch.setattr(sys, "argv", ["wfgate", *arguments, "--executor", f"dask://{nobody}", *output])
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    said = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("skipped ")]
    assert said[0] == f"error: dask://{nobody}: no answer from the scheduler within 1 s"
    assert said[1].startswith("  fix: ")
    assert len(said) == 2


def test_the_command_refuses_a_malformed_executor_before_it_does_anything(tmp_path, monkeypatch, capsys):
    output = tmp_path / "new" / "profile.json"
    monkeypatch.setattr(
        sys, "argv", ["wfgate", "calibrate", "nowhere", "--executor", "dask://x", "--output", str(output)]
    )
    with pytest.raises(SystemExit) as ended:
        run()
    assert ended.value.code == 2
    assert (
        capsys.readouterr().err
        == "error: 'dask://x' is not the address of a Dask scheduler\n  fix: use local or dask://HOST:PORT\n"
    )
    assert not output.parent.exists()
