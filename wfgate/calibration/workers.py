"""Worker processes that leave Ctrl-C to the process that started them."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any


class _Pool(ProcessPoolExecutor):
    """A pool whose processes are started with SIGINT blocked: a terminal sends it to all of them."""

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
    """
    context = multiprocessing.get_context("spawn")  # a fork would copy locks of threads that run here
    pool = _Pool(jobs, mp_context=context, initializer=start, initargs=arguments)
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    pool.shutdown()


@contextmanager
def _blocked() -> Iterator[None]:
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
