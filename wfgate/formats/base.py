"""What a reader is given and what it returns."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from wfgate.errors import FormatError
from wfgate.model import SourceSpan, Workflow
from wfgate.model.workflow import Frozen

MAX_BYTES = 16 * 1024 * 1024
"""Largest text that is read."""
MAX_DEPTH = 100
"""Deepest nesting of lists and mappings that is read."""
MAX_VALUES = 500_000
"""Most entries and items that are read from JSON or YAML: each has a position, which takes memory."""
MAX_TASKS = 20_000
"""Most tasks, over all workflows of one file."""
MAX_LINKS = 200_000
"""Most links, over all workflows of one file."""

Key = str | int
Path = tuple[Key, ...]
Severity = Literal["error", "warning", "info"]


class Diagnostic(Frozen):
    """Something a reader saw and could not express, inferred, or had to leave out. Never silently skipped."""

    severity: Severity
    message: str
    path: str
    line: int | None = None
    column: int | None = None
    fix: str | None = None

    def __str__(self) -> str:
        position = "".join(f":{part}" for part in (self.line, self.column) if part is not None)
        return f"{self.path}{position}: {self.severity}: {self.message}"


@dataclass(frozen=True)
class Document:
    """A text and, where it is JSON or YAML, the data in it.

    Attributes:
        name: Path of the file, or a name for text that has none; used in messages only.
        text: The text; empty for data that arrived as data (a record of a suite).
        data: Parsed JSON or YAML, None if the text is neither.
        spans: Where each value stands, by its path from the root; an entry of a mapping stands where its key
            does. Empty for inline data.
        lines_above: Lines of the file above the text, where it is a block inside a file: `spans` and `problem`
            count them already.
        problem: Why the text is neither JSON nor YAML, positioned; raised when a data format was asked for.
        parts: The documents in it where there are several YAML documents; then there is no `data`, and `problem`
            says so. Only formats that put several into one file look at them.
    """

    name: str
    text: str = ""
    data: Any = None
    spans: Mapping[Path, SourceSpan] = field(default_factory=dict)
    problem: FormatError | None = None
    lines_above: int = 0
    parts: tuple["Document", ...] = ()

    def span(self, *path: Key) -> SourceSpan | None:
        """Return where the value at `path` stands, or its nearest known ancestor."""
        while path and path not in self.spans:
            path = path[:-1]
        return self.spans.get(path)

    def error(self, message: str, *path: Key, fix: str | None = None) -> FormatError:
        """Build the error that says `message` about the value at `path`."""
        return self.error_at(self.span(*path), message, fix=fix)

    def error_at(self, span: SourceSpan | None, message: str, *, fix: str | None = None) -> FormatError:
        """Build the error that says `message` about what stands at `span`."""
        line, column = (span.line, span.column) if span else (None, None)
        return FormatError(message, path=self.name, line=line, column=column, fix=fix)

    def diagnostic(self, severity: Severity, message: str, *path: Key, fix: str | None = None) -> Diagnostic:
        """Build the diagnostic that says `message` about the value at `path`."""
        return self.diagnostic_at(self.span(*path), severity, message, fix=fix)

    def diagnostic_at(
        self, span: SourceSpan | None, severity: Severity, message: str, *, fix: str | None = None
    ) -> Diagnostic:
        """Build the diagnostic that says `message` about what stands at `span`."""
        line, column = (span.line, span.column) if span else (None, None)
        return Diagnostic(severity=severity, message=message, path=self.name, line=line, column=column, fix=fix)

    def mapping(self) -> dict[str, Any]:
        """Return the data as a mapping.

        Raises:
            FormatError: If the text is neither JSON nor YAML, or its top level is no mapping.
        """
        if self.problem is not None:
            raise self.problem
        if not isinstance(self.data, dict):
            raise self.error("the top level must be a mapping", fix="start with `key: value` lines or with {")
        return self.data


@dataclass(frozen=True)
class Reading:
    """A workflow as read, the format it was read as, and what the reader had to say."""

    workflow: Workflow
    format: str
    diagnostics: tuple[Diagnostic, ...] = ()


class Format(ABC):
    """One file format: recognise it, read it and, where it can express a workflow, write it."""

    id: ClassVar[str]
    version: ClassVar[int] = 1
    writes: ClassVar[bool] = False
    signature: ClassVar[str]
    """What a document of this format is recognised by, in words: shown when no format fits."""
    suffixes: ClassVar[tuple[str, ...]] = (".yaml", ".yml", ".json", ".txt", ".md")
    """Files of a folder that are looked at, in lower case; they do not decide the format."""

    @abstractmethod
    def recognises(self, document: Document) -> bool:
        """Return whether the content, not the file name, says that it is this format."""

    @abstractmethod
    def read(self, document: Document) -> Reading:
        """Read the workflow.

        Raises:
            FormatError: If there is no workflow to be had. A workflow with a broken graph is no reason.
        """

    def write(self, workflow: Workflow) -> str:
        """Render the workflow; what the format cannot hold raises `FormatError`.

        Raises:
            FormatError: If this format cannot be written.
        """
        raise FormatError(
            f"wfgate does not write {self.id}", path=workflow.name or "workflow", fix="write the native format"
        )
