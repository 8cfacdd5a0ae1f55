"""Everything wfgate raises on purpose.

::

    WfgateError
    |-- FormatError            a file from which no workflow can be read (path, line, column, fix)
    |-- ConfigError            a flag, a configuration file or a policy that makes no sense
    |-- GuardSyntaxError       a condition that cannot be read (column); checks turn it into a finding
    |-- EmbedderError          an embedder that is unknown, not installed or damaged
    |-- LlmError               a language model that cannot be asked, or whose answer is of no use
    |   |-- LlmServiceError    no extra, no key, no connection, or a service that refuses the request
    |   `-- LlmAnswerError     an answer that is of no use however often the model was asked
    |       |-- LlmRefusalError      the model, or a filter before it, refused
    |       |-- LlmTruncatedError    the answer ends in the middle
    |       |-- LlmMalformedError    no JSON, or more than one
    |       `-- LlmSchemaError       JSON of another schema
    |-- WorkerLostError        a process that worked for this one is gone: killed, or out of memory
    |-- PerturbationRejected   a variant that failed the validation of its operator
    |   `-- WritingRejected      a variant that a model wrote, and that is not what was asked for
    `-- CalibrationError       a corpus or a profile that cannot be used
        `-- ProfileMismatchError   a profile fitted with other metrics or another embedder than the running ones

A finding is never an exception: what is wrong *with a workflow* is reported, what makes it impossible to
look at one is raised.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

MOST_LISTED = 1000
"""Faults of one record that are looked at one by one."""


class WfgateError(Exception):
    """Base of all errors that a user can cause and mend.

    Args:
        message: What is wrong, in one sentence.
        fix: What to do about it, in one sentence; shown on a line of its own.
    """

    def __init__(self, message: str, *, fix: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return self.message if self.fix is None else f"{self.message}\n  fix: {self.fix}"


class FormatError(WfgateError):
    """A text from which no workflow can be read.

    Args:
        message: What is wrong.
        path: The file, or a name for text that has none.
        line: 1-based line, where known.
        column: 1-based column in characters, where known.
        fix: What to do about it.

    Example:
        >>> print(FormatError("unexpected end", path="a.yaml", line=3, column=1, fix="close the bracket"))
        a.yaml:3:1: unexpected end
          fix: close the bracket
    """

    def __init__(
        self,
        message: str,
        *,
        path: str,
        line: int | None = None,
        column: int | None = None,
        fix: str | None = None,
    ) -> None:
        super().__init__(message, fix=fix)
        self.path = path
        self.line = line
        self.column = column

    def __str__(self) -> str:
        position = "".join(f":{part}" for part in (self.line, self.column) if part is not None)
        return f"{self.path}{position}: {super().__str__()}"


class ConfigError(WfgateError):
    """A flag, a configuration file or a policy that makes no sense."""


class EmbedderError(WfgateError):
    """An embedder that is unknown, not installed, or whose data is damaged."""


class LlmError(WfgateError):
    """A language model that cannot be asked, or whose answer is of no use."""


class LlmServiceError(LlmError):
    """No extra, no key, no connection, a service that refuses the request or fails again and again."""


class LlmAnswerError(LlmError):
    """An answer that is of no use, however often the model was asked."""


class LlmRefusalError(LlmAnswerError):
    """The model, or a filter before it, refused to answer."""


class LlmTruncatedError(LlmAnswerError):
    """An answer that ends in the middle."""


class LlmMalformedError(LlmAnswerError):
    """An answer that is no JSON, or more than one."""


class LlmSchemaError(LlmAnswerError):
    """An answer in JSON of another schema than asked for."""


class WorkerLostError(WfgateError):
    """A process that worked for this one is gone: somebody killed it, or the machine had no memory left for it."""


class PerturbationRejected(WfgateError):  # noqa: N818 - a refusal that is counted, not a failure
    """A variant that the validation of its operator refused; it is counted, never used."""


class WritingRejected(PerturbationRejected):
    """A variant that a model wrote, and that is not what was asked for.

    Args:
        reason: What kind of fault it is, in a word or two: rejected variants are counted by it.
        message: What is wrong, said to the model.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class CalibrationError(WfgateError):
    """A corpus or a profile that cannot be used."""


class ProfileMismatchError(CalibrationError):
    """A profile whose signature is not the one of the running metrics and embedder."""


def first_line(error: Exception) -> str:
    """Return the first line of what a foreign library says, or the kind of its error where it says nothing.

    Example:
        >>> first_line(KeyError()), first_line(OSError("no route" + chr(10) + "to host"))
        ('KeyError', 'no route')
    """
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def first_problem(error: "ValidationError", whole: str = "file") -> str:
    """Return the first thing that is wrong with data, as `where: what`; never the data itself.

    Args:
        error: What pydantic found.
        whole: What to call the data where no part of it is to blame.
    """
    if (count := error.error_count()) > MOST_LISTED:  # listing them takes far more memory than the data
        return f"{whole}: {count:,} things are wrong with it"
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'.'.join(str(part) for part in first['loc']) or whole}: {first['msg']}"


def os_words(error: Exception) -> str:
    """Return why a file could not be read or written, in a few words: its path is said beside them."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def printable(text: str) -> str:
    r"""Return the text with what is no Unicode (half a character, a byte of a strange file name) replaced.

    Example:
        >>> printable("caf\udce9")
        'caf?'
    """
    return text.encode("utf-8", "replace").decode()
