"""The native format: named workflows in YAML or JSON, and a short form for a list of steps."""

from itertools import pairwise
from typing import Any, ClassVar, TypeVar

from wfgate.model import END, START, DataItem, DataLink, Gateway, Guard, Link, Names, Task, Workflow
from wfgate.read.documents.document import Diagnostic, Document, Path
from wfgate.read.formats.base import Format, Reading
from wfgate.read.formats.builder import check_size, missing_ends, with_ends
from wfgate.read.formats.native_shapes import FullFile, NativeEntry, ShortFile, StepEntry, TaskEntry, WorkflowEntry
from wfgate.read.formats.typed import read_shape
from wfgate.read.formats.words import did_you_mean

VERSION = "1"
_LONGEST_SLUG = 60

_Part = TypeVar("_Part", Gateway, Link, DataLink)
_Element = TypeVar("_Element", Task, Workflow)


class NativeFormat(Format):
    """wfgate's own format: `wfgate: "1"` with named `workflows` (full form) or with a list of `steps` (short form).

    Full form: `workflows` maps keys to workflows. `main` is the key of the main workflow; it is optional if there is
    only one workflow. A workflow has `tasks`, `gateways`, `flow` (links with `from`, `to`, `guard`, `outcome`,
    `back`), `data` and `dataflow`. If no link in `flow` begins at START, every task without an incoming link is linked
    from START; END is treated in the same way. Both are reported in a diagnostic. With `flow_complete: true`, no link
    is added.

    Short form: each step is a text or a mapping. If no step has `needs`, the steps run in the order of the list. If
    any step has `needs`, only `needs` decides the order, and a step without `needs` is a first step. `needs` contains
    ids or exact names of other steps. `when` is the condition under which a step runs: an expression, or a mapping
    like `guard`. The default id of a step is its name in lower case with dashes.

    The default name is the id, in the short form the description, if there is one: ids in a list of steps are often
    only numbers.

    Marks of steps in a golden: `critical: true` (its loss always blocks), `optional: true` (it may be missing),
    `any_order: true` (it may run before or after any other step). Marks of a candidate have no effect.

    Example:
        >>> data = {"wfgate": "1", "steps": ["Build", {"name": "Test", "critical": True}]}
        >>> workflow = NativeFormat().read(Document("example", data=data)).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'build'), ('build', 'test'), ('test', 'END')]
    """

    id: ClassVar[str] = "native"
    writes: ClassVar[bool] = True
    signature: ClassVar[str] = 'a mapping with the key `wfgate`, as in `wfgate: "1"`'

    def recognises(self, document: Document) -> bool:
        """Return whether the top level is a mapping with the version `wfgate`; a mapping is a job of GitLab."""
        return isinstance(document.data, dict) and not isinstance(document.data.get("wfgate", {}), dict)

    def read(self, document: Document) -> Reading:
        """Read the full or the short form.

        Raises:
            FormatError: On a missing or unknown version, an unknown key, or a value of the wrong type.
        """
        data = document.mapping()
        if data.get("wfgate") not in (VERSION, int(VERSION)) or isinstance(data["wfgate"], bool | float):
            shown = repr(data["wfgate"])[:40] if "wfgate" in data else "missing"
            raise document.error(
                f'the version must be "{VERSION}", not {shown}', "wfgate", fix=f'write wfgate: "{VERSION}"'
            )
        if "steps" not in data and not data.get("workflows"):
            known = [*FullFile.model_fields, *ShortFile.model_fields]
            for key in (key for key in data if key not in known):
                raise document.error(f"the file has no key {key[:80]!r}", key, fix=did_you_mean(key, known))
            raise document.error("the file has no workflows", "workflows", fix="add `workflows:` or `steps:`")
        if "workflows" in data:
            return _read_full(document, read_shape(FullFile, data, document, (), "the file"), self.id)
        return _read_short(document, read_shape(ShortFile, data, document, (), "the file"), self.id)

    def write(self, workflow: Workflow) -> str:
        """Return the full form as YAML. If it is read again, the workflow is equal, except for positions.

        Raises:
            FormatError: If two workflows have the same name, or a sub-workflow has none.
        """
        from wfgate.read.formats.native_writer import write_native  # noqa: PLC0415 - a gate writes no workflow

        return write_native(workflow)


def _read_full(document: Document, file: FullFile, format_id: str) -> Reading:
    main = _main(document, file)
    names: dict[str, str] = {}
    owner: dict[str, str] = {}
    for key, part in file.workflows.items():
        name = names[key] = part.given().get("name", key)
        if not name and key != main:
            message = "a sub-workflow must not have an empty name"
            raise document.error(message, "workflows", key, "name", fix="write a name, or leave `name` out")
        if owner.setdefault(name, key) != key:
            message = f"the workflows {owner[name][:80]!r} and {key[:80]!r} have the same name"
            raise document.error(message, "workflows", key, "name", fix="give each workflow a name of its own")
    check_size(
        document,
        sum(len(part.tasks) for part in file.workflows.values()),
        sum(len(part.flow) + len(part.dataflow) for part in file.workflows.values()),
    )
    notes: list[Diagnostic] = []
    read = {key: _workflow(document, part, key, names, notes) for key, part in file.workflows.items()}
    workflow = read.pop(main).model_copy(update={"subworkflows": tuple(read.values())})
    return Reading(workflow, format_id, tuple(notes))


def _main(document: Document, file: FullFile) -> str:
    """Return the key of the main workflow."""
    if file.main in file.workflows and "main" in file.model_fields_set:
        return file.main
    if "main" in file.model_fields_set:
        fix = f"use one of: {', '.join(list(file.workflows)[:20])}"
        raise document.error(f"there is no workflow {file.main[:80]!r}", "main", fix=fix)
    if len(file.workflows) > 1:
        fix = "add `main:` with the key of the main workflow"
        raise document.error("the file has several workflows, but no `main`", fix=fix)
    return next(iter(file.workflows))


def _workflow(
    document: Document, part: WorkflowEntry, key: str, names: dict[str, str], notes: list[Diagnostic]
) -> Workflow:
    where: Path = ("workflows", key)

    def read(kind: type[_Part], name: str, entries: list[Any]) -> tuple[_Part, ...]:
        return tuple(
            [kind(**entry.given(), span=document.span(*where, name, place)) for place, entry in enumerate(entries)]
        )

    tasks = [
        _task(document, entry, entry.id, (*where, "tasks", place), names) for place, entry in enumerate(part.tasks)
    ]
    gateways, links = read(Gateway, "gateways", part.gateways), read(Link, "flow", part.flow)
    nodes = [] if part.flow_complete else [*(task.id for task in tasks), *(gate.id for gate in gateways)]
    before, after = missing_ends(nodes, links)
    if nodes and all(link.source != START for link in links):
        message = f"no link starts at {START}: nodes without a link to them are read as the first ({len(before)})"
        notes.append(document.diagnostic("info", message, *where, "flow"))
    if nodes and all(link.target != END for link in links):
        message = f"no link ends at {END}: nodes without a link from them are read as the last ({len(after)})"
        notes.append(document.diagnostic("info", message, *where, "flow"))
    workflow = Workflow(
        **{"name": key, **_about(part)},
        tasks=tuple(tasks),
        gateways=gateways,
        links=(*before, *links, *after),
        data_items=tuple([DataItem(**entry.given()) for entry in part.data]),
        data_links=read(DataLink, "dataflow", part.dataflow),
    )
    return _with_params(workflow, part)


def _about(part: NativeEntry) -> dict[str, Any]:
    return part.model_dump(exclude_unset=True, include={"name", "description", "semantics", "params"})


def _task(document: Document, entry: TaskEntry | StepEntry, own: str, path: Path, names: dict[str, str]) -> Task:
    """Return a task. A task that calls a workflow is a composite."""
    given = entry.given("id", "needs", "when")
    if isinstance(entry, StepEntry) and "name" not in given and given.get("description", "").strip():
        given["name"] = given.pop("description")
    if "workflow" in given:
        given = {"kind": "composite", **given, "workflow": names.get(entry.workflow, entry.workflow)}
    return _with_params(Task(**{"name": own, **given}, id=own, span=document.span(*path)), entry)


def _with_params(element: _Element, entry: TaskEntry | StepEntry | WorkflowEntry | ShortFile) -> _Element:
    """Return the element with the arguments of the file; validation makes each `Unquoted` text a plain one."""
    return element.model_copy(update={"params": entry.params}) if entry.params else element


def _read_short(document: Document, file: ShortFile, format_id: str) -> Reading:
    """Read the list under `steps`; the `when` of a step becomes the guard of all its incoming links."""
    check_size(document, len(file.steps))
    ids = Names((entry.id for entry in file.steps if entry.id), variant="{}-{}")
    tasks: list[Task] = []
    for place, entry in enumerate(file.steps):
        own = entry.id or ids.free(_slug(entry.name) or f"step-{place + 1}")
        tasks.append(_task(document, entry, own, ("steps", place), {}))
    notes: list[Diagnostic] = []
    links = [Link(source=before.id, target=after.id, span=after.span) for before, after in pairwise(tasks)]
    if any("needs" in entry.model_fields_set for entry in file.steps):
        links = _needed(document, file.steps, tasks, notes)
    whens = {task.id: entry for entry, task in zip(file.steps, tasks, strict=True)}
    guards = {own: Guard(**entry.when.given()) for own, entry in whens.items() if "when" in entry.model_fields_set}
    linked = [
        link.model_copy(update={"guard": guards[link.target]}) if link.target in guards else link
        for link in with_ends([task.id for task in tasks], links)
    ]
    check_size(document, len(tasks), len(linked))
    workflow = Workflow(**_about(file), tasks=tuple(tasks), links=tuple(linked))
    return Reading(_with_params(workflow, file), format_id, tuple(notes))


def _needed(document: Document, steps: list[StepEntry], tasks: list[Task], notes: list[Diagnostic]) -> list[Link]:
    """Return the links from the steps under `needs`: ids, else names."""
    ids = {task.id for task in tasks}
    by_name: dict[str, str] = {}
    repeated = {task.name for task in tasks if by_name.setdefault(task.name, task.id) != task.id}
    links: list[Link] = []
    for at, (entry, task) in enumerate(zip(steps, tasks, strict=True)):
        for place, need in enumerate(entry.needs):
            path = ("steps", at, "needs", place)
            if need not in ids and need in repeated:
                message = f"several steps have the name {need[:80]!r}; the first is used"
                fix = "give these steps ids, and use an id in `needs`"
                notes.append(document.diagnostic("warning", message, *path, fix=fix))
            source = need if need in ids else by_name.get(need, need)
            links.append(Link(source=source, target=task.id, span=document.span(*path)))
    return links


def _slug(name: str) -> str:
    """Return the name in lower case, with a dash for every character that is neither a letter nor a digit."""
    spaced = "".join(char if char.isalnum() else " " for char in name.lower()[: 4 * _LONGEST_SLUG])
    return "-".join(spaced.split())[:_LONGEST_SLUG].rstrip("-")
