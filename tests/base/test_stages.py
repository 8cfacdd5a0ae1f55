"""Processor time by stage."""

import threading
import time
from contextlib import suppress

from wfgate.base.stages import REST, Stopwatch


def _work(seconds: float = 0.02) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_an_inner_stage_is_not_part_of_the_outer_one():
    watch = Stopwatch()
    with watch.stage("outer"):
        _work()
        with watch.stage("inner"):
            _work(0.06)
        _work()
    _work()
    seconds = watch.take()
    assert set(seconds) == {REST, "outer", "inner"}
    assert seconds["inner"] >= 0.06
    assert 0.04 <= seconds["outer"] < seconds["inner"]  # would be 0.1 with the inner stage
    assert seconds[REST] >= 0.02


def test_a_stage_ends_with_an_error():
    watch = Stopwatch()
    with suppress(ValueError), watch.stage("outer"):
        raise ValueError
    _work()
    assert watch.take()[REST] >= 0.02


def test_taken_times_are_gone_and_others_are_added():
    watch = Stopwatch()
    watch.add({"fit": 3.0})
    watch.add({"fit": 4.0})
    assert watch.take()["fit"] == 7.0
    assert "fit" not in watch.take()


def test_threads_have_their_own_times():
    watch = Stopwatch()
    found = {}

    def run() -> None:
        with watch.stage("there"):
            _work()
        found.update(watch.take())

    with watch.stage("here"):
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    assert found["there"] >= 0.02
    assert "there" not in watch.take()
