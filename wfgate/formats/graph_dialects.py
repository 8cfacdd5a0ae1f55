"""The kinds (dialects) of records with nodes and links."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from wfgate.documents import Diagnostic, Document, Path
from wfgate.formats.builder import check_size, missing_ends, with_ends
from wfgate.formats.fields import Fields, kind_of
from wfgate.model import END, START, DataLink, Guard, Link, Names, Task

_NODE = "node-"
_DIGITS = 9
__all__ = ["DIALECTS", "GraphParts", "is_sequence", "read_graph"]
_VIRTUAL = {START: START, END: END, "__start__": START, "__end__": END}
_KEYS: dict[str, tuple[str, ...]] = {
    "steps": ("nodes", "tasks", "steps", "plan"),
    "edges": ("edges", "links"),
    "id": ("id", "task_id", "step_id", "number", "step_number", "step"),
    "name": ("name", "label", "title", "task", "action", "step", "description", "instruction", "text"),
    "description": ("description", "instruction", "text"),
    "needs": ("dependencies", "needs", "depends_on", "dependsOn", "after", "prerequisites"),
}
"""What each part of a record may be called, the preferred key first.

A key can have two uses: `step` is an id if it is a number and a name otherwise, and a `description` is the name of a
step without one.
"""
_READ = {*(key for keys in _KEYS.values() for key in keys if key not in _KEYS["edges"]), "params", "critical"} | {
    "data",
    "type",
}
_PAIR = 2
_LIST_ORDER = "no step has dependencies, so the steps run in the order of the list"


@dataclass
class GraphParts:
    """The parts of one workflow.

    Attributes:
        tasks: The tasks in the order of the record.
        links: The control flow, including the links from START and to END.
        data_links: The flow of data.
        diagnostics: The diagnostics about the record.
        record: The mapping that contains the steps.
    """

    tasks: list[Task] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    data_links: list[DataLink] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    record: dict[str, Any] = field(default_factory=dict)


def fits_task_bench(data: dict[str, Any]) -> bool:
    """Return whether the record has `task_nodes`."""
    return isinstance(data.get("task_nodes"), list)


def read_task_bench(document: Document, data: dict[str, Any]) -> GraphParts:
    """Read `task_nodes` and `task_links` (Shen et al. 2023, arXiv:2311.18760).

    The name of a task is its tool. Its params are the arguments that do not refer to another task. Only `task_links`
    are control flow. A reference `<node-i>` (`i` counts from 0) is a data link. `task_links` name tools; if a tool is
    used twice, the references decide which node a link means. `task_steps` is not read, because its order can differ
    from the order of the nodes.

    Raises:
        FormatError: If a node or link is not valid.
    """
    parts = GraphParts()
    record = Fields(document, (), data, what="the record")
    nodes = record.entries("task_nodes")
    check_size(document, len(nodes))
    entries = [Fields(document, ("task_nodes", place), value, what="a task node") for place, value in enumerate(nodes)]
    tools = [entry.word("task") for entry in entries]
    number = _first_of_each(document, tools, parts, ("task_nodes",))
    instances = _instances(tools, entries)
    links: list[Link] = []
    for place, value in enumerate(record.entries("task_links")):
        link = Fields(document, ("task_links", place), value, what="a task link")
        names = link.word("source"), link.word("target")
        ends = instances.get(names, [(number.get(names[0], names[0]), number.get(names[1], names[1]))])
        links += [Link(source=source, target=target, span=document.span(*link.path)) for source, target in ends]
        if names in instances:
            instances[names] = []  # the same names again mean the other twin, which is linked already
    linked = {(link.source, link.target) for link in links}
    for place, entry in enumerate(entries):
        own = f"{_NODE}{place}"
        arguments: list[Any] = []
        for at, argument in enumerate(_arguments(entry)):
            references = list(_node_references(argument))
            if not references:
                arguments.append(argument)
            for reference in references:
                path = (*entry.path, "arguments", at)
                _node_data(document, path, (reference, own), tools, parts)
                if (f"{_NODE}{reference}", own) not in linked and reference < len(tools):
                    message = f"<{_NODE}{reference}> passes data, but the two nodes have no task link"
                    parts.diagnostics.append(document.diagnostic("info", message, *path))
        parts.tasks.append(_task(document, entry.path, own, tools[place], arguments))
    parts.links = list(with_ends([task.id for task in parts.tasks], links))
    return parts


def fits_plans(data: dict[str, Any]) -> bool:
    """Return whether the record has `plans`, a list of mappings or lists."""
    plans = data.get("plans")
    return isinstance(plans, list) and all(isinstance(plan, dict | list) for plan in plans)


def read_plans(document: Document, data: dict[str, Any]) -> GraphParts:
    """Read the only plan under `plans`: tools with arguments. The argument `<Tool>` is the result of another tool.

    The record has no separate links, so a reference is both control flow and data flow. If several arguments refer to
    the same tool, there is one control link. A reference can be to a tool that is not in the plan. If it is spelled
    like the tools of the plan (`<Video Downloader>`), it is a dangling link; otherwise (`<url>`) it is a placeholder
    for an input and stays an argument.

    Raises:
        FormatError: If there is not exactly one plan, or the plan is not valid.
    """
    parts = GraphParts()
    plans = data["plans"]
    if len(plans) != 1:
        raise document.error(
            f"the record has {len(plans)} plans; exactly one is needed",
            "plans",
            fix="write each plan to its own record",
        )
    steps = list(_plan_steps(document, ("plans", 0), plans[0]))
    check_size(document, len(steps))
    tools = [tool for _, tool, _ in steps]
    number = _first_of_each(document, tools, parts, ("plans", 0))
    spellings = {_spelling(tool) for tool in tools}
    links: dict[tuple[str, str], Link] = {}
    for place, (path, tool, arguments) in enumerate(steps):
        own = f"{_NODE}{place}"
        kept: list[Any] = []
        for argument in arguments:
            name = _reference(argument)
            if name is None:
                kept.append(argument)
            elif name in number or _spelling(name) in spellings:
                if name not in number:
                    message = f"<{name[:80]}> refers to a tool that is not in the plan"
                    parts.diagnostics.append(document.diagnostic("warning", message, *path))
                source, span = number.get(name, name), document.span(*path)
                links.setdefault((source, own), Link(source=source, target=own, span=span))
                parts.data_links.append(DataLink(source=source, target=own, data=name, span=span))
            else:
                kept.append(argument)
                message = f"<{name[:80]}> is read as an input, because no tool has a similar name"
                parts.diagnostics.append(document.diagnostic("info", message, *path))
        parts.tasks.append(_task(document, path, own, tool, kept))
    parts.links = list(with_ends([task.id for task in parts.tasks], list(links.values())))
    return parts


def _plan_steps(document: Document, path: Path, plan: Any) -> Iterator[tuple[Path, str, list[Any]]]:
    """Yield path, tool and arguments of each step; a plan is a mapping of tools or a list of such mappings."""
    if isinstance(plan, list):
        for place, step in enumerate(plan):
            if isinstance(step, list):
                raise document.error("a step must be a mapping, not a list", *path, place, fix="write {Tool: {...}}")
            yield from _plan_steps(document, (*path, place), step)
        return
    for tool, value in Fields(document, path, plan, what="a plan").value.items():
        if not tool:
            raise document.error("a tool has no name", *path, tool, fix="give the tool a name")
        step = {"arguments": value} if isinstance(value, list) else value
        yield (*path, tool), tool, _arguments(Fields(document, (*path, tool), step, what="a tool"))


def _arguments(entry: Fields) -> list[Any]:
    value = entry.value.get("arguments", [])
    if isinstance(value, dict):
        return [{"name": key, "value": inner} for key, inner in value.items()]
    return entry.entries("arguments")


def _task(document: Document, path: Path, own: str, tool: str, arguments: list[Any]) -> Task:
    params: dict[str, Any] = {"arguments": arguments} if arguments else {}
    return Task(id=own, name=tool, params=params, span=document.span(*path), path=path)


def _first_of_each(document: Document, tools: list[str], parts: GraphParts, path: Path) -> dict[str, str]:
    """Return the id of the first task of each tool; warn about tools that are used twice."""
    number: dict[str, str] = {}
    for place, tool in enumerate(tools):
        if number.setdefault(tool, f"{_NODE}{place}") != f"{_NODE}{place}":
            message = f"the tool {tool[:80]!r} is listed twice; a link is matched by its arguments, or means the first"
            where = (*path, place) if (*path, place) in document.spans else path
            parts.diagnostics.append(document.diagnostic("warning", message, *where))
    return number


def _instances(tools: list[str], entries: list[Fields]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return the node pairs that references connect, for each pair of tools with a tool that is used twice."""
    times = Counter(tools)
    instances: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for place, entry in enumerate(entries):
        for source in dict.fromkeys(_node_references(_arguments(entry))):
            if source < len(tools) and max(times[tools[source]], times[tools[place]]) > 1:
                instances[tools[source], tools[place]].append((f"{_NODE}{source}", f"{_NODE}{place}"))
    return dict(instances)


def _node_data(document: Document, path: Path, ends: tuple[int, str], tools: list[str], parts: GraphParts) -> None:
    reference, target = ends
    known = reference < len(tools)
    if not known:
        message = f"<{_NODE}{reference}> refers to a node that does not exist"
        parts.diagnostics.append(document.diagnostic("warning", message, *path))
    parts.data_links.append(
        DataLink(
            source=f"{_NODE}{reference}",
            target=target,
            data=tools[reference] if known else f"{_NODE}{reference}",
            span=document.span(*path),
        )
    )


def _node_references(argument: Any) -> Iterator[int]:
    """Yield the node numbers to which an argument refers, also inside mappings and lists."""
    if isinstance(argument, dict):
        for inner in argument.values():
            yield from _node_references(inner)
    elif isinstance(argument, list):
        for inner in argument:
            yield from _node_references(inner)
    else:
        name = _reference(argument)
        if name is not None and name.startswith(_NODE):
            digits = name.removeprefix(_NODE).partition("-")[0]
            if digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS:
                yield int(digits)


def _reference(argument: Any) -> str | None:
    """Return the text between the angle brackets of `<name>`; None if the argument is not a reference."""
    if not isinstance(argument, str) or not (argument.startswith("<") and argument.endswith(">")):
        return None
    name = argument[1:-1].strip()
    return name if name and "<" not in name and ">" not in name else None


def _spelling(name: str) -> tuple[bool, bool, bool]:
    """Return features of the spelling of a name: long words capitalised, several words, contains an underscore."""
    words = name.replace("-", " ").replace("_", " ").split()
    long = [word for word in words if len(word) > 3 and word[0].isalpha()] or words
    return all(not word[0].islower() for word in long), len(words) > 1, "_" in name


def _fits_steps(data: dict[str, Any]) -> bool:
    steps = data.get("steps")
    return (
        isinstance(steps, list)
        and isinstance(data.get("edges"), list)
        and not any(isinstance(step, dict) for step in steps)
    )


def _read_steps(document: Document, data: dict[str, Any]) -> GraphParts:
    """Read texts under `steps` and pairs of their 1-based numbers under `edges`."""
    parts = GraphParts()
    record = Fields(document, (), data, what="the record")
    texts = record.texts("steps")
    critical = set(record.words("critical"))
    parts.tasks = [
        Task(
            id=str(number),
            name=text,
            critical=str(number) in critical,
            span=document.span("steps", number - 1),
            path=("steps", number - 1),
        )
        for number, text in enumerate(texts, start=1)
    ]
    unknown = sorted(critical - {task.id for task in parts.tasks})
    if unknown:
        raise document.error(
            f"'critical' names the step {unknown[0]}, which does not exist",
            "critical",
            fix=f"use numbers from 1 to {len(texts)}",
        )
    links = [_edge(document, ("edges", place), value, {}) for place, value in enumerate(data["edges"])]
    parts.links = _closed([task.id for task in parts.tasks], links)
    return parts


def _fits_graph(data: dict[str, Any]) -> bool:
    path = _steps_path(data)
    if path is None:
        return False
    record = _at(data, path[:-1])
    steps = record[str(path[-1])]
    linked = bool(_first(record, _KEYS["edges"])) or _has_needs(steps)
    return linked or (path[-1] != "nodes" and is_sequence(steps))


def is_sequence(steps: list[Any], *, pairs: bool = False) -> bool:
    """Return whether a list without dependencies is a list of steps: every item is a text or has a name.

    An item with a list of steps in it is not a step, because these steps are not read. With `pairs`, an item can be a
    name with its description (`- Build: one image per region`).

    Example:
        >>> is_sequence(["Build", {"description": "Run the tests"}]), is_sequence([{"script": "make"}])
        (True, False)
    """
    return bool(steps) and all(
        isinstance(step, dict) and any(_is_name(step, key) for key in _KEYS["name"]) and not _inner(step)
        for step in (_as_mapping(step, pairs=pairs) for step in steps)
    )


def _is_name(step: dict[str, Any], key: str) -> bool:
    return isinstance(step.get(key), str) and bool(step[key].strip()) and not _is_number(step, key)


def _is_number(step: dict[str, Any], key: str) -> bool:
    """Return whether the value of a key that can be an id or a name is a number."""
    value = step.get(key)
    number = isinstance(value, int | str) and not isinstance(value, bool) and str(value).strip().isdecimal()
    return number and key in _KEYS["id"]


def _inner(step: dict[str, Any]) -> bool:
    return any(isinstance(step.get(key), list) for key in (*_KEYS["steps"], "subtasks"))


def read_graph(document: Document, data: Any) -> GraphParts:
    """Read steps with their dependencies, and edges; they may be inside one outer key (a Task Master tag).

    `data` is such a record, or only the list of steps. If there are neither edges nor dependencies, the steps run in
    the order of the list.

    Raises:
        FormatError: If there is no list of steps, or a step or an edge is not valid.
    """
    path = () if isinstance(data, list) else _steps_path(data)
    if path is None:
        raise document.error(
            "the file has no list of steps", fix=f"write a list under one of the keys {', '.join(_KEYS['steps'])}"
        )
    record = _at(data, path[:-1]) if path else {}
    edges_key = _first(record, _KEYS["edges"])
    parts = GraphParts(record=record)
    values = record[str(path[-1])] if path else data
    check_size(document, len(values))
    in_order = edges_key is None and not _has_needs(values)
    nodes, names = _read_nodes(document, path, values, parts, unique=in_order)
    edges = record[edges_key] if edges_key else []
    links = [_edge(document, (*path[:-1], edges_key or "", place), value, names) for place, value in enumerate(edges)]
    known = {(link.source, link.target) for link in links}
    for entry, node in nodes:
        target = _resolve(node.id, names)
        for key in _KEYS["needs"]:
            for need in entry.words(key):
                source = _resolve(need, names)
                if (source, target) not in known:
                    links.append(Link(source=source, target=target, span=document.span(*entry.path, key)))
    if in_order:
        ids = [task.id for task in parts.tasks]
        links = [Link(source=source, target=target) for source, target in pairwise(ids)]
        parts.diagnostics.append(document.diagnostic("info", _LIST_ORDER, *path))
    inner = sum(_inner(entry.value) for entry, _ in nodes)
    if inner:
        message = f"the steps inside {inner} step{'s' * (inner > 1)} are not read"
        parts.diagnostics.append(document.diagnostic("warning", message, *path))
    if any(link.guard for link in links):
        message = "the record does not say how conditional branches join, so a step waits for all its incoming links"
        parts.diagnostics.append(document.diagnostic("info", message, edges_key or ""))
    parts.links = _closed([task.id for task in parts.tasks], links)
    return parts


Fits = Callable[[dict[str, Any]], bool]
Reader = Callable[[Document, dict[str, Any]], GraphParts]
DIALECTS: tuple[tuple[str, Fits, Reader], ...] = (
    ("task-bench", fits_task_bench, read_task_bench),
    ("plans", fits_plans, read_plans),
    ("steps", _fits_steps, _read_steps),
    ("graph", _fits_graph, read_graph),
)
"""Each dialect as (name, recognise, read); the first that fits reads."""


def _first(data: dict[str, Any], keys: Sequence[str]) -> str | None:
    return next((key for key in keys if isinstance(data.get(key), list)), None)


def _steps_path(data: dict[str, Any]) -> Path | None:
    """Return the path of the list of steps: at the top, or below the only key (`workflow`, a tag of Task Master)."""
    if key := _steps_key(data):
        return (key,)
    if len(data) != 1:
        return None
    tag, inner = next(iter(data.items()))
    key = _steps_key(inner) if isinstance(inner, dict) else None
    return (tag, key) if key else None


def _steps_key(record: dict[str, Any]) -> str | None:
    """Return the key of the list of steps: the first one with dependencies in it, if there are several lists."""
    keys = [key for key in _KEYS["steps"] if isinstance(record.get(key), list)]
    linked = keys if _first(record, _KEYS["edges"]) else [key for key in keys if _has_needs(record[key])]
    return next(iter([*linked, *keys]), None)


def _at(data: dict[str, Any], path: Path) -> dict[str, Any]:
    for key in path:
        data = data[str(key)]
    return data


def _has_needs(steps: list[Any]) -> bool:
    return any(isinstance(step, dict) and any(key in step for key in _KEYS["needs"]) for step in steps)


def _read_nodes(
    document: Document, path: Path, values: list[Any], parts: GraphParts, *, unique: bool
) -> tuple[list[tuple[Fields, Task]], dict[str, str]]:
    """Read the nodes; all nodes except START and END are added to `parts`.

    `unique` gives nodes with the same name different ids; otherwise a check reports them.

    Returns:
        All nodes in the order of the record, and the node of every id, of every unique name and, if no node has an id,
        of every number from 1.
    """
    nodes: list[tuple[Fields, Task]] = []
    ids: dict[str, str] = {}
    by_name: dict[str, str] = {}
    repeated: set[str] = set()
    numbered = not any(isinstance(value, dict) and _id_key(value) for value in values)
    names_in_use = Names() if unique else None
    for place, value in enumerate(values):
        entry = Fields(document, (*path, place), _as_mapping(value, pairs=not path), what="a node")
        task = _node(entry, names_in_use)
        nodes.append((entry, task))
        virtual = _VIRTUAL.get(task.id) or _VIRTUAL.get(task.name)
        if virtual:
            ids[task.id] = virtual
            continue
        ids[task.id] = task.id
        parts.tasks.append(task)
        if by_name.setdefault(task.name, task.id) != task.id:
            repeated.add(task.name)
    numbers = {str(number): node.id for number, (_, node) in enumerate(nodes, start=1)} if numbered else {}
    names = {name: own for name, own in by_name.items() if name not in repeated}
    return nodes, numbers | names | ids


def _as_mapping(value: object, *, pairs: bool) -> object:
    """Return a node as a mapping; with `pairs`, `- Build: one image per region` is a name and a description."""
    if isinstance(value, str):
        return {"name": value}
    if isinstance(value, int) and not isinstance(value, bool):
        return {"id": value}
    if not isinstance(value, dict):
        return value
    given = {key: inner for key, inner in value.items() if inner is not None}
    key, inner = next(iter(given.items()), ("", None))
    if pairs and len(given) == 1 and isinstance(inner, str) and key not in _READ:
        return {"name": key, "description": inner}
    return given


def _id_key(node: dict[str, Any]) -> str | None:
    """Return the key of a node's id; the value of a key that can be a name too must be a number."""
    for key in _KEYS["id"]:
        if node.get(key) is not None and (key not in _KEYS["name"] or _is_number(node, key)):
            return key
    return None


def _node(entry: Fields, names: Names | None) -> Task:
    id_key = _id_key(entry.value)
    name_key, name = _label(entry)
    own = entry.word(id_key) if id_key else name
    if not own:
        others = ", ".join(f"`{key}`" for key in _KEYS["name"][1:])
        raise entry.error("the step has neither a name nor an id", fix=f"add `name` (or one of {others}) or `id`")
    if names is not None and id_key is None:
        own = names.free(own)
    described = (entry.text(key) for key in _KEYS["description"] if key != name_key)
    return Task(
        id=own,
        name=name or own,
        description=next(filter(None, described), ""),
        action=None if name_key == "action" else entry.optional_text("action"),
        params=entry.mapping("params"),
        critical=entry.flag("critical"),
        span=entry.document.span(*entry.path),
        path=entry.path,
    )


def _label(entry: Fields) -> tuple[str, str]:
    """Return the first key of a name that has a text, and the text, from the node or from its `data`."""
    inner = entry.value.get("data")
    nested = Fields(entry.document, (*entry.path, "data"), inner, what="data") if isinstance(inner, dict) else None
    for key in _KEYS["name"]:
        for fields in (entry, nested):
            if fields is not None and not _is_number(fields.value, key) and fields.text(key):
                return key, fields.text(key)
    return "", ""


def _edge(document: Document, path: Path, value: Any, names: dict[str, str]) -> Link:
    """Read one edge: a pair, or a mapping with `from`/`to` or `source`/`target`."""
    if isinstance(value, list):
        if len(value) != _PAIR:
            raise document.error(f"an edge must have two nodes, not {len(value)}", *path, fix="write [from, to]")
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
    if isinstance(condition, int | float) and not isinstance(condition, bool):
        return Guard(expr=json.dumps(condition))
    if entry.value.get("conditional") is not True and condition is not True:
        return None
    labels = (entry.value.get(key) for key in ("data", "label"))
    return Guard(expr=next((label for label in labels if isinstance(label, str) and label), None))


def _resolve(end: str, names: dict[str, str]) -> str:
    return names.get(end) or _VIRTUAL.get(end, end)


def _closed(nodes: Sequence[str], links: Sequence[Link]) -> list[Link]:
    """Add the links from START or to END if the record has no such links."""
    starts, ends = missing_ends(nodes, links)
    return [*starts, *links, *ends]
