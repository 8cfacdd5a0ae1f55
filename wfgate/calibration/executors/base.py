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
        """Yield the result of `work` for each chunk; the chunk that finishes first comes first.

        A chunk is taken from the iterator when a worker becomes free. So the chunks are never all in memory. If the
        generator is closed, chunks that have not started are dropped.

        Args:
            work: A module-level function, so that it can be pickled.
            chunks: The chunks of work.
            assessor: Sent to each worker once.
        """
