"""The finding about a file from which no workflow can be read."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.errors import FormatError
from wfgate.model import SourceSpan
from wfgate.rules.base import AbsoluteCheck, Finding, Observation, Severity, Subject, fingerprint_of
from wfgate.rules.weight import Grounds, weigh


class Unreadable(AbsoluteCheck):
    """No workflow can be read from a file.

    What it does:
        Reports a file that cannot be opened, is not text, is neither JSON nor YAML, has no known format, or has a key
        or value that its format does not define. A broken workflow that can be read is reported by the other checks.

    Why it matters:
        The file cannot be checked or compared, so it must not pass.

    Golden:
        ``wfgate: "1"`` and ``steps: [Build, Test]``

    Candidate:
        ``wfgate: "1"`` and ``steps: [Build, Test``

    How to fix:
        The finding states the position of the error and the correction.
    """

    id: ClassVar[str] = "WF001"
    defect: ClassVar[str] = "unreadable"
    severity: ClassVar[Severity] = "error"
    waivable: ClassVar[bool] = False

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield nothing, because a `Subject` was already read. The function `unreadable` makes the finding."""
        del subject
        yield from ()


def unreadable(error: FormatError, *, golden: bool = False) -> Finding:
    """Return the finding about a file that cannot be read as a workflow.

    Args:
        error: The error from reading the file.
        golden: Whether the file is the golden.
    """
    location = SourceSpan(line=error.line, column=error.column or 1) if error.line is not None else None
    return Finding(
        id=Unreadable.id,
        defect=Unreadable.defect,
        severity=Unreadable.severity,
        weight=weigh(Grounds(Unreadable.severity, new=not golden, relative=False)),
        message=error.message,
        location=None if golden else location,
        golden_location=location if golden else None,
        fingerprint=fingerprint_of(Unreadable.id, error.message),
        pre_existing=golden,
    )
