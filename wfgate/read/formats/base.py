"""The interface of a format: recognise a document, read a document and, for some formats, write a workflow."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import ClassVar

from wfgate.errors import FormatError
from wfgate.model import Workflow
from wfgate.read.documents.document import Diagnostic, Document
from wfgate.read.formats.called import Call, called_by_values


@dataclass(frozen=True)
class Part:
    """Which part of a document was read as its steps, where its format leaves a choice.

    Attributes:
        kind: The kind of list, in words after "its": "numbered list", "list `tasks`".
        line: 1-based line where it begins, if known.
        only: Whether the document has no other list, so that another kind is only another spelling.
    """

    kind: str
    line: int | None = None
    only: bool = False

    def __str__(self) -> str:
        """Return the kind, with the line."""
        return self.kind if self.line is None else f"{self.kind} (line {self.line})"


@dataclass(frozen=True)
class Reading:
    """A workflow, the id of its format, and the diagnostics of the reader.

    `effective` is the document whose data the paths of the elements refer to, if it is not the document as written:
    with the values of templates and defaults at the elements that use them, with a workflow in the place of the text
    that contains it, or with the data of an XML tree. Only a reader sets it. `dialect` is the way to write the format,
    if the format has several; values are compared as written only if golden and candidate have the same. `part` is
    what was read as the steps, if the format leaves a choice; a candidate is read like its golden. `unread` are the
    references to local files that were not followed; those of a golden are not followed in its candidates either.
    """

    workflow: Workflow
    format: str
    diagnostics: tuple[Diagnostic, ...] = ()
    effective: Document | None = None
    dialect: str = ""
    part: Part | None = None
    unread: frozenset[str] = frozenset()


def other_parts(golden: Reading, candidate: Reading) -> tuple[str, str] | None:
    """Return what was read as the steps of a pair, in words; None for the same kind of list, or two formats.

    Example:
        >>> other_parts(*(Reading(Workflow(), "markdown", part=Part(kind)) for kind in ("bullets", "checklist")))
        ('bullets', 'checklist')
    """
    ours, theirs = golden.part, candidate.part
    if ours is None or theirs is None or golden.format != candidate.format or ours.kind == theirs.kind:
        return None
    if ours.only and theirs.only:
        return None
    return str(ours), str(theirs)


class Format(ABC):
    """One file format: recognises and reads a document, and may be able to write a workflow."""

    id: ClassVar[str]
    title: ClassVar[str] = ""
    """What messages call a document of this format, if its id would mislead; empty for the id."""
    version: ClassVar[int] = 1
    writes: ClassVar[bool] = False
    signature: ClassVar[str]
    """How a document of this format is recognised, in words: shown if several formats fit, or nearly fit."""
    keys: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """Sets of keys that data of this format has, with dots for inner keys (`runs.using`); `[]` is a list.

    They only decide which format is named as the nearest if no format recognises a document.
    """
    words: ClassVar[tuple[tuple[str, ...], ...]] = ()
    """The same for formats of text: sets of strings in the text."""
    suffixes: ClassVar[tuple[str, ...]] = (".yaml", ".yml", ".json", ".jsonc", ".txt", ".md")
    """Files of a folder that are read, in lower case; except for prose, they do not decide the format."""

    @property
    def called(self) -> str:
        """What messages call a document of this format."""
        return self.title or self.id

    @abstractmethod
    def recognises(self, document: Document) -> bool:
        """Return whether the content of a document has this format; formats of text also check the kind `text`."""

    @abstractmethod
    def read(self, document: Document) -> Reading:
        """Return the workflow in a document.

        Raises:
            FormatError: If the document contains no workflow. An invalid graph is not an error here; checks report it.
        """

    def read_like(self, document: Document, golden: Part) -> Reading:  # noqa: ARG002 - most formats have no choice
        """Return the workflow in a candidate, read from the same kind of list as its golden where it has one.

        A part that `read` would have taken and that is not read is a diagnostic of severity "warning".

        Raises:
            FormatError: As for `read`.
        """
        return self.read(document)

    def calls(self, document: Document, folder: str) -> Iterator[Call]:
        """Yield the calls of local files in a document, also in one that a workflow of this format calls.

        Args:
            document: The document.
            folder: The folder of the file, relative to the top of the repository; empty for the top.
        """
        return called_by_values(document, "", folder)

    def lack(self, document: Document) -> FormatError | None:  # noqa: ARG002 - most formats have nothing to say
        """Return what a document that is not recognised lacks, with its position; None if that is not known."""
        return None

    def write(self, workflow: Workflow) -> str:
        """Return the workflow in this format.

        Raises:
            FormatError: If this format cannot be written, or cannot express the workflow.
        """
        raise FormatError(
            f"wfgate cannot write the format {self.id}", path=workflow.name or "workflow", fix="use the native format"
        )


class ProseFormat(Format):
    """A format that is prose. A model's answer around a workflow in a fenced block can look like such a format."""

    whole: ClassVar[bool] = False
    """Whether a workflow in a block of such a text is an example, so that the text itself is read."""
    languages: ClassVar[frozenset[str]]
    """Info strings of fenced blocks that may be in this format."""

    @abstractmethod
    def has_steps(self, document: Document) -> bool:
        """Return whether the text contains a list of steps, even if most of the text has another subject."""

    def is_named(self, document: Document) -> bool:  # noqa: ARG002 - most prose has no suffix of its own
        """Return whether a text contains a plan, and the name of its file says that it has this format.

        It is asked only about texts that no format recognises and that contain no other workflow.
        """
        return False

    @abstractmethod
    def conflicting_block(self, document: Document, lines: Collection[int]) -> int | None:
        """Return the line of the first block that conflicts with the prose; None if no block does.

        `lines` are the first lines of blocks with a workflow. A block conflicts if the prose around it is a workflow
        too.
        """
