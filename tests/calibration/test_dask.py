"""A dask cluster on this machine: a scheduler and workers, each a process of its own, that come and go."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from distributed import Client

from wfgate import __version__
from wfgate.calibration import calibrate
from wfgate.calibration.plan import planned_keys
from wfgate.calibration.score_table import ScoreTable
from wfgate.calibration.scoring import score_corpus
from wfgate.errors import WorkerLostError
from wfgate.run.executors import dask as dask_module
from wfgate.run.executors.dask import DaskExecutor

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
LOOPBACK = ("--host", "127.0.0.1", "--no-dashboard")


def alone():
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # many threads on few cores wait for each other


class Cluster:
    """A scheduler on a free port, and as many workers as are asked for."""

    def __init__(self, folder, processes):
        self.folder = folder
        self.processes = processes
        self.scheduler = self.start("dask_scheduler", "--port", "0", "--scheduler-file", folder / "scheduler.json")
        self.address = self.written().removeprefix("tcp://")

    def start(self, module, *arguments):
        command = [sys.executable, "-m", f"distributed.cli.{module}", *LOOPBACK, *arguments]
        return self.processes.enter_context(Process(command))

    def written(self):
        """Wait for the scheduler to write down where it is."""
        while self.scheduler.poll() is None:
            try:
                return json.loads((self.folder / "scheduler.json").read_text())["address"]
            except (OSError, ValueError):  # not yet, or not all of it
                time.sleep(0.05)
        raise AssertionError("the scheduler did not start")

    def worker(self, *arguments):
        where = ("--nthreads", "1", "--no-nanny", "--local-directory", self.folder)
        return self.start("dask_worker", self.address, *where, *arguments)

    def wait_for(self, workers):
        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=300)

    @property
    def left(self):
        """Tasks and plugins that the scheduler still has."""
        with Client(self.address, set_as_default=False) as client:
            found = client.run_on_scheduler(
                lambda dask_scheduler: [*dask_scheduler.tasks, *dask_scheduler.worker_plugins]
            )
        return [name for name in found if name != "shuffle"]  # that one is dask's own


class Process(subprocess.Popen):
    def __init__(self, command):
        super().__init__(command, env=alone(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __exit__(self, *_):
        self.kill()
        self.wait()


@pytest.fixture
def cluster(tmp_path):
    with ExitStack() as processes:
        yield Cluster(tmp_path, processes)


@pytest.fixture
def two(cluster):
    """The cluster with two workers."""
    cluster.workers = [cluster.worker(), cluster.worker()]
    cluster.wait_for(2)
    return cluster


@pytest.fixture(scope="module")
def goldens(corpus):
    """Small ones, and one with recorded texts."""
    small = sorted(corpus.goldens, key=lambda golden: (golden.n, golden.id))
    recorded = [golden for golden in small if golden.texts.rewordings][:2]
    return tuple(sorted([*small[:12], *recorded], key=lambda golden: golden.id))


@pytest.fixture(scope="module")
def keys(goldens, assessor):
    return list(planned_keys(goldens, 0, assessor.identity))


@pytest.fixture(scope="module")
def expected(goldens, keys, assessor):
    with ScoreTable(":memory:") as table:
        assert score_corpus(goldens, assessor, table, seed=0) == len(keys)
        return list(table.rows(keys))


@pytest.fixture
def score(goldens, assessor, tmp_path):
    """Score on a cluster, doing something after each golden; return how many variants were scored, and the rows."""

    def scored(cluster, keys, then=None):
        with ScoreTable(tmp_path / "scores.db") as table:
            fresh = score_corpus(
                goldens, assessor, table, seed=0, executor=DaskExecutor(cluster.address), progress=then
            )
            return fresh, list(table.rows(keys))

    return scored


def after(golden, do):
    """Do something once so many goldens are scored."""
    seen = []

    def progress(*counts):
        seen.append(counts)
        if len(seen) == golden:
            do()

    return progress


def interrupt():
    raise KeyboardInterrupt


def test_workers_elsewhere_give_the_same_rows(two, score, keys, expected):
    assert score(two, keys) == (len(keys), expected)
    assert two.left == []


def test_a_worker_may_die_at_work_and_another_may_join(two, score, keys, expected):
    def replace():
        two.workers[0].kill()
        two.worker()

    assert score(two, keys, after(3, replace)) == (len(keys), expected)


def test_all_workers_may_die_if_others_come(two, score, keys, expected):
    def replace():
        for worker in two.workers:
            worker.kill()
        two.worker()

    assert score(two, keys, after(3, replace)) == (len(keys), expected)


def test_a_chunk_that_no_worker_survives(monkeypatch, request, score, keys):
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    two = request.getfixturevalue("two")
    with pytest.raises(WorkerLostError, match="all those workers died") as raised:
        score(two, keys, after(3, two.workers[0].kill))
    assert "more memory" in raised.value.fix


def test_an_interrupted_run_leaves_nothing_behind_and_goes_on(two, score, keys, expected, tmp_path, monkeypatch):
    monkeypatch.setattr(dask_module, "IN_FLIGHT", 4)
    with pytest.raises(KeyboardInterrupt):
        score(two, keys, after(5, interrupt))
    with ScoreTable(tmp_path / "scores.db") as table:
        kept = len(table.known(keys))
    assert 0 < kept < len(keys)
    assert two.left == []
    assert score(two, keys) == (len(keys) - kept, expected)
    two.scheduler.kill()
    assert score(two, keys) == (0, expected)  # nothing left to do: nobody is asked


def test_no_more_than_a_few_chunks_are_planned_ahead(two, score, keys, expected, monkeypatch):
    monkeypatch.setattr(dask_module, "IN_FLIGHT", 2)
    planned, ahead = [], []
    known = ScoreTable.known
    monkeypatch.setattr(ScoreTable, "known", lambda table, some: planned.append(some) or known(table, some))
    assert score(two, keys, lambda *_: ahead.append(len(planned) - len(ahead))) == (len(keys), expected)
    assert max(ahead) <= 3


def test_a_scheduler_that_vanishes(two, score, keys, tmp_path, caplog):
    with pytest.raises(WorkerLostError, match="the connection to the scheduler is lost") as raised:
        score(two, keys, after(3, two.scheduler.kill))
    assert "finished scores are kept" in raised.value.fix
    assert not caplog.records
    with ScoreTable(tmp_path / "scores.db") as table:
        assert table.known(keys)


def test_a_scheduler_that_vanishes_while_it_hands_a_result_over(two, score, keys, caplog, monkeypatch):
    gather = Client._gather_remote

    def too_late(client, *arguments):
        two.scheduler.kill()
        two.scheduler.wait()
        return gather(client, *arguments)

    monkeypatch.setattr(Client, "_gather_remote", too_late)
    with pytest.raises(WorkerLostError, match="the connection to the scheduler is lost"):
        score(two, keys)
    assert not caplog.records


def test_a_scheduler_without_workers(cluster, score, keys, monkeypatch):
    monkeypatch.setattr(dask_module, "FIRST_WORKER", 1)
    with pytest.raises(WorkerLostError, match="the scheduler has no workers") as raised:
        score(cluster, keys)
    assert raised.value.fix == f"start workers with `dask worker {cluster.address}`"


@pytest.mark.parametrize(
    ("preload", "said"),
    [
        ("import wfgate; wfgate.__version__ = '0.0.1'", "a worker runs wfgate 0.0.1 with "),
        (
            "from wfgate.compare import METRICS; METRICS.find('bleu').__class__.version = 99",
            "a worker runs wfgate ",
        ),
        ("import sys; sys.modules['wfgate'] = None", "the workers cannot load wfgate: "),
    ],
    ids=["version", "signature", "nothing"],
)
def test_another_wfgate_is_found_out(cluster, score, keys, tmp_path, preload, said):
    (tmp_path / "preload.py").write_text(preload)
    cluster.worker("--preload", tmp_path / "preload.py")
    cluster.wait_for(1)
    with pytest.raises(WorkerLostError, match=said):
        score(cluster, keys)


def test_the_command_makes_the_same_profile_interrupted_or_not(two, few, quick, quick_plan, assessor, tmp_path):
    plan = quick_plan()
    arguments = ["--sample", plan.sample, "--alpha-block", plan.alphas[0], "--alpha-review", plan.alphas[1]]
    arguments += ["--executor", f"dask://{two.address}", "--output", tmp_path / "profile.json"]
    command = [sys.executable, "-m", "wfgate", "calibrate", *few, *arguments]
    command = [str(part) for part in command]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=alone(), start_new_session=True)
    scores = tmp_path / "profile.scores.sqlite"
    while process.poll() is None and not stored(scores):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    interrupted = f"error: interrupted\n  fix: run the command again: it resumes from {scores}\n"
    assert process.returncode == 130
    assert said.endswith(interrupted)  # after its progress, on a slow machine
    assert two.left == []
    kept = stored(scores)
    assert kept > 0
    done = subprocess.run(command, capture_output=True, text=True, env=alone(), check=False)
    assert done.returncode == 0
    assert {line.partition(":")[0] for line in done.stderr.splitlines()} <= {"not used", "scoring variants"}
    assert f"{quick[0].scored - kept:,} scored in this run" in done.stdout
    expected = calibrate(few, assessor, quick_plan(scores=scores, pooled=True), tool=__version__).profile.to_json()
    assert (tmp_path / "profile.json").read_text(encoding="utf-8").strip() == expected.strip()


def stored(path):
    if not path.exists():
        return 0
    with ScoreTable(path) as table:
        return table._connection.execute("SELECT count(*) FROM scores").fetchone()[0]


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_the_gate_writes_the_same_bytes_as_on_this_machine(two, tmp_path, form):
    folder = tmp_path / "candidates"
    folder.mkdir()
    for number in range(40):  # more than a chunk
        name = ("reworded", "missing-hardening", "renamed")[number % 3]
        text = (ROOT / f"examples/deploy/generated/{name}.yaml").read_text() if number % 3 < 2 else "steps: ["
        (folder / f"deploy@{number:02}.yaml").write_text(text)
    written = []
    for where in ("local", f"dask://{two.address}"):
        command = [sys.executable, "-m", "wfgate", "gate", folder, "--reference", ROOT / "examples/deploy/approved"]
        command += ["--format", form, "--executor", where, "--output", tmp_path / "out"]
        done = subprocess.run(
            [str(part) for part in command], capture_output=True, text=True, env=alone(), check=False
        )
        assert (done.returncode, done.stderr) == (1, "")
        written.append((tmp_path / "out").read_bytes())
    assert written[0] == written[1]
    assert two.left == []
