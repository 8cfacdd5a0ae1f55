"""Templates with steps or a dag, as workflows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wfgate.logic import GuardSyntaxError
from wfgate.model import END, START, DataLink, Guard, Link, Outcome, Task, Workflow
from wfgate.read.documents.document import Path
from wfgate.read.formats.argo.calls import ArgoCall, Calls, Ids, outputs_read
from wfgate.read.formats.argo.depends import (
    FAILED,
    FIX,
    NOTHING,
    PLAIN,
    SUCCEEDED,
    DependentTask,
    Ended,
    Group,
    Incoming,
    Joins,
    Taken,
    Wait,
    joined,
    leaves,
    parse_depends,
)
from wfgate.read.formats.argo.resources import ArgoTemplate
from wfgate.read.formats.argo.shapes import DagTask, Hooked
from wfgate.read.formats.notes import few


@dataclass(frozen=True)
class HookTask:
    """A template that runs at an event of a call or workflow; by default when it has ended, with any result."""

    event: str
    owner: ArgoCall | None
    task: Task
    guard: Guard | None


@dataclass
class ArgoFlow:
    """Reads the workflow of one template.

    Attributes:
        template: The template.
        calls: Converts steps and dag tasks to tasks.
        ids: The ids in the workflow.
        called: The steps or dag tasks.
        hooks: The hooks.
    """

    template: ArgoTemplate
    calls: Calls
    ids: Ids = field(default_factory=Ids)
    called: list[ArgoCall] = field(default_factory=list)
    hooks: list[HookTask] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Take the file from the calls."""
        self.file = self.calls.file

    def read(self, name: str) -> Workflow:
        """Return the workflow with the given name.

        Raises:
            FormatError: If a dependency cannot be read, or the file has too many tasks or links.
        """
        shape, path = self.template.shape, self.template.path
        waits = self._steps() if shape.flow == "steps" else self._dag()
        for call in self.called:
            self.add_hooks(call.shape, call.path, call)
        links = self._links(waits)
        self.file.count(tasks=len(self.called) + len(self.hooks))
        reads = [(call.id, self.file.document.span(*call.path), call.reads) for call in self.called]
        if shape.has("outputs"):
            own = (*path, "outputs")
            reads.append((END, self.file.document.span(*own), tuple(outputs_read(self.file.document.at(*own)))))
        return Workflow(
            name=name,
            params=shape.inputs.named("parameters"),
            tasks=(*(call.task for call in self.called), *(hook.task for hook in self.hooks)),
            links=tuple(links),
            data_links=tuple(
                DataLink(source=self.ids.of(source), target=target, data=f"{source}.{output}", span=span)
                for target, span, outputs in reads
                for source, output in outputs
            ),
            path=path,
        )

    def _steps(self) -> list[Wait]:
        """Read lists of steps. The steps of one list run in parallel; the lists run one after the other."""
        waits: list[Wait] = []
        wait: Wait = NOTHING
        before = 0
        for place, group in enumerate(self.template.shape.steps):
            path = (*self.template.path, "steps", place)
            self.file.count(links=before * len(group))
            calls = [self.calls.call(step, (*path, at), self.ids, self.template) for at, step in enumerate(group)]
            if calls:
                self.called += calls
                waits += [wait] * len(calls)
                wait = joined("and", (self._plain(call.shape.name, goes_on=call.shape.goes_on) for call in calls))
                before = len(calls)
        return waits

    def _dag(self) -> list[Wait]:
        dag, path = self.template.shape.dag, (*self.template.path, "dag")
        if dag.target:
            message = "Argo runs only the tasks that `target` needs, but all tasks are read"
            self.file.notes.say("warning", message, *path, "target")
        places = [(task, (*path, "tasks", at)) for at, task in enumerate(dag.tasks)]
        self.called = [self.calls.call(task, own, self.ids, self.template) for task, own in places]
        by_name = {task.name: task for task in reversed(dag.tasks)}
        return [self._waits_for(task, own, by_name) for task, own in places]

    def _waits_for(self, task: DagTask, path: Path, by_name: dict[str, DagTask]) -> Wait:
        def resolved(wait: Wait) -> Wait:
            """Replace names by ids. A plain dependency on a task that may fail is also satisfied by its failure."""
            if isinstance(wait, Group):
                return Group(wait.sign, tuple(map(resolved, wait.parts)))
            if wait.plain:
                return self._plain(wait.task, goes_on=wait.task in by_name and by_name[wait.task].goes_on)
            return replace(wait, task=self.ids.of(wait.task))

        if not task.depends:
            return joined("and", (resolved(Ended(name, PLAIN, plain=True)) for name in task.dependencies))
        if task.has("dependencies"):
            message = "a task has both `depends` and `dependencies`; only `depends` is read"
            self.file.notes.say("warning", message, *path, "dependencies", fix="delete one of the two keys")
        try:
            return resolved(parse_depends(task.depends))
        except GuardSyntaxError as problem:
            message = f"`depends` cannot be read: {problem.message}"
            raise self.file.document.error(message, *path, "depends", fix=FIX) from None

    def _plain(self, name: str, *, goes_on: bool) -> Ended:
        return Ended(self.ids.of(name), PLAIN | {FAILED} if goes_on else PLAIN, plain=True)

    def add_hooks(self, hooked: Hooked, path: Path, owner: ArgoCall | None = None) -> None:
        """Add the hooks (templates that run at an event) of a call, or of the whole workflow."""
        for event, hook, below in hooked.events():
            reference = hook.template_ref
            shown = hook.template or (reference.template if reference else "hook")
            name = f"{shown} on {event}" + (f" of {owner.shape.name}" if owner else "")
            own = self.ids.free(f"{owner.shape.name}-{event}" if owner else event)
            task = self.calls.task(hook, (*path, *below), self.template.resource, own, name, name)
            expression = hook.expression if event != "exit" else None
            guard = None if expression is None else Guard(expr=str(expression), language="argo")
            self.hooks.append(HookTask(event, owner, task.model_copy(update={"outputs": ()}), guard))

    def _links(self, waits: Sequence[Wait]) -> list[Link]:
        steps: dict[str, DependentTask] = {}
        for call, wait in zip(self.called, waits, strict=True):
            steps.setdefault(call.id, DependentTask(wait, conditional=call.guard is not None))
        unsure = Joins(steps).omittable
        owners = [hook.owner.id for hook in self.hooks if hook.owner is not None and hook.guard is None]
        joins = Joins(steps, [Ended(own, frozenset({SUCCEEDED, FAILED})) for own in owners if own in unsure])
        links: list[Link] = []
        for place, (call, wait) in enumerate(zip(self.called, waits, strict=True)):
            own, join = self._into(call, wait, joins)
            self.file.count(links=len(own))
            links += own
            if join is not None:
                self.called[place] = replace(call, task=call.task.model_copy(update={"join": join}))
        for hook in self.hooks:
            links += _into_hook(hook, unsure)
        aside = {hook.task.id for hook in self.hooks}
        left = {link.source for link in links if link.outcome in {"success", "always"} and link.target not in aside}
        for call in {call.id: call for call in self.called}.values():
            if call.id not in left:
                links.append(Link(source=call.id, target=END))
                if call.guard is not None:
                    links.append(Link(source=call.id, target=END, outcome="skipped"))
        links += [Link(source=hook.task.id, target=END) for hook in self.hooks]
        self.file.count(links=len(self.called) * 2 + len(self.hooks))
        return links

    def _into(self, call: ArgoCall, wait: Wait, joins: Joins) -> tuple[list[Link], str | None]:
        span = self.file.document.span(*call.path)
        if not leaves(wait):
            return [Link(source=START, target=call.id, guard=call.guard, span=span)], None
        incoming = Incoming(joins, wait)
        taken = incoming.links
        if not taken:
            message = "this task never runs: its dependency can never be satisfied"
            self.file.notes.say("warning", message, *call.path, "depends")
            taken = list(dict.fromkeys(Taken(leaf.task, "success") for leaf in leaves(wait)))
        elif not incoming.vague and not any(leaf.coarse for leaf in leaves(wait)):
            self.file.resolved.add((*call.path, "depends"))
        if incoming.vague:
            names = few(sorted(incoming.vague))
            message = f"the task has too many dependencies; the model allows it to run even if not satisfied: {names}"
            self.file.notes.say("warning", message, *call.path)
        links = [
            Link(source=one.source, target=call.id, guard=call.guard, outcome=one.outcome, span=span) for one in taken
        ]
        return links, incoming.join


def _into_hook(hook: HookTask, unsure: set[str]) -> list[Link]:
    """Return the links from the owner of a hook; `unsure` are the owners that may be omitted."""
    assert hook.owner is not None  # noqa: S101 - hooks of the whole workflow are linked by the reader
    either_way = hook.owner.id in unsure
    outcomes: tuple[Outcome, ...] = ("success", "failure") if either_way else ("always",)
    guard = None if either_way else hook.owner.guard
    if hook.guard is not None:
        outcomes, guard = ("event",), hook.guard
    return [
        Link(source=hook.owner.id, target=hook.task.id, guard=guard, outcome=outcome, span=hook.task.span)
        for outcome in outcomes
    ]
