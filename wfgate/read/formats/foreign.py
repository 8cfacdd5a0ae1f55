"""Files that have nothing of a workflow, in contrast to broken workflows."""

from pathlib import Path, PurePath

from wfgate.errors import FormatError
from wfgate.read.documents.document import Document
from wfgate.read.documents.fences import fenced_blocks
from wfgate.read.documents.kind import document_of, has_json_lines
from wfgate.read.documents.text import load_text
from wfgate.read.documents.xml_tree import check_well_formed
from wfgate.read.formats import FORMATS
from wfgate.read.formats.base import ProseFormat
from wfgate.read.formats.nearest import nearest


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
    forms = FORMATS.with_extensions().values()
    if has_json_lines(document):
        return not any(form.recognises(document) for form in forms)
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
