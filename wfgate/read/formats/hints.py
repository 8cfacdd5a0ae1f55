"""Cheap conditions that a document of a format meets: a format whose condition is not met need not be loaded.

A hint looks only at the kind of a document, its first character, its keys at the top and words in its text. It is true
for every document that the format recognises; it may be true for others.
"""

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from wfgate.read.documents.document import Document

_INSTRUCTIONS = frozenset(
    {"agents.md", "claude.md", "gemini.md", "skill.md", "copilot-instructions.md"}
    | {".cursorrules", ".windsurfrules", ".clinerules"}
)
"""Names of files with instructions for coding agents."""
Hint = Callable[[Document], bool]
"""Whether a document may have a format."""


def is_native(document: Document) -> bool:
    """A mapping with the version of wfgate."""
    return _has(document.data, "wfgate")


def may_be_worfbench(document: Document) -> bool:
    """A record with the text of a workflow, or a text with both headings."""
    data = document.data
    first = data[0] if isinstance(data, list) and data else data
    if _has(first, "conversations", "workflow"):
        return True
    text = document.text.lower() if document.kind == "text" or isinstance(data, dict) else ""
    return "node" in text and "edge" in text


def may_be_graph(document: Document) -> bool:
    """A mapping, or a list that is not in prose."""
    return _is_foreign(document.data) or (isinstance(document.data, list) and document.kind != "text")


def may_be_plan(document: Document) -> bool:
    """A text that begins neither as JSON nor as XML."""
    return document.kind == "text" and document.text.lstrip()[:1] not in "{<" and not is_instructions(document)


def is_instructions(document: Document) -> bool:
    """A text whose file is named like the instructions of a coding agent, and that is no block of another text."""
    name = PurePath(document.name).name.lower()
    return not document.lines_above and (name in _INSTRUCTIONS or name.endswith((".instructions.md", ".mdc")))


def may_be_github(document: Document) -> bool:
    """A mapping with jobs, or with what an action runs."""
    return _is_foreign(document.data) and _has(document.data, "jobs", "runs")


def is_text(document: Document) -> bool:
    """Any text."""
    return document.kind == "text"


def may_be_asl(document: Document) -> bool:
    """A state machine or a template; a template with tags has no data, and its problem says so."""
    tagged = document.problem is not None and "YAML tag" in document.problem.message
    return tagged or _has(document.data, "StartAt", "Resources")


def may_be_n8n(document: Document) -> bool:
    """A workflow, something around it, or a list of these."""
    data = document.data
    return any(_has(item, "nodes", "workflow", "data") for item in (data if isinstance(data, list) else [data]))


def is_markup(document: Document) -> bool:
    """A text that begins with a tag."""
    return document.text.lstrip()[:1] == "<"


def may_be_argo(document: Document) -> bool:
    """A resource of Kubernetes, maybe one of several documents."""
    return any(_has(part.data, "apiVersion") for part in document.parts or (document,))


def may_be_dify(document: Document) -> bool:
    """A mapping with an app or a workflow."""
    return _is_foreign(document.data) and _has(document.data, "app", "workflow")


def may_be_serverless(document: Document) -> bool:
    """A mapping with the head of the language."""
    return _is_foreign(document.data) and _has(document.data, "document")


def may_be_xxp(document: Document) -> bool:
    """A text that says what it defines."""
    return document.kind == "text" and any(word in document.text for word in ("workflow", "experiment"))


def may_be_dot(document: Document) -> bool:
    """A text with the keyword, in either spelling and any case."""
    return document.kind == "text" and "graph" in document.text.lower()


def may_be_gitlab(document: Document) -> bool:
    """A mapping with something that runs; with tags, merge keys or a header it has no data of its own."""
    if isinstance(document.data, dict):
        return any(_has(value, "script", "run", "trigger", "extends") for value in document.data.values())
    return document.data is None and (bool(document.parts) or "!reference" in document.text or "<<" in document.text)


def may_be_run(document: Document) -> bool:
    """JSON Lines, messages, spans or runs, or a list of these; JSON Lines have no data of their own."""
    data = document.data
    if document.kind == "text":
        return False
    if data is None:
        return document.kind == "json"
    first = data[0] if isinstance(data, list) and data else data
    return isinstance(first, list) or (
        _has(first, "messages", "message", "choices", "role", "run_type", "context", "output", "type", "lc")
        or _has(first, "resourceSpans", "resourceLogs")
        or (_is_foreign(first) and any(_has(value, "messages") for value in first.values()))
    )


def _has(data: Any, *keys: str) -> bool:
    """Return whether data is a mapping with one of the keys."""
    return isinstance(data, dict) and any(key in data for key in keys)


def _is_foreign(data: Any) -> bool:
    """Return whether data is a mapping that is not in the native format."""
    return isinstance(data, dict) and "wfgate" not in data
