"""Tool graphs whose arguments refer to other tools: TaskBench and ProcessTBench records."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from wfgate.documents import Document, Path
from wfgate.formats.builder import check_size, with_ends
from wfgate.formats.fields import Fields
from wfgate.formats.graph_parts import GraphParts
from wfgate.model import DataLink, Link, Task

_NODE = "node-"
_DIGITS = 9


def fits_task_bench(data: dict[str, Any]) -> bool:
    """Return whether the record has `task_nodes`."""
    return isinstance(data.get("task_nodes"), list)


def read_task_bench(document: Document, data: dict[str, Any]) -> GraphParts:
    """Read `task_nodes` and `task_links` (Shen et al. 2023, arXiv:2311.18760).

    A task's name is its tool, its params are the arguments that refer to no other task. `task_links` alone are
    the flow; a reference `<node-i>` (0-based) is a flow of data, and tells which node a link by name means where a
    tool is there twice. `task_steps` is not read: its order need not be the one of the nodes.

    Raises:
        FormatError: If a node or link is none.
    """
    parts = GraphParts(keys={"task_nodes", "task_links", "task_steps", "type"})
    record = Fields(document, (), data, what="the record")
    nodes = record.entries("task_nodes")
    check_size(document, len(nodes))
    entries = [Fields(document, ("task_nodes", place), value, what="a task node") for place, value in enumerate(nodes)]
    tools = [entry.word("task") for entry in entries]
    number = _first_of_each(document, tools, parts, ("task_nodes",))
    told = _told_apart(tools, entries)
    links: list[Link] = []
    for place, value in enumerate(record.entries("task_links")):
        link = Fields(document, ("task_links", place), value, what="a task link")
        names = link.word("source"), link.word("target")
        ends = told.get(names, [(number.get(names[0], names[0]), number.get(names[1], names[1]))])
        links += [Link(source=source, target=target, span=document.span(*link.path)) for source, target in ends]
        if names in told:
            told[names] = []  # the same names again mean the other twin, which is linked already
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
                    said = f"<{_NODE}{reference}> is a flow of data without a task link"
                    parts.diagnostics.append(document.diagnostic("info", said, *path))
        parts.tasks.append(_task(document, entry.path, own, tools[place], arguments))
    parts.links = list(with_ends([task.id for task in parts.tasks], links))
    return parts


def fits_plans(data: dict[str, Any]) -> bool:
    """Return whether the record has `plans`, a list of mappings or lists."""
    plans = data.get("plans")
    return isinstance(plans, list) and all(isinstance(plan, dict | list) for plan in plans)


def read_plans(document: Document, data: dict[str, Any]) -> GraphParts:
    """Read the one plan under `plans`: tools with arguments, `<Tool>` being the outcome of another tool.

    References are flow of data and control, for there are no separate links; a tool is waited for once, for however
    many arguments its outcome is used. A reference to a tool that is not in the plan is a dangling link if it is
    spelled the way the plan's tools are (`<Video Downloader>`), else a placeholder for an input (`<url>`) that stays
    an argument.

    Raises:
        FormatError: If there is not exactly one plan, or it is none.
    """
    parts = GraphParts(keys={"plans", "sample"})
    plans = data["plans"]
    if len(plans) != 1:
        raise document.error(f"there are {len(plans)} plans, not one", "plans", fix="give each plan a record")
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
                    said = f"<{name[:80]}> refers to a tool that is not in the plan"
                    parts.diagnostics.append(document.diagnostic("warning", said, *path))
                source, span = number.get(name, name), document.span(*path)
                links.setdefault((source, own), Link(source=source, target=own, span=span))
                parts.data_links.append(DataLink(source=source, target=own, data=name, span=span))
            else:
                kept.append(argument)
                said = f"<{name[:80]}> is taken for an input: no tool is spelled like it"
                parts.diagnostics.append(document.diagnostic("info", said, *path))
        parts.tasks.append(_task(document, path, own, tool, kept))
    parts.links = list(with_ends([task.id for task in parts.tasks], list(links.values())))
    return parts


def _plan_steps(document: Document, path: Path, plan: Any) -> Iterator[tuple[Path, str, list[Any]]]:
    """Yield path, tool and arguments of each step of a mapping of tools, or of a list of such mappings."""
    if isinstance(plan, list):
        for place, step in enumerate(plan):
            if isinstance(step, list):
                raise document.error("a step must be a mapping, not a list", *path, place, fix="write {Tool: {...}}")
            yield from _plan_steps(document, (*path, place), step)
        return
    for tool, value in Fields(document, path, plan, what="a plan").value.items():
        if not tool:
            raise document.error("a tool has no name", *path, tool, fix="name the tool")
        step = {"arguments": value} if isinstance(value, list) else value
        yield (*path, tool), tool, _arguments(Fields(document, (*path, tool), step, what="a tool"))


def _arguments(entry: Fields) -> list[Any]:
    value = entry.value.get("arguments", [])
    if isinstance(value, dict):
        return [{"name": key, "value": inner} for key, inner in value.items()]
    return entry.entries("arguments")


def _task(document: Document, path: Path, own: str, tool: str, arguments: list[Any]) -> Task:
    params: dict[str, Any] = {"arguments": arguments} if arguments else {}
    return Task(id=own, name=tool, params=params, span=document.span(*path))


def _first_of_each(document: Document, tools: list[str], parts: GraphParts, path: Path) -> dict[str, str]:
    """Return the id of the first task of each tool; warn about tools that are there twice."""
    number: dict[str, str] = {}
    for place, tool in enumerate(tools):
        if number.setdefault(tool, f"{_NODE}{place}") != f"{_NODE}{place}":
            said = f"the tool {tool[:80]!r} is there twice: arguments tell which one a link means, or it is the first"
            where = (*path, place) if (*path, place) in document.spans else path
            parts.diagnostics.append(document.diagnostic("warning", said, *where))
    return number


def _told_apart(tools: list[str], entries: list[Fields]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return, for names of two tools of which one is there twice, the nodes between which the arguments refer."""
    times = Counter(tools)
    told: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for place, entry in enumerate(entries):
        for source in dict.fromkeys(_node_references(_arguments(entry))):
            if source < len(tools) and max(times[tools[source]], times[tools[place]]) > 1:
                told[tools[source], tools[place]].append((f"{_NODE}{source}", f"{_NODE}{place}"))
    return dict(told)


def _node_data(document: Document, path: Path, ends: tuple[int, str], tools: list[str], parts: GraphParts) -> None:
    reference, target = ends
    known = reference < len(tools)
    if not known:
        said = f"<{_NODE}{reference}> refers to a node that is not there"
        parts.diagnostics.append(document.diagnostic("warning", said, *path))
    parts.data_links.append(
        DataLink(
            source=f"{_NODE}{reference}",
            target=target,
            data=tools[reference] if known else f"{_NODE}{reference}",
            span=document.span(*path),
        )
    )


def _node_references(argument: Any) -> Iterator[int]:
    """Yield the node numbers that an argument refers to, alone or as values of a mapping or list."""
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
    """Return what stands between the angle brackets of `<name>`."""
    if not isinstance(argument, str) or not (argument.startswith("<") and argument.endswith(">")):
        return None
    name = argument[1:-1].strip()
    return name if name and "<" not in name and ">" not in name else None


def _spelling(name: str) -> tuple[bool, bool, bool]:
    """Return how a name is spelled: its long words capitalised, several words, an underscore in it."""
    words = name.replace("-", " ").replace("_", " ").split()
    long = [word for word in words if len(word) > 3 and word[0].isalpha()] or words
    return all(not word[0].islower() for word in long), len(words) > 1, "_" in name
