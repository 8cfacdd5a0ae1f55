"""Processor time by stage of a long run: where the time goes, without a profiler.

The time never reaches a result, which must not depend on the machine.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

REST = "other"
"""Stage of everything outside of the named stages."""


class Stopwatch(threading.local):
    """Adds up the processor time of each thread by stage. A stage inside another one is not part of the outer one."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._stage = REST
        self._since = time.thread_time()

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Charge the time of a block to a stage. Cost: about 2 microseconds."""
        outer = self._turn(name)
        try:
            yield
        finally:
            self._turn(outer)

    def add(self, seconds: Mapping[str, float]) -> None:
        """Add the seconds of another process or thread."""
        for name, spent in seconds.items():
            self._seconds[name] += spent

    def take(self) -> dict[str, float]:
        """Return the seconds by stage since the last call in this thread."""
        self._turn(self._stage)
        taken = dict(self._seconds)
        self._seconds.clear()
        return taken

    def _turn(self, name: str) -> str:
        now = time.thread_time()
        self._seconds[self._stage] += now - self._since
        outer, self._stage, self._since = self._stage, name, now
        return outer


STOPWATCH = Stopwatch()
"""The stopwatch of this process; every thread has its own times."""
stage = STOPWATCH.stage
