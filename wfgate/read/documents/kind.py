"""Text to document. Only this module decides whether a text is YAML, JSON, XML or other text.

The suffix of the file decides; if the suffix is missing or unknown, the content decides. A text that is YAML, JSON or
XML is parsed as such or rejected, and its fenced blocks are never read. Otherwise a YAML file that only this parser
rejects could be replaced by a block inside one of its strings.
"""

import re
from collections.abc import Collection
from pathlib import PurePath
from typing import Any

from wfgate.errors import FormatError
from wfgate.model import SourceSpan
from wfgate.read.documents import xml_tree
from wfgate.read.documents.document import Document, Kind, Path
from wfgate.read.documents.fences import FENCES
from wfgate.read.documents.json_text import parse_json, parse_value
from wfgate.read.documents.text import check_text

_SUFFIXES: dict[str, Kind] = {
    ".json": "json",
    ".jsonc": "json",
    ".jsonl": "json",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".bpmn": "xml",
    ".xml": "xml",
    ".md": "text",
    ".markdown": "text",
    ".mdc": "text",
}
_WITH_COMMENTS = ".jsonc"
_FIX = "give a JSON or YAML file with a mapping or a list"
_BLANK = " \t\r\n"
_JSON = re.compile(r'\{|(?:\[\s*+)+(?:[{"]|[0-9]+\s*+[,\n]|$)')
"""The beginning of a JSON text; `[x] done`, `[a link](b.md)` and `[[a wiki page]]` begin prose."""
_XML = re.compile(r"<(?:\?xml\b|!DOCTYPE\s+(?!html\b))", re.IGNORECASE)
_YAML_KEY = re.compile(r"""(?:"[^"]*+"|'[^']*+'|[\w$/.<][^\s:`]*+)\s*+:(?:\s|$)""")
"""A key that is one word at the left margin; `Here is the plan:` is none."""
_YAML_OTHER = re.compile(r"#|---|\.\.\.|%|-(?:\s|$)|[\])}]")
"""What else a YAML mapping may have at the left margin: comments, markers, items, brackets."""


def document_of(text: str, name: str, *, lines_above: int = 0, tags: Collection[str] = ()) -> Document:
    """Return the document of a text: its kind, and its data or the reason why there is no data.

    Args:
        text: The text, without a byte order mark.
        name: Path of the file, or the name of the text in messages. A suffix such as `.json` decides the kind.
        lines_above: Number of lines above the text in its file, if the text is a block in a file. All positions
            include these lines, and the suffix does not decide the kind.
        tags: Tags that lists in YAML may have; all other tags are errors. See `parse_yaml`.

    Raises:
        FormatError: If the text contains a character that no reader accepts, or is too large.

    Cost: linear in the text.

    Example:
        >>> document_of("steps: [build]", "example").data
        {'steps': ['build']}
        >>> [document_of("1. Build", name).kind for name in ("plan.txt", "plan.yaml")]
        ['text', 'yaml']
    """
    check_text(text, name)
    suffix = None if lines_above else _SUFFIXES.get(PurePath(name).suffix.lower())
    if suffix == "xml" or (suffix in {None, "text"} and _is_xml(text)):
        line = lines_above + 1
        no_data = FormatError("the file is XML, but JSON or YAML is needed", path=name, line=line, column=1, fix=_FIX)
        return Document(name, text, "xml", problem=no_data, lines_above=lines_above)
    data: Any = None
    spans: dict[Path, SourceSpan] = {}
    problem: FormatError | None = None
    parts: list[tuple[Any, dict[Path, SourceSpan]]] = []
    try:
        data, spans = parse(text, name, suffix, tags)
    except FormatError as refused:
        problem = refused
        from wfgate.read.documents import yaml_text  # noqa: PLC0415 - as in `_parse_yaml`

        if isinstance(refused, yaml_text.SecondDocumentError):
            try:
                parts = yaml_text.parse_yaml_stream(text, name, tags)
            except FormatError as later:
                problem = later
    if problem is None and not isinstance(data, dict | list):
        data, spans = None, {}
        message = "the file is plain text, but a mapping or a list in JSON or YAML is needed"
        problem = FormatError(message, path=name, line=1, column=1, fix=_FIX)
    return Document(
        name,
        text,
        suffix if suffix in {"json", "yaml"} else _by_content(text, data, problem, prose=suffix == "text"),
        data,
        _below(spans, lines_above),
        None if problem is None else _shifted(problem, lines_above),
        lines_above,
        tuple(
            Document(name, text, "yaml", data, _below(spans, lines_above), lines_above=lines_above)
            for data, spans in parts
        ),
    )


def has_json_lines(document: Document) -> bool:
    r"""Return whether a file named `.jsonl` begins with a line of JSON and has others: then it is not broken JSON.

    Example:
        >>> [has_json_lines(document_of(text, "a.jsonl")) for text in ("1\n2\n", "{}", "[1,\n2]")]
        [True, False, False]
    """
    if document.data is not None or PurePath(document.name).suffix.lower() != ".jsonl":
        return False
    try:
        parse_value(document.text.lstrip().partition("\n")[0], document.name)
    except FormatError:
        return False
    return True


def parse(
    text: str, name: str, kind: Kind | None = None, tags: Collection[str] = ()
) -> tuple[Any, dict[Path, SourceSpan]]:
    r"""Parse JSON or YAML.

    A text of unknown kind that starts with a bracket is JSON. If its first word is not quoted (`{wfgate: "1"}`), it
    may be YAML. In all other cases, a JSON syntax error is final: the text is not parsed as YAML.

    Args:
        text: The text, without a byte order mark.
        name: Name of the text in errors.
        kind: `json` or `yaml` if the text is only read as such; otherwise the content decides.
        tags: Tags that lists in YAML may have.

    Returns:
        The value, and the position of every value by its path from the root.

    Raises:
        FormatError: On a syntax error; with line, column and fix.

    Example:
        >>> parse("steps: [build, test]", "example")[0]
        {'steps': ['build', 'test']}
        >>> parse('{"tab":\t"\\u00e9"}', "example")[0]
        {'tab': 'é'}
    """
    check_text(text, name)
    start = text.lstrip(_BLANK)
    if not start:
        raise FormatError("the file is empty", path=name, line=1, column=1, fix="write a workflow into the file")
    if kind == "json":
        return parse_json(text, name, comments=PurePath(name).suffix.lower() == _WITH_COMMENTS)
    if kind == "yaml" or start[0] not in "{[":
        return _parse_yaml(text, name, tags)
    try:
        return parse_json(text, name)
    except FormatError:
        word = start.lstrip("{[" + _BLANK)
        if not (word[:1].isalpha() or word[:1] == "'") or word.startswith(("NaN", "Infinity")):
            raise
        try:
            value, spans = _parse_yaml(text, name, tags)
        except FormatError:
            value = None
        if not isinstance(value, dict | list):
            raise
        return value, spans


def _by_content(text: str, data: object, problem: FormatError | None, *, prose: bool) -> Kind:
    """Return the kind of a text without a known suffix; `prose` says that the file is Markdown."""
    if _JSON.match(text.lstrip(_BLANK)):
        return "json"
    if data is not None:
        return "yaml" if _is_nested(data) and not _is_prose(text, data, prose=prose) else "text"
    if prose or problem is None or not any(fence in text for fence in FENCES):
        return "text"
    return "yaml" if _is_refused_yaml(text) else "text"


def _is_nested(data: object) -> bool:
    """Return whether the data are nested. Text such as `Step 1: Build` may be valid YAML, but has a single level."""
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return any(isinstance(value, dict | list) for value in inner)


def _is_prose(text: str, data: object, *, prose: bool) -> bool:
    """Return whether valid YAML is a sentence with a list below it, or bullets with colons.

    `Here is the plan:` and `- Test it: all suites` have no key of any format, because these are single words. In
    Markdown, `- Build: all images` is no key either.
    """
    if any(fence in text for fence in FENCES):
        return False
    if isinstance(data, dict):
        return all(" " in key for key in data)
    pairs = [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []
    keys = [key for pair in pairs for key in pair]
    flat = all(len(pair) == 1 and isinstance(value, str) for pair in pairs for value in pair.values())
    return flat and bool(keys) and (prose or any(" " in key for key in keys))


def _parse_yaml(text: str, name: str, tags: Collection[str]) -> tuple[Any, dict[Path, SourceSpan]]:
    from wfgate.read.documents.yaml_text import parse_yaml  # noqa: PLC0415 - a process that reads JSON needs no YAML parser

    return parse_yaml(text, name, tags)


def _is_refused_yaml(text: str) -> bool:
    """Return whether a text with fenced blocks is YAML that was rejected, not prose.

    The text is YAML if its syntax is valid and nested: another parser may accept what was rejected (a duplicate key, a
    tag, a merge key, a second document). A text with a syntax error is YAML under two conditions. The lines at the
    left margin above the first fence are lines of a mapping, and the fence belongs to the mapping: it is indented or
    inside a quoted text.
    """
    from wfgate.read.documents import yaml_text  # noqa: PLC0415 - as in `_parse_yaml`

    syntax = yaml_text.syntax(text)
    if syntax.error_line is None:
        return syntax.nested
    keys = False
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip(_BLANK).startswith(FENCES):
            inside = syntax.error_line > number or (line[0] in _BLANK and syntax.error_line < number)
            return keys and inside
        if _YAML_KEY.match(line):
            keys = True
        elif line[:1].strip(_BLANK) and not _YAML_OTHER.match(line):
            return False
    return False


def _is_xml(text: str) -> bool:
    """Return whether a text is XML, and not Markdown that begins with an HTML tag."""
    start = text.lstrip()
    if start[:1] != "<":
        return False
    root = xml_tree.root_of(text)
    return _XML.match(start) is not None or (root is not None and bool(root[0]))


def _below(spans: dict[Path, SourceSpan], lines: int) -> dict[Path, SourceSpan]:
    if not lines:
        return spans
    return {path: SourceSpan(line=span.line + lines, column=span.column) for path, span in spans.items()}


def _shifted(error: FormatError, lines: int) -> FormatError:
    line = None if error.line is None else error.line + lines
    return FormatError(error.message, path=error.path, line=line, column=error.column, fix=error.fix)
