"""What an executor is."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from typing import TypeVar

from wfgate.evidence.assess import Assessor

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


class Executor(ABC):
    """Has chunks of work done, somewhere."""

    @abstractmethod
    def run(
        self, work: Callable[[Chunk, Assessor], Result], chunks: Iterator[Chunk], assessor: Assessor
    ) -> Generator[Result, None, None]:
        """Yield what `work` returns for each chunk, in whatever order they are finished.

        A chunk is taken when there is somebody to do it soon: what waits is never all in memory. When the generator is
        closed, what was not begun is dropped.

        Args:
            work: A function of a module, so that other processes can find it.
            chunks: What there is to do.
            assessor: Given to each worker once.
        """
