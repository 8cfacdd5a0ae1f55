"""Formats of running text, in which a block of another format may stand."""

from abc import abstractmethod
from collections.abc import Collection

from wfgate.formats.base import Document, Format

BLOCK_LANGUAGES = frozenset({"", "markdown", "md", "text", "txt", "plain", "plaintext"})
"""What a fenced block may be called and still be running text."""


class ProseFormat(Format):
    """A format whose documents read like prose: an answer around a workflow may look like one."""

    @abstractmethod
    def lists(self, document: Document) -> bool:
        """Return whether the text has something to read, even if it is mostly about other things."""

    @abstractmethod
    def insists(self, document: Document, lines: Collection[int]) -> int | None:
        """Return the first of the `lines` with a block beside which the text is a workflow of its own, or None."""
