"""Which format a text is in: what was asked for, else what the content says, else a block inside prose."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from wfgate.errors import FormatError, WfgateError
from wfgate.formats.base import Document, Format, Reading
from wfgate.formats.prose import BLOCK_LANGUAGES, ProseFormat
from wfgate.formats.structured import document_of
from wfgate.model import SourceSpan

_DATA_SUFFIXES = {".json", ".yaml", ".yml"}
_DATA_BLOCKS = {"json", "yaml", "yml"}
_FENCES = ("```", "~~~")
_SHOWN = 10


@dataclass(frozen=True)
class Block:
    """A fenced block inside prose.

    Attributes:
        line: 1-based line of its first fence.
        language: What stands behind the fence, in lower case ("yaml").
        document: The block; its positions are those of the file.
    """

    line: int
    language: str
    document: Document


def read_document(
    document: Document,
    formats: Mapping[str, Format],
    format_id: str | None = None,
    *,
    broken: Sequence[WfgateError] = (),
) -> Reading:
    """Read a document in the format asked for, or in the only one that recognises it.

    Of running text around a workflow in a fenced block, the block is read, unless the text is a workflow of its own.
    The same block twice is read once.

    Args:
        document: The text or data.
        formats: All formats by id.
        format_id: The format asked for; None to go by content.
        broken: Why further formats could not be asked; said where no other recognises the content.

    Raises:
        FormatError: If no format or several recognise the content, or the format cannot read it.
    """
    if format_id is not None:
        return _read_as(document, formats[format_id])
    found = [form for form in formats.values() if form.recognises(document)]
    if len(found) > 1:
        raise _ambiguous(document, found)
    prose = found[0] if found and isinstance(found[0], ProseFormat) else None
    if found and prose is None and (document.data is not None or not any(fence in document.text for fence in _FENCES)):
        return found[0].read(document)
    blocks = list(fenced_blocks(document))
    fitting = [(block, form) for block in blocks for form in formats.values() if _fits(block, form)]
    if found and prose is None:
        _check_alone(document, found[0], fitting)
        return found[0].read(document)
    if prose is not None:
        fitting = [(block, form) for block, form in fitting if form is not prose]  # a list that the text quotes
        if (line := prose.insists(document, {block.line for block, _ in fitting})) is not None:
            raise _beside(document, prose, *next(pair for pair in fitting if pair[0].line == line))
        if not fitting:
            return prose.read(document)
    if fitting:
        block, form = fitting[0]
        forms = [form for other, form in fitting if other is block]
        if len(forms) > 1:
            raise _ambiguous(block.document, forms)
        _check_only(document, fitting)
        return _told(form.read(block.document), document, prose)
    raise _unknown(document, blocks, formats, broken)


def fenced_blocks(document: Document) -> Iterator[Block]:
    r"""Yield the fenced blocks of a text, each as a document whose positions are those of the whole text.

    A block begins with three or more backticks or tildes and ends with at least as many, or with the text.

    Example:
        >>> text = "Here it is:\n```yaml\na: 1\n```\n"
        >>> [(block.line, block.language, block.document.data) for block in fenced_blocks(Document("example", text))]
        [(2, 'yaml', {'a': 1})]
    """
    lines = document.text.split("\n")
    start, fence, language = 0, "", ""
    for number, line in enumerate(lines, start=1):
        bare = line.strip(" \t\r")
        mark = bare[: len(bare) - len(bare.lstrip(bare[0]))] if bare.startswith(_FENCES) else ""
        if not fence and mark:
            start, fence, language = number, mark, bare[len(mark) :].strip().lower()
        elif fence and mark.startswith(fence) and bare == mark:
            yield _block(document, lines, start, number - 1, language)
            fence = ""
    if fence:
        yield _block(document, lines, start, len(lines), language)


def _block(document: Document, lines: list[str], start: int, end: int, language: str) -> Block:
    text = "\n".join(lines[start:end])
    return Block(start, language, document_of(text, document.name, lines_above=start))


def _fits(block: Block, form: Format) -> bool:
    """Whether a block is in a format; code in another language is no running text."""
    if isinstance(form, ProseFormat) and block.language not in BLOCK_LANGUAGES:
        return False
    return form.recognises(block.document)


def _told(reading: Reading, document: Document, prose: ProseFormat | None) -> Reading:
    """Add that the text around a block was not read, where it could have been."""
    if prose is None:
        return reading
    said = f"the text around this block is not read: --from {prose.id} reads it as a workflow"
    note = document.diagnostic_at(SourceSpan(line=1, column=1), "info", said)
    return replace(reading, diagnostics=(note, *reading.diagnostics))


def _beside(document: Document, prose: Format, block: Block, form: Format) -> FormatError:
    return document.error_at(
        SourceSpan(line=block.line, column=1),
        f"the text is a workflow ({prose.id}), and so is this block in it ({form.id})",
        fix=f"say which one it is: --from {prose.id} or --from {form.id}",
    )


def _read_as(document: Document, form: Format) -> Reading:
    if not form.recognises(document) and not (isinstance(form, ProseFormat) and form.lists(document)):
        fitting = [(block, form) for block in fenced_blocks(document) if _fits(block, form)]
        _check_only(document, fitting)
        if fitting:
            return form.read(fitting[0][0].document)
    return form.read(document)


def _check_alone(document: Document, form: Format, fitting: list[tuple[Block, Format]]) -> None:
    """Refuse a text with blocks of another format or several; it may be recognised by the lines of a block."""
    workflows = [pair for pair in fitting if not isinstance(pair[1], ProseFormat)]
    _check_only(document, workflows)
    for block, other in workflows:
        if other is not form:
            raise _beside(document, form, block, other)


def _check_only(document: Document, fitting: list[tuple[Block, Format]]) -> None:
    """Refuse several blocks, unless all are the same text: an answer that repeats itself says one thing."""
    if len({block.document.text.strip() for block, _ in fitting}) <= 1:
        return
    listed = ", ".join(f"line {block.line} ({form.id})" for block, form in fitting[:_SHOWN])
    raise FormatError(
        f"several blocks hold a workflow: {listed}{', ...' if len(fitting) > _SHOWN else ''}",
        path=document.name,
        line=fitting[1][0].line,
        column=1,
        fix="keep one of them in the file",
    )


def _ambiguous(document: Document, found: list[Format]) -> FormatError:
    said = "; ".join(f"{form.id}: {form.signature}" for form in found)
    return document.error(
        f"several formats recognise the content: {said}",
        fix=f"say which one it is: {' or '.join(f'--from {form.id}' for form in found)}",
    )


def _begins_as_data(text: str) -> bool:
    """Whether a text begins like JSON, and not like a link in Markdown."""
    return text[0] == "{" or (text[0] == "[" and "](" not in text.partition("\n")[0])


def _unknown(
    document: Document, blocks: list[Block], formats: Mapping[str, Format], broken: Sequence[WfgateError]
) -> FormatError:
    """Say what was tried; where data was clearly meant, what is wrong with it."""
    problem = document.problem
    if problem is not None:
        meant = PurePath(document.name).suffix.lower() in _DATA_SUFFIXES
        if meant or not document.text.strip() or _begins_as_data(document.text.lstrip()):
            return problem
    if len(blocks) == 1 and blocks[0].language in _DATA_BLOCKS and blocks[0].document.problem is not None:
        return blocks[0].document.problem
    tried = "; ".join(f"{form.id}: {form.signature}" for form in formats.values())
    untried = "".join(f"; {problem.message}" for problem in broken)
    return FormatError(
        f"no format recognises the content; tried {tried}{untried}",
        path=document.name,
        line=1,
        column=1,
        fix=f"say which format it is with --from: {', '.join(formats)}",
    )
