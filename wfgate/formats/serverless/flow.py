"""The task lists of a Serverless Workflow, as workflows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wfgate.documents import Diagnostic, Document, Path
from wfgate.formats.builder import check_size, side_by_side
from wfgate.formats.fields import Fields, did_you_mean
from wfgate.formats.serverless.jq import unwrapped
from wfgate.formats.serverless.tasks import Entry, condition
from wfgate.model import END, START, Gateway, Guard, Link, Loop, Names, SourceSpan, Task, Workflow
from wfgate.model.workflow import Outcome

_READ = frozenset({"document", "do", "schedule", "use"})
_USED = frozenset({"retries", "timeouts", "errors"})


@dataclass(frozen=True)
class Catch:
    """The catch of a `try` task: its condition, the task that handles the error, and its retry policy."""

    guard: Guard | None
    span: SourceSpan | None
    retry: Any = None
    handler: str | None = None

    @classmethod
    def of(cls, fields: Fields, task: str) -> "Catch":
        """Read the condition of a catch.

        The error is a value of its own task, because two tasks can fail for different reasons.

        Raises:
            FormatError: If a condition is not valid.
        """
        errors = fields.value.get("errors")
        wanted = errors.get("with") if isinstance(errors, dict) else None
        subject = f"`error of {task.replace('`', ' ')}`"
        parts = [
            f"{subject}.{key} == {_literal(value)}"
            for key, value in (wanted.items() if isinstance(wanted, dict) else ())
            if isinstance(value, str | int | float | bool) and key.isidentifier()
        ]
        when, unless = condition(fields, "when"), condition(fields, "exceptWhen")
        parts += [when if not parts and unless is None else f"({when})"] if when else []
        parts += [f"not ({unless})"] if unless else []
        guard = Guard(expr=" and ".join(parts)) if parts else None
        return cls(guard, fields.document.span(*fields.path), fields.value.get("retry"))

    def to(self, handler: str) -> "Catch":
        """Return the catch with this task as handler of the error."""
        return replace(self, handler=handler)

    def loop(self, policies: dict[str, Any]) -> Loop | None:
        """Return the loop of the retries: the first attempt and the retries that the policy allows."""
        if self.retry is None:
            return None
        policy = policies.get(self.retry) if isinstance(self.retry, str) else self.retry
        count: Any = policy
        for key in ("limit", "attempt", "count"):
            count = count.get(key) if isinstance(count, dict) else None
        limited = isinstance(count, int) and not isinstance(count, bool) and count >= 0
        return Loop(mode="until", condition="it succeeds", max=count + 1 if limited else None)


def _literal(value: str | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return str(value)


@dataclass
class _Level:
    """The tasks of one list.

    Attributes:
        entries: The tasks with their ids.
        inner: Whether the list is inside a task.
        branch: Whether the list is one of several branches, whose tasks become neighbours.
    """

    entries: list[tuple[str, Entry]]
    inner: bool
    branch: bool = False
    tasks: list[Task] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    entry: list[str] = field(default_factory=list)
    catches: dict[str, Catch] = field(default_factory=dict)
    place: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for place, (_, entry) in enumerate(self.entries):
            self.place.setdefault(entry.name, place)

    def workflow(self, name: str, **more: Any) -> Workflow:
        return Workflow(
            name=name,
            semantics="state-machine",
            tasks=tuple(self.tasks),
            gateways=tuple(self.gateways),
            links=tuple(self.links),
            **more,
        )


class FlowReader:
    """Reads one workflow.

    Args:
        document: The document of the workflow.
        entry: The mapping of the workflow.
    """

    def __init__(self, document: Document, entry: Fields) -> None:
        self.document = document
        self.entry = entry
        self.use: dict[str, Any] = entry.mapping("use")
        self.diagnostics: list[Diagnostic] = []
        self.subworkflows: list[Workflow] = []
        self.names = Names()
        self.tasks = 0
        self.links = 0

    def read(self, head: Fields) -> Workflow:
        """Read the workflow.

        Raises:
            FormatError: If a task is not valid.
        """
        name = str(head.value.get("name") or "")
        self.names = Names({name, *_called(self.entry.value.get("do"))})
        level = self._level(("do",), self.entry.entries("do"), inner=False)
        self._schedule(level)
        for key in sorted(self.entry.value.keys() - _READ):
            self._note("info", f"the key {key[:80]!r} is not read", key)
        for key in sorted(self.use.keys() - _USED):
            severity = "warning" if key == "extensions" else "info"
            message = "extensions are not read, so the tasks that they run before and after other tasks are missing"
            self._note(
                severity,
                message if key == "extensions" else f"the key {key[:80]!r} under 'use' is not read",
                "use",
                key,
            )
        texts = [head.value.get(key) for key in ("title", "summary")]
        described = ". ".join(text.strip().rstrip(".") for text in texts if isinstance(text, str) and text.strip())
        return level.workflow(name, description=described, subworkflows=tuple(self.subworkflows))

    def _schedule(self, level: _Level) -> None:
        """Add the schedule, which starts the workflow, as first step."""
        schedule = self.entry.value.get("schedule")
        if not isinstance(schedule, dict):
            return
        own = Names([*(own for own, _ in level.entries), *(gateway.id for gateway in level.gateways)]).free("schedule")
        span = self.document.span("schedule")
        level.tasks.insert(
            0,
            Task(
                id=own,
                name="schedule",
                kind="event",
                action="schedule",
                params=schedule,
                span=span,
                path=("schedule",),
            ),
        )
        links = [link.model_copy(update={"source": own}) if link.source == START else link for link in level.links]
        level.links = [Link(source=START, target=own, span=span), *links]

    def _level(self, path: Path, items: Sequence[Any], *, inner: bool, branch: bool = False, first: int = 0) -> _Level:
        """Read a list of tasks.

        Args:
            path: Path of the list in the document.
            items: The items of the list, or a part of them.
            inner: Whether the list is inside a task.
            branch: Whether the list is one of several branches.
            first: Index of the first item.
        """
        entries = [
            Entry.of(Fields(self.document, (*path, place), item, what="an item"))
            for place, item in enumerate(items, start=first)
        ]
        self.tasks += len(entries)
        check_size(self.document, self.tasks)
        names = {entry.name for entry in entries}
        virtual = {name: Names((START, END, *names)).free(name) for name in (START, END) if name in names}
        level = _Level([(virtual.get(entry.name, entry.name), entry) for entry in entries], inner, branch)
        used = Names({own for own, _ in level.entries} | names)
        for own, entry in level.entries:
            for key in entry.unknown():
                fix = did_you_mean(key, ("if", "then", "with", "catch", "timeout", "input", "output", "export"))
                self._note(
                    "warning", f"a task has no key {key[:80]!r}; the key is not read", *entry.fields.path, key, fix=fix
                )
            at = len(level.tasks)
            level.tasks.insert(at, self._task(level, own, entry, used))  # before its handler
            level.entry.append(own if entry.condition is None else self._bypass(level, own, entry, used))
        begin = level.entry[0] if entries else END
        level.links.append(Link(source=START, target=begin, span=self.document.span(*path)))
        for place, (own, entry) in enumerate(level.entries):
            self._leave(level, place, own, entry)
        _merge(level, used)
        self.links += len(level.links)
        check_size(self.document, 0, self.links)
        return level

    def _bypass(self, level: _Level, own: str, entry: Entry, used: Names) -> str:
        gateway = used.free(f"if {own}")
        level.gateways.append(Gateway(id=gateway, op="XOR", role="split", span=entry.span))
        return gateway

    def _leave(self, level: _Level, place: int, own: str, entry: Entry) -> None:
        """Add the links that leave one task, and the branch that skips the task."""
        following = level.entry[place + 1] if place + 1 < len(level.entry) else END
        span = self.document.span(*entry.fields.path)
        if entry.condition is not None:
            asked = self.document.span(*entry.fields.path, "if")
            gate = level.entry[place]
            guard = Guard(expr=entry.condition, order=1)
            level.links.append(Link(source=gate, target=own, guard=guard, span=asked))
            level.links.append(Link(source=gate, target=following, guard=Guard(default=True), span=asked))
        then = self._target(level, entry.fields, following)
        if entry.keyword == "switch":
            self._switch(level, own, entry, following, then)
            return
        if entry.keyword == "raise":
            outcome: Outcome = "failure" if level.inner else "success"
            level.links.append(Link(source=own, target=END, outcome=outcome, span=span))
            return
        at = self.document.span(*entry.fields.path, "then") if "then" in entry.fields else span
        level.links.append(Link(source=own, target=then, span=at))
        catch = level.catches.get(own)
        if catch is not None:
            handler = catch.handler or then
            level.links.append(Link(source=own, target=handler, guard=catch.guard, outcome="failure", span=catch.span))
            if catch.handler:
                level.links.append(Link(source=catch.handler, target=then, span=catch.span))

    def _switch(self, level: _Level, own: str, entry: Entry, following: str, then: str) -> None:
        has_default = False
        for place, item in enumerate(entry.fields.entries("switch")):
            path = (*entry.fields.path, "switch", place)
            cases = Fields(self.document, path, item, what="a case of the switch")
            for name, value in cases.value.items():
                case = Fields(self.document, (*path, name), value, what=f"the case {name[:80]!r}")
                asked = condition(case, "when")
                has_default |= asked is None
                guard = Guard(default=True) if asked is None else Guard(expr=asked, order=place + 1)
                target = self._target(level, case, following)
                span = self.document.span(*case.path)
                level.links.append(Link(source=own, target=target, guard=guard, span=span))
        if not has_default:
            self._note(
                "info",
                "the switch has no default case; if no case applies, it is read as continuing with the next task",
                *entry.fields.path,
            )
            level.links.append(Link(source=own, target=then, guard=Guard(default=True), span=entry.span))

    def _target(self, level: _Level, fields: Fields, following: str) -> str:
        """Return the target of `then`: the next task, END (end of the list or of the workflow), or a named task."""
        then = fields.text("then", "continue") or "continue"
        if then == "continue":
            return following
        if then == "end" and level.inner:
            message = "'end' ends the whole workflow, but it is read as the end of this list of tasks only"
            self._note("warning", message, *fields.path, "then")
        if then in {"end", "exit"}:
            return END
        if then in level.place:
            return level.entry[level.place[then]]
        return f"{then} (not in this branch)" if level.branch or then in {START, END} else then

    def _task(self, level: _Level, own: str, entry: Entry, used: Names) -> Task:
        keyword, fields = entry.keyword, entry.fields
        workflow: str | None = None
        loop: Loop | None = None
        if keyword == "do":
            workflow = self._sub(entry.name, (*fields.path, "do"), fields.entries("do"))
        elif keyword == "for":
            workflow = self._sub(entry.name, (*fields.path, "do"), fields.entries("do"))
            each = Fields(self.document, (*fields.path, "for"), fields.value["for"], what="'for'")
            over = each.value.get("in")
            loop = Loop(
                mode="foreach",
                over=unwrapped(over) if isinstance(over, str) else None if over is None else str(over),
                condition=condition(fields, "while"),
            )
        elif keyword == "fork":
            workflow = self._fork(entry)
        elif keyword == "try":
            workflow = self._sub(entry.name, (*fields.path, "try"), fields.entries("try"))
            loop = self._catch(level, own, entry, used)
        elif keyword == "run":
            workflow = _called_by(fields.value)
        else:
            workflow, loop = self._consumed(entry)
        return entry.task(own, workflow=workflow, timeouts=_mapping(self.use.get("timeouts")), loop=loop)

    def _consumed(self, entry: Entry) -> tuple[str | None, Loop | None]:
        """Read the tasks that run for each event or message."""
        path: Path = ("foreach",)
        if entry.keyword == "call":
            path = ("with", "subscription", "foreach")
        value: Any = entry.fields.value if entry.keyword in {"call", "listen"} else None
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if not isinstance(value, dict) or not isinstance(value.get("do"), list):
            return None, None
        over = "events" if entry.keyword == "listen" else "messages"
        return self._sub(entry.name, (*entry.fields.path, *path, "do"), value["do"]), Loop(mode="foreach", over=over)

    def _catch(self, level: _Level, own: str, entry: Entry, used: Names) -> Loop | None:
        """Read the `catch` of a task; return the loop of its retries."""
        if "catch" not in entry.fields:
            raise entry.fields.error(f"the task {entry.name[:80]!r} has no 'catch'", fix="add 'catch'")
        fields = Fields(self.document, (*entry.fields.path, "catch"), entry.fields.value["catch"], what="'catch'")
        catch = Catch.of(fields, entry.name)
        if fields.entries("do"):
            name = f"catch of {entry.name}"
            handler = used.free(f"{own} catch")
            workflow = self._sub(name, (*fields.path, "do"), fields.entries("do"))
            level.tasks.append(
                Task(
                    id=handler,
                    name=name,
                    kind="composite",
                    action="catch",
                    workflow=workflow,
                    span=catch.span,
                    path=fields.path,
                )
            )
            catch = catch.to(handler)
        level.catches[own] = catch
        return catch.loop(_mapping(self.use.get("retries")))

    def _fork(self, entry: Entry) -> str:
        path = (*entry.fields.path, "fork")
        fork = Fields(self.document, path, entry.fields.value["fork"], what="'fork'")
        items = fork.entries("branches")
        if not items:
            raise fork.error("'fork' has no 'branches'", fix="add 'branches': a list of tasks")
        name = self._reserve(entry.name)
        place = len(self.subworkflows) - 1
        whole = _Level([], inner=True)
        levels = []
        for number, item in enumerate(items):
            levels.append(self._level((*path, "branches"), [item], inner=True, branch=len(items) > 1, first=number))
            whole.tasks += levels[-1].tasks
            whole.gateways += levels[-1].gateways
        taken = {task.id for task in whole.tasks} | {gateway.id for gateway in whole.gateways}
        waits = not fork.flag("compete")
        whole.links = levels[0].links
        if len(items) > 1:
            gateways, whole.links = side_by_side([level.links for level in levels], taken, entry.span, waits=waits)
            whole.gateways += gateways
        order = [name for item in items for name in item]
        self.subworkflows[place] = whole.workflow(name, path=(*path, "branches"), raw=order)
        return name

    def _sub(self, name: str, path: Path, items: Sequence[Any]) -> str:
        found = self._reserve(name)
        place = len(self.subworkflows) - 1
        self.subworkflows[place] = self._level(path, items, inner=True).workflow(found, path=path)
        return found

    def _reserve(self, name: str) -> str:
        """Return an unused name for a sub-workflow; the sub-workflow is listed before the sub-workflows inside it."""
        found = self.names.free(name)
        self.subworkflows.append(Workflow(name=found))
        return found

    def _note(self, severity: Any, message: str, *path: str | int, fix: str | None = None) -> None:
        self.diagnostics.append(self.document.diagnostic(severity, message, *path, fix=fix))


def _merge(level: _Level, used: Names) -> None:
    """Add an XOR join before each split with several incoming links, so that no gateway both joins and splits."""
    splits = {gateway.id: gateway for gateway in level.gateways if gateway.role == "split"}
    into = Counter(link.target for link in level.links)
    merges: dict[str, str] = {}
    for own, gateway in splits.items():
        if into[own] > 1:
            merges[own] = used.free(f"before {own}")
            level.gateways.append(Gateway(id=merges[own], op="XOR", role="join", span=gateway.span))
    level.links = [
        link.model_copy(update={"target": merges[link.target]}) if link.target in merges else link
        for link in level.links
    ]
    level.links += [Link(source=merge, target=own, span=splits[own].span) for own, merge in merges.items()]


def _mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _called_by(task: dict[str, Any]) -> str | None:
    """Return the name of the workflow that a task runs; None if the task runs no workflow."""
    run = _mapping(task.get("run"))
    if "workflow" not in run:
        return None
    return str(_mapping(run["workflow"]).get("name") or "a workflow")


def _called(value: object) -> set[str]:
    """Return the names of all workflows that tasks run, at any depth."""
    found = set()
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            name = _called_by(each)
            if name is not None:
                found.add(name)
            pending += each.values()
        elif isinstance(each, list):
            pending += each
    return found
