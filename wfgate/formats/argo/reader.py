"""The Argo reader: finds the main workflow of a file and reads the workflows of its templates."""

from collections import deque
from dataclasses import dataclass, field
from typing import ClassVar

from pydantic import JsonValue

from wfgate.documents import Diagnostic, Document, Path
from wfgate.formats.argo.calls import Calls, Ids, named_values
from wfgate.formats.argo.flows import Flow, Sizes, hooks_of
from wfgate.formats.argo.resources import (
    CRON_IGNORED,
    CRON_READ,
    SPEC_IGNORED,
    SPEC_READ,
    TEMPLATES,
    Library,
    Resource,
    Template,
    is_resource,
    note_keys,
    read_resources,
)
from wfgate.formats.base import Format, Reading
from wfgate.formats.builder import with_ends
from wfgate.formats.fields import Fields, did_you_mean
from wfgate.model import END, START, DataItem, Element, Link, Names, Task, Workflow


class ArgoFormat(Format):
    """Argo Workflows: Workflow, WorkflowTemplate, ClusterWorkflowTemplate and CronWorkflow resources.

    The main workflow is the template in `entrypoint`. Each step or dag task becomes a task; the name of its template
    is the action of the task. If that template has steps or a dag, the task is a composite, and the template is its
    sub-workflow.

    `when` becomes the guard (the condition) of the incoming links of its task. If `when` skips a task, the tasks after
    it still run. If the dependencies of a task are not satisfied, the task and the tasks that depend on it do not run.
    `depends` becomes links with outcomes and a join. `withItems`, `withParam` and `withSequence` are loops over items.
    `suspend` is an event. `onExit` and the hook `exit` run after every outcome. References to outputs of other tasks
    are the flow of data.

    A file may contain several resources as YAML documents. Templates are looked up in all of them. Several workflows
    are read as parallel composites of one main workflow.

    Example:
        >>> from wfgate.documents import document_of
        >>> text = '''
        ... apiVersion: argoproj.io/v1alpha1
        ... kind: Workflow
        ... spec:
        ...   entrypoint: main
        ...   templates:
        ...     - {name: main, steps: [[{name: build, template: make}], [{name: test, template: make}]]}
        ...     - {name: make, container: {image: make}}
        ... '''
        >>> workflow = ArgoFormat().read(document_of(text, "example")).workflow
        >>> [(link.source, link.target) for link in workflow.links]
        [('START', 'build'), ('build', 'test'), ('test', 'END')]
    """

    id: ClassVar[str] = "argo"
    signature: ClassVar[str] = "a resource with `apiVersion: argoproj.io/...`, alone or among several YAML documents"
    keys: ClassVar[tuple[tuple[str, ...], ...]] = (("apiVersion", "spec.entrypoint", "spec.templates"),)

    def recognises(self, document: Document) -> bool:
        """Return whether the document, or one of several YAML documents in the file, is a resource of Argo."""
        return any(is_resource(part.data) for part in document.parts or (document,))

    def read(self, document: Document) -> Reading:
        """Read the workflow.

        Raises:
            FormatError: If no resource contains a workflow, its entrypoint is missing or does not exist, a value has
                the wrong type, or a dependency cannot be read.
        """
        if not document.parts:
            document.mapping()
        notes: list[Diagnostic] = []
        resources = read_resources(document, notes)
        file = _File(document, Library(resources, document.parts), notes)
        return Reading(file.read(), self.id, tuple(notes))


@dataclass
class _File:
    """Reads the resources of one file. A template becomes a sub-workflow when the first task calls it.

    Attributes:
        document: The file.
        library: The resources of the file.
        notes: Collects the diagnostics.
    """

    document: Document
    library: Library
    notes: list[Diagnostic]
    names: dict[tuple[int, Path], str] = field(default_factory=dict)
    taken: Names = field(default_factory=lambda: Names(variant="{} {}"))
    pending: deque[Template] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self.calls = Calls(self.library, self.part_of, self.notes)
        self.sizes = Sizes(self.document)

    def part_of(self, template: Template, place: str) -> str:
        """Return the name of the sub-workflow of a template; the sub-workflow is read later."""
        if template.key not in self.names:
            wanted = template.name or place
            name = self.taken.free(wanted if wanted not in self.taken else f"{template.resource.name}/{wanted}")
            self.names[template.key] = name
            self.pending.append(template)
        return self.names[template.key]

    def read(self) -> Workflow:
        roots = self.library.roots()
        if len(roots) == 1:
            main = self._resource(roots[0])
            parts: list[Workflow] = []
        else:
            main, parts = self._side_by_side(roots)
        while self.pending:
            template = self.pending.popleft()
            parts.append(Flow(template, self.calls, self.sizes).read(self.names[template.key]))
        self._note_unused()
        for key, fields in list(self.calls.unread.items())[:1]:
            message = f"these keys are not read: {', '.join(sorted(self.calls.unread))[:200]}"
            self.notes.append(fields.document.diagnostic("info", message, *fields.path, key))
        resolved = tuple(sorted(self.calls.resolved, key=str))
        return main.model_copy(update={"subworkflows": tuple(parts), "resolved": resolved})

    def _side_by_side(self, roots: list[Resource]) -> tuple[Workflow, list[Workflow]]:
        """Read several workflows as composites without links between them."""
        message = f"this file contains {len(roots)} workflows; each is read as a composite, with no order between them"
        self.notes.append(
            roots[1].document.diagnostic("info", message, "kind", fix="write each workflow to its own file")
        )
        ids, tasks, parts = Ids(), [], []
        for place, root in enumerate(roots):
            name = self.taken.free(root.name or f"workflow {place + 1}")
            parts.append(self._resource(root, name))
            own, span = ids.free(name), root.document.span("kind")
            tasks.append(Task(id=own, name=name, kind="composite", workflow=name, span=span))
        return Workflow(tasks=tuple(tasks), links=with_ends([task.id for task in tasks], ())), parts

    def _resource(self, resource: Resource, name: str = "") -> Workflow:
        """Return the workflow of a resource, with the given name or the name of the resource."""
        self._look_at(resource)
        entries = self._entries(resource)
        only = entries[0] if len(entries) == 1 else None
        name = name or resource.name or (only.name if isinstance(only, Template) else "")
        self.taken.take(name)
        if isinstance(only, Template) and only.flow is not None:
            self.names.setdefault(only.key, name)
            flow = Flow(only, self.calls, self.sizes)
            workflow = flow.read(name)
        else:
            flow = Flow(Template("", resource.spec, resource), self.calls, self.sizes)
            tasks = tuple(self._entry_task(entry, flow) for entry in entries)
            self.sizes.add(tasks=len(tasks))
            workflow = Workflow(name=name, tasks=tasks, links=with_ends([task.id for task in tasks], ()))
        begun = flow.template.fields if isinstance(only, Template) and only.flow is not None else None
        return self._with_handlers(workflow, resource, flow).model_copy(
            update={
                "path": self.library.place(resource.document),
                "definitions": () if begun is None else (Element(path=self.calls.place(begun)),),
                "description": resource.description,
                "params": {**workflow.params, **self._params(resource)},
                "data_items": tuple(DataItem(id=own) for own in self._given(resource, "artifacts")),
            }
        )

    def _look_at(self, resource: Resource) -> None:
        note_keys(resource.spec, SPEC_READ, SPEC_IGNORED, self.calls.unread, self.notes)
        if resource.kind == "CronWorkflow":
            cron = Fields(resource.document, ("spec",), resource.top.value["spec"], what="the spec")
            note_keys(cron, CRON_READ, CRON_IGNORED, self.calls.unread, self.notes)

    def _entry_task(self, entry: Template | str, flow: Flow) -> Task:
        if isinstance(entry, Template):
            own = flow.ids.of(entry.name)
            task = self.calls.template_task(entry, own, entry.name, entry.name)
            return task.model_copy(update={"outputs": tuple(f"{entry.name}.{name}" for name in task.outputs)})
        span = flow.template.fields.document.span(*flow.template.fields.path, "workflowTemplateRef")
        return Task(id=flow.ids.of(entry), name=entry, kind="composite", workflow=entry, span=span)

    def _entries(self, resource: Resource) -> list[Template | str]:
        """Return the templates at which a workflow begins: its entrypoint, which may be in another resource.

        A collection of templates has no entrypoint. It begins at the templates that no other template of it uses.
        """
        spec = resource.spec
        borrowed, owner = resource.borrowed, self.library.borrowed(resource)
        entry = spec.word("entrypoint") if spec.value.get("entrypoint") is not None else None
        if entry is None and borrowed is not None:
            if owner is None or owner is resource:
                self.notes.append(
                    spec.document.diagnostic(
                        "info",
                        f"the steps are in the workflow template {borrowed!r}, which is not in this file",
                        *spec.path,
                        "workflowTemplateRef",
                    )
                )
                return [borrowed if borrowed != resource.name else f"workflow template {borrowed}"]
            return self._entries(owner) if owner.borrowed is None else [borrowed]
        if entry is not None:
            found = self.calls.template(resource, entry)
            if found is not None:
                self.calls.resolved.add((*self.calls.place(spec), "entrypoint"))
                return [found]
            if borrowed is not None and owner is None:
                return [f"{borrowed}/{entry}"]
            names = [*resource.templates, *(owner.templates if owner else ())]
            fix = did_you_mean(entry, names) if names else "add this template to the file"
            raise spec.error(f"no template has the name of the entrypoint {entry[:80]!r}", "entrypoint", fix=fix)
        if resource.kind not in TEMPLATES:
            names = list(resource.templates)
            fix = f"name one of the templates: {', '.join(names[:20])}" if names else "add `entrypoint:` and templates"
            raise spec.error(f"a {resource.kind} has no 'entrypoint'", fix=fix)
        if not resource.templates:
            raise spec.error("the `WorkflowTemplate` has no list `templates`", "templates", fix="add `templates:`")
        used = {name for template in resource.templates.values() for name in _called(template)}
        free = [template for name, template in resource.templates.items() if name not in used]
        found_entries: list[Template | str] = [*(free or resource.templates.values())]
        message = "there is no entrypoint, so each template that no other template calls is read as a start"
        self.notes.append(spec.document.diagnostic("info", message, *spec.path, "templates"))
        return found_entries

    def _with_handlers(self, workflow: Workflow, resource: Resource, flow: Flow) -> Workflow:
        """Add the templates that run when the workflow ends or at another event of the workflow."""
        hooks = hooks_of(resource.spec)
        owner = self.library.borrowed(resource)
        if not hooks and owner is not None and owner is not resource:
            hooks = hooks_of(owner.spec)
        flow.hooks.clear()
        for event, fields in hooks:
            flow.add_hook(event, fields, None)
        links = list(workflow.links)
        for (event, _), hook in zip(hooks, flow.hooks, strict=True):
            own, span = hook.task.id, hook.task.span
            if event != "exit":
                entered = Link(source=START, target=own, guard=hook.guard, outcome="event", span=span)
                links += [entered, Link(source=own, target=END)]
                continue
            last = dict.fromkeys(link.source for link in workflow.links if link.target == END)
            links = [link for link in links if link.target != END or link.source not in last]
            links += [Link(source=node, target=own, outcome="always", span=span) for node in last]
            links.append(Link(source=own, target=END))
        self.sizes.add(tasks=len(flow.hooks), links=2 * len(flow.hooks))
        tasks = (*workflow.tasks, *(hook.task for hook in flow.hooks))
        return workflow.model_copy(update={"tasks": tasks, "links": tuple(links)})

    def _params(self, resource: Resource) -> dict[str, JsonValue]:
        """Return the parameters of a workflow, its schedule and its time limit."""
        found: dict[str, JsonValue] = {}
        if resource.kind == "CronWorkflow":
            cron = resource.top.mapping("spec")
            found |= {key: cron[key] for key in ("schedule", "schedules", "timezone", "when") if key in cron}
        for key in ("activeDeadlineSeconds", "retryStrategy"):
            if key in resource.spec:
                found[key] = resource.spec.value[key]
        owner = self.library.borrowed(resource)
        inherited = self._given(owner, "parameters") if owner is not None else {}
        return {**found, **inherited, **self._given(resource, "parameters")}

    @staticmethod
    def _given(resource: Resource, key: str) -> dict[str, JsonValue]:
        value = resource.spec.value.get("arguments")
        if value is None:
            return {}
        path = (*resource.spec.path, "arguments")
        return named_values(Fields(resource.document, path, value, what="the arguments"), key)

    def _note_unused(self) -> None:
        """Report the templates that nothing calls; they are not read."""
        for resource in self.library.resources:
            unused = [template for template in resource.templates.values() if template.key not in self.calls.seen]
            left = [template for template in unused if template.key not in self.names]
            if left:
                listed = ", ".join(template.name for template in left)[:200]
                where = left[0].fields
                message = f"these templates are not read, because nothing calls them: {listed}"
                self.notes.append(where.document.diagnostic("info", message, *where.path))


def _called(template: Template) -> set[str]:
    """Return the templates in the same resource that a template calls."""
    found: set[str] = set()
    pending = [template.fields.value.get(key) for key in ("steps", "dag")]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            hooks = value.get("hooks")
            calls = [value, *(hooks.values() if isinstance(hooks, dict) else ())]
            found |= {
                one["template"] for one in calls if isinstance(one, dict) and isinstance(one.get("template"), str)
            }
            found |= {value["onExit"]} if isinstance(value.get("onExit"), str) else set()
            pending += [value.get(key) for key in ("tasks", "inline", "steps", "dag")]
    return found - {template.name}
