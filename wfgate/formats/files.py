"""Which files in a folder are workflows: by suffix, by the patterns of `[formats]`, and not if wfgate wrote them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath

from wfgate.documents import Document, document_of, fenced_blocks, load_text
from wfgate.documents.folders import files_below
from wfgate.documents.xml_tree import check_well_formed
from wfgate.errors import FormatError
from wfgate.formats import FORMATS, PLUGINS, suffixes
from wfgate.formats.base import ProseFormat
from wfgate.formats.choice import Formats, is_ignored, is_listed
from wfgate.formats.nearest import nearest

RECORDS = {
    ".approvals": {"format", "approvals"},
    ".attestation": {"_type", "subject", "predicateType", "predicate"},
    ".generation.jsonl": {
        *("schema", "tool", "model", "service", "date", "task", "notation", "prompt", "temperature", "samples"),
        *("file", "format", "tasks", "problem"),
    },
}
"""wfgate's own files beside workflows, which a pattern such as `approved/*` matches too: the end of the name, and the
keys of the JSON objects in the file."""
MAX_RECORD_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True)
class LeftOut:
    """A file of a folder that is not read as a workflow.

    Attributes:
        path: The file.
        reason: Why it is not read.
        known: Whether it is known to be no workflow: `[formats]` says so, wfgate wrote it, or it is empty.
    """

    path: Path
    reason: str
    known: bool


def workflow_files(folder: Path, formats: Formats) -> list[Path]:
    """Return the files below a folder that are workflows by their names, sorted; their content is not read.

    Raises:
        ConfigError: If something below is neither a regular file nor a folder (see `files_below`).
    """
    known = suffixes()
    return sorted(path for path in files_below(folder) if is_workflow(path, formats, known))


def left_out(folder: Path, formats: Formats) -> list[LeftOut]:
    """Return the files below a folder that `workflow_files` leaves out, sorted by path, each with the reason.

    Raises:
        ConfigError: If something below is neither a regular file nor a folder (see `files_below`).
    """
    known = suffixes()
    return [_left_out(path, formats) for path in sorted(files_below(folder)) if not is_workflow(path, formats, known)]


def is_workflow(path: Path, formats: Formats, known: Iterable[str] | None = None) -> bool:
    """Return whether a file in a folder is a workflow by its name; the file need not exist.

    Args:
        path: The file.
        formats: Format ids by pattern of file names.
        known: The suffixes of all formats; None looks them up.

    Example:
        >>> is_workflow(Path("plans/db.yaml"), {}), is_workflow(Path("plans/db.sh"), {})
        (True, False)
    """
    if is_ignored(path, formats):
        return False
    if path.suffix.lower() in (suffixes() if known is None else known):
        return True
    return not path.name.endswith(tuple(RECORDS)) and is_listed(path, formats)


def is_no_workflow(path: Path) -> bool:
    """Return whether a file from which no workflow can be read has nothing of one, so that it is no broken workflow.

    Such a file is well-formed, is not empty, and is like no format: data without the keys of any format, or prose
    without steps and without a block that is like a format.
    """
    try:
        return _is_unlike_all(document_of(load_text(path), str(path)))
    except FormatError:
        return False


def _is_unlike_all(document: Document) -> bool:
    forms = (*FORMATS.values(), *PLUGINS.usable().values())
    if document.kind == "xml":
        check_well_formed(document)
    elif document.kind != "text" and document.problem is not None:
        raise document.problem
    if document.kind != "text":
        marked = isinstance(document.data, dict) and "wfgate" in document.data  # the native format, with a wrong key
        return (document.kind == "xml" or bool(document.data)) and not marked and nearest(document, forms) is None
    prose = [form for form in forms if isinstance(form, ProseFormat)]
    suffix = PurePath(document.name).suffix.lower()
    if not document.text.strip() or not any(
        suffix in form.suffixes and not form.has_steps(document) for form in prose
    ):
        return False
    blocks = [document_of(block.text, document.name, lines_above=block.line) for block in fenced_blocks(document.text)]
    return all(_is_unlike_all(block) for block in blocks if block.kind != "text")


def _left_out(path: Path, formats: Formats) -> LeftOut:
    if is_ignored(path, formats):
        return LeftOut(path, "ignored by [formats]", known=True)
    if _is_record(path):
        return LeftOut(path, "a record that wfgate wrote", known=True)
    what = f"the suffix {path.suffix!r} belongs to no format" if path.suffix else "a file without a suffix"
    return LeftOut(path, what, known=not path.stat().st_size)


def _is_record(path: Path) -> bool:
    """Return whether a file is one that wfgate wrote: by its name, and because it has no keys of a workflow."""
    keys = next((keys for end, keys in RECORDS.items() if path.name.endswith(end)), None)
    if keys is None or path.stat().st_size > MAX_RECORD_BYTES:
        return False
    lines = path.suffix == ".jsonl"
    try:
        text = path.read_text(encoding="utf-8")
        objects = [json.loads(part) for part in (text.splitlines() if lines else [text])]
    except (ValueError, RecursionError):
        return False
    if not all(isinstance(found, dict) and found.keys() <= keys for found in objects):
        return False
    values = [value for found in objects for value in found.values()]
    return not (lines and any(isinstance(value, dict | list) for value in values))  # `tasks` is a number, not a list
