"""Which format a text is in: what was asked for, else what the content says, else a block inside prose."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath

from wfgate.errors import FormatError
from wfgate.formats.base import Document, Format, Reading
from wfgate.formats.structured import document_of

_DATA_SUFFIXES = {".json", ".yaml", ".yml"}
_DATA_BLOCKS = {"json", "yaml", "yml"}
_FENCES = ("```", "~~~")


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


def read_document(document: Document, formats: Mapping[str, Format], format_id: str | None = None) -> Reading:
    """Read a document in the format asked for, or in the only one that recognises it.

    Args:
        document: The text or data.
        formats: All formats by id.
        format_id: The format asked for; None to go by content.

    Raises:
        FormatError: If no format or several recognise the content, or the format cannot read it.
    """
    if format_id is not None:
        return _read_as(document, formats[format_id])
    found = [form for form in formats.values() if form.recognises(document)]
    if len(found) == 1:
        return found[0].read(document)
    if found:
        raise _ambiguous(document, found)
    blocks = list(fenced_blocks(document))
    fitting = [(block, form) for block in blocks for form in formats.values() if form.recognises(block.document)]
    if len(fitting) == 1:
        block, form = fitting[0]
        return form.read(block.document)
    if fitting:
        lines = sorted({block.line for block, _ in fitting})
        if len(lines) == 1:
            raise _ambiguous(fitting[0][0].document, [form for _, form in fitting])
        raise _several_blocks(document, lines)
    raise _unknown(document, blocks, formats)


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


def _read_as(document: Document, form: Format) -> Reading:
    if not form.recognises(document):
        fitting = [block for block in fenced_blocks(document) if form.recognises(block.document)]
        if len(fitting) == 1:
            return form.read(fitting[0].document)
        if fitting:
            raise _several_blocks(document, [block.line for block in fitting])
    return form.read(document)


def _several_blocks(document: Document, lines: list[int]) -> FormatError:
    return FormatError(
        f"several blocks hold a workflow, at lines {', '.join(map(str, lines[:10]))}",
        path=document.name,
        line=lines[1],
        column=1,
        fix="keep one of them in the file",
    )


def _ambiguous(document: Document, found: list[Format]) -> FormatError:
    said = "; ".join(f"{form.id}: {form.signature}" for form in found)
    return document.error(
        f"several formats recognise the content: {said}",
        fix=f"say which one it is: {' or '.join(f'--from {form.id}' for form in found)}",
    )


def _unknown(document: Document, blocks: list[Block], formats: Mapping[str, Format]) -> FormatError:
    """Say what was tried; where data was clearly meant, what is wrong with it."""
    problem = document.problem
    if problem is not None:
        meant = PurePath(document.name).suffix.lower() in _DATA_SUFFIXES
        if meant or not document.text.strip() or document.text.lstrip()[0] in "{[":
            return problem
    if len(blocks) == 1 and blocks[0].language in _DATA_BLOCKS and blocks[0].document.problem is not None:
        return blocks[0].document.problem
    tried = "; ".join(f"{form.id}: {form.signature}" for form in formats.values())
    return FormatError(
        f"no format recognises the content; tried {tried}",
        path=document.name,
        line=1,
        column=1,
        fix=f"say which format it is: {', '.join(f'--from {form}' for form in formats)}",
    )
