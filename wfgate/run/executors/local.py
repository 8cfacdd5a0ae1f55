"""Runs work on this machine."""

from collections.abc import Callable, Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from itertools import chain, islice
from typing import Any

from wfgate.base import worker_pool
from wfgate.run.executors.base import Chunk, Executor, Result, Tools

AHEAD = 4
"""Chunks submitted per process: one in progress, the others queued so that it never idles."""


class LocalExecutor(Executor):
    """Runs the work in worker processes.

    If `jobs` is 1 or there is only one chunk, the work runs in this process.

    Args:
        jobs: Number of processes.
    """

    def __init__(self, jobs: int = 1) -> None:
        self.jobs = jobs

    def run(
        self, work: Callable[[Chunk, Tools], Result], chunks: Iterator[Chunk], equipment: Tools
    ) -> Generator[Result, None, None]:
        """Yield the result of `work` for each chunk."""
        first = list(islice(chunks, 2))
        waiting = chain(first, chunks)
        if self.jobs <= 1 or len(first) < 2:
            for chunk in waiting:
                yield work(chunk, equipment)
            return
        with worker_pool(self.jobs, _start_worker, (equipment,)) as pool:
            running: set[Future[Result]] = set()
            while running := running | {
                pool.submit(_work, work, chunk) for chunk in islice(waiting, self.jobs * AHEAD - len(running))
            }:
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield future.result()


_worker: list[Any] = []


def _start_worker(equipment: Any) -> None:
    _worker[:] = [equipment]


def _work(work: Callable[[Chunk, Tools], Result], chunk: Chunk) -> Result:
    return work(chunk, _worker[0])
