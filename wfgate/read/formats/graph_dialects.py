"""The kinds (dialects) of records with nodes and links."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field, RootModel, StrictBool, StrictStr, model_validator
from pydantic_core import PydanticCustomError

from wfgate.errors import FormatError, printable
from wfgate.model import END, START, DataLink, Guard, Link, Names, Task, Workflow
from wfgate.read.documents.document import Diagnostic, Document, Key, Path, Severity
from wfgate.read.formats.builder import check_size, missing_ends, with_ends
from wfgate.read.formats.exits import label
from wfgate.read.formats.plan_spellings import EDGES, LISTS, Keys, has_needs, list_key, texts_in
from wfgate.read.formats.typed import Word, Written, listed, read_shape
from wfgate.read.formats.words import kind_of

_NODE = "node-"
_NODE_REFERENCE = re.compile(r"node-([0-9]{1,9})(-.*)?", re.DOTALL)
__all__ = ["DIALECTS", "STEP", "GraphParts", "is_sequence", "lack", "read_graph"]
_VIRTUAL = {START: START, END: END, "__start__": START, "__end__": END}
_KEYS: dict[str, tuple[str, ...]] = {
    "steps": LISTS,
    "edges": EDGES,
    "id": ("id", "task_id", "step_id", "number", "step_number", "step"),
    "name": ("name", "label", "title", "task", "action", "step", "description", "instruction", "text"),
    "description": ("description", "instruction", "text"),
    "needs": ("dependencies", "needs", "depends_on", "dependsOn", "after", "prerequisites"),
    "when": ("if", "when", "condition", "only_if", "run_if"),
    "inner": ("subtasks",),
}
"""What each part of a record may be called, the preferred key first.

A key can have two uses: `step` is an id if it is a number and a name otherwise, and a `description` is the name of a
step without one.
"""
STEP = Keys(ids=_KEYS["id"], names=_KEYS["name"], needs=_KEYS["needs"])
_MARKS = ("condition", "conditional")
"""Keys of a link whose value may also be true: the link has a condition, of which another key says what it is."""
_EDGE_CONDITIONS = (*_MARKS, "when", "if", "guard", "on", "case", "expression", "outcome", "only_if", "run_if")
"""Keys of the condition of a link."""
_READ = {*(key for keys in _KEYS.values() for key in keys if key not in _KEYS["edges"]), "params", "critical"} | {
    "data",
    "type",
}


_Need = tuple[str, str, Path]
"""A dependency: what is waited for, the id of the step that waits, and the path of the dependency."""
_Words = Annotated[tuple[Word, ...], BeforeValidator(listed)]


def _as_arguments(value: Any) -> Any:
    return [{"name": key, "value": inner} for key, inner in value.items()] if isinstance(value, dict) else value


def _as_use(value: Any) -> Any:
    return {"arguments": value} if isinstance(value, list) else value


class _Use(Written):
    """A use of a tool."""

    arguments: Annotated[tuple[Any, ...], BeforeValidator(_as_arguments)] = ()


class _ToolNode(_Use):
    task: Word


class _ToolLink(Written):
    source: Word
    target: Word


class _TaskBench(Written):
    task_nodes: tuple[_ToolNode, ...]
    task_links: tuple[_ToolLink, ...] = ()


class _PlanStep(RootModel[dict[str, Annotated[_Use, BeforeValidator(_as_use)]]]):
    """Uses of tools by the name of the tool."""


class _Steps(Written):
    steps: tuple[StrictStr, ...]
    critical: _Words = ()


class _DialectNode(Written):
    """A node, with its dependencies under any of their names."""

    params: dict[str, Any] = Field(default_factory=dict)
    critical: StrictBool = False
    dependencies: _Words = ()
    needs: _Words = ()
    depends_on: _Words = ()
    dependsOn: _Words = ()  # noqa: N815 - a key of the file
    after: _Words = ()
    prerequisites: _Words = ()


_Text = RootModel[StrictStr]
_Word = RootModel[Word]


class _Edge(Written):
    source: Word = Field(validation_alias=AliasChoices("source", "from"))
    target: Word = Field(validation_alias=AliasChoices("target", "to"))
    data: Any = None
    label: Any = None
    stated: tuple[tuple[str, Any], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_pair(cls, value: Any) -> Any:
        if isinstance(value, list) and len(value) == 2:
            return {"from": value[0], "to": value[1]}
        if not isinstance(value, dict):
            said = f"have two nodes, not {len(value)}" if isinstance(value, list) else "be a pair or a mapping"
            raise PydanticCustomError("edge", "must {said}", {"said": said, "fix": "write [from, to]"})
        inner = value["data"] if isinstance(value.get("data"), dict) else {}
        stated = [(key, part[key]) for part in (value, inner) for key in _EDGE_CONDITIONS if part.get(key) is not None]
        named = value if value.get("label") is not None else inner
        return value | {"stated": stated, "label": named.get("label")}

    @property
    def guard(self) -> Guard | None:
        """The condition under any of its keys, or the label; several different ones hold together."""
        marks = [value for key, value in self.stated if key in _MARKS and isinstance(value, bool)]
        said = [_said(value) for key, value in self.stated if key not in _MARKS or not isinstance(value, bool)]
        texts = list(dict.fromkeys(filter(None, said)))
        if len(texts) > 1:
            return Guard(expr=label("; ".join(texts)))
        others = (_said(self.data) if True in marks and isinstance(self.data, str) else "", _said(self.label))
        text = next(filter(None, (*texts, *others)), None)
        return Guard(expr=text) if text or True in marks else None


def _said(value: Any) -> str:
    """Return a condition as text; empty if there is none."""
    if isinstance(value, dict | list):
        return label(json.dumps(value, sort_keys=True, default=str)) if value else ""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return value if isinstance(value, str) and value.strip() else ""


@dataclass
class GraphParts:
    """The parts of one workflow.

    Attributes:
        tasks: The tasks in the order of the record.
        links: The control flow, including the links from START and to END.
        data_links: The flow of data.
        subworkflows: The steps inside other steps, one workflow for each of these.
        diagnostics: The diagnostics about the record.
        record: The mapping that contains the steps.
        path: The path of the list of steps.
    """

    document: Document
    tasks: list[Task] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    data_links: list[DataLink] = field(default_factory=list)
    subworkflows: list[Workflow] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    record: dict[str, Any] = field(default_factory=dict)
    path: Path = ()

    def say(self, severity: Severity, message: str, *path: Key) -> None:
        """Add a diagnostic about the value at a path."""
        self.diagnostics.append(self.document.diagnostic(severity, message, *path))

    def use(self, place: int, tool: str, arguments: list[Any], path: Path) -> None:
        """Add the task that uses a tool."""
        params: dict[str, Any] = {"arguments": arguments} if arguments else {}
        span = self.document.span(*path)
        self.tasks.append(Task(id=f"{_NODE}{place}", name=tool, params=params, span=span, path=path))

    def first_of_each(self, tools: list[str], path: Path) -> dict[str, str]:
        """Return the id of the first task of each tool; warn about tools that are used twice."""
        number: dict[str, str] = {}
        for place, tool in enumerate(tools):
            if number.setdefault(tool, f"{_NODE}{place}") != f"{_NODE}{place}":
                what = "a link is matched by its arguments, or means the first"
                where = (*path, place) if (*path, place) in self.document.spans else path
                self.say("warning", f"the tool {tool[:80]!r} is listed twice; {what}", *where)
        return number


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
    parts = GraphParts(document)
    check_size(document, len(data["task_nodes"]))
    bench = read_shape(_TaskBench, data, document, (), "the record")
    tools = [node.task for node in bench.task_nodes]
    number = parts.first_of_each(tools, ("task_nodes",))
    instances = _instances(tools, bench.task_nodes)
    links: list[Link] = []
    for place, link in enumerate(bench.task_links):
        first = number.get(link.source, link.source), number.get(link.target, link.target)
        ends = instances.get((link.source, link.target), [first])
        span = document.span("task_links", place)
        links += [Link(source=source, target=target, span=span) for source, target in ends]
        if (link.source, link.target) in instances:
            instances[link.source, link.target] = []  # the same names again mean the other twin, linked already
    linked = {(link.source, link.target) for link in links}
    for place, node in enumerate(bench.task_nodes):
        own, kept = f"{_NODE}{place}", []
        for at, argument in enumerate(node.arguments):
            references = list(_node_references(argument))
            if not references:
                kept.append(argument)
            for reference in references:
                source, path = f"{_NODE}{reference}", ("task_nodes", place, "arguments", at)
                known = reference < len(tools)
                if not known:
                    parts.say("warning", f"<{source}> refers to a node that does not exist", *path)
                elif (source, own) not in linked:
                    parts.say("info", f"<{source}> passes data, but the two nodes have no task link", *path)
                name = tools[reference] if known else source
                parts.data_links.append(DataLink(source=source, target=own, data=name, span=document.span(*path)))
        parts.use(place, node.task, kept, ("task_nodes", place))
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
    parts = GraphParts(document)
    steps = list(_plan_steps(document, data["plans"]))
    check_size(document, len(steps))
    tools = [tool for _, tool, _ in steps]
    number = parts.first_of_each(tools, ("plans", 0))
    spellings = {_spelling(tool) for tool in tools}
    links: dict[tuple[str, str], Link] = {}
    for place, (path, tool, arguments) in enumerate(steps):
        own, span, kept = f"{_NODE}{place}", document.span(*path), []
        for argument in arguments:
            name = _reference(argument)
            if name is None:
                kept.append(argument)
            elif name in number or _spelling(name) in spellings:
                if name not in number:
                    parts.say("warning", f"<{name[:80]}> refers to a tool that is not in the plan", *path)
                source = number.get(name, name)
                links.setdefault((source, own), Link(source=source, target=own, span=span))
                parts.data_links.append(DataLink(source=source, target=own, data=name, span=span))
            else:
                kept.append(argument)
                parts.say("info", f"<{name[:80]}> is read as an input, because no tool has a similar name", *path)
        parts.use(place, tool, kept, path)
    parts.links = list(with_ends([task.id for task in parts.tasks], list(links.values())))
    return parts


def _plan_steps(document: Document, plans: list[Any]) -> Iterator[tuple[Path, str, tuple[Any, ...]]]:
    """Yield path, tool and arguments of each step of the only plan."""
    if len(plans) != 1:
        message = f"the record has {len(plans)} plans; exactly one is needed"
        raise document.error(message, "plans", fix="write each plan to its own record")
    for place, value in enumerate(listed(plans[0])):
        path = ("plans", 0, place) if isinstance(plans[0], list) else ("plans", 0)
        for tool, use in read_shape(_PlanStep, value, document, path, "a plan").root.items():
            if not tool:
                raise document.error("a tool has no name", *path, tool, fix="give the tool a name")
            yield (*path, tool), tool, use.arguments


def _instances(tools: list[str], nodes: Sequence[_ToolNode]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return the node pairs that references connect, for each pair of tools with a tool that is used twice."""
    times = Counter(tools)
    instances: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for place, node in enumerate(nodes):
        for source in dict.fromkeys(_node_references(list(node.arguments))):
            if source < len(tools) and max(times[tools[source]], times[tools[place]]) > 1:
                instances[tools[source], tools[place]].append((f"{_NODE}{source}", f"{_NODE}{place}"))
    return dict(instances)


def _node_references(argument: Any) -> Iterator[int]:
    """Yield the node numbers to which an argument refers, also inside mappings and lists."""
    if isinstance(argument, dict | list):
        for inner in argument.values() if isinstance(argument, dict) else argument:
            yield from _node_references(inner)
    elif match := _NODE_REFERENCE.fullmatch(_reference(argument) or ""):
        yield int(match[1])


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
    parts = GraphParts(document)
    record = read_shape(_Steps, data, document, (), "the record")
    critical = set(record.critical)
    for place, text in enumerate(record.steps):
        own, path = str(place + 1), ("steps", place)
        parts.tasks.append(Task(id=own, name=text, critical=own in critical, span=document.span(*path), path=path))
    unknown = sorted(critical - {task.id for task in parts.tasks})
    if unknown:
        message = f"'critical' names the step {unknown[0]}, which does not exist"
        raise document.error(message, "critical", fix=f"use numbers from 1 to {len(record.steps)}")
    links = [_edge(document, ("edges", place), value, {}) for place, value in enumerate(data["edges"])]
    parts.links = _closed([task.id for task in parts.tasks], links)
    return parts


def _fits_graph(data: dict[str, Any]) -> bool:
    located = _steps_of(data)
    if located is None:
        return False
    path, record, steps = located
    linked = any(isinstance(record.get(key), list) for key in _KEYS["edges"]) or has_needs(steps, _KEYS["needs"])
    return linked or (path[-1] != "nodes" and is_sequence(steps))


def is_sequence(steps: list[Any], *, pairs: bool = False) -> bool:
    """Return whether a list without dependencies is a list of steps: every item is a text or has a name.

    An item with a list of steps in it that are not read (see `_inner_key`) is not a step. With `pairs`, an item can be
    a name with its description (`- Build: one image per region`).

    Example:
        >>> is_sequence(["Build", {"description": "Run the tests"}]), is_sequence([{"script": "make"}])
        (True, False)
    """
    return bool(steps) and all(
        isinstance(step, dict) and any(_is_name(step, key) for key in _KEYS["name"]) and not _unread(step)
        for step in (_as_mapping(step, pairs=pairs) for step in steps)
    )


def _is_name(step: dict[str, Any], key: str) -> bool:
    return isinstance(step.get(key), str) and bool(step[key].strip()) and not _is_number(step, key)


def _is_number(step: dict[str, Any], key: str) -> bool:
    """Return whether the value of a key that can be an id or a name is a number."""
    value = step.get(key)
    number = isinstance(value, int | str) and not isinstance(value, bool) and str(value).strip().isdecimal()
    return number and key in _KEYS["id"]


def lack(document: Document, data: Any) -> FormatError | None:
    """Return why a record or a list is not recognised as steps; None if it contains no list."""
    located = ((), {}, data) if isinstance(data, list) else _steps_of(data) if isinstance(data, dict) else None
    if located is None:
        return _misnamed(document, data, ())
    path, _, steps = located
    for place, step in enumerate(steps):
        if isinstance(step, dict) and (inner := _unread(step)):
            fix = "write them into the list itself, or write groups as `phases: [{name: ..., steps: [...]}]`"
            return document.error(f"the step has a list `{inner}`, which is not read", *path, place, inner, fix=fix)
        if not is_sequence([step]):
            return document.error("the step has no name", *path, place, fix="add `name`: what the step does")
    if path and path[-1] == "nodes":
        fix = "add `edges: [[from, to]]`; if the nodes run in their order, write `steps` instead of `nodes`"
        return document.error("there are `nodes`, but no `edges`", *path, fix=fix)
    return None


def _misnamed(document: Document, data: Any, path: Path) -> FormatError | None:
    """Return the error about a list of steps under a key that is not known, in a record or one level inside."""
    for key, value in data.items() if isinstance(data, dict) else ():
        if isinstance(value, list) and len(value) > 1 and is_sequence(value):
            shown = printable(str(key))[:40]
            fix = f"if it is a list of steps, write `steps` instead of `{shown}`"
            return document.error(f"the key of its list, `{shown}`, is not known", *path, key, fix=fix)
        if not path and (error := _misnamed(document, value, (key,))):
            return error
    return None


def _unread(step: dict[str, Any], *, filled: bool = False) -> str | None:
    """Return the key of a list of steps in a step that is not read; with `filled`, of one that is not empty."""
    for key in (*_KEYS["steps"], *_KEYS["inner"]):
        inner = step.get(key)
        read = key == _inner_key(step) or (inner == [] and (filled or key in _KEYS["inner"]))
        if isinstance(inner, list) and not read:
            return key
    return None


def _inner_key(step: Any) -> str | None:
    """Return the key of the steps inside a step: mappings with an id or a name; texts may be ids of other steps."""
    for key in _KEYS["inner"] if isinstance(step, dict) else ():
        inner = step.get(key)
        if isinstance(inner, list) and inner and all(_is_inner(item) for item in inner):
            return key
    return None


def _is_inner(item: object) -> bool:
    return isinstance(item, dict) and (is_sequence([item]) or _id_key(item) is not None)


def read_graph(document: Document, data: Any, golden: str = "") -> GraphParts:
    """Read steps with their dependencies, and edges; they may be inside one outer key (a Task Master tag).

    `data` is such a record, or only the list of steps. `golden` is the key of the list of the golden. If there are
    neither edges nor dependencies, the steps run in the order of the list. The condition of a step becomes the guard
    of all links to it that have none. A step with steps inside (`subtasks`) calls a sub-workflow.

    Raises:
        FormatError: If there is no list of steps, or a step or an edge is not valid.
    """
    located = ((), {}, data) if isinstance(data, list) else _steps_of(data, golden)
    if located is None:
        for key in (key for key in _KEYS["steps"] if key in data):
            message = f"`{key}` must be a list of steps, not {kind_of(data[key])}"
            raise document.error(message, key, fix=f"write a list under `{key}`: `- name: Build`")
        raise document.error("the file has no list of steps", fix="write the steps as a list under `steps`")
    path, record, values = located
    parts = GraphParts(document, record=record, path=path)
    _read_list(parts, values, Names([name] if isinstance(name := record.get("name"), str) else ()))
    return parts


def _read_list(
    parts: GraphParts, values: list[Any], called: Names, parent: str = "", above: Collection[str] = ()
) -> list[_Need]:
    """Read the steps of a list, with the links beside it and the steps inside them, into `parts`.

    Args:
        parts: The parts to add to, with record and path of the list.
        values: The steps.
        called: The names of the workflows of the file.
        parent: The id of the step that contains the list.
        above: What the steps of the list that contains this step may be called.

    Returns:
        The dependencies on those in `above`.
    """
    document, record, path = parts.document, parts.record, parts.path
    edge_keys = [key for key in _KEYS["edges"] if isinstance(record.get(key), list)]
    check_size(document, len(values))
    in_order = not edge_keys and not has_needs(values, _KEYS["needs"])
    nodes, names = _read_nodes(document, path, values, parts, unique=in_order)
    edges = [((*path[:-1], key, place), edge) for key in edge_keys for place, edge in enumerate(record[key])]
    links = _with_answers([_edge(document, where, edge, names) for where, edge in edges])
    if parent:  # `5.2` for the step 2 inside the step 5, and 2 for `5.2`
        ids = [task.id for task in parts.tasks]
        names = {own.removeprefix(f"{parent}."): own for own in ids} | {f"{parent}.{own}": own for own in ids} | names
    around = _inside(values, nodes) | names
    lifted = _read_inner(parts, values, nodes, called, names, around)
    outside: list[_Need] = []
    known = {(link.source, link.target) for link in links}
    for node, task in nodes:
        target = _resolve(task.id, names)
        for key in _KEYS["needs"]:
            for need in getattr(node, key):
                place = (*(task.path or ()), key)
                if need not in names and need in around:
                    lifted.append((need, target, place))
                elif need not in names and need in above and need != parent and not need.isdecimal():
                    outside.append((need, parent, place))
                elif ((source := _resolve(need, names)), target) not in known:
                    links.append(Link(source=source, target=target, span=document.span(*place)))
    _lift(parts, links, lifted, around)
    if in_order:
        _check_unlinked(document, path, values)
        ids = [task.id for task in parts.tasks]
        links = [Link(source=source, target=target) for source, target in pairwise(ids)]
        parts.say("info", "no step has dependencies, so the steps run in the order of the list", *path)
    _say_unread(parts, path, values, edge_keys, names)
    if any(link.guard for link in links):
        message = "the record does not say how conditional branches join, so a step waits for all its incoming links"
        parts.say("info", message, *path[:-1], *edge_keys[:1])
    whens = {
        _resolve(task.id, names): guard
        for value, (_, task) in zip(values, nodes, strict=True)
        if (guard := _when(value))
    }
    parts.links = [
        link.model_copy(update={"guard": whens[link.target]}) if link.target in whens and not link.guard else link
        for link in _closed([task.id for task in parts.tasks], links)
    ]
    return outside


def _inside(values: list[Any], nodes: list[tuple[_DialectNode, Task]]) -> dict[str, str]:
    """Return the step that contains another step, by what this one is called outside: `5.2` is inside 5."""
    owners: dict[str, str] = {}
    for value, (_, task) in zip(values, nodes, strict=True):
        for item in value[key] if (key := _inner_key(value)) else ():
            if own := _id_key(item):
                owners[f"{task.id}.{str(item[own]).removeprefix(f'{task.id}.')}"] = task.id
    return owners


def _read_inner(
    parts: GraphParts,
    values: list[Any],
    nodes: list[tuple[_DialectNode, Task]],
    called: Names,
    names: dict[str, str],
    around: Collection[str],
) -> list[_Need]:
    """Make each step with steps inside a composite, and return what these wait for in the list itself."""
    needs: list[_Need] = []
    composites: dict[Path | None, str] = {}
    for value, (_, task) in zip(values, nodes, strict=True):
        key = _inner_key(value)
        if key is None or _resolve(task.id, names) in {START, END}:
            continue
        inner = GraphParts(parts.document, path=(*(task.path or ()), key))
        needs += _read_list(inner, value[key], called, task.id, around)
        part = Workflow(name=called.free(task.name), tasks=tuple(inner.tasks), links=tuple(inner.links))
        composites[task.path] = part.name
        parts.subworkflows += [part, *inner.subworkflows]
        parts.diagnostics += inner.diagnostics
    for at, task in enumerate(parts.tasks):
        if name := composites.get(task.path):
            parts.tasks[at] = task.model_copy(update={"kind": "composite", "workflow": name})
    return needs


def _lift(parts: GraphParts, links: list[Link], needs: list[_Need], names: dict[str, str]) -> None:
    """Add the links between whole steps for dependencies between steps of different lists."""
    known = {(link.source, link.target) for link in links}
    for need, target, path in needs:
        message = f"the dependency on {printable(need)[:40]}, a step of another list, is read as one of the whole step"
        parts.say("warning", message, *path)
        source = _resolve(need, names)
        if (source, target) not in known:
            known.add((source, target))
            links.append(Link(source=source, target=target, span=parts.document.span(*path)))


def _with_answers(links: list[Link]) -> list[Link]:
    """Return the links; "true" and "false" are answers, not constants, if they lead from one step."""
    said = defaultdict[str, set[str]](set)
    for link in links:
        said[link.source].add(_constant(link))
    return [
        link.model_copy(update={"guard": Guard(expr=label(_constant(link)))})
        if _constant(link) and {"true", "false"} <= said[link.source]
        else link
        for link in links
    ]


def _constant(link: Link) -> str:
    """Return the constant that is the condition of a link; empty if there is none."""
    text = (link.guard.expr or "" if link.guard else "").strip().lower()
    return text if text in {"true", "false"} else ""


def _say_unread(
    parts: GraphParts, path: Path, steps: list[Any], edge_keys: Collection[str], names: dict[str, str]
) -> None:
    """Warn about steps in steps, and about lists and mappings beside the steps and links that name steps."""
    inner = sum(bool(_unread(step, filled=True)) for step in steps if isinstance(step, dict))
    if inner:
        parts.say("warning", f"the steps inside {inner} step{'s' * (inner > 1)} are not read", *path)
    named = {name for name in names if not name.isdecimal()}
    for key, value in parts.record.items():
        beside = isinstance(value, dict | list) and key not in {*path[-1:], *edge_keys}
        if beside and any(text in named for text in texts_in(value)):
            message = f"`{printable(str(key))[:40]}` names steps, but wfgate does not read it, so it is no link"
            parts.diagnostics.append(
                parts.document.diagnostic(
                    "warning", message, *path[:-1], key, fix="write links between steps as `edges: [[from, to]]`"
                )
            )


def _check_unlinked(document: Document, path: Path, steps: list[Any]) -> None:
    """Raise an error if steps name other steps under a key that is not known: the list may not be their order.

    Only lists count, nested ones too, in which every item is an id: `wires: [["b"], ["c"]]`.
    """
    ids = {step[key] for step in steps if isinstance(step, dict) and (key := _id_key(step)) is not None}
    named = {own for own in ids if isinstance(own, str) and not own.isdecimal()}
    for place, step in enumerate(steps):
        for key, value in step.items() if isinstance(step, dict) and named else ():
            items = list(_items(value)) if isinstance(value, list) else []
            if items and all(isinstance(item, str) and item in named for item in items):
                shown = printable(str(key))[:40]
                message = f"the step names other steps under `{shown}`, a key that wfgate does not know"
                fix = "write what a step waits for under `depends_on`"
                raise document.error(message, *path, place, key, fix=fix)


def _items(value: Any) -> Iterator[Any]:
    """Yield the items of a list and of the lists in it."""
    for item in value if isinstance(value, list) else ():
        if isinstance(item, list):
            yield from _items(item)
        else:
            yield item


def _when(step: Any) -> Guard | None:
    """Return the condition of a step; None without one, or if it is no text."""
    conditions = (step.get(key) for key in _KEYS["when"]) if isinstance(step, dict) else ()
    return next((Guard(expr=text) for text in conditions if isinstance(text, str) and text.strip()), None)


Fits = Callable[[dict[str, Any]], bool]
Reader = Callable[[Document, dict[str, Any]], GraphParts]
DIALECTS: tuple[tuple[str, Fits, Reader], ...] = (
    ("task-bench", fits_task_bench, read_task_bench),
    ("plans", fits_plans, read_plans),
    ("steps", _fits_steps, _read_steps),
    ("graph", _fits_graph, read_graph),
)
"""Each dialect as (name, recognise, read); the first that fits reads."""


def _steps_of(data: dict[str, Any], golden: str = "") -> tuple[Path, dict[str, Any], list[Any]] | None:
    """Return path, record and list of the steps: at the top, or below the only key (`workflow`, a tag of Task Master).

    None if there is no such list.
    """
    only = data.items() if len(data) == 1 else ()
    for above, record in (((), data), *(((tag,), inner) for tag, inner in only if isinstance(inner, dict))):
        if key := list_key(record, _KEYS["needs"], golden):
            return (*above, key), record, record[key]
    return None


def _read_nodes(
    document: Document, path: Path, values: list[Any], parts: GraphParts, *, unique: bool
) -> tuple[list[tuple[_DialectNode, Task]], dict[str, str]]:
    """Read the nodes; all nodes except START and END are added to `parts`.

    `unique` gives nodes with the same name different ids; otherwise a check reports them.

    Returns:
        All nodes in the order of the record, and the node of every id, of every unique name and, if no node has an id,
        of every number from 1.
    """
    used = Names() if unique else None
    nodes = [
        _read_node(document, (*path, place), _as_mapping(value, pairs=not path), used)
        for place, value in enumerate(values)
    ]
    ids = {task.id: _VIRTUAL.get(task.id) or _VIRTUAL.get(task.name) or task.id for _, task in nodes}
    parts.tasks += [task for _, task in nodes if ids[task.id] not in {START, END}]
    named = {(task.name, task.id) for task in parts.tasks}
    times = Counter(name for name, _ in named)
    numbered = not any(isinstance(value, dict) and _id_key(value) for value in values)
    numbers = {str(number): task.id for number, (_, task) in enumerate(nodes, start=1)} if numbered else {}
    return nodes, numbers | {name: own for name, own in named if times[name] == 1} | ids


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


def _read_node(document: Document, path: Path, value: Any, names: Names | None) -> tuple[_DialectNode, Task]:
    """Read a node; with `names`, a node without an id gets one that no other node has."""
    node = read_shape(_DialectNode, value, document, path, "a node")

    def text(key: str, values: dict[str, Any] = value, where: Path = path) -> str:
        return read_shape(_Text, values.get(key, ""), document, (*where, key), repr(key)).root

    id_key, (name_key, name) = _id_key(value), ("", "")
    data = value.get("data")
    places = [(value, path), (data, (*path, "data"))]
    shown = data.get("node") if isinstance(data, dict) else None  # of Langflow
    if isinstance(shown, dict) and isinstance(shown.get("display_name"), str):
        places.append(({"name": shown["display_name"]}, (*path, "data", "node", "display_name")))
    for key in _KEYS["name"]:
        for values, where in places:
            if not name and isinstance(values, dict) and not _is_number(values, key):
                name_key, name = key, text(key, values, where)
    own = read_shape(_Word, value[id_key], document, (*path, id_key), repr(id_key)).root if id_key else name
    if not own:
        raise document.error("the step has neither a name nor an id", *path, fix="add `name`")
    if names is not None and id_key is None:
        own = names.free(own)
    described = (text(key) for key in _KEYS["description"] if key != name_key)
    return node, Task(
        id=own,
        name=name or own,
        description=next(filter(None, described), ""),
        action=text("action") if "action" in value and name_key != "action" else None,
        params=node.params,
        critical=node.critical,
        span=document.span(*path),
        path=path,
    )


def _edge(document: Document, path: Path, value: Any, names: dict[str, str]) -> Link:
    """Read one edge: a pair, or a mapping with `from`/`to` or `source`/`target`."""
    edge = read_shape(_Edge, value, document, path, "an edge")
    ends = _resolve(edge.source, names), _resolve(edge.target, names)
    return Link(source=ends[0], target=ends[1], guard=edge.guard, span=document.span(*path))


def _resolve(end: str, names: dict[str, str]) -> str:
    return names.get(end) or _VIRTUAL.get(end, end)


def _closed(nodes: Sequence[str], links: Sequence[Link]) -> list[Link]:
    """Add the links from START or to END if the record has no such links."""
    starts, ends = missing_ends(nodes, links)
    return [*starts, *links, *ends]
