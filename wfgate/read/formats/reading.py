"""Documents to workflows: finds the format of a document, and the block of an answer that is the workflow."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from wfgate.errors import FormatError, WfgateError
from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document
from wfgate.read.documents.fences import Block, fenced_blocks, json_blocks
from wfgate.read.documents.kind import document_of, has_json_lines
from wfgate.read.documents.xml_tree import check_well_formed
from wfgate.read.formats.base import Format, ProseFormat, Reading
from wfgate.read.formats.front_matter import plan_in_front_matter
from wfgate.read.formats.raw import with_raw
from wfgate.read.formats.table import possible, recognising

_DATA_BLOCKS = {"json", "yaml", "yml"}
_SHOWN = 10


@dataclass(frozen=True)
class _Block:
    """A fenced block: the line of its opening fence, its language, its document, and the formats that recognise it."""

    line: int
    language: str
    document: Document
    formats: tuple[Format, ...]


def read_document(
    document: Document,
    formats: Mapping[str, Format],
    format_id: str | None = None,
    *,
    broken: Sequence[WfgateError] = (),
    like: Reading | None = None,
) -> Reading:
    """Return the workflow in a document, read in the requested format or in the only one that recognises it.

    If the document is prose with a workflow in a fenced block, the block is read. If the prose is a workflow too, this
    is an error. Only documents of the kind text can have blocks; YAML, JSON and XML are read as a whole. Identical
    blocks count as one. If no format recognises the content, the name of the file decides whether it is prose.

    Args:
        document: The document.
        formats: All formats by id.
        format_id: The requested format; None to decide by content.
        broken: Errors of formats that could not be loaded; added to the error if no format recognises the content.
        like: The golden of the document: of several formats that recognise the content its format decides, and of
            several lists in the text the kind of list that was read there. If the file name of the golden decided its
            format, that of the document need not.

    Raises:
        FormatError: If no format or several formats recognise the content, or the format cannot read the document.
    """
    if format_id is not None:
        return _read_as(document, formats[format_id], like)
    document = plan_in_front_matter(document)
    forms = _forms(document, formats, like)
    if len(forms) > 1:
        raise _ambiguous(document, forms)
    form = forms[0] if forms else None
    if isinstance(form, ProseFormat) and form.whole:
        return _read(form, document, like)
    blocks = _blocks(document, formats) if document.kind == "text" else []
    if form is not None and not isinstance(form, ProseFormat):
        _check_alone(document, form, blocks)
        return _read(form, document, like)
    held = [block for block in blocks if any(other is not form for other in block.formats)]
    if form is not None:
        line = form.conflicting_block(document, {block.line for block in held})
        if line is not None:
            raise _both(document, form, next(block for block in held if block.line == line))
    if held:
        return _read_held(document, form, held, like)
    if form is not None:
        return _read(form, document, like)
    if (reading := _read_bare(document, formats, like)) is not None:
        return reading
    raise _unknown(document, blocks, formats, broken)


def _forms(document: Document, formats: Mapping[str, Format], like: Reading | None) -> list[Format]:
    """Return the formats of a document; one, if several recognise it and its golden has this one, or no other can."""
    golden = formats.get(like.format) if like is not None and document.kind == "text" else None
    if isinstance(golden, ProseFormat) and golden.whole:
        return [golden]
    forms = recognising(document, formats)
    return [form for form in forms if like and form.id == like.format] or forms


def _read_held(document: Document, form: Format | None, held: Sequence[_Block], like: Reading | None) -> Reading:
    """Return the workflow in the blocks of a text, which may be prose of a format itself."""
    inner = [other for other in held[0].formats if other is not form]
    inner = [other for other in inner if like and other.id == like.format] or inner
    if len(inner) > 1:
        raise _ambiguous(held[0].document, inner)
    _check_same(document, held)
    reading = _read(inner[0], held[0].document, like)
    return reading if form is None else _with_note(reading, document, form)


def _read_bare(document: Document, formats: Mapping[str, Format], like: Reading | None) -> Reading | None:
    """Return the workflow in JSON without a fence, else in prose whose file name says its format; None without."""
    if document.kind != "text":
        return None
    bare = [block for block in _blocks(document, formats, json_blocks(document.text)) if block.formats]
    if bare:
        _check_same(document, bare)
        return _read(bare[0].formats[0], bare[0].document, like)
    named = (form for form in formats.values() if isinstance(form, ProseFormat) and form.is_named(document))
    return next((_read(form, document, like) for form in named), None)


def _read(form: Format, document: Document, like: Reading | None) -> Reading:
    """Read a document, like its golden if there is one, and assign all its values to the elements of the workflow."""
    golden = like.part if like is not None and like.format == form.id else None
    reading = form.read(document) if golden is None else form.read_like(document, golden)
    written = f"{form.id}/{reading.dialect}" if reading.dialect else form.id
    workflow = with_raw(reading.workflow, reading.effective or document, written)
    return replace(reading, workflow=workflow, effective=None)


def _read_as(document: Document, form: Format, like: Reading | None) -> Reading:
    """Read a document in the requested format; if it is prose around a block of that format, read the block."""
    prose = isinstance(form, ProseFormat)
    if not form.recognises(document) and not (isinstance(form, ProseFormat) and form.has_steps(document)):
        held = _blocks(document, {form.id: form}) if prose or document.kind == "text" else []
        held = [block for block in held if block.formats]
        _check_same(document, held)
        if held:
            return _read(form, held[0].document, like)
    return _read(form, document, like)


def _blocks(document: Document, formats: Mapping[str, Format], fenced: Iterable[Block] | None = None) -> list[_Block]:
    """Return the blocks of a text, by default the fenced ones, with the formats that recognise them."""
    blocks = []
    for block in fenced_blocks(document.text) if fenced is None else fenced:
        inner = document_of(block.text, document.name, lines_above=block.line + document.lines_above)
        fitting = [
            form
            for form in possible(inner, formats)
            if (not isinstance(form, ProseFormat) or block.language in form.languages) and form.recognises(inner)
        ]
        blocks.append(_Block(block.line, block.language, inner, tuple(fitting)))
    return blocks


def _with_note(reading: Reading, document: Document, prose: Format) -> Reading:
    """Add a diagnostic that the prose around a block was not read, although it could be a workflow."""
    message = f"only this block is read; use --from {prose.id} to read the text around the block as a workflow"
    return replace(reading, diagnostics=(document.diagnostic_at(document.top, "info", message), *reading.diagnostics))


def _check_alone(document: Document, form: Format, blocks: Sequence[_Block]) -> None:
    """Raise an error if a text is a workflow and one of its blocks is a different workflow."""
    held = [
        replace(block, formats=others)
        for block in blocks
        if (others := tuple(other for other in block.formats if not isinstance(other, ProseFormat)))
    ]
    _check_same(document, held)
    for block in held:
        if any(other is not form for other in block.formats):
            raise _both(document, form, block)


def _check_same(document: Document, blocks: Sequence[_Block]) -> None:
    """Raise an error if the blocks are different workflows; an answer may repeat the same block."""
    if len({block.document.text.strip() for block in blocks}) <= 1:
        return
    listed = ", ".join(f"line {block.line} ({form.called})" for block in blocks[:_SHOWN] for form in block.formats)
    raise FormatError(
        f"several blocks contain a workflow: {listed}{', ...' if len(blocks) > _SHOWN else ''}",
        path=document.name,
        line=blocks[1].line,
        column=1,
        fix="keep only one of these blocks in the file",
    )


def _both(document: Document, form: Format, block: _Block) -> FormatError:
    other = next(other for other in block.formats if other is not form)
    return document.error_at(
        SourceSpan(line=block.line, column=1),
        f"the whole text is a workflow ({form.called}), and this block in it is another workflow ({other.called})",
        fix=f"choose one of the two with --from {form.id} or --from {other.id}",
    )


def _ambiguous(document: Document, forms: Sequence[Format]) -> FormatError:
    return document.error(
        f"several formats recognise the content: {'; '.join(f'{form.id}: {form.signature}' for form in forms)}",
        fix=f"choose the format with {' or '.join(f'--from {form.id}' for form in forms)}",
    )


def _unknown(
    document: Document, blocks: Sequence[_Block], formats: Mapping[str, Format], broken: Sequence[WfgateError]
) -> FormatError:
    """Return the error that names the nearest format; for invalid YAML, JSON or XML, the syntax error."""
    if document.kind == "xml":
        check_well_formed(document)
    elif has_json_lines(document):
        pass  # one format reads them, and it does not recognise these
    elif document.problem is not None and (document.kind != "text" or not document.text.strip()):
        return document.problem
    if len(blocks) == 1 and blocks[0].language in _DATA_BLOCKS and blocks[0].document.problem is not None:
        return blocks[0].document.problem
    from wfgate.read.formats.nearest import unrecognised  # noqa: PLC0415 - only needed for an error

    return unrecognised(document, formats, [problem.message for problem in broken])
