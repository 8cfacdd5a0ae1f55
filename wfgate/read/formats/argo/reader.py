"""The Argo reader: finds the main workflow of a file and reads the workflows of its templates."""

from pydantic import JsonValue
from pydantic.alias_generators import to_camel

from wfgate.model import END, START, DataItem, Element, Link, Task, Workflow
from wfgate.read.documents.document import Document
from wfgate.read.formats.argo.calls import Calls, Ids
from wfgate.read.formats.argo.flows import ArgoFlow
from wfgate.read.formats.argo.resources import COLLECTIONS, ArgoFile, ArgoTemplate, Resource
from wfgate.read.formats.base import Reading
from wfgate.read.formats.builder import with_ends
from wfgate.read.formats.words import did_you_mean


def read_workflow(document: Document) -> Reading:
    """Return the main workflow of a file, with the workflows of its templates.

    Raises:
        FormatError: If no resource contains a workflow, its entrypoint is missing or does not exist, a value has the
            wrong type, or a dependency cannot be read.
    """
    file = ArgoFile(document)
    main = _Main(file)
    workflow = main.read()
    if file.elsewhere is None:
        return Reading(workflow, "argo", file.notes.all(), file.document)
    opened, called = file.elsewhere.files, {*main.calls.seen, *main.calls.parts}
    notes = (*file.notes.all(), *opened.notes)
    return Reading(workflow, "argo", notes, file.effective(called), unread=frozenset(opened.unread))


class _Main:
    """Reads the workflows of one file."""

    def __init__(self, file: ArgoFile) -> None:
        self.file = file
        self.calls = Calls(file)

    def read(self) -> Workflow:
        roots = self.file.roots()
        main, parts = (self._resource(roots[0]), []) if len(roots) == 1 else self._side_by_side(roots)
        while self.calls.pending:
            template = self.calls.pending.popleft()
            parts.append(ArgoFlow(template, self.calls).read(self.calls.parts[template.path]))
        known = {*self.calls.seen, *self.calls.parts}
        for resource in self.file.resources:
            unused = [template for template in resource.templates.values() if template.path not in known]
            if unused:
                listed = ", ".join(template.name for template in unused)[:200]
                message = f"these templates are not read, because nothing calls them: {listed}"
                self.file.notes.say("info", message, *unused[0].path)
        resolved = tuple(sorted(self.file.resolved, key=str))
        return main.model_copy(update={"subworkflows": tuple(parts), "resolved": resolved})

    def _side_by_side(self, roots: list[Resource]) -> tuple[Workflow, list[Workflow]]:
        """Read several workflows as composites without links between them."""
        message = f"this file contains {len(roots)} workflows; each is read as a composite, with no order between them"
        self.file.notes.say("info", message, *roots[1].path, "kind", fix="write each workflow to its own file")
        ids, tasks, parts = Ids(), list[Task](), list[Workflow]()
        for place, root in enumerate(roots):
            name = self.calls.taken.free(root.name or f"workflow {place + 1}")
            parts.append(self._resource(root, name))
            span = self.file.document.span(*root.path, "kind")
            tasks.append(Task(id=ids.free(name), name=name, kind="composite", workflow=name, span=span))
        return Workflow(tasks=tuple(tasks), links=with_ends([task.id for task in tasks], ())), parts

    def _resource(self, resource: Resource, name: str = "") -> Workflow:
        """Return the workflow of a resource, with the given name or the name of the resource."""
        spec = resource.spec
        self.file.check_keys(spec, "the spec", resource.spec_path)
        if resource.cron is not None:
            self.file.check_keys(resource.cron, "the spec", (*resource.path, "spec"))
        entries = self._entries(resource)
        only = entries[0] if len(entries) == 1 and isinstance(entries[0], ArgoTemplate) else None
        name = name or resource.name or (only.name if only else "")
        self.calls.taken.take(name)
        begun: tuple[Element, ...] = ()
        if only is not None and only.shape.flow is not None:
            self.calls.parts.setdefault(only.path, name)
            flow = ArgoFlow(only, self.calls)
            workflow = flow.read(name)
            begun = (Element(path=only.path),)
        else:
            flow = ArgoFlow(ArgoTemplate("", spec.template_defaults, resource.spec_path, resource), self.calls)
            tasks = tuple(self._entry_task(entry, flow, resource) for entry in entries)
            self.file.count(tasks=len(tasks))
            workflow = Workflow(name=name, tasks=tasks, links=with_ends([task.id for task in tasks], ()))
        return self._with_handlers(workflow, resource, flow).model_copy(
            update={
                "path": resource.path,
                "definitions": begun,
                "description": resource.description,
                "params": {**workflow.params, **_params(resource)},
                "data_items": tuple(DataItem(id=own) for own in spec.arguments.named("artifacts")),
            }
        )

    def _entry_task(self, entry: ArgoTemplate | str, flow: ArgoFlow, resource: Resource) -> Task:
        if isinstance(entry, ArgoTemplate):
            own = flow.ids.of(entry.name)
            task = self.calls.template_task(entry, own, entry.name, entry.name)
            return task.model_copy(update={"outputs": tuple(f"{entry.name}.{name}" for name in task.outputs)})
        span = self.file.document.span(*resource.spec_path, "workflowTemplateRef")
        return Task(id=flow.ids.of(entry), name=entry, kind="composite", workflow=entry, span=span)

    def _entries(self, resource: Resource) -> list[ArgoTemplate | str]:
        """Return the templates at which a workflow begins: its entrypoint, which may be in another resource.

        A collection of templates has no entrypoint. It begins at the templates that no other template of it uses.
        """
        error, path = self.file.document.error, resource.spec_path
        borrowed, lender, entry = resource.borrowed, resource.lender, resource.spec.entrypoint
        if entry is None and borrowed is not None:
            if lender is None or lender is resource:
                message = f"the steps are in the workflow template {borrowed!r}, which is not in this file"
                self.file.notes.say("info", message, *path, "workflowTemplateRef")
                return [borrowed if borrowed != resource.name else f"workflow template {borrowed}"]
            return self._entries(lender) if lender.borrowed is None else [borrowed]
        names = resource.names()
        if entry is not None:
            template = resource.template(entry)
            if template is not None:
                self.file.resolved.add((*path, "entrypoint"))
                return [template]
            if borrowed is not None and lender is None:
                return [f"{borrowed}/{entry}"]
            fix = did_you_mean(entry, names) if names else "add this template to the file"
            message = f"no template has the name of the entrypoint {entry[:80]!r}"
            raise error(message, *path, "entrypoint", fix=fix)
        if resource.kind not in COLLECTIONS:
            fix = f"name one of the templates: {', '.join(names[:20])}" if names else "add `entrypoint:` and templates"
            raise error(f"a {resource.kind} has no 'entrypoint'", *path, fix=fix)
        if not names:
            message = "the `WorkflowTemplate` has no list `templates`"
            raise error(message, *path, "templates", fix="add `templates:`")
        used = {
            hook.template
            for template in resource.templates.values()
            for call in template.shape.calls()
            for hook in (call, *(hook for _, hook, _ in call.events()))
            if hook.template != template.name
        }
        message = "there is no entrypoint, so each template that no other template calls is read as a start"
        self.file.notes.say("info", message, *path, "templates")
        every = resource.templates
        return [template for name, template in every.items() if name not in used] or [*every.values()]

    def _with_handlers(self, workflow: Workflow, resource: Resource, flow: ArgoFlow) -> Workflow:
        """Add the templates that run when the workflow ends or at another event of the workflow."""
        flow.hooks.clear()
        flow.add_hooks(resource.spec, resource.spec_path)
        if not flow.hooks and resource.lender is not None:
            flow.add_hooks(resource.lender.spec, resource.lender.spec_path)
        links = list(workflow.links)
        for hook in flow.hooks:
            own, span = hook.task.id, hook.task.span
            if hook.event == "exit":
                last = dict.fromkeys(link.source for link in workflow.links if link.target == END)
                links = [link for link in links if link.target != END or link.source not in last]
                links += [Link(source=node, target=own, outcome="always", span=span) for node in last]
            else:
                links.append(Link(source=START, target=own, guard=hook.guard, outcome="event", span=span))
            links.append(Link(source=own, target=END))
        self.file.count(tasks=len(flow.hooks), links=2 * len(flow.hooks))
        tasks = (*workflow.tasks, *(hook.task for hook in flow.hooks))
        return workflow.model_copy(update={"tasks": tasks, "links": tuple(links)})


def _params(resource: Resource) -> dict[str, JsonValue]:
    """Return the parameters of a workflow, its schedule and its limits."""
    spec, lender, params = resource.spec, resource.lender, dict[str, JsonValue]()
    for shape, names in (
        (resource.cron, ("schedule", "schedules", "timezone", "when")),
        (spec, ("active_deadline_seconds", "retry_strategy")),
    ):
        if shape is not None:
            params |= {to_camel(name): getattr(shape, name) for name in names if shape.has(name)}
    inherited = {} if lender is None else lender.spec.arguments.named("parameters")
    return {**params, **inherited, **spec.arguments.named("parameters")}
