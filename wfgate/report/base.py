"""The base class of reporters."""

from abc import ABC, abstractmethod
from typing import ClassVar

from wfgate.gating import CaseResult, GateResult


class Reporter(ABC):
    """Turns a result into text.

    A reporter is a pure function: it writes no files, ignores the terminal and never changes the exit code. It escapes
    all untrusted text: names of steps, files and cases.

    Attributes:
        id: Its name for `--format`.
        draws: Whether it draws the compared workflows, so that results have to hold them.
        streams: Whether the report is the concatenation of one piece per case.
    """

    id: ClassVar[str]
    draws: ClassVar[bool] = False
    streams: ClassVar[bool] = False

    @abstractmethod
    def render(self, result: GateResult) -> str:
        """Return the report, ending with a newline unless it is empty."""

    def piece(self, case: CaseResult) -> str:
        """Return the piece of one case, for a reporter that streams."""
        raise NotImplementedError(f"{self.id} does not stream")
