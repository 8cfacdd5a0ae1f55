"""The interface of an executor."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from typing import TypeVar

from wfgate.evidence.assess import Assessor

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


class Executor(ABC):
    """Applies a function to chunks of work."""

    @abstractmethod
    def run(
        self, work: Callable[[Chunk, Assessor], Result], chunks: Iterator[Chunk], assessor: Assessor
    ) -> Generator[Result, None, None]:
        """Yield the result of `work` for each chunk, in the order in which they finish.

        Chunks are taken from the iterator as workers become free, so they are never all in memory. If the generator is
        closed, chunks that were not started are dropped.

        Args:
            work: A module-level function, so that it can be pickled.
            chunks: The chunks of work.
            assessor: Sent to each worker once.
        """
