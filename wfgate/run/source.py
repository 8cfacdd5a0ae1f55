"""The sources of a case. Each is read once, so that its hash is of the bytes that its workflow is read from."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from wfgate.decide import Blob, Pair, Source
from wfgate.errors import FormatError, printable
from wfgate.model import Workflow
from wfgate.read import (
    DETECTED,
    Beside,
    Formats,
    Reading,
    decode,
    format_of,
    load_bytes,
    read_data,
    read_file,
    read_text,
)


class OpenedSource:
    """A source whose bytes are read when it is opened, and not again.

    Args:
        source: The source. A file that cannot be read has no hash, and gives its error when it is read.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._content: bytes | FormatError | None = None
        if isinstance(source, Blob):
            self._content = source.content
        elif isinstance(source, Path):
            try:
                self._content = load_bytes(source)
            except FormatError as error:
                self._content = error

    @property
    def hash(self) -> str | None:
        """The hash of the bytes (of a workflow: of its content); None if they cannot be read."""
        if isinstance(self.source, Workflow):
            return self.source.content_hash()
        if isinstance(self._content, FormatError):
            return None
        content = json.dumps(self.source, sort_keys=True).encode() if self._content is None else self._content
        return sha256(content).hexdigest()

    @property
    def in_checkout(self) -> bool:
        """Whether the other files of its checkout are known."""
        if isinstance(self.source, Path):
            return Beside(self.source).name is not None
        return isinstance(self.source, Blob) and self.source.beside is not None

    def read(
        self, name: str, formats: Formats = DETECTED, *, like: Reading | None = None, alone: bool = False
    ) -> Reading:
        """Return the workflow; see `read_source`. With `alone`, no other file of the checkout is read into it."""
        source, content = self.source, self._content
        if isinstance(source, Workflow):
            return Reading(source, "workflow")
        if isinstance(content, FormatError):
            raise content
        if isinstance(source, Path):
            return read_file(source, format_of(source, formats), like=like, content=content, alone=alone)
        if isinstance(source, Blob):
            beside = source.beside.without(None) if alone and source.beside else source.beside
            form = format_of(source.path, formats)
            return read_text(decode(source.content, name), name, form, like=like, beside=beside)
        return read_data(source, name, format_of(None, formats), like=like)


def read_source(source: Source, name: str, formats: Formats = DETECTED, *, like: Reading | None = None) -> Reading:
    """Read a workflow from a file, a text, or data.

    Args:
        source: The source.
        name: Name of a source without a file, in messages.
        formats: Format ids by pattern of file names (see `wfgate.read.formats.choice`).
        like: The golden of a candidate, which is read like it (see `wfgate.read.formats.reading.read_document`).

    Raises:
        FormatError: If no workflow can be read.
    """
    return OpenedSource(source).read(name, formats, like=like)


def content_hash(source: Source) -> str | None:
    """Return a hash of the bytes of a source (of a workflow: of its content); None if they cannot be read."""
    return OpenedSource(source).hash


def carried(pair: Pair) -> Pair | None:
    """Return a pair with the content of its files, for a machine without them; None if a file cannot be read.

    The files around them are not carried, so that no side is read with those that it calls.
    """

    def content(source: Source) -> Source:
        if isinstance(source, Blob):
            return replace(source, beside=None)
        return Blob(source, load_bytes(source)) if isinstance(source, Path) else source

    try:
        candidate = None if pair.candidate is None else content(pair.candidate)
        return replace(pair, goldens=tuple(map(content, pair.goldens)), candidate=candidate)
    except FormatError:
        return None


def described(source: Source | None, name: str) -> str:
    """Return the name of a source for reports."""
    if isinstance(source, Blob):
        source = source.path
    return printable(str(source)) if isinstance(source, Path) else ("none" if source is None else name)
