"""The results of many cases, in order: decided here, in several processes if there are many cases, or elsewhere."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor as Pool
from contextlib import closing
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

from wfgate.base import worker_pool
from wfgate.decide import Pair
from wfgate.run.executors.base import Executor, Tools
from wfgate.run.source import carried

CHUNK = 32
"""Cases per task of a worker."""
PARALLEL_FROM = 128
"""Below this number of cases, starting workers costs more time than it saves."""

_Result = TypeVar("_Result")


def results(
    gate: Tools,
    work: Callable[[Tools, Pair], _Result],
    pairs: Iterable[Pair],
    jobs: int,
    progress: Callable[[int], None] | None,
    executor: Executor | None,
) -> Iterator[_Result]:
    """Yield what a module-level function returns for the gate and each pair, in order.

    Args:
        gate: The gate; it is pickled for other processes.
        work: The function.
        pairs: The cases; of a long suite, only a part is read ahead.
        jobs: Number of processes, from `PARALLEL_FROM` cases on.
        progress: Called with the number of finished cases.
        executor: Where the function runs; None for processes of this machine.
    """
    waiting = iter(pairs)
    first = list(islice(waiting, PARALLEL_FROM))
    waiting = chain(first, waiting)
    done = 0
    if executor is not None:
        chunks = _remote(gate, work, waiting, executor)
    elif jobs > 1 and len(first) == PARALLEL_FROM:
        chunks = _parallel(gate, work, waiting, jobs)
    else:
        chunks = ([work(gate, pair)] for pair in waiting)
    for chunk in chunks:
        done += len(chunk)
        if progress:
            progress(done)
        yield from chunk


def _parallel(
    gate: Tools, work: Callable[[Tools, Pair], _Result], pairs: Iterator[Pair], jobs: int
) -> Iterator[list[_Result]]:
    with worker_pool(jobs, _start_worker, (gate, work)) as pool:
        yield from _ahead(pool, _chunks(pairs), 2 * jobs)


def _ahead(pool: Pool, chunks: Iterator[list[Pair]], ahead: int) -> Iterator[list[Any]]:
    """Yield the results of each chunk, in order.

    At most `ahead` chunks are submitted before their results are needed, because a suite may be too large for memory.
    """
    waiting = deque(pool.submit(_work, chunk) for chunk in islice(chunks, ahead))
    while waiting:
        yield waiting.popleft().result()
        waiting.extend(pool.submit(_work, chunk) for chunk in islice(chunks, 1))


_worker: list[Callable[[Pair], Any]] = []


def _start_worker(gate: Tools, work: Callable[[Tools, Pair], Any]) -> None:
    _worker[:] = [partial(work, gate)]


def _work(pairs: list[Pair]) -> list[Any]:
    return [_worker[0](pair) for pair in pairs]


class _Done(NamedTuple):
    """A result that needs no work."""

    result: Any


class _Chunk(NamedTuple):
    """Pairs for a worker of an executor."""

    number: int
    work: Callable[[Any, Pair], Any]
    pairs: list[Pair | _Done]


def _remote(
    gate: Tools, work: Callable[[Tools, Pair], _Result], pairs: Iterator[Pair], executor: Executor
) -> Iterator[list[_Result]]:
    """Yield the results of an executor in order. Pairs with a file that cannot be read are decided here."""
    chunks = (
        _Chunk(number, work, [carried(pair) or _Done(work(gate, pair)) for pair in chunk])
        for number, chunk in enumerate(_chunks(pairs))
    )
    early: dict[int, list[_Result]] = {}
    following = 0
    with closing(executor.run(_decided, chunks, gate)) as answers:
        for number, decided in answers:
            early[number] = decided
            while following in early:
                yield early.pop(following)
                following += 1


def _decided(chunk: _Chunk, gate: Any) -> tuple[int, list[Any]]:
    return chunk.number, [each.result if isinstance(each, _Done) else chunk.work(gate, each) for each in chunk.pairs]


def _chunks(pairs: Iterator[Pair]) -> Iterator[list[Pair]]:
    while chunk := list(islice(pairs, CHUNK)):
        yield chunk
