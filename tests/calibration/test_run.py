"""Calibration as a whole: same corpus and seed, same bytes, whatever happened on the way."""

import os
import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wfgate.calibration import calibrate
from wfgate.calibration.score_table import ScoreTable
from wfgate.errors import CalibrationError

from .conftest import QUICK_ALPHAS, QUICK_GOLDENS

PROCESS = Path(__file__).with_name("calibrate_here.py")
ALONE = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # many threads on few cores wait for each other


@pytest.fixture
def again(few, assessor, quick_plan):
    def run(**settings):
        return calibrate(few, assessor, quick_plan(**settings), tool="test")

    return run


def test_resuming_computes_nothing_and_gives_the_same_bytes(quick, again):
    first, scores = quick
    second = again(scores=scores)
    assert first.scored > 0
    assert second.scored == 0
    assert second.profile.to_json() == first.profile.to_json()


def test_order_in_which_rows_arrived_is_irrelevant(quick, again, tmp_path):
    first, scores = quick
    connection = sqlite3.connect(scores)
    keys = [key for (key,) in connection.execute("SELECT key FROM scores")]
    connection.close()
    random.Random(0).shuffle(keys)
    with ScoreTable(scores) as old, ScoreTable(tmp_path / "shuffled.db") as new:
        for key in keys:
            new.add(old.rows([key]))
    second = again(scores=tmp_path / "shuffled.db")
    assert second.scored == 0
    assert second.profile.to_json() == first.profile.to_json()


@pytest.mark.slow
def test_rows_of_other_calibrations_in_the_table_are_irrelevant(quick, again, tmp_path):
    other = again(sample=5, scores=tmp_path / "more.db", seed=3).profile
    assert other.seed == 3
    assert other.trajectories != quick[0].profile.trajectories
    assert again(scores=tmp_path / "more.db").profile.to_json() == quick[0].profile.to_json()


def test_summary_counts_what_was_used(quick):
    done = quick[0]
    summary = done.profile.corpus
    assert (
        summary.goldens
        == summary.with_rewordings
        == len(done.corpus.goldens)
        == done.profile.scorer.nulls.smaller.goldens
    )
    assert summary.variants + sum(count for *_, count in summary.rejected) == done.scored
    assert summary.fingerprint == done.corpus.fingerprint
    assert summary.refused_records == len(done.corpus.refused)


def test_too_small_a_corpus_says_how_many_goldens_are_needed(again):
    with pytest.raises(CalibrationError, match=r"2 usable goldens; at least 5"):
        again(sample=2, pooled=True)


def survive(folder, corpora, *, kills, jobs):
    """Calibrate, killed at random moments, then left alone; return how many processes were killed at work."""
    rng = random.Random(jobs)
    command = command_of(folder, jobs, corpora)
    killed = 0
    for _ in range(kills):
        process = subprocess.Popen(command, env=ALONE, stderr=subprocess.DEVNULL)
        wait_for_rows(folder / "scores.db", process, more=rng.randrange(1, 10 * QUICK_GOLDENS))
        time.sleep(rng.random() / 10)  # nothing is waited for: any moment will do
        killed += process.poll() is None
        process.kill()
        process.wait()
    subprocess.run(command, check=True, env=ALONE, timeout=600)
    return killed


def command_of(folder, jobs, corpora):
    """Return the command that makes the profile of the fixture `quick` in a process of its own."""
    files = folder / "scores.db", folder / "profile.json"
    return [sys.executable, PROCESS, *files, str(QUICK_GOLDENS), str(QUICK_ALPHAS[0]), str(jobs), *corpora]


def wait_for_rows(path, process, more):
    """Return when the process has written some rows or is done."""
    before = None
    while process.poll() is None:
        now = stored(path)
        before = now if before is None else before
        if now >= before + more:
            return
        time.sleep(0.02)


def stored(path):
    if not path.exists():
        return 0
    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    except sqlite3.Error:
        return 0
    try:
        return connection.execute("SELECT count(*) FROM scores").fetchone()[0]
    except sqlite3.Error:  # the table is not made yet
        return 0
    finally:
        connection.close()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_calibration_killed_again_and_again_goes_on_and_gives_the_same_bytes(quick, few, tmp_path, jobs):
    assert survive(tmp_path, few, kills=3, jobs=jobs) >= 2
    assert (tmp_path / "profile.json").read_text(encoding="utf-8") == quick[0].profile.to_json()
    assert not list(tmp_path.glob(".profile*"))


@pytest.mark.slow
def test_a_killed_run_loses_no_finished_golden(few, tmp_path):
    """What was committed when the process died is there afterwards: a golden's rows all, or none."""
    path = tmp_path / "scores.db"
    process = subprocess.Popen(command_of(tmp_path, 1, few), env=ALONE)
    wait_for_rows(path, process, more=100)
    before = stored(path)
    process.kill()
    process.wait()
    assert stored(path) >= before >= 100
    connection = sqlite3.connect(path)
    sizes = {count for (count,) in connection.execute("SELECT count(*) FROM scores GROUP BY golden")}
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert len(sizes) == 1
