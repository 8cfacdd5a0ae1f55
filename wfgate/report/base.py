"""What a reporter is."""

from abc import ABC, abstractmethod
from typing import ClassVar

from wfgate.gating import CaseResult, GateResult


class Reporter(ABC):
    """Turns a result into text, and does nothing else: what it prints never changes the exit code.

    A reporter neither writes files nor looks at the terminal; whoever calls it knows where the text goes. It
    escapes all text that is not its own: names of steps, files and cases come from strangers.

    Attributes:
        id: What `--format` calls it.
        draws: Whether it draws the workflows that were compared, and wants the results to hold them.
        streams: Whether the report is nothing but the pieces of its cases, one after the other.
    """

    id: ClassVar[str]
    draws: ClassVar[bool] = False
    streams: ClassVar[bool] = False

    @abstractmethod
    def render(self, result: GateResult) -> str:
        """Return the report, ending with a newline unless it is empty."""

    def piece(self, case: CaseResult) -> str:
        """Return what a report that streams says about one case."""
        raise NotImplementedError(f"{self.id} is written as a whole")
