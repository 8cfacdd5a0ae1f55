"""The dialects of graph records: who has which keys, and how each becomes tasks and links."""

from collections.abc import Callable, Sequence
from typing import Any

from wfgate.documents import Document, Path
from wfgate.formats.builder import missing_ends
from wfgate.formats.fields import Fields, kind_of
from wfgate.formats.graph_parts import GraphParts
from wfgate.formats.graph_plans import fits_plans, fits_task_bench, read_plans, read_task_bench
from wfgate.model import END, START, Guard, Link, Task

__all__ = ["DIALECTS", "GraphParts"]

_VIRTUAL = {START: START, END: END, "__start__": START, "__end__": END}
_NODES = ("nodes", "tasks")
_EDGES = ("edges", "links")
_NEEDS = ("dependencies", "needs", "depends_on", "dependsOn")
_NAMES = ("name", "label", "title", "task")
_READ = {"id", *_NAMES, *_NEEDS, "description", "action", "params", "critical", "data", "type"}
_PAIR = 2


def _fits_steps(data: dict[str, Any]) -> bool:
    return isinstance(data.get("steps"), list) and isinstance(data.get("edges"), list)


def _read_steps(document: Document, data: dict[str, Any]) -> GraphParts:
    """Read texts under `steps` and pairs of their 1-based numbers under `edges`."""
    parts = GraphParts(keys={"steps", "edges", "critical"})
    record = Fields(document, (), data, what="the record")
    texts = record.texts("steps")
    critical = set(record.words("critical"))
    parts.tasks = [
        Task(id=str(number), name=text, critical=str(number) in critical, span=document.span("steps", number - 1))
        for number, text in enumerate(texts, start=1)
    ]
    unknown = sorted(critical - {task.id for task in parts.tasks})
    if unknown:
        raise document.error(f"there is no step {unknown[0]}", "critical", fix=f"use numbers from 1 to {len(texts)}")
    links = [_edge(document, ("edges", place), value, {}) for place, value in enumerate(data["edges"])]
    parts.links = _closed([task.id for task in parts.tasks], links)
    return parts


def _fits_graph(data: dict[str, Any]) -> bool:
    return _graph_path(data) is not None


def _read_graph(document: Document, data: dict[str, Any]) -> GraphParts:
    """Read nodes, the edges between them, and what they say they depend on; one tag may enclose them."""
    path = _graph_path(data) or ()
    record = data
    for key in path[:-1]:
        record = record[str(key)]
    edges_key = _first(record, _EDGES)
    parts = GraphParts(keys={str(path[0]), *([edges_key] if edges_key else [])})
    nodes, names = _read_nodes(document, path, record[str(path[-1])], parts)
    edges = record[edges_key] if edges_key else []
    links = [_edge(document, (*path[:-1], edges_key or "", place), value, names) for place, value in enumerate(edges)]
    known = {(link.source, link.target) for link in links}
    for entry, node in nodes:
        target = _resolve(node.id, names)
        for key in _NEEDS:
            for need in entry.words(key):
                source = _resolve(need, names)
                if (source, target) not in known:
                    links.append(Link(source=source, target=target, span=document.span(*entry.path, key)))
    subtasks = sum(bool(entry.value.get("subtasks")) for entry, _ in nodes)
    if subtasks:
        said = f"the subtasks of {subtasks} tasks are not read"
        parts.diagnostics.append(document.diagnostic("warning", said, *path))
    if any(link.guard for link in links):
        said = "the record does not say how conditional branches join: all incoming links are waited for"
        parts.diagnostics.append(document.diagnostic("info", said, edges_key or ""))
    parts.links = _closed([task.id for task in parts.tasks], links)
    return parts


DIALECTS: tuple[tuple[Callable[[dict[str, Any]], bool], Callable[[Document, dict[str, Any]], GraphParts]], ...] = (
    (fits_task_bench, read_task_bench),
    (fits_plans, read_plans),
    (_fits_graph, _read_graph),
    (_fits_steps, _read_steps),
)
"""Each dialect as (recognise, read); the first that fits reads."""


def _first(data: dict[str, Any], keys: Sequence[str]) -> str | None:
    return next((key for key in keys if isinstance(data.get(key), list)), None)


def _graph_path(data: dict[str, Any]) -> Path | None:
    """Return where the list of nodes stands: at the top, or below the only key (a tag of Task Master)."""
    for key in _NODES:
        if isinstance(data.get(key), list) and (_first(data, _EDGES) or _has_needs(data[key])):
            return (key,)
    if len(data) != 1:
        return None
    tag, inner = next(iter(data.items()))
    return (tag, "tasks") if isinstance(inner, dict) and _has_needs(inner.get("tasks")) else None


def _has_needs(tasks: object) -> bool:
    return isinstance(tasks, list) and any(
        isinstance(task, dict) and any(key in task for key in _NEEDS) for task in tasks
    )


def _read_nodes(
    document: Document, path: Path, values: list[Any], parts: GraphParts
) -> tuple[list[tuple[Fields, Task]], dict[str, str]]:
    """Read the nodes, those into `parts` that are not START or END.

    Returns:
        All nodes in listing order, and what every id, and every name that only one node has, stands for.
    """
    nodes: list[tuple[Fields, Task]] = []
    ids: dict[str, str] = {}
    by_name: dict[str, str] = {}
    repeated: set[str] = set()
    unread: set[str] = set()
    for place, value in enumerate(values):
        scalar = isinstance(value, str | int) and not isinstance(value, bool)
        if isinstance(value, dict):
            given: object = {key: inner for key, inner in value.items() if inner is not None}
        else:
            given = {"id": value} if scalar else value
        entry = Fields(document, (*path, place), given, what="a node")
        task = _node(entry)
        nodes.append((entry, task))
        unread |= set(entry.value) - _READ
        virtual = _VIRTUAL.get(task.id) or _VIRTUAL.get(task.name)
        if virtual:
            ids[task.id] = virtual
            continue
        ids[task.id] = task.id
        parts.tasks.append(task)
        if by_name.setdefault(task.name, task.id) != task.id:
            repeated.add(task.name)
    unread.discard("subtasks")
    if unread:
        said = f"not read: {', '.join(sorted(unread))[:200]}"
        parts.diagnostics.append(document.diagnostic("info", said, *path))
    names = {name: own for name, own in by_name.items() if name not in repeated}
    return nodes, names | ids


def _node(entry: Fields) -> Task:
    name = _label(entry)
    own = entry.word("id") if "id" in entry else name
    if not own:
        raise entry.error("a node has neither an id nor a name", fix="add `id` or `name`")
    return Task(
        id=own,
        name=name or own,
        description=entry.text("description"),
        action=entry.optional_text("action"),
        params=entry.mapping("params"),
        critical=entry.flag("critical"),
        span=entry.document.span(*entry.path),
    )


def _label(entry: Fields) -> str:
    """Return the first of the name-like keys that says something, of the node or of its `data`."""
    inner = entry.value.get("data")
    nested = Fields(entry.document, (*entry.path, "data"), inner, what="data") if isinstance(inner, dict) else None
    for fields in (entry, nested):
        for key in _NAMES:
            if fields is not None and fields.text(key):
                return fields.text(key)
    return ""


def _edge(document: Document, path: Path, value: Any, names: dict[str, str]) -> Link:
    """Read one edge: a pair, or a mapping with `from`/`to` or `source`/`target`."""
    if isinstance(value, list):
        if len(value) != _PAIR:
            raise document.error(f"an edge has two ends, not {len(value)}", *path, fix="write [from, to]")
        value = {"from": value[0], "to": value[1]}
    if not isinstance(value, dict):
        raise document.error(
            f"an edge must be a pair or a mapping, not {kind_of(value)}", *path, fix="write [from, to]"
        )
    entry = Fields(document, path, value, what="an edge")
    source = entry.word("source" if "source" in entry else "from")
    target = entry.word("target" if "target" in entry else "to")
    return Link(
        source=_resolve(source, names),
        target=_resolve(target, names),
        guard=_guard(entry),
        span=document.span(*path),
    )


def _guard(entry: Fields) -> Guard | None:
    condition = entry.value.get("condition")
    if isinstance(condition, str) and condition:
        return Guard(expr=condition)
    if entry.value.get("conditional") is not True and condition is not True:
        return None
    labels = (entry.value.get(key) for key in ("data", "label"))
    return Guard(expr=next((label for label in labels if isinstance(label, str) and label), None))


def _resolve(end: str, names: dict[str, str]) -> str:
    return names.get(end) or _VIRTUAL.get(end, end)


def _closed(nodes: Sequence[str], links: Sequence[Link]) -> list[Link]:
    """Add START and END where no link of the record names them."""
    starts, ends = missing_ends(nodes, links)
    return [*starts, *links, *ends]
