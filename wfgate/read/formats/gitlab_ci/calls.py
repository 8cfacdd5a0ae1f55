"""The local files that a pipeline calls."""

import re
from collections.abc import Iterator
from typing import Any

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document
from wfgate.read.formats.called import Call, call, called_by_values, items, value_at

_WILDCARD = re.compile(r"[^/]*[*?].*")


def calls_of(document: Document, folder: str) -> Iterator[Call]:
    """Yield the calls of a file of GitLab CI: `include` of local files, child pipelines, and programs of scripts.

    Args:
        document: The file. What has another form than GitLab requires calls nothing.
        folder: The folder of the file, relative to the top of the repository.
    """
    data = document.data
    yield from _included(value_at(data, "include"), document.span("include"))
    for name, job in data.items() if isinstance(data, dict) else ():
        yield from _included(value_at(job, "trigger", "include"), document.span(name, "trigger"))
    yield from called_by_values(document, "", folder)


def _included(value: Any, span: SourceSpan | None) -> Iterator[Call]:
    for entry in items(value):
        for name in items(entry if isinstance(entry, str) else value_at(entry, "local")):
            if isinstance(name, str) and "://" not in name:
                yield from _file(name.lstrip("/"), span)


def _file(name: str, span: SourceSpan | None) -> Iterator[Call]:
    """Return the call of a file, or of the files that a name with wildcards means."""
    if _WILDCARD.search(name):
        return call(_WILDCARD.sub("", name) or ".", "", span=span, folder=name.replace("**/", "*"))
    return call(name, "", span=span)
