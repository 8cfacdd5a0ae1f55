"""The formats: files to workflows, with one reader for each format."""

from dataclasses import replace
from pathlib import Path

from wfgate.base import Registry
from wfgate.errors import FormatError
from wfgate.model import Workflow
from wfgate.read.documents.beside import Beside
from wfgate.read.documents.document import Diagnostic, Document
from wfgate.read.documents.kind import document_of
from wfgate.read.documents.text import decode, load_text
from wfgate.read.documents.values import check_plain
from wfgate.read.formats.base import Format, Reading
from wfgate.read.formats.choice import Formats, format_of
from wfgate.read.formats.reading import read_document
from wfgate.read.formats.table import FORMATS_TABLE

__all__ = [
    "FORMATS",
    "Diagnostic",
    "Document",
    "Format",
    "Formats",
    "Reading",
    "find",
    "format_of",
    "read_data",
    "read_file",
    "read_text",
    "suffixes",
    "write",
]

FORMATS: Registry[Format] = Registry(
    "format", FORMATS_TABLE, group="wfgate.formats", added="wfgate.read.formats.plugins:added"
)
"""The formats, in the order in which they are listed everywhere."""


def find(format_id: str) -> Format:
    """Return the format with this id, from wfgate or from an installed package.

    Raises:
        ConfigError: If there is no such format, or its package cannot be loaded.

    Example:
        >>> find("native").id
        'native'
    """
    return FORMATS.find(format_id)


def suffixes() -> frozenset[str]:
    """Return the file suffixes that may belong to workflows, in lower case; other files in a folder are skipped.

    Example:
        >>> {".yaml", ".bpmn", ".dot"} <= suffixes()
        True
    """
    own = (line.suffixes for line in FORMATS_TABLE.values())
    return frozenset().union(*own, *(form.suffixes for form in FORMATS.extensions.usable().values()))


def read_file(
    path: Path | str,
    format_id: str | None = None,
    *,
    like: Reading | None = None,
    content: bytes | None = None,
    alone: bool = False,
) -> Reading:
    """Return the workflow in a file.

    Args:
        path: The file: UTF-8 text.
        format_id: Id of the format; None to decide by content.
        like: The golden of this candidate, whose choice of steps is followed (see `read_document`).
        content: The bytes of the file, if they were read before.
        alone: Whether no other file of the checkout is read into the workflow.

    Raises:
        FormatError: If the file cannot be read or contains no workflow.
        ConfigError: If there is no such format.
    """
    form = None if format_id is None else find(format_id)
    text = load_text(Path(path)) if content is None else decode(content, str(path))
    document = document_of(text, str(path))
    beside = Beside(Path(path))
    return _read(replace(document, beside=beside.without(None) if alone else beside), form, like)


def read_text(
    text: str,
    name: str,
    format_id: str | None = None,
    *,
    like: Reading | None = None,
    beside: Beside | None = None,
) -> Reading:
    r"""Return the workflow in a text.

    Args:
        text: The text; a byte order mark at its start is skipped.
        name: Name of the text in messages; a suffix such as `.json` decides the kind of the text.
        format_id: Id of the format; None to decide by content.
        like: The golden of this candidate, whose choice of steps is followed (see `read_document`).
        beside: The files around a text that is a file of a revision.

    Raises:
        FormatError: If the text contains no workflow.
        ConfigError: If there is no such format.

    Example:
        >>> read_text("Node:\n1: Build\nEdge: (START,1) (1,END)", "example").format
        'worfbench'
    """
    form = None if format_id is None else find(format_id)
    document = document_of(text.removeprefix("\ufeff"), name)
    return _read(document if beside is None else replace(document, beside=beside), form, like)


def read_data(data: object, name: str, format_id: str | None = None, *, like: Reading | None = None) -> Reading:
    """Return the workflow in a value: a text, or a mapping or a list as parsed from JSON.

    Diagnostics about such data have no positions.

    Args:
        data: The value.
        name: Name of the value in messages.
        format_id: Id of the format; None to decide by content.
        like: The golden of this candidate, whose choice of steps is followed (see `read_document`).

    Raises:
        FormatError: If the value contains no workflow.
        ConfigError: If there is no such format.

    Example:
        >>> read_data({"wfgate": "1", "steps": ["Build"]}, "example").workflow.tasks[0].name
        'Build'
    """
    if isinstance(data, str):
        return read_text(data, name, format_id, like=like)
    form = None if format_id is None else find(format_id)
    check_plain(data, name)
    if not isinstance(data, dict | list):
        raise FormatError(
            "a workflow must be a text, a mapping or a list", path=name, fix="pass one of these three as the workflow"
        )
    return _read(Document(name, kind="json", data=data), form, like)


def write(workflow: Workflow, format_id: str) -> str:
    """Return a workflow as text in a format.

    Raises:
        FormatError: If workflows cannot be written in this format, or the format cannot express this workflow.
        ConfigError: If there is no such format.

    Example:
        >>> from wfgate.model import Link, Task
        >>> links = (Link(source="START", target="a"), Link(source="a", target="END"))
        >>> print(write(Workflow(name="w", tasks=(Task(id="a", name="Build"),), links=links), "worfbench"), end="")
        Node:
        1: Build
        Edge: (START,1) (1,END)
    """
    return find(format_id).write(workflow)


def _read(document: Document, form: Format | None, like: Reading | None) -> Reading:
    """Read a document in the given format. Without one, decide by content and report formats that cannot be loaded."""
    if like is not None and document.beside is not None:
        beside = document.beside.without(like.unread)
        beside.tested = True
        document = replace(document, beside=beside)
    if form is not None:
        return read_document(document, {form.id: form}, form.id, like=like)
    installed = FORMATS.extensions
    reading = read_document(document, FORMATS.with_extensions(), broken=installed.broken(), like=like)
    notes = tuple(
        Diagnostic(severity="warning", message=problem.message, path=document.name, fix=problem.fix)
        for problem in installed.broken()
    )
    return replace(reading, diagnostics=(*notes, *reading.diagnostics)) if notes else reading
