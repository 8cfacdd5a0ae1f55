"""Formats of running text, in which a block of another format may stand."""

from abc import abstractmethod

from wfgate.formats.base import Document, Format

BLOCK_LANGUAGES = frozenset({"", "markdown", "md", "text", "txt", "plain", "plaintext"})
"""What a fenced block may be called and still be running text."""


class ProseFormat(Format):
    """A format whose documents read like prose: an answer around a workflow may look like one."""

    @abstractmethod
    def insists(self, document: Document, line: int) -> bool:
        """Return whether the text is a workflow of its own beside the one in the fenced block at `line`."""
