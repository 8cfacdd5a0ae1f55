"""Runs work on a dask cluster.

This module is imported only if it is used, because dask is an extra and slow to import.
"""

import logging
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import Any

from distributed import Client, KilledWorker, WorkerPlugin, as_completed, get_worker
from distributed.comm.core import CommClosedError

from wfgate import __version__
from wfgate.errors import WorkerLostError
from wfgate.run.executors.base import Chunk, Equipment, Executor, Result, Tools

IN_FLIGHT = 256
"""Maximum number of submitted chunks: enough for about a hundred processors, with little memory."""
CONNECT = 10
"""Timeout for connecting to the scheduler, in seconds."""
FIRST_WORKER = 60
"""Timeout for the first worker, in seconds."""


class DaskExecutor(Executor):
    """Runs the work on the workers of a dask cluster. Workers may join and leave at any time.

    If a worker is lost, another worker repeats its chunks. Before its first chunk, each worker checks that it has the
    same version of wfgate and the same data as the client.

    Args:
        address: HOST:PORT of the scheduler.
    """

    def __init__(self, address: str) -> None:
        self.address = address

    def run(
        self, work: Callable[[Chunk, Tools], Result], chunks: Iterator[Chunk], equipment: Tools
    ) -> Generator[Result, None, None]:
        """Yield the result of `work` for each chunk.

        Raises:
            WorkerLostError: If the scheduler does not answer, has no workers or is lost, if workers keep dying, or if
                a worker has another version of wfgate or other data.
        """
        first = list(islice(chunks, IN_FLIGHT))
        if not first:
            return
        with _quiet(), self._connected() as client, self._equipped(client, equipment) as name:
            # with_results=False: otherwise it waits forever for a result that is lost in transfer.
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
            fix = "check the address, or start a scheduler with `dask scheduler`"
            raise self._failed(f"no answer from the scheduler within {CONNECT} s", fix) from error
        with client:
            try:
                client.wait_for_workers(1, timeout=FIRST_WORKER)
            except TimeoutError as error:
                fix = f"start workers with `dask worker {self.address}`"
                raise self._failed("the scheduler has no workers", fix) from error
            try:
                yield client
            except KilledWorker as error:
                raise self._failed(str(error), "give the workers more memory; finished scores are kept") from error
            except (CancelledError, CommClosedError) as error:
                fix = "start the scheduler and run the command again: finished scores are kept"
                raise self._failed("the connection to the scheduler is lost, or it dropped the work", fix) from error

    @contextmanager
    def _equipped(self, client: Client, equipment: Equipment) -> Iterator[str]:
        """Register the equipment on all workers, including later ones; yield the name of the plugin."""
        name = f"wfgate {client.id}"
        try:
            client.register_plugin(_Equipment(equipment), name)
        except Exception as error:  # an error of a worker can have any type
            fix = f"install wfgate {__version__} on the machines of the workers"
            raise self._failed(f"the workers cannot load wfgate: {error}", fix) from error
        try:
            yield name
        finally:
            if client.status == "running":
                client.unregister_worker_plugin(name)

    def _failed(self, message: str, fix: str) -> WorkerLostError:
        return WorkerLostError(f"dask://{self.address}: {message}", fix=fix)


@contextmanager
def _quiet() -> Iterator[None]:
    """Suppress the traceback that the dask client logs when the scheduler is lost."""
    logger = logging.getLogger("distributed.client")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)


class _Equipment(WorkerPlugin):
    """Worker plugin that holds the equipment.

    Args:
        equipment: What the work needs.
    """

    def __init__(self, equipment: Any) -> None:
        self.equipment = equipment
        self.expected = __version__, equipment.signature

    @cached_property
    def checked(self) -> Any:
        """The equipment, checked once per worker.

        Raises:
            WorkerLostError: If the worker has another version or signature than the client.
        """
        actual = __version__, self.equipment.signature
        if actual != self.expected:
            (version, signature), (other_version, other_signature) = self.expected, actual
            raise WorkerLostError(
                f"a worker runs wfgate {other_version} with {other_signature}, not {version} with {signature}",
                fix=f"install the same wfgate {version} on the machines of the workers",
            )
        return self.equipment


def _work(name: str, work: Callable[[Chunk, Tools], Result], chunk: Chunk) -> Result:
    equipment = get_worker().plugins[name]
    assert isinstance(equipment, _Equipment)  # noqa: S101 - registered under this name
    return work(chunk, equipment.checked)
