"""The interface of an executor."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from typing import Any, Protocol, TypeVar

Chunk = TypeVar("Chunk")
Result = TypeVar("Result")


class Equipment(Protocol):
    """What every worker needs for its work; it can be pickled."""

    @property
    def signature(self) -> Any:
        """The versions of the models and metrics on this machine; equal on all machines."""


Tools = TypeVar("Tools", bound=Equipment)


class Executor(ABC):
    """Applies a function to chunks of work."""

    @abstractmethod
    def run(
        self, work: Callable[[Chunk, Tools], Result], chunks: Iterator[Chunk], equipment: Tools
    ) -> Generator[Result, None, None]:
        """Yield the result of `work` for each chunk; the chunk that finishes first comes first.

        A chunk is taken from the iterator when a worker becomes free. So the chunks are never all in memory. If the
        generator is closed, chunks that have not started are dropped.

        Args:
            work: A module-level function, so that it can be pickled.
            chunks: The chunks of work.
            equipment: Sent to each worker once.
        """
