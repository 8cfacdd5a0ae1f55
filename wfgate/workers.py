"""Worker processes that leave Ctrl-C to the process that started them, and do not outlive it."""

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from wfgate.errors import WorkerLostError


class _Pool(ProcessPoolExecutor):
    """A pool whose processes are started with signals blocked: a terminal sends SIGINT to all of them, and what stops
    this process while it starts another one would leave that one with half of what it needs.
    """  # noqa: D205 - one sentence, two lines

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _blocked():
            return super().submit(function, *args, **kwargs)


@contextmanager
def worker_pool(jobs: int, start: Callable[..., None], arguments: tuple[Any, ...]) -> Iterator[ProcessPoolExecutor]:
    """Start processes for as long as the block lasts; when it fails, what was not begun is dropped.

    Args:
        jobs: How many processes.
        start: Called once in each of them.
        arguments: What it is called with.

    Raises:
        WorkerLostError: If one of the processes is gone before its work is done.
    """
    context = multiprocessing.get_context("spawn")  # a fork would copy locks of threads that run here
    # By a file: a process that is killed before it has read all that stands in a pipe is waited for, for ever.
    with TemporaryDirectory(prefix="wfgate-") as folder:
        given = Path(folder, "given")
        given.write_bytes(pickle.dumps((start, arguments)))
        pool = _Pool(jobs, mp_context=context, initializer=_start, initargs=(given,))
        try:
            yield pool
        except BaseException as error:
            pool.shutdown(cancel_futures=True)
            if isinstance(error, BrokenProcessPool):
                fix = "run it again, with fewer --jobs where memory is short"
                raise WorkerLostError("a worker process is gone: killed, or out of memory", fix=fix) from error
            raise
        pool.shutdown()


def _start(given: Path) -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # the pool ends its processes by it
    threading.Thread(target=_follow_parent, daemon=True).start()
    start, arguments = pickle.loads(given.read_bytes())  # noqa: S301 - written by the process that started this
    start(*arguments)


def _follow_parent() -> None:
    """End this process when the one that started it is gone: killed, it could not say goodbye."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
