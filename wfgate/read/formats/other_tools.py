"""Files of tools that wfgate does not read, told by their keys, so that the error names the tool.

The table is `wfgate/data/other_tools.toml`. A fix that makes such a file readable would break it for its tool, so the
only advice is another file.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from wfgate.errors import FormatError
from wfgate.model import Frozen
from wfgate.read.documents.document import Document

_FIX = "give a workflow of a format that wfgate reads (`wfgate list formats`), or write its steps in the native format"
_READ = 10_000
"""Characters of a text, and items of a list, that are looked at."""
_PART = re.compile(r"\[\]|[^.=]+")


class _Shape(Frozen):
    """What a file of a tool has; see the table."""

    keys: tuple[str, ...] = ()
    text: re.Pattern[str] | None = None

    def fits(self, document: Document) -> bool:
        """Return whether a document has all of it."""
        if self.text is not None:
            return document.kind == "text" and self.text.search(document.text[:_READ]) is not None
        return all(_has(document.data, key) for key in self.keys)


class _Tool(Frozen):
    shapes: tuple[_Shape, ...]


def other_tool(document: Document) -> str | None:
    """Return the name of the tool whose file a document is; None if it is not known.

    Cost: linear in the lists of the document, for each entry of the table.

    Example:
        >>> other_tool(Document("x", kind="yaml", data={"apiVersion": "tekton.dev/v1", "kind": "Pipeline"}))
        'Tekton'
    """
    names = (name for name, tool in _tools().items() if any(shape.fits(document) for shape in tool.shapes))
    return next(names, None)


def refused(document: Document) -> FormatError | None:
    """Return the error that names the tool whose file a document is; None if it is not known."""
    tool = other_tool(document)
    if tool is None:
        return None
    return document.error_at(document.top, f"this is a file of {tool}, which wfgate does not read", fix=_FIX)


@cache
def _tools() -> dict[str, _Tool]:
    table = (files("wfgate") / "data" / "other_tools.toml").read_text(encoding="utf-8")
    return {name: _Tool.model_validate(entry) for name, entry in tomllib.loads(table).items()}


def _has(data: Any, pattern: str) -> bool:
    path, equals, start = pattern.partition("=")
    values = _at(data, _PART.findall(path))
    return (
        any(isinstance(value, str) and value.startswith(start) for value in values)
        if equals
        else any(True for _ in values)
    )


def _at(data: Any, path: Sequence[str]) -> Iterator[Any]:
    """Yield the values at a path: all of them, where it has `*` or `[]`."""
    if not path:
        yield data
    elif path[0] == "[]":
        for item in data[:_READ] if isinstance(data, list) else ():
            yield from _at(item, path[1:])
    elif isinstance(data, dict):
        wanted = data.keys() if path[0] == "*" else [key for key in path[0].split("|") if key in data]
        for key in wanted:
            yield from _at(data[key], path[1:])
