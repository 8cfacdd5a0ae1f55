"""Templates with steps or a dag, as workflows."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from wfgate.documents import Document
from wfgate.formats.argo.calls import EXIT_HANDLER, Call, Calls, Ids, data_links, inputs_with_defaults, outputs_read
from wfgate.formats.argo.depends import (
    FAILED,
    PLAIN,
    SUCCEEDED,
    Both,
    DependsSyntaxError,
    Ended,
    Joins,
    Step,
    Wait,
    both,
    is_coarse,
    parse_depends,
    tasks_of,
)
from wfgate.formats.argo.resources import Template
from wfgate.formats.builder import check_size
from wfgate.formats.fields import Fields, kind_of
from wfgate.model import END, START, DataLink, Guard, Link, Task, Workflow

_HOOK = "\0"
"""Begins the names of hooks: no task is called so."""


@dataclass
class Sizes:
    """Counts the tasks and links of all workflows in the file."""

    document: Document
    tasks: int = 0
    links: int = 0

    def add(self, tasks: int = 0, links: int = 0) -> None:
        """Add to the counts.

        Raises:
            FormatError: If the file has too many tasks or links.
        """
        self.tasks += tasks
        self.links += links
        check_size(self.document, self.tasks, self.links)


@dataclass(frozen=True)
class _Hook:
    """A template that runs at an event of a task; by default when the task has ended, with any result."""

    owner: Call | None
    task: Task
    guard: Guard | None


@dataclass
class Flow:
    """Reads the workflow of one template.

    Attributes:
        template: The template.
        calls: Converts steps and dag tasks to tasks.
        sizes: Counts the tasks and links of the file.
    """

    template: Template
    calls: Calls
    sizes: Sizes
    ids: Ids = field(default_factory=Ids)
    found: list[Call] = field(default_factory=list)
    hooks: list[_Hook] = field(default_factory=list)

    def read(self, name: str) -> Workflow:
        """Return the workflow with the given name.

        Raises:
            FormatError: If a value has the wrong type, or a dependency cannot be read.
        """
        waits = self._steps() if self.template.flow == "steps" else self._dag()
        for call in self.found:
            self._hooks_of(call)
        data = data_links(self.found, self.ids)
        links = self._links(waits)
        self.sizes.add(tasks=len(self.found) + len(self.hooks))
        return Workflow(
            name=name,
            params=inputs_with_defaults(self.template),
            tasks=(*(call.task for call in self.found), *(hook.task for hook in self.hooks)),
            links=tuple(links),
            data_links=(*data, *self._handed_out()),
            path=self.calls.place(self.template.fields),
        )

    def _steps(self) -> list[Wait]:
        """Read lists of steps. The steps of one list run in parallel; the lists run one after the other."""
        fields = self.template.fields
        waits: list[Wait] = []
        wait: Wait = Both(())
        before = 0
        for place, group in enumerate(fields.entries("steps")):
            path = (*fields.path, "steps", place)
            listed = group
            if isinstance(group, dict):
                message = "a list of parallel steps is expected here; this single step is read as a list with one step"
                fix = "write `- - name: ...`: each item of `steps` is a list"
                self.calls.notes.append(fields.document.diagnostic("warning", message, *path, fix=fix))
                listed = [group]
            if not isinstance(listed, list):
                raise fields.document.error(
                    f"a group of steps must be a list, not {kind_of(group)}", *path, fix="write `- - name: ...`"
                )
            inner = [path] if isinstance(group, dict) else [(*path, number) for number in range(len(listed))]
            entries = [
                Fields(fields.document, where, value, what="a step")
                for where, value in zip(inner, listed, strict=True)
            ]
            self.sizes.add(links=before * len(entries))
            group_calls = [self.calls.call(entry, self.ids, self.template) for entry in entries]
            if group_calls:
                self.found += group_calls
                waits += [wait] * len(group_calls)
                wait = both(self._plain(call.fields, call.name) for call in group_calls)
                before = len(group_calls)
        return waits

    def _dag(self) -> list[Wait]:
        path = (*self.template.fields.path, "dag")
        dag = Fields(self.template.fields.document, path, self.template.fields.value["dag"], what="a dag")
        tasks = [
            Fields(dag.document, (*path, "tasks", place), value, what="a task")
            for place, value in enumerate(dag.entries("tasks"))
        ]
        if dag.value.get("target"):
            message = "Argo runs only the tasks that `target` needs, but all tasks are read"
            self.calls.notes.append(dag.document.diagnostic("warning", message, *path, "target"))
        self.found = [self.calls.call(entry, self.ids, self.template) for entry in tasks]
        by_name: dict[str, Fields] = {}
        for call in self.found:
            by_name.setdefault(call.name, call.fields)
        return [self._waits_for(entry, by_name) for entry in tasks]

    def _waits_for(self, entry: Fields, by_name: dict[str, Fields]) -> Wait:
        said = entry.value.get("depends")
        if said is None or said == "":
            names = entry.words("dependencies") if entry.value.get("dependencies") is not None else []
            return both(self._plain(by_name.get(name), name) for name in names)
        if "dependencies" in entry:
            note = "a task has both `depends` and `dependencies`; only `depends` is read"
            self.calls.notes.append(
                entry.document.diagnostic(
                    "warning", note, *entry.path, "dependencies", fix="delete one of the two keys"
                )
            )
        try:
            wait = parse_depends(entry.text("depends"))
        except DependsSyntaxError as problem:
            raise entry.error(f"`depends` cannot be read: {problem.message}", "depends", fix=problem.fix) from None
        return self._resolved(wait, by_name)

    def _resolved(self, wait: Wait, by_name: dict[str, Fields]) -> Wait:
        """Replace names by ids. A plain dependency on a task that may fail is also satisfied by its failure."""
        if isinstance(wait, Ended):
            if wait.plain:
                return self._plain(by_name.get(wait.task), wait.task)
            return replace(wait, task=self.ids.of(wait.task))
        return type(wait)(tuple(self._resolved(part, by_name) for part in wait.parts))

    def _plain(self, fields: Fields | None, name: str) -> Ended:
        goes_on = fields.value.get("continueOn") if fields is not None else None
        failing = isinstance(goes_on, dict) and (goes_on.get("failed") is True or goes_on.get("error") is True)
        return Ended(self.ids.of(name), PLAIN | {FAILED} if failing else PLAIN, plain=True)

    def _hooks_of(self, call: Call) -> None:
        for event, fields in hooks_of(call.fields):
            self.add_hook(event, fields, call)

    def add_hook(self, event: str, fields: Fields, owner: Call | None) -> None:
        """Add a hook (a template that runs at an event) of a task or of the whole workflow."""
        template = fields.value.get("template")
        reference = fields.value.get("templateRef")
        shown = template if isinstance(template, str) else None
        if shown is None and isinstance(reference, dict) and isinstance(reference.get("template"), str):
            shown = reference["template"]
        name = f"{shown or 'hook'} on {event}" + (f" of {owner.name}" if owner else "")
        own = self.ids.free(f"{owner.name}-{event}" if owner else event)
        task = self.calls.task(fields, self.template.resource, own, name, name)
        expression = fields.value.get("expression") if event != "exit" else None
        guard = None if expression is None else Guard(expr=str(expression), language="argo")
        self.hooks.append(_Hook(owner, task.model_copy(update={"outputs": ()}), guard))

    def _links(self, waits: Sequence[Wait]) -> list[Link]:
        steps: dict[str, Step] = {}
        for call, wait in zip(self.found, waits, strict=True):
            steps.setdefault(call.id, Step(wait, conditional=call.guard is not None))
        joins = Joins(steps)
        ended = {
            f"{_HOOK}{place}": Step(Ended(hook.owner.id, frozenset({SUCCEEDED, FAILED})))
            for place, hook in enumerate(self.hooks)
            if hook.owner is not None and hook.guard is None and hook.owner.id in joins.omittable
        }
        joins = Joins(steps | ended) if ended else joins
        links: list[Link] = []
        for place, (call, wait) in enumerate(zip(self.found, waits, strict=True)):
            own, join = self._into(call, wait, joins)
            self.sizes.add(links=len(own))
            links += own
            if join is not None:
                self.found[place] = replace(call, task=call.task.model_copy(update={"join": join}))
        for place, hook in enumerate(self.hooks):
            links += self._into_hook(hook, either_way=f"{_HOOK}{place}" in ended)
        aside = {hook.task.id for hook in self.hooks}
        left = {link.source for link in links if link.outcome in {"success", "always"} and link.target not in aside}
        for call in {call.id: call for call in self.found}.values():
            if call.id not in left:
                links.append(Link(source=call.id, target=END))
                if call.guard is not None:
                    links.append(Link(source=call.id, target=END, outcome="skipped"))
        links += [Link(source=hook.task.id, target=END) for hook in self.hooks]
        self.sizes.add(links=len(self.found) * 2 + len(self.hooks))
        return links

    def _into(self, call: Call, wait: Wait, joins: Joins) -> tuple[list[Link], str | None]:
        fields = call.fields
        span = fields.document.span(*fields.path)
        if not tasks_of(wait):
            return [Link(source=START, target=call.id, guard=call.guard, span=span)], None
        incoming = joins.incoming(wait)
        pairs = incoming.links
        if not incoming.links:
            message = "this task never runs: its dependency can never be satisfied"
            self.calls.notes.append(fields.document.diagnostic("warning", message, *fields.path, "depends"))
            pairs = tuple((source, "success") for source in tasks_of(wait))
        if incoming.links and not incoming.vague and not is_coarse(fields.value.get("depends")):
            self.calls.resolved.add((*self.calls.place(fields), "depends"))
        if incoming.vague:
            names = ", ".join(repr(name[:80]) for name in incoming.vague[:3])
            names += f" or {len(incoming.vague) - 3} more" if len(incoming.vague) > 3 else ""
            message = (
                f"the task has too many dependencies; the model allows it to run even if {names} cannot be satisfied"
            )
            self.calls.notes.append(fields.document.diagnostic("warning", message, *fields.path))
        links = [
            Link(source=source, target=call.id, guard=call.guard, outcome=outcome, span=span)
            for source, outcome in pairs
        ]
        return links, incoming.join

    def _into_hook(self, hook: _Hook, *, either_way: bool) -> list[Link]:
        span = hook.task.span
        if hook.owner is None:
            return [Link(source=START, target=hook.task.id, guard=hook.guard, outcome="event", span=span)]
        source, target = hook.owner.id, hook.task.id
        if hook.guard is not None:
            return [Link(source=source, target=target, guard=hook.guard, outcome="event", span=span)]
        if either_way:
            return [
                Link(source=source, target=target, outcome="success", span=span),
                Link(source=source, target=target, outcome="failure", span=span),
            ]
        return [Link(source=source, target=target, guard=hook.owner.guard, outcome="always", span=span)]

    def _handed_out(self) -> list[DataLink]:
        """Return the data links to END: the sources of the outputs of the template."""
        fields = self.template.fields
        span = fields.document.span(*fields.path, "outputs")
        return [
            DataLink(source=self.ids.of(source), target=END, data=f"{source}.{output}", span=span)
            for source, output in outputs_read(fields.value.get("outputs"))
        ]


def hooks_of(fields: Fields) -> list[tuple[str, Fields]]:
    """Return the hooks of a call or workflow, each with its event and its fields.

    `onExit` is the older notation for the hook `exit`.
    """
    found: dict[str, Fields] = {}
    if fields.value.get("onExit"):
        value = {"template": fields.text("onExit")}
        found["exit"] = Fields(fields.document, (*fields.path, "onExit"), value, what=EXIT_HANDLER)
    if fields.value.get("hooks") is not None:
        for event, value in fields.mapping("hooks").items():
            found[event] = Fields(fields.document, (*fields.path, "hooks", event), value, what="a hook")
    return list(found.items())
