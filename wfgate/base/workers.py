"""Worker processes. They ignore Ctrl-C, and they end when the process that started them ends."""

import gc
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

_SAFE_PATH = "PYTHONSAFEPATH"


class _Pool(ProcessPoolExecutor):
    """A process pool that starts its processes with signals blocked, and without the working directory on their path.

    A terminal sends SIGINT to all processes of a group. An interrupt during the start of a process would leave the
    process half initialised. A new process imports modules of the standard library before it gets the path of this
    one; the working directory may be a checkout that has modules of these names.
    """

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _blocked(), _safe_path():
            return super().submit(function, *args, **kwargs)


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spare_threads() -> int:
    """Return the number of threads that may compute at once: one in a worker process, because the others work, too."""
    return processors() if multiprocessing.parent_process() is None else 1


@contextmanager
def worker_pool(jobs: int, start: Callable[..., None], arguments: tuple[Any, ...]) -> Iterator[ProcessPoolExecutor]:
    """Provide a process pool for a `with` block.

    If the block raises an error, pending work is cancelled. An interrupt ends the processes, too.

    Args:
        jobs: Number of processes.
        start: Function that each process calls once, at its start.
        arguments: Arguments of `start`.

    Raises:
        WorkerLostError: If a worker process ends before its work is done.
    """
    context = multiprocessing.get_context("spawn")  # a fork would copy locks of running threads
    # Arguments are passed in a file: with a pipe, this process would wait forever for a worker that is killed while
    # reading it.
    with TemporaryDirectory(prefix="wfgate-") as folder:
        given = Path(folder, "given")
        given.write_bytes(pickle.dumps((start, arguments, gc.get_threshold())))
        with _safe_path():  # the pool has a process that looks after its semaphores
            pool = _Pool(jobs, mp_context=context, initializer=_start, initargs=(given,))
        try:
            yield pool
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):  # the work in progress may take minutes
                for process in multiprocessing.active_children():
                    process.terminate()
            pool.shutdown(cancel_futures=True)
            if isinstance(error, BrokenProcessPool):
                fix = "run the command again, with fewer --jobs if there is not enough memory"
                raise WorkerLostError("a worker process was killed or ran out of memory", fix=fix) from error
            raise
        pool.shutdown()


def _start(given: Path) -> None:
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})  # the pool uses it to end its processes
    threading.Thread(target=_follow_parent, daemon=True).start()
    start, arguments, garbage = pickle.loads(given.read_bytes())  # noqa: S301 - written by the process that started this
    gc.set_threshold(*garbage)
    start(*arguments)


def _follow_parent() -> None:
    """End this process when its parent ends, even if the parent was killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _safe_path() -> Iterator[None]:
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


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
