"""The nearest format of a document that no format recognises, and what the document lacks."""

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any

from wfgate.errors import FormatError, printable
from wfgate.read.documents.document import Document
from wfgate.read.formats.base import Format, ProseFormat
from wfgate.read.formats.front_matter import has_front_matter
from wfgate.read.formats.other_tools import refused

_LEAST = 0.5
"""Smallest share of the marks of a format that makes it the nearest."""
_OTHER = "for another format give --from ID (`wfgate list formats`)"
_APPROVALS = "wfgate.approvals/"
"""The kind of `deploy.yaml.approvals`."""
_SHOWN = 5
"""Most keys of the document in a message."""


def unrecognised(document: Document, formats: Mapping[str, Format], problems: Iterable[str] = ()) -> FormatError:
    """Return the error about a document that no format recognises.

    The error names the nearest format and the first thing that its reader does not find, at its position.

    Args:
        document: The document.
        formats: All formats by id.
        problems: Why other formats could not be tried.

    Example:
        >>> from wfgate.read import FORMATS
        >>> print(unrecognised(Document("x", data={"StartAt": "Build"}), FORMATS).message)
        no format recognises the content; it is most like asl, but the machine has no 'States'
    """
    if record := _record(document):
        return FormatError(
            f"this is a record of wfgate ({record}), not a workflow",
            path=document.name,
            line=document.top.line,
            column=1,
            fix="give the workflow beside it" if record.startswith(_APPROVALS) else "give a workflow",
        )
    if tool := refused(document):
        return tool
    said, fix, where = _said(document, nearest(document, formats.values()), formats)
    tried = "".join(f"; {problem}" for problem in problems)
    return FormatError(
        f"no format recognises the content; {said}{tried}",
        path=document.name,
        line=where.line if where and where.line else document.top.line,
        column=where.column if where and where.column else 1,
        fix=fix,
    )


def _record(document: Document) -> str:
    """Return the kind of a file that wfgate wrote and that is no workflow; empty for another file."""
    data = document.data if isinstance(document.data, dict) else {}
    kinds = (data.get(key) for key in ("format", "schema"))
    return next((printable(kind)[:40] for kind in kinds if isinstance(kind, str) and kind.startswith("wfgate.")), "")


def nearest(document: Document, formats: Iterable[Format]) -> Format | None:
    """Return the format of which the document has the largest share of keys or words; of a text, else the first prose.

    Example:
        >>> from wfgate.read import FORMATS
        >>> data = {"jobs": {"build": {}}}
        >>> nearest(Document("x", data=data), FORMATS.values()).id
        'github-actions'
    """
    forms = list(formats)
    best = max(forms, key=lambda form: _share(document, form), default=None)
    if best is not None and _share(document, best) >= _LEAST:
        return best
    return next((form for form in forms if isinstance(form, ProseFormat) and document.kind == "text"), None)


def _share(document: Document, form: Format) -> float:
    """Return the largest share of one set of marks of a format that a document has."""
    data = document.data if isinstance(document.data, dict) or document.kind != "text" else None
    text = document.text if document.kind not in {"yaml", "json"} else ""
    shares = [sum(_has(data, key) for key in keys) / len(keys) for keys in form.keys]
    shares += [sum(word in text for word in words) / len(words) for words in form.words]
    return max(shares, default=0.0)


def _has(data: Any, key: str) -> bool:
    if key == "[]":
        return isinstance(data, list)
    for part in key.split("."):
        if not isinstance(data, dict) or part not in data:
            return False
        data = data[part]
    return True


def _said(
    document: Document, form: Format | None, formats: Mapping[str, Format]
) -> tuple[str, str, FormatError | None]:
    """Return what is missing, what to do, and the error of the nearest format's reader."""
    if form is None:
        lacking = next(((form.called, lack) for form in formats.values() if (lack := form.lack(document))), None)
        if lacking is not None:
            return f"it is most like {lacking[0]}, but {lacking[1].message}", f"{lacking[1].fix}; {_OTHER}", lacking[1]
        keys = [printable(str(key))[:40] for key in document.data] if isinstance(document.data, dict) else []
        shown = ", ".join(keys[:_SHOWN]) + (", ..." if len(keys) > _SHOWN else "")
        said = f"no format is known by its keys ({shown})" if keys else "it has no keys and no steps"
        return said, f"if it is a workflow, write its steps as a list under `steps`; {_OTHER}", None
    try:
        reading = form.read(document)
    except FormatError as error:
        fix = error.fix or f"write {form.signature}"
        return f"it is most like {form.called}, but {error.message}", f"{fix}; {_OTHER}", error
    if lack := form.lack(document):
        return f"it is most like {form.called}, but {lack.message}", f"{lack.fix}; {_OTHER}", lack
    lost = [note.message for note in reading.diagnostics if note.severity == "warning"]
    why = lost[0] if lost else f"to be recognised it must be {form.signature}"
    said = f"it can be read as {form.called}, but {why}"
    if isinstance(form, ProseFormat) and _may_be_data(document):
        return said, f"write its steps as a list under `steps`; {_OTHER}", None
    return said, f"give --from {form.id} to read it so; {_OTHER}", None


def _may_be_data(document: Document) -> bool:
    """Return whether a text has front matter or the name of a data file, so that its lists may not be its steps."""
    suffix = PurePath(document.name).suffix.lower()
    return has_front_matter(document.text) or suffix in {".yaml", ".yml", ".json", ".jsonc"}
