"""Assigns every value of a file to the element that contains it.

A reader states where each task, gateway and sub-workflow is in the data of the file. Every other value belongs to the
innermost element around it; values outside all elements belong to the workflow. So no value is lost, whether or not
the reader understands it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from wfgate.model import Element, Gateway, Task, Workflow
from wfgate.read.documents.document import Document, Key
from wfgate.read.documents.values import Remainder

_Element = TypeVar("_Element", Task, Gateway, Workflow, Element)
_REMOVED: Any = object()


def with_raw(workflow: Workflow, document: Document, format_id: str) -> Workflow:
    """Return the workflow with the `raw` data of every element that has a `path`.

    The main workflow has the empty path. Elements with the same path share their data. In a file with several YAML
    documents, the first key of a path is the position of the document. An element all of whose data belong to other
    elements keeps the `raw` that the reader gave it, such as the order of its parts. If the document is not data, or
    no element has a path, no element gets data.

    Cost: linear in the elements and in the values next to them.

    Example:
        >>> data = {"on": "push", "jobs": {"build": {"env": 1, "steps": [{"run": "make"}]}}}
        >>> job = Task(id="build", name="build", path=("jobs", "build"))
        >>> step = Task(id="1", name="make", path=("jobs", "build", "steps", 0))
        >>> steps = Workflow(name="steps", tasks=(step,))
        >>> read = with_raw(Workflow(tasks=(job,), subworkflows=(steps,)), Document("x", data=data), "example")
        >>> read.raw, read.tasks[0].raw, read.subworkflows[0].tasks[0].raw
        ({'on': 'push'}, {'env': 1}, {'run': 'make'})
    """
    elements = [element for part in (workflow, *workflow.subworkflows) for element in part.elements]
    data = [part.data for part in document.parts] or document.data
    if not isinstance(data, dict | list) or all(element.path is None for element in elements):
        return workflow.model_copy(update={"format": format_id})
    whole = workflow.model_copy(update={"path": ()})
    tree = _Node()
    for path in [(), *(element.path for element in elements if element.path is not None)]:
        tree.add(path)
    _remainder(data, tree)
    parts = tuple(_assigned(part, tree) for part in workflow.subworkflows)
    update = {"subworkflows": parts, "format": format_id, "spans": document.spans}
    return _assigned(whole, tree).model_copy(update=update)


@dataclass
class _Node:
    """A place in the data with elements at it or below it.

    Attributes:
        inner: The places directly below, by key.
        element: Whether an element is here.
        raw: The data of that element.
    """

    inner: "dict[Key, _Node]" = field(default_factory=dict)
    element: bool = False
    raw: Any = None

    def add(self, path: Iterable[Key]) -> None:
        node = self
        for key in path:
            node = node.inner.setdefault(key, _Node())
        node.element = True

    def at(self, path: Iterable[Key]) -> "_Node":
        node = self
        for key in path:
            node = node.inner[key]
        return node


def _remainder(value: Any, node: _Node) -> Any:
    """Return the part of a value that belongs to no element at or below this place, and set `raw` of the elements."""
    rest = value
    if node.inner and isinstance(value, dict):
        kept = {
            key: _remainder(inner, node.inner[key]) if key in node.inner else inner for key, inner in value.items()
        }
        rest = {key: inner for key, inner in kept.items() if inner is not _REMOVED} or _REMOVED
    elif node.inner and isinstance(value, list):
        items = [_remainder(item, node.inner[at]) if at in node.inner else item for at, item in enumerate(value)]
        rest = Remainder((at, item) for at, item in enumerate(items) if item is not _REMOVED) or _REMOVED
    if not node.element:
        return rest
    node.raw = {} if rest is _REMOVED else rest
    return _REMOVED


def _assigned(part: Workflow, tree: _Node) -> Workflow:
    def raw(element: _Element) -> _Element:
        update: dict[str, Any] = {}
        if element.path is not None:
            own = tree.at(element.path).raw
            update["raw"] = own if own or element.raw is None else element.raw
        if element.definitions:
            update["definitions"] = tuple(map(raw, element.definitions))
        return element.model_copy(update=update) if update else element

    tasks, gateways = tuple(map(raw, part.tasks)), tuple(map(raw, part.gateways))
    return raw(part).model_copy(update={"tasks": tasks, "gateways": gateways})
