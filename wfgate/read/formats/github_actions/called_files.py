"""Reusable workflows and composite actions of the checkout, as sub-workflows of the file that calls them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from wfgate.model import Element, Gateway, Names, Task, Workflow, place_in
from wfgate.read.documents.document import Document, Key
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.called import ACTION
from wfgate.read.formats.github_actions import is_local
from wfgate.read.formats.github_actions.data import inside_of, kept_apart
from wfgate.read.formats.local_files import LocalFiles, check_chain, roots_of
from wfgate.read.formats.notes import Notes

_LAYOUT = (".github/workflows", ".github/actions")
Reader = Callable[[Document, Notes], Workflow]


@dataclass
class CalledReader:
    """Reads the called files, each once, however many steps call it.

    In the effective document, the data of each file are under a number. Positions in lists are left out of the paths
    that decide what a value means, so the values mean what they mean in their own file.

    Attributes:
        document: The file.
        read_one: Reads one file, without those that it calls.
        parts: The sub-workflows of the called files.
        effective: The document with the data of all files.
    """

    document: Document
    read_one: Reader
    parts: list[Workflow] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.files = LocalFiles(self.document, roots_of(self.document, *_LAYOUT))
        self.effective = self.document
        self._names: dict[str, str] = {}
        self._taken = Names(variant="{} {}")
        self._chain = [self.document.beside.name or ""] if self.document.beside else []
        self._size = [0, 0]

    def read(self, workflow: Workflow) -> Workflow:
        """Return the workflow with the files that it calls.

        Raises:
            FormatError: If a file cannot be read, or files call each other in a circle or over too many levels.
        """
        for part in (workflow, *workflow.subworkflows):
            self._taken.take(part.name)
        self._count(workflow)
        main = self._followed(workflow, self.document)
        return main.model_copy(update={"subworkflows": (*main.subworkflows, *self.parts)})

    def _followed(self, workflow: Workflow, document: Document) -> Workflow:
        def followed(task: Task) -> Task:
            name = self._called(task, document) if is_local(task) else None
            return task if name is None else task.model_copy(update={"workflow": name, "external": False})

        def part(each: Workflow) -> Workflow:
            return each.model_copy(update={"tasks": tuple(map(followed, each.tasks))})

        return part(workflow).model_copy(update={"subworkflows": tuple(map(part, workflow.subworkflows))})

    def _called(self, task: Task, by: Document) -> str | None:
        """Return the name of the sub-workflow that a job or step calls; None if it has no steps, or is not there."""
        written, place = task.workflow or "", (*(task.path or ()), "uses")
        name = written.split("@")[0].rstrip("/")
        is_job = task.path is not None and len(task.path) == 2
        names = [name] if is_job else [f"{name}/{each}" for each in ACTION]
        file = self.files.find(written, names, by, *place)
        if file is None or file.name is None or file.path.name == "Dockerfile":
            return None
        check_chain(self._chain, file.name, by, *place)
        if file.name not in self._names:
            document = self.files.open(file, by, *place)
            data = document.mapping()
            runs = data.get("runs")
            if not is_job and isinstance(runs, dict) and runs.get("using") != "composite":
                return None  # a program; a change of it is a change of a called file
            if is_job is not ("jobs" in data):
                what = "a workflow" if is_job else "an action"
                raise by.error(
                    f"the local file {written[:200]!r} is not {what}", *place, fix=f"give the path of {what}"
                )
            self._names[file.name] = self._taken.free(written)
            self._add(document, self._names[file.name], file.name)
        return self._names[file.name]

    def _add(self, document: Document, name: str, file: str) -> None:
        """Add a called file, and those that it calls."""
        notes = Notes(document)
        workflow = self.read_one(document, notes)
        self._count(workflow)
        number = len(self._names)
        self._chain.append(file)
        workflow = self._followed(workflow, document)
        self._chain.pop()
        self.files.notes += notes.all()
        names = {part.name: self._taken.free(f"{name}: {part.name}") for part in workflow.subworkflows}
        graft = _Graft((number,), document.name, names)
        steps = workflow.subworkflows or (workflow,)
        apart = {names.get(part.name, name): part for part in steps}
        apart = {
            own: kept_apart({own: part}, {datum for _, datum in inside_of(part)})[0] for own, part in apart.items()
        }
        main = apart.pop(name, workflow).model_copy(update={"path": ()})
        self.parts += [graft.workflow(part, own) for own, part in {name: main, **apart}.items()]
        data: dict[Key, Any] = {**self.effective.data, number: document.data}
        self.effective = replace(self.effective, data=data, spans={**self.effective.spans, **document.placed(number)})

    def _count(self, workflow: Workflow) -> None:
        for part in (workflow, *workflow.subworkflows):
            self._size[0] += len(part.tasks)
            self._size[1] += len(part.links)
        check_size(self.document, *self._size)


@dataclass(frozen=True)
class _Graft:
    """Makes a workflow of another file a part of this one.

    Attributes:
        prefix: Where the data of the file are in the effective document.
        file: The file.
        names: The new names of its sub-workflows.
    """

    prefix: tuple[Key, ...]
    file: str
    names: dict[str, str]

    def workflow(self, part: Workflow, name: str) -> Workflow:
        """Return a workflow with paths and positions that name the file."""
        update: dict[str, Any] = {"name": name, "subworkflows": ()} | self._path(part)
        for kind in ("tasks", "gateways", "links", "data_links"):
            update[kind] = tuple(map(self._placed, getattr(part, kind)))
        return part.model_copy(update=update)

    def _placed(self, one: Any) -> Any:
        update: dict[str, Any] = {"span": place_in(self.file, one.span)}
        if isinstance(one, Task | Gateway):
            update |= self._path(one)
        called = one.workflow if isinstance(one, Task) else None
        if called in self.names:
            update["workflow"] = self.names[called]
        return one.model_copy(update=update)

    def _path(self, element: Element) -> dict[str, Any]:
        return {} if element.path is None else {"path": (*self.prefix, *element.path)}
