"""The workers of a dask cluster: imported where one is asked for, because dask is an extra and slow to import."""

import logging
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cached_property
from itertools import islice

from distributed import Client, KilledWorker, WorkerPlugin, as_completed, get_worker
from distributed.comm.core import CommClosedError

from wfgate import __version__
from wfgate.calibration.executors.base import Chunk, Executor, Result
from wfgate.errors import CalibrationError
from wfgate.evidence.assess import Assessor

IN_FLIGHT = 256
"""Chunks that the cluster holds at a time: enough for a hundred processors, little for a memory."""
CONNECT = 10
"""Seconds within which a scheduler must answer."""
FIRST_WORKER = 60
"""Seconds within which it must have a worker."""


class DaskExecutor(Executor):
    """Works on the workers of a dask cluster, wherever they are, as they come and go.

    What a lost worker had begun is done by another one. Workers run the same version of wfgate with the same data:
    each checks that before its first chunk.

    Args:
        address: HOST:PORT of the scheduler.
    """

    def __init__(self, address: str) -> None:
        self.address = address

    def run(
        self, work: Callable[[Chunk, Assessor], Result], chunks: Iterator[Chunk], assessor: Assessor
    ) -> Generator[Result, None, None]:
        """Yield what `work` returns for each chunk.

        Raises:
            CalibrationError: If the scheduler does not answer, has no workers or goes away, if workers die again and
                again, or if one of them is another wfgate.
        """
        first = list(islice(chunks, IN_FLIGHT))
        if not first:
            return
        with _quiet(), self._connected() as client, self._equipped(client, assessor) as name:
            # Without results: with them, it waits for ever for one that is lost on its way.
            finished = as_completed(loop=client.loop)
            finished.update(client.submit(_work, name, work, chunk, pure=False) for chunk in first)
            try:
                for future in finished:
                    result = future.result()
                    finished.update(client.submit(_work, name, work, chunk, pure=False) for chunk in islice(chunks, 1))
                    yield result
            finally:
                if client.status == "running":
                    client.cancel(list(finished.futures))

    @contextmanager
    def _connected(self) -> Iterator[Client]:
        try:
            client = Client(f"tcp://{self.address}", timeout=CONNECT, set_as_default=False)
        except OSError as error:
            fix = "check the address, or start one with `dask scheduler`"
            raise self._failed(f"no scheduler answers within {CONNECT} s", fix) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=FIRST_WORKER)
            except TimeoutError as error:
                fix = f"start some with `dask worker {self.address}`"
                raise self._failed("the scheduler has no workers", fix) from error
            try:
                yield client
            except KilledWorker as error:
                raise self._failed(str(error), "give workers more memory; what was scored is kept") from error
            except (CancelledError, CommClosedError) as error:
                fix = "start it and run this again: what was scored is kept"
                raise self._failed("the scheduler is gone, or dropped the work", fix) from error

    @contextmanager
    def _equipped(self, client: Client, assessor: Assessor) -> Iterator[str]:
        """Give each worker the assessor, those that join later too; return the name by which they find it."""
        name = f"wfgate {client.id}"
        try:
            client.register_plugin(_Equipment(assessor), name)
        except Exception as error:  # whatever a worker raised, as it is or as text
            fix = f"install wfgate {__version__} where they run"
            raise self._failed(f"the workers cannot load wfgate: {error}", fix) from error
        try:
            yield name
        finally:
            if client.status == "running":
                client.unregister_worker_plugin(name)

    def _failed(self, message: str, fix: str) -> CalibrationError:
        return CalibrationError(f"dask://{self.address}: {message}", fix=fix)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the client's own account of a lost scheduler, a traceback, off the user's terminal."""
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


class _Equipment(WorkerPlugin):
    """What each worker gets once.

    Args:
        assessor: Compares and scores.
    """

    def __init__(self, assessor: Assessor) -> None:
        self.assessor = assessor
        self.expected = __version__, assessor.signature

    @cached_property
    def checked(self) -> Assessor:
        """The assessor, where it is what it is at the client.

        Raises:
            CalibrationError: If this worker would come to other numbers.
        """
        found = __version__, self.assessor.signature
        if found != self.expected:
            (version, signature), (theirs, other) = self.expected, found
            raise CalibrationError(
                f"a worker is another wfgate: {theirs} with {other}, not {version} with {signature}",
                fix=f"install the same wfgate {version} where workers run",
            )
        return self.assessor


def _work(name: str, work: Callable[[Chunk, Assessor], Result], chunk: Chunk) -> Result:
    equipment = get_worker().plugins[name]
    assert isinstance(equipment, _Equipment)  # noqa: S101 - by its name
    return work(chunk, equipment.checked)
