"""The errors that wfgate raises.

::

    WfgateError
    |-- FormatError            a file from which no workflow can be read (path, line, column, fix)
    |-- ConfigError            an invalid flag, configuration file or policy
    |   `-- OwnRuleError       an own rule that is invalid, names no step, or that the golden breaks
    |-- GuardSyntaxError       a condition with a syntax error (column); checks turn it into a finding
    |-- EmbedderError          an embedder that is unknown, not installed or damaged
    |-- LlmError               a language model that cannot be reached, or whose answer cannot be used
    |   |-- LlmServiceError    no extra, no key, no connection, or a service that refuses the request
    |   `-- LlmAnswerError     an answer that cannot be used, after all retries
    |       |-- LlmRefusalError      the model or a content filter refused
    |       |-- LlmTruncatedError    the answer is truncated
    |       |-- LlmMalformedError    the answer is not one JSON value
    |       `-- LlmSchemaError       JSON of another schema
    |-- WorkerLostError        a worker process that was killed or ran out of memory
    |-- PerturbationRejected   a variant that failed the validation of its operator
    |   `-- WritingRejected      a variant written by a language model that is not as requested
    `-- CalibrationError       a corpus or a profile that cannot be used
        `-- ProfileMismatchError   a profile fitted with other metrics or another embedder than the running ones

A finding is never an exception: defects of a workflow are reported as findings; an error means that a workflow could
not be examined.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

MOST_LISTED = 1000
"""Largest number of errors of one record that are examined one by one."""


class WfgateError(Exception):
    """Base of all errors that a user can cause and correct.

    Args:
        message: What is wrong, in one sentence.
        fix: How to correct the error, in one sentence; printed on a separate line.
    """

    def __init__(self, message: str, *, fix: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    @property
    def text(self) -> str:
        """The message with its position, without the fix."""
        return self.message

    def __str__(self) -> str:
        return self.text if self.fix is None else f"{self.text}\n  fix: {self.fix}"


def install_extra(name: str) -> str:
    """Return how to install an extra; there is no released package yet, so it comes from the checkout.

    Example:
        >>> install_extra("llm")
        "in the checkout of wfgate: pip install '.[llm]'"
    """
    return f"in the checkout of wfgate: pip install '.[{name}]'"


class FormatError(WfgateError):
    """A file or text from which no workflow can be read.

    Args:
        message: What is wrong.
        path: The file, or a name for text without a file.
        line: 1-based line, if known.
        column: 1-based column in characters, if known.
        fix: How to correct the error.

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

    @property
    def text(self) -> str:
        """The message with its position, without the fix."""
        position = "".join(f":{part}" for part in (self.line, self.column) if part is not None)
        return f"{self.path}{position}: {self.message}"


class ConfigError(WfgateError):
    """An invalid flag, configuration file or policy."""


class OwnRuleError(ConfigError):
    """An own rule that is invalid, that names no step of the golden, or that the golden breaks."""


class EmbedderError(WfgateError):
    """An embedder that is unknown, not installed or damaged."""


class LlmError(WfgateError):
    """A language model that cannot be reached, or whose answer cannot be used."""


class LlmServiceError(LlmError):
    """No extra, no key, no connection, or a service that rejects the request or keeps failing."""


class LlmAnswerError(LlmError):
    """An answer that cannot be used, after all retries."""


class LlmRefusalError(LlmAnswerError):
    """The model or a content filter refused to answer."""


class LlmTruncatedError(LlmAnswerError):
    """A truncated answer."""


class LlmMalformedError(LlmAnswerError):
    """An answer that is not exactly one JSON value."""


class LlmSchemaError(LlmAnswerError):
    """An answer in JSON of another schema than requested."""


class WorkerLostError(WfgateError):
    """A worker that was killed, ran out of memory, cannot be reached or cannot be used."""


class PerturbationRejected(WfgateError):  # noqa: N818 - a rejection that is counted, not a failure
    """A variant that its operator (perturbation) could not make validly; it is counted but not used."""


class WritingRejected(PerturbationRejected):
    """A variant written by a language model that is not as requested.

    Args:
        reason: Kind of error, in one or two words. Rejected variants are counted by reason.
        message: What is wrong, in words for the model, which gets this message.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class CalibrationError(WfgateError):
    """A corpus or a profile that cannot be used."""


class ProfileMismatchError(CalibrationError):
    """A profile that has expired, or that was fitted with other metrics, models, policy or judge than those in use."""


def first_line(error: Exception) -> str:
    """Return the first line of the message of another library's error, or its type if there is no message.

    Example:
        >>> first_line(KeyError()), first_line(OSError("no route" + chr(10) + "to host"))
        ('KeyError', 'no route')
    """
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def first_problem(error: "ValidationError", whole: str = "file") -> str:
    """Return the first validation error as `where: what`, without the data itself.

    Args:
        error: The error of pydantic.
        whole: Name of the data, used if the error is about the data as a whole.
    """
    if (count := error.error_count()) > MOST_LISTED:  # listing them takes far more memory than the data
        return f"{whole}: {count:,} errors"
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    return f"{'.'.join(str(part) for part in first['loc']) or whole}: {first['msg']}"


def os_words(error: Exception) -> str:
    """Return the reason why a file could not be read or written, in lower case, without its path."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def printable(text: str) -> str:
    r"""Return the text with everything that is not valid Unicode (lone surrogates, bytes of file names) replaced.

    Example:
        >>> printable("caf\udce9")
        'caf?'
    """
    return text.encode("utf-8", "replace").decode()
