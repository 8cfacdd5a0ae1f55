"""The kinds (dialects) of records with nodes and links."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from wfgate.documents import Diagnostic, Document, Path
from wfgate.formats.builder import check_size, missing_ends, with_ends
from wfgate.formats.fields import Fields, kind_of
from wfgate.model import END, START, DataLink, Guard, Link, Task

_NODE = "node-"
_DIGITS = 9
__all__ = ["DIALECTS", "GraphParts"]
_VIRTUAL = {START: START, END: END, "__start__": START, "__end__": END}
_NODES = ("nodes", "tasks")
_EDGES = ("edges", "links")
_NEEDS = ("dependencies", "needs", "depends_on", "dependsOn")
_NAMES = ("name", "label", "title", "task")
_PAIR = 2


@dataclass
class GraphParts:
    """The parts of one workflow.

    Attributes:
        tasks: The tasks in the order of the record.
        links: The control flow, including the links from START and to END.
        data_links: The flow of data.
        diagnostics: The diagnostics about the record.
    """

    tasks: list[Task] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    data_links: list[DataLink] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


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
    return isinstance(data.get("steps"), list) and isinstance(data.get("edges"), list)


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
    return _graph_path(data) is not None


def _read_graph(document: Document, data: dict[str, Any]) -> GraphParts:
    """Read nodes, edges and the dependencies of the nodes; they may be inside one outer key (a Task Master tag)."""
    path = _graph_path(data) or ()
    record = data
    for key in path[:-1]:
        record = record[str(key)]
    edges_key = _first(record, _EDGES)
    parts = GraphParts()
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
        message = f"the subtasks of {subtasks} tasks are not read"
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
    ("graph", _fits_graph, _read_graph),
    ("steps", _fits_steps, _read_steps),
)
"""Each dialect as (name, recognise, read); the first that fits reads."""


def _first(data: dict[str, Any], keys: Sequence[str]) -> str | None:
    return next((key for key in keys if isinstance(data.get(key), list)), None)


def _graph_path(data: dict[str, Any]) -> Path | None:
    """Return the path of the list of nodes: at the top, or below the only key (a tag of Task Master)."""
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
    """Read the nodes; all nodes except START and END are added to `parts`.

    Returns:
        All nodes in the order of the record, and the node of every id and of every unique name.
    """
    nodes: list[tuple[Fields, Task]] = []
    ids: dict[str, str] = {}
    by_name: dict[str, str] = {}
    repeated: set[str] = set()
    for place, value in enumerate(values):
        scalar = isinstance(value, str | int) and not isinstance(value, bool)
        if isinstance(value, dict):
            given: object = {key: inner for key, inner in value.items() if inner is not None}
        else:
            given = {"id": value} if scalar else value
        entry = Fields(document, (*path, place), given, what="a node")
        task = _node(entry)
        nodes.append((entry, task))
        virtual = _VIRTUAL.get(task.id) or _VIRTUAL.get(task.name)
        if virtual:
            ids[task.id] = virtual
            continue
        ids[task.id] = task.id
        parts.tasks.append(task)
        if by_name.setdefault(task.name, task.id) != task.id:
            repeated.add(task.name)
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
        path=entry.path,
    )


def _label(entry: Fields) -> str:
    """Return the first name-like key that has a text, from the node or from its `data`."""
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
