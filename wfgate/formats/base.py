"""The interface of a format: recognise a document, read it, and perhaps write a workflow."""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from wfgate.documents import Diagnostic, Document
from wfgate.errors import FormatError
from wfgate.model import Workflow


@dataclass(frozen=True)
class Reading:
    """A workflow, the id of the format that it was read as, and the reader's diagnostics."""

    workflow: Workflow
    format: str
    diagnostics: tuple[Diagnostic, ...] = ()


class Format(ABC):
    """One file format: recognise it, read it and, if it can express a workflow, write it."""

    id: ClassVar[str]
    version: ClassVar[int] = 1
    writes: ClassVar[bool] = False
    signature: ClassVar[str]
    """How a document of this format is recognised, in words: shown when no format fits."""
    suffixes: ClassVar[tuple[str, ...]] = (".yaml", ".yml", ".json", ".txt", ".md")
    """Files of a folder that are read, in lower case; they do not decide the format."""

    @abstractmethod
    def recognises(self, document: Document) -> bool:
        """Return whether the content of a document is this format; formats of text ask for the kind `text` too."""

    @abstractmethod
    def read(self, document: Document) -> Reading:
        """Return the workflow in a document.

        Raises:
            FormatError: If it contains no workflow. A broken graph is not an error here.
        """

    def write(self, workflow: Workflow) -> str:
        """Return the workflow in this format; what the format cannot express raises `FormatError`.

        Raises:
            FormatError: If this format cannot be written.
        """
        raise FormatError(
            f"wfgate cannot write the format {self.id}", path=workflow.name or "workflow", fix="use the native format"
        )


class ProseFormat(Format):
    """A format that is prose: an answer around a workflow in a fenced block may look like one."""

    languages: ClassVar[frozenset[str]]
    """Info strings of fenced blocks that may be in this format."""

    @abstractmethod
    def has_steps(self, document: Document) -> bool:
        """Return whether the text lists steps, even if most of it is about something else."""

    @abstractmethod
    def conflicting_block(self, document: Document, lines: Collection[int]) -> int | None:
        """Return the first of the blocks, given by their lines, beside which the prose is a workflow too, or None."""
