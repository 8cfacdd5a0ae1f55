"""Plans whose steps are a list in the front matter of a Markdown file (Cursor: `todos`)."""

from dataclasses import replace
from typing import Any

from wfgate.model import SourceSpan
from wfgate.read.documents.document import Document, Path
from wfgate.read.documents.kind import document_of

_MARK = "---"
_LIST = "todos"
_KEYS = {"content": "name", "overview": "description"}
"""What the plan calls its parts, and what the reader of graph records calls them."""


def has_front_matter(text: str) -> bool:
    """Return whether a text begins with front matter: YAML between two lines of three dashes."""
    first, _, rest = text.partition("\n")
    return first.rstrip() == _MARK and f"\n{_MARK}" in rest


def plan_in_front_matter(document: Document) -> Document:
    r"""Return the plan in the front matter as data with the text below it, and the document itself if there is none.

    The text below is the value `body`, so that it is compared.

    Example:
        >>> text = "---\nname: Login\ntodos:\n- {id: a, content: Build}\n---\n\nWhy\n"
        >>> plan_in_front_matter(Document("plan.md", text)).data
        {'name': 'Login', 'steps': [{'id': 'a', 'name': 'Build'}], 'body': 'Why'}
    """
    if document.kind != "text" or document.lines_above or not has_front_matter(document.text):
        return document
    written, _, body = document.text.partition("\n")[2].partition(f"\n{_MARK}")
    inner = document_of(f"{written}\n", document.name, lines_above=1)
    data = inner.data if isinstance(inner.data, dict) else {}
    todos = data.get(_LIST)
    if not isinstance(todos, list) or not todos or not all(_is_step(todo) for todo in todos):
        return document
    steps = [_renamed(todo) for todo in todos]
    others = _renamed({key: value for key, value in data.items() if key != _LIST})
    spans = {_moved(path): span for path, span in inner.spans.items()}
    below = document.text.count("\n", 0, len(document.text) - len(body)) + 1
    spans["body",] = SourceSpan(line=below, column=1)
    return replace(
        document, kind="yaml", data=others | {"steps": steps, "body": body.strip()}, spans=spans, problem=None
    )


def _is_step(todo: object) -> bool:
    return isinstance(todo, dict) and isinstance(todo.get("content"), str) and bool(todo["content"].strip())


def _renamed(part: dict[str, Any]) -> dict[str, Any]:
    return {_KEYS.get(key, key): value for key, value in part.items()}


def _moved(path: Path) -> Path:
    if path[:1] == (_LIST,):
        return ("steps", *path[1:2], *(_KEYS.get(str(key), key) for key in path[2:]))
    return (_KEYS.get(str(path[0]), path[0]), *path[1:]) if path else path
