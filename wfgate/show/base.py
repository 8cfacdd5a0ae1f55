"""The base class of reporters."""

from abc import ABC, abstractmethod
from typing import ClassVar

from wfgate.decide import CaseResult, GateResult


class Reporter(ABC):
    """Base class of reporters. A reporter turns a result into text.

    A reporter is a pure function: it writes no files, ignores the terminal and never changes the exit code. It escapes
    all untrusted text: names of steps, files and cases.

    Attributes:
        id: Name of the reporter for the option `--format`.
        draws: Whether the report has pictures of the compared workflows; then results must contain the workflows.
        streams: Whether the report consists of one piece per case and nothing else, so that each piece can be written
            at once.
        says_verdict: Whether people read the verdict on the run in it, so that no line about it is needed beside it.
    """

    id: ClassVar[str]
    draws: ClassVar[bool] = False
    streams: ClassVar[bool] = False
    says_verdict: ClassVar[bool] = False

    @abstractmethod
    def render(self, result: GateResult) -> str:
        """Return the report. It is empty or ends with a newline."""

    def piece(self, case: CaseResult) -> str:
        """Return the piece of the report for one case; only for reporters with `streams`."""
        raise NotImplementedError(f"the format {self.id} writes no partial results")
