"""Why a case was not compared, as a value."""

from typing import Self

from wfgate.errors import FormatError, printable
from wfgate.model import Frozen


class Problem(Frozen):
    """Why a case was not compared.

    Attributes:
        message: What is wrong, in one sentence.
        file: The file that it is about; None if it is about no single file.
        line: 1-based line in the file, if known.
        column: 1-based column in characters, if known.
        fix: How to correct it.
    """

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    fix: str | None = None

    @classmethod
    def of(cls, error: FormatError) -> Self:
        """Return a file that cannot be read as a problem."""
        return cls(
            message=printable(error.message),
            file=printable(error.path),
            line=error.line,
            column=error.column,
            fix=error.fix and printable(error.fix),
        )

    @property
    def text(self) -> str:
        """The message with the position, without the fix."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return f"{place}: {self.message}" if place else self.message

    def __str__(self) -> str:
        """Return the text, and the fix on a line of its own."""
        return self.text if self.fix is None else f"{self.text}\n  fix: {self.fix}"
