"""A document: a text, its kind (YAML, JSON, XML or other text), its data, and the position of each value."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import getitem
from typing import Any, Literal

from wfgate.errors import FormatError
from wfgate.model import Frozen, Place, SourceSpan, place_in
from wfgate.read.documents.beside import Beside

Key = str | int
Path = tuple[Key, ...]
Severity = Literal["error", "warning", "info"]
Kind = Literal["text", "yaml", "json", "xml"]
"""What a file is. Anything that is neither YAML, JSON nor XML is text: prose, Markdown, a diagram language."""


class Diagnostic(Frozen):
    """A message about something that a reader inferred, left out or cannot express. Nothing is skipped silently."""

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
    """A text and, if the text is JSON or YAML, its data.

    Attributes:
        name: Path of the file, or a name for a text without a file; used only in messages.
        text: The text; empty if the data did not come from a text (for example a record of a suite).
        kind: Kind of the text, decided once by `document_of`. A reader ignores documents of other kinds. Only
            documents of the kind `text` are searched for fenced blocks.
        data: Parsed JSON or YAML; None if the text has no data.
        spans: Position of each value by its path from the root. The position of an entry of a mapping is the position
            of its key. Empty if the data did not come from a text.
        problem: The reason why there is no data, with position; raised when a format needs the data.
        lines_above: Number of lines above the text in its file, if the text is a block in a file. `spans` and
            `problem` already include these lines.
        parts: The YAML documents of the text, if there are several. Then `data` is None, and `problem` says so. Only
            formats with several YAML documents in one file read `parts`.
        beside: The files around the file; None if the text is no file on the disk, such as a file of a git revision.
    """

    name: str
    text: str = ""
    kind: Kind = "text"
    data: Any = None
    spans: Mapping[Path, SourceSpan] = field(default_factory=dict)
    problem: FormatError | None = None
    lines_above: int = 0
    parts: tuple["Document", ...] = ()
    beside: Beside | None = field(default=None, compare=False, repr=False)

    def span(self, *path: Key) -> SourceSpan | None:
        """Return the position of the value at `path`, or of its nearest known ancestor."""
        while path and path not in self.spans:
            path = path[:-1]
        return self.spans.get(path)

    def at(self, *path: Key) -> Any:
        """Return the value at `path`, which must exist."""
        return reduce(getitem, path, self.data)

    def only_item(self) -> "Document":
        """Return the document without the list around its data, if the data is a list with one item."""
        return self.inside(0) if isinstance(self.data, list) and len(self.data) == 1 else self

    def inside(self, key: Key) -> "Document":
        """Return the document with the value under a key as its data, and without the other values."""
        spans = {path[1:]: span for path, span in self.spans.items() if path[:1] == (key,)}
        return replace(self, data=self.data[key], spans=spans)

    @property
    def top(self) -> SourceSpan:
        """Position of the first character of the text."""
        return SourceSpan(line=self.lines_above + 1, column=1)

    def error(self, message: str, *path: Key, fix: str | None = None) -> FormatError:
        """Return the error with `message` about the value at `path`."""
        return self.error_at(self.span(*path), message, fix=fix)

    def error_at(self, span: SourceSpan | None, message: str, *, fix: str | None = None) -> FormatError:
        """Return the error with `message` about the text at `span`."""
        line, column = (span.line, span.column) if span else (None, None)
        return FormatError(message, path=self._file(span), line=line, column=column, fix=fix)

    def diagnostic(self, severity: Severity, message: str, *path: Key, fix: str | None = None) -> Diagnostic:
        """Return the diagnostic with `message` about the value at `path`."""
        return self.diagnostic_at(self.span(*path), severity, message, fix=fix)

    def diagnostic_at(
        self, span: SourceSpan | None, severity: Severity, message: str, *, fix: str | None = None
    ) -> Diagnostic:
        """Return the diagnostic with `message` about the text at `span`."""
        line, column = (span.line, span.column) if span else (None, None)
        path = self._file(span)
        return Diagnostic(severity=severity, message=message, path=path, line=line, column=column, fix=fix)

    def _file(self, span: SourceSpan | None) -> str:
        """Return the name of the file with a position; parts of a document may come from other files."""
        return span.file if isinstance(span, Place) else self.name

    def placed(self, *prefix: Key) -> dict[Path, Place]:
        """Return the positions of the values, with their file, for a document with these values below `prefix`."""
        return {(*prefix, *path): place_in(self.name, span) for path, span in self.spans.items()}

    def mapping(self) -> dict[str, Any]:
        """Return the data as a mapping.

        Raises:
            FormatError: If the text is neither JSON nor YAML, or its top level is not a mapping.
        """
        if self.problem is not None:
            raise self.problem
        if not isinstance(self.data, dict):
            raise self.error("the top level must be a mapping", fix="start with `key: value` lines or with {")
        return self.data
