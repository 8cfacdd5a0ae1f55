"""Text to plain data with positions, whether it is JSON or YAML; bytes to text; inline data checked."""

import math
from pathlib import PurePath
from typing import Any

from wfgate.errors import FormatError
from wfgate.formats.base import MAX_BYTES, MAX_DEPTH, Document, Path
from wfgate.formats.json_text import parse_json
from wfgate.formats.places import Places
from wfgate.formats.yaml_text import SecondDocumentError, parse_yaml, parse_yaml_stream
from wfgate.model import SourceSpan

_BLANK = " \t\r\n"


def parse(text: str, name: str) -> tuple[Any, dict[Path, SourceSpan]]:
    r"""Parse JSON or YAML.

    Text that starts with a bracket is JSON; only where its first word stands unquoted, as in `{wfgate: "1"}`,
    may it be YAML instead. A JSON syntax error is never repaired by reading the text as YAML.

    Args:
        text: The text, without a byte order mark.
        name: What to call it in errors.

    Returns:
        The value, and the position of every value by its path from the root.

    Raises:
        FormatError: With line, column and fix.

    Example:
        >>> parse("steps: [build, test]", "example")[0]
        {'steps': ['build', 'test']}
        >>> parse('{"tab":\t"\\u00e9"}', "example")[0]
        {'tab': 'é'}
    """
    check_text(text, name)
    start = text.lstrip(_BLANK)
    if not start:
        raise FormatError("the file is empty", path=name, line=1, column=1, fix="write a workflow into it")
    if start[0] not in "{[":
        return parse_yaml(text, name)
    try:
        return parse_json(text, name)
    except FormatError:
        first = start.lstrip("{[" + _BLANK)[:1]
        if PurePath(name).suffix.lower() in {".json", ".jsonl"} or not (first.isalpha() or first == "'"):
            raise
        try:
            value, spans = parse_yaml(text, name)
        except FormatError:
            value = None
        if not isinstance(value, dict | list) or _holds_a_constant(start, first):
            raise
        return value, spans


def document_of(text: str, name: str, *, lines_above: int = 0) -> Document:
    """Return the text with the data in it, or with the reason why there is none.

    Where there are several YAML documents, there is no data, and each of them is one of the `parts`.

    Args:
        text: The text.
        name: What to call it in messages.
        lines_above: Lines of the file above the text; all positions count them.

    Raises:
        FormatError: If it is no text at all, or too large.
    """
    check_text(text, name)
    try:
        data, spans = parse(text, name)
    except SecondDocumentError as several:
        return _parts(text, name, several, lines_above)
    except FormatError as syntax:
        return Document(name, text, problem=_lowered(syntax, lines_above), lines_above=lines_above)
    if not isinstance(data, dict | list):
        problem = FormatError(
            "this is a plain text, neither a mapping nor a list", path=name, line=1, column=1, fix="check the file"
        )
        return Document(name, text, problem=_lowered(problem, lines_above), lines_above=lines_above)
    return Document(name, text, data, _moved(spans, lines_above), lines_above=lines_above)


def _parts(text: str, name: str, several: FormatError, lines_above: int) -> Document:
    """Return the text with its YAML documents as parts, or with what is wrong in one of them."""
    try:
        read = parse_yaml_stream(text, name)
    except FormatError as syntax:
        return Document(name, text, problem=_lowered(syntax, lines_above), lines_above=lines_above)
    parts = tuple(
        Document(name, text, data, _moved(spans, lines_above), lines_above=lines_above) for data, spans in read
    )
    problem = _lowered(several, lines_above)
    return Document(name, text, problem=problem, lines_above=lines_above, parts=parts)


def _moved(spans: dict[Path, SourceSpan], lines: int) -> dict[Path, SourceSpan]:
    if not lines:
        return spans
    return {path: SourceSpan(line=span.line + lines, column=span.column) for path, span in spans.items()}


def _lowered(error: FormatError, lines: int) -> FormatError:
    line = None if error.line is None else error.line + lines
    return FormatError(error.message, path=error.path, line=line, column=error.column, fix=error.fix)


def decode(content: bytes, name: str) -> str:
    r"""Return the text of a file: UTF-8, with or without a byte order mark.

    Raises:
        FormatError: If it is too large, binary, or not UTF-8.

    Example:
        >>> decode(b"\xef\xbb\xbfname: x", "example")
        'name: x'
    """
    _check_size(len(content), name)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FormatError("the file is UTF-16", path=name, line=1, column=1, fix="save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        good = content[: problem.start].decode("utf-8-sig", "replace")
        span = Places(good).span(len(good))
        raise FormatError(
            f"the byte 0x{problem.object[problem.start]:02x} is not UTF-8",
            path=name,
            line=span.line,
            column=span.column,
            fix="save the file as UTF-8",
        ) from None
    check_text(text, name)
    return text


def check_text(text: str, name: str) -> None:
    """Refuse what no reader may be given.

    Raises:
        FormatError: If the text holds NUL or half a surrogate pair, or is too large.
    """
    try:
        size = len(text) if text.isascii() else len(text.encode("utf-8"))
    except UnicodeEncodeError as problem:
        span = Places(text).span(problem.start)
        raise FormatError(
            "the text holds half a surrogate pair",
            path=name,
            line=span.line,
            column=span.column,
            fix="write the whole character",
        ) from None
    _check_size(size, name)
    nul = text.find("\0")
    if nul >= 0:
        span = Places(text).span(nul)
        raise FormatError(
            "the file is binary: it holds a NUL byte",
            path=name,
            line=span.line,
            column=span.column,
            fix="give a text file",
        )


def check_plain(data: object, name: str) -> None:
    """Refuse inline data that JSON could not hold.

    Raises:
        FormatError: If there is a value that is no JSON value, a key that is no text, a number that is not
            finite, or nesting deeper than `MAX_DEPTH` (which also catches data that contains itself).

    Cost: linear in the data.
    """
    pending: list[tuple[object, int]] = [(data, 0)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, dict | list):
            if depth >= MAX_DEPTH:
                raise FormatError(f"nested deeper than {MAX_DEPTH} levels", path=name, fix="flatten the data")
            if isinstance(value, list):
                pending += [(inner, depth + 1) for inner in value]
                continue
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise FormatError(f"the key {key!r} is no text", path=name, fix="use text as keys")
                pending += [(key, depth + 1), (inner, depth + 1)]
        elif isinstance(value, str):
            check_text(value, name)
        elif isinstance(value, float) and not math.isfinite(value):
            raise FormatError(f"{value} is no JSON number", path=name, fix="use a finite number")
        elif value is not None and not isinstance(value, bool | int | float):
            raise FormatError(
                f"a {type(value).__name__} is no JSON value",
                path=name,
                fix="use text, numbers, true, false, null, lists and mappings",
            )


def check_file_size(size: int, name: str) -> None:
    """Refuse a file of `size` bytes before it is read.

    Raises:
        FormatError: If it is larger than `MAX_BYTES`.
    """
    _check_size(size, name)


def _check_size(size: int, name: str) -> None:
    if size > MAX_BYTES:
        raise FormatError(
            f"{size:,} bytes are more than the limit of {MAX_BYTES // 1024 // 1024} MiB",
            path=name,
            fix="split the file, or give one workflow only",
        )


def _holds_a_constant(start: str, first: str) -> bool:
    """Whether the first word is a constant that is no JSON, as in `[NaN]`: never read as a text instead."""
    words = ("NaN", "Infinity")
    return first in "NI" and start.lstrip("{[" + _BLANK).startswith(words)
