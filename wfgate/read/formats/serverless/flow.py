"""The task lists of a Serverless Workflow, as workflows."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import Field

from wfgate.model import END, START, Gateway, Guard, Link, Loop, Names, Outcome, Task, Workflow
from wfgate.read.documents.document import Document, Key, Path, Severity
from wfgate.read.formats.builder import check_size, in_parallel
from wfgate.read.formats.notes import Notes
from wfgate.read.formats.serverless.jq import unwrapped
from wfgate.read.formats.serverless.tasks import Items, ServerlessShape, ServerlessTask, TryCatch, mapping
from wfgate.read.formats.typed import read_shape, walk
from wfgate.read.formats.words import quoted

_USED = frozenset({"retries", "timeouts", "errors"})
_EXTENSIONS = "extensions are not read, so the tasks that they run before and after other tasks are missing"


class ServerlessHead(ServerlessShape):
    """The `document` of a workflow."""

    dsl: Any = ""
    name: Any = None
    title: Any = None
    summary: Any = None


class ServerlessTop(ServerlessShape):
    """The top level."""

    document: ServerlessHead
    do: Items = ()
    use: dict[str, Any] = Field(default_factory=dict)
    aside: ClassVar[frozenset[str]] = frozenset({"schedule"})


class FlowReader:
    """Reads one workflow.

    Args:
        document: The document of the workflow.

    Raises:
        FormatError: If the document is not a workflow, or the version of the DSL is not 1.0.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.top = read_shape(ServerlessTop, document.mapping(), document, (), "the workflow")
        version = str(self.top.document.dsl)
        if version.partition(".")[0] != "1":
            raise document.error(
                f"the version {version[:20]!r} of the DSL is not supported",
                *("document", "dsl"),
                fix="write the workflow in version 1.0 of the DSL",
            )
        self.notes = Notes(document)
        self.subworkflows: list[Workflow] = []
        name = str(self.top.document.name or "")
        called = (called_by(each) for _, each in walk(list(self.top.do)) if isinstance(each, dict))
        self.names = Names({name, *filter(None, called)})
        self.tasks = 0
        self.links = 0

    def read(self) -> Workflow:
        """Read the workflow.

        Raises:
            FormatError: If a task is not valid.
        """
        head = self.top.document
        main = self._scheduled(_Level(self, ("do",), self._entries(("do",), self.top.do), inner=False).read())
        for key in sorted(self.top.unknown_keys()):
            self.notes.say("info", f"the key {key[:80]!r} is not read", key)
        for key in sorted(self.top.use.keys() - _USED):
            severity: Severity = "warning" if key == "extensions" else "info"
            message = _EXTENSIONS if key == "extensions" else f"the key {key[:80]!r} under 'use' is not read"
            self.notes.say(severity, message, "use", key)
        texts = [text.strip() for text in (head.title, head.summary) if isinstance(text, str) and text.strip()]
        described = ". ".join(text.rstrip(".") for text in texts)
        update = {"name": str(head.name or ""), "description": described, "subworkflows": tuple(self.subworkflows)}
        return main.model_copy(update=update)

    def _scheduled(self, main: Workflow) -> Workflow:
        """Return the workflow with the schedule, which starts it, as first step."""
        schedule = self.document.mapping().get("schedule")
        if not isinstance(schedule, dict):
            return main
        own = Names([*(task.id for task in main.tasks), *(gateway.id for gateway in main.gateways)]).free("schedule")
        span, path = self.document.span("schedule"), ("schedule",)
        first = Task(id=own, name="schedule", kind="event", action="schedule", params=schedule, span=span, path=path)
        links = [link.model_copy(update={"source": own}) if link.source == START else link for link in main.links]
        begin = Link(source=START, target=own, span=span)
        return main.model_copy(update={"tasks": (first, *main.tasks), "links": (begin, *links)})

    def sub(self, name: str, path: Path, items: Sequence[Any]) -> str:
        """Read a list of tasks inside a task as a sub-workflow; return its name."""
        own, place = self._reserve(name)
        level = _Level(self, path, self._entries(path, items)).read()
        self.subworkflows[place] = level.model_copy(update={"name": own, "path": path})
        return own

    def fork(self, entry: ServerlessTask) -> str:
        """Read the branches of a `fork` as a sub-workflow; return its name."""
        fork, path = entry.shape.fork, (*entry.path, "fork", "branches")
        own, place = self._reserve(entry.name)
        entries = self._entries(path, fork.branches)
        branches = [_Level(self, path, [each], branch=len(entries) > 1).read() for each in entries]
        whole = in_parallel(branches, entry.span(), waits=not fork.compete)
        update = {"name": own, "path": path, "raw": [each.name for each in entries]}
        self.subworkflows[place] = whole.model_copy(update=update)
        return own

    def _entries(self, path: Path, items: Sequence[Any]) -> list[ServerlessTask]:
        self.tasks += len(items)
        check_size(self.document, self.tasks)
        return [ServerlessTask.of(self.document, (*path, at), item) for at, item in enumerate(items)]

    def _reserve(self, name: str) -> tuple[str, int]:
        """Return an unused name for a sub-workflow, and its place in the list, before the sub-workflows inside it."""
        own = self.names.free(name)
        self.subworkflows.append(Workflow(name=own))
        return own, len(self.subworkflows) - 1


class _Level:
    """Reads one list of tasks.

    Args:
        reader: The reader of the file.
        path: Path of the list in the document.
        entries: The tasks of the list, or some of them.
        inner: Whether the list is inside a task.
        branch: Whether the list is one of several branches, whose tasks become neighbours.
    """

    def __init__(
        self,
        reader: FlowReader,
        path: Path,
        entries: Sequence[ServerlessTask],
        *,
        inner: bool = True,
        branch: bool = False,
    ) -> None:
        self.reader, self.path, self.entries, self.inner, self.branch = reader, path, entries, inner, branch
        self.place = {entry.name: at for at, entry in reversed([*enumerate(entries)])}
        self.used = Names((START, END, *self.place))
        virtual = {name: self.used.free(name) for name in (START, END) if name in self.place}
        self.ids = [virtual.get(entry.name, entry.name) for entry in self.entries]
        self.entered: list[str] = []
        self.tasks: list[Task] = []
        self.gateways: list[Gateway] = []
        self.links: list[Link] = []
        self.handlers: dict[str, str] = {}

    def read(self) -> Workflow:
        """Return the tasks as a workflow without a name."""
        for own, entry in zip(self.ids, self.entries, strict=True):
            self.reader.notes.unknown(entry.shape, "a task", *entry.path)
            at = len(self.tasks)
            self.tasks.insert(at, self._task(own, entry))  # before its handler
            gate = own
            if entry.shape.condition is not None:
                gate = self.used.free(f"if {own}")
                self.gateways.append(Gateway(id=gate, op="XOR", role="split", span=entry.span()))
            self.entered.append(gate)
        begins = [*self.entered, END]
        self.links.append(Link(source=START, target=begins[0], span=self.reader.document.span(*self.path)))
        for entry, own, gate, following in zip(self.entries, self.ids, self.entered, begins[1:], strict=True):
            self._leave(own, entry, gate, following)
        self._merge()
        self.reader.links += len(self.links)
        check_size(self.reader.document, 0, self.reader.links)
        tasks, gateways, links = tuple(self.tasks), tuple(self.gateways), tuple(self.links)
        return Workflow(semantics="state-machine", tasks=tasks, gateways=gateways, links=links)

    def _leave(self, own: str, entry: ServerlessTask, gate: str, following: str) -> None:
        """Add the links that leave one task, and the branch that skips the task."""
        shape = entry.shape
        if shape.condition is not None:
            guards = (own, Guard(expr=shape.condition, order=1)), (following, Guard(default=True))
            self.links += [Link(source=gate, target=to, guard=guard, span=entry.span("if")) for to, guard in guards]
        then = self._target(shape.then, following, entry)
        if entry.keyword == "switch":
            self._switch(own, entry, following, then)
        elif entry.keyword == "raise":
            outcome: Outcome = "failure" if self.inner else "success"
            self.links.append(Link(source=own, target=END, outcome=outcome, span=entry.span()))
        else:
            span = entry.span("then") if "then" in entry.value else entry.span()
            self.links.append(Link(source=own, target=then, span=span))
        if entry.keyword == "try":
            handler, span = self.handlers.get(own), entry.span("catch")
            guard = _guard(shape.catch, entry.name)
            self.links.append(Link(source=own, target=handler or then, guard=guard, outcome="failure", span=span))
            if handler:
                self.links.append(Link(source=handler, target=then, span=span))

    def _switch(self, own: str, entry: ServerlessTask, following: str, then: str) -> None:
        cases = [(at, name, case) for at, item in enumerate(entry.shape.switch) for name, case in item.items()]
        for at, name, case in cases:
            path = ("switch", at, name)
            guard = Guard(default=True) if case.when is None else Guard(expr=case.when, order=at + 1)
            target = self._target(case.then, following, entry, *path)
            self.links.append(Link(source=own, target=target, guard=guard, span=entry.span(*path)))
        if all(case.when is not None for _, _, case in cases):
            message = "the switch has no default case; if no case applies, it is read as continuing with the next task"
            self.reader.notes.say("info", message, *entry.path)
            self.links.append(Link(source=own, target=then, guard=Guard(default=True), span=entry.span()))

    def _target(self, then: str, following: str, entry: ServerlessTask, *path: Key) -> str:
        """Return the target of `then`: the next task, END (end of the list or of the workflow), or a named task."""
        if then in {"", "continue"}:
            return following
        if then == "end" and self.inner:
            message = "'end' ends the whole workflow, but it is read as the end of this list of tasks only"
            self.reader.notes.say("warning", message, *entry.path, *path, "then")
        if then in {"end", "exit"}:
            return END
        if then in self.place:
            return self.entered[self.place[then]]
        return f"{then} (not in this branch)" if self.branch or then in {START, END} else then

    def _task(self, own: str, entry: ServerlessTask) -> Task:
        """Return a task; the lists of tasks inside it become sub-workflows."""
        shape, reader = entry.shape, self.reader
        workflow: str | None = None
        loop: Loop | None = None
        match entry.keyword:
            case "do":
                workflow = reader.sub(entry.name, (*entry.path, "do"), shape.do)
            case "for":
                workflow = reader.sub(entry.name, (*entry.path, "do"), shape.do)
                over = shape.each.items
                over = unwrapped(over) if isinstance(over, str) else over
                loop = Loop(mode="foreach", over=None if over is None else str(over), condition=shape.while_)
            case "fork":
                workflow = reader.fork(entry)
            case "try":
                workflow = reader.sub(entry.name, (*entry.path, "try"), shape.try_)
                loop = self._catch(own, entry)
            case "run":
                workflow = called_by(entry.value)
            case "listen":
                workflow, loop = self._consumed(entry, "events", "foreach")
            case "call":
                workflow, loop = self._consumed(entry, "messages", "with", "subscription", "foreach")
        return entry.task(own, workflow=workflow, timeouts=mapping(reader.top.use.get("timeouts")), loop=loop)

    def _consumed(self, entry: ServerlessTask, over: str, *path: str) -> tuple[str | None, Loop | None]:
        """Read the tasks that run for each event or message."""
        value: Any = entry.value
        for key in (*path, "do"):
            value = mapping(value).get(key)
        if not isinstance(value, list):
            return None, None
        return self.reader.sub(entry.name, (*entry.path, *path, "do"), value), Loop(mode="foreach", over=over)

    def _catch(self, own: str, entry: ServerlessTask) -> Loop | None:
        """Read the `catch` of a task; return the loop of its retries: the first attempt and those that follow."""
        catch, path = entry.shape.catch, (*entry.path, "catch")
        if "catch" not in entry.value:
            raise entry.document.error(f"the task {entry.name[:80]!r} has no 'catch'", *entry.path, fix="add 'catch'")
        if catch.do:
            name = f"catch of {entry.name}"
            handler = self.handlers[own] = self.used.free(f"{own} catch")
            workflow = self.reader.sub(name, (*path, "do"), catch.do)
            span = entry.span("catch")
            self.tasks.append(
                Task(id=handler, name=name, kind="composite", action="catch", workflow=workflow, span=span, path=path)
            )
        if catch.retry is None:
            return None
        policies = mapping(self.reader.top.use.get("retries"))
        count: Any = policies.get(catch.retry) if isinstance(catch.retry, str) else catch.retry
        for key in ("limit", "attempt", "count"):
            count = mapping(count).get(key)
        limited = type(count) is int and count >= 0
        return Loop(mode="until", condition="it succeeds", max=count + 1 if limited else None)

    def _merge(self) -> None:
        """Add an XOR join before each split with several incoming links, so that no gateway both joins and splits."""
        into = Counter(link.target for link in self.links)
        splits = [gateway for gateway in self.gateways if into[gateway.id] > 1]
        merges = {split.id: self.used.free(f"before {split.id}") for split in splits}
        self.gateways += [Gateway(id=merges[each.id], op="XOR", role="join", span=each.span) for each in splits]
        self.links = [link.model_copy(update={"target": merges.get(link.target, link.target)}) for link in self.links]
        self.links += [Link(source=merges[split.id], target=split.id, span=split.span) for split in splits]


def _guard(catch: TryCatch, task: str) -> Guard | None:
    """Return the condition of a catch.

    The error is a value of its own task, because two tasks can fail for different reasons.
    """
    subject = f"`error of {task.replace('`', ' ')}`"
    parts = [
        f"{subject}.{key} == {_literal(value)}"
        for key, value in mapping(mapping(catch.errors).get("with")).items()
        if isinstance(value, str | int | float) and key.isidentifier()
    ]
    if catch.when:
        parts.append(f"({catch.when})" if parts or catch.unless is not None else catch.when)
    if catch.unless:
        parts.append(f"not ({catch.unless})")
    return Guard(expr=" and ".join(parts)) if parts else None


def _literal(value: str | float) -> str:
    return quoted(value) if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def called_by(task: dict[str, Any]) -> str | None:
    """Return the name of the workflow that a task runs; None if the task runs no workflow."""
    run = mapping(task.get("run"))
    return str(mapping(run["workflow"]).get("name") or "a workflow") if "workflow" in run else None
