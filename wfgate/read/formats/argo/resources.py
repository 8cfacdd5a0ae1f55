"""The resources of an Argo file and their templates: the state that the parts of the reader share."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from wfgate.read.documents.document import Document, Path
from wfgate.read.formats.argo import GROUP, is_resource
from wfgate.read.formats.argo.shapes import ArgoHead, ArgoShape, CronSpec, Spec, Work
from wfgate.read.formats.builder import check_size
from wfgate.read.formats.notes import Notes
from wfgate.read.formats.typed import read_shape

if TYPE_CHECKING:
    from wfgate.read.formats.argo.elsewhere import Elsewhere

COLLECTIONS = ("WorkflowTemplate", "ClusterWorkflowTemplate")
KINDS = ("Workflow", "CronWorkflow", *COLLECTIONS)
"""Kinds that are read."""
_DESCRIPTION = "workflows.argoproj.io/description"


@dataclass(frozen=True, eq=False)
class ArgoTemplate:
    """One template.

    Attributes:
        name: Name of the template; empty if the template is inside the call that runs it.
        shape: What the template says.
        path: Position of the template in the file.
        resource: The resource that contains the templates to which this template refers.
    """

    name: str
    shape: Work
    path: Path
    resource: "Resource"


@dataclass(eq=False)
class Resource:
    """One Kubernetes resource that contains templates.

    Attributes:
        kind: Kind of the resource.
        name: Name of the resource, or the prefix from which Argo generates the name; may be empty.
        description: The description in its annotations.
        spec: The specification; for a scheduled workflow, the specification of the workflow.
        path: Position of the resource in the file.
        spec_path: Position of the specification in the file.
        cron: The schedule of a scheduled workflow.
        templates: The templates by name.
        lender: The workflow template whose templates the resource uses as its own; None if not in the file.
    """

    kind: str
    name: str
    description: str
    spec: Spec
    path: Path
    spec_path: Path
    cron: CronSpec | None = None
    templates: dict[str, ArgoTemplate] = field(default_factory=dict)
    lender: "Resource | None" = None

    @property
    def borrowed(self) -> str | None:
        """Name of the workflow template whose templates the resource uses as its own; None if there is none."""
        reference = self.spec.workflow_template_ref
        return None if reference is None else reference.name

    def template(self, name: str) -> ArgoTemplate | None:
        """Return a template by its name, from the resource or from the workflow template that it uses."""
        return self.templates.get(name) or (None if self.lender is None else self.lender.templates.get(name))

    def names(self) -> list[str]:
        """Return the names of all templates that the resource can call."""
        return [*self.templates, *(self.lender.templates if self.lender else ())]


class ArgoFile:
    """The resources of one file, and the diagnostics and positions collected while reading.

    Args:
        document: The file. If it has several YAML documents, a path begins with the number of the document.

    Attributes:
        document: One document with the data of all YAML documents.
        resources: The resources. A resource can refer to the templates of another resource.
        notes: The diagnostics.
        resolved: The positions of the references and expressions that are translated without loss.

    Raises:
        FormatError: If no resource in the file contains templates, or a value has the wrong type.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.resolved: set[Path] = set()
        self.tasks = self.links = 0
        self.elsewhere: Elsewhere | None = None
        self._lent: dict[tuple[str, str], tuple[int, Resource] | None] = {}
        if document.parts:
            data = [part.data for part in document.parts]
            spans = {(at, *path): span for at, part in enumerate(document.parts) for path, span in part.spans.items()}
            self.document = replace(document, data=data, spans=spans, parts=(), problem=None)
        self.notes = Notes(self.document)
        values = enumerate(self.document.data) if document.parts else [((), document.mapping())]
        resources, others = list[Resource](), list[tuple[Path, str]]()
        for at, one in values:
            path: Path = (at,) if isinstance(at, int) else ()
            if is_resource(one) and one.get("kind") in KINDS:
                resources.append(self._resource(one, path))
            else:
                others.append((path, _words(one)))
        if not resources:
            path, said = others[0]
            fix = f"give a resource of {GROUP} of kind {' or '.join(KINDS)}"
            raise self.document.error(f"{said} does not contain a workflow", *path, "kind", fix=fix)
        for path, said in others:
            self.notes.say("info", f"{said} is not read", *path, "kind")
        self.resources = resources
        for resource in resources:
            self._find_lender(resource)

    def count(self, tasks: int = 0, links: int = 0) -> None:
        """Count the tasks and links of all workflows in the file.

        Raises:
            FormatError: If the file has too many tasks or links.
        """
        self.tasks += tasks
        self.links += links
        check_size(self.document, self.tasks, self.links)

    def check_keys(self, shape: ArgoShape, what: str, path: Path) -> None:
        """Warn about keys that Argo does not know, and report the known keys that do not concern the flow."""
        self.notes.unknown(shape, what, *path)
        for key in shape.model_extra or ():
            if key in shape.aside:
                message = "these keys do not change the flow and are compared as they are"
                self.notes.group("info", message, key, *path, key)

    def find(self, name: str, path: Path, *, cluster: object) -> Resource | None:
        """Return the workflow template of a reference; None if neither the file nor one below its folder contains it.

        Args:
            name: The name of the workflow template.
            path: Where the reference is.
            cluster: Whether it is one of the cluster.
        """
        kind = COLLECTIONS[cluster is True]
        own = next((one for one in self.resources if one.kind == kind and one.name == name), None)
        if own is not None:
            return own
        if (kind, name) not in self._lent:
            self._lent[kind, name] = None
            self._lent[kind, name] = self._borrow(kind, name, path)
        lent = self._lent[kind, name]
        return None if lent is None else lent[1]

    def _borrow(self, kind: str, name: str, path: Path) -> tuple[int, Resource] | None:
        """Add the data of a resource of another file, under a number of its own, and return the resource."""
        if self.elsewhere is None:
            from wfgate.read.formats.argo.elsewhere import Elsewhere  # noqa: PLC0415 - most files need no other one

            self.elsewhere = Elsewhere(self.document)
        hit = self.elsewhere.find(kind, name, path)
        if hit is None:
            return None
        data, document = hit
        every = self.document.data
        number = len(every) if isinstance(every, list) else sum(lent is not None for lent in self._lent.values())
        whole = [*every, data] if isinstance(every, list) else {**every, number: data}
        self.document = replace(self.document, data=whole, spans={**self.document.spans, **document.placed(number)})
        self.notes.document = self.document
        resource = self._resource(data, (number,))
        self._find_lender(resource)
        return number, resource

    def _find_lender(self, resource: Resource) -> None:
        """Find the workflow template that a resource takes its templates from, if it names one."""
        reference = resource.spec.workflow_template_ref
        if reference is not None:
            path = (*resource.spec_path, "workflowTemplateRef")
            resource.lender = self.find(reference.name, path, cluster=reference.cluster_scope)

    def effective(self, called: Collection[Path]) -> Document:
        """Return the document with the called templates of other files, without their other templates."""
        data = self.document.data
        for number, resource in filter(None, self._lent.values()):
            spec = dict(data[number]["spec"])
            templates = spec.get("templates") or []
            path = (*resource.spec_path, "templates")
            spec["templates"] = {at: each for at, each in enumerate(templates) if (*path, at) in called}
            data = [*data] if isinstance(data, list) else dict(data)
            data[number] = {"spec": spec}
        return replace(self.document, data=data)

    def roots(self) -> list[Resource]:
        """Return the main resources: the workflows; without workflows, the templates that no other resource uses."""
        workflows = [one for one in self.resources if one.kind not in COLLECTIONS]
        calls = (call for one in self.resources for template in one.spec.templates for call in template.calls())
        used = {call.template_ref.name for call in calls if call.template_ref is not None}
        return workflows or [one for one in self.resources if one.name not in used] or self.resources

    def _resource(self, data: dict[str, Any], path: Path) -> Resource:
        kind, spec_path = data["kind"], (*path, "spec")
        metadata = read_shape(ArgoHead, data, self.document, path, f"the {kind}").metadata
        if "spec" not in data:
            fix = "add `spec:` with an entrypoint and templates"
            raise self.document.error(f"a {kind} has no 'spec'", *path, "kind", fix=fix)
        said = metadata.annotations.get(_DESCRIPTION) if isinstance(metadata.annotations, dict) else None
        cron: CronSpec | None = None
        if kind == "CronWorkflow":
            cron = read_shape(CronSpec, data["spec"], self.document, spec_path, "the spec")
            spec, spec_path = cron.workflow_spec, (*spec_path, "workflowSpec")
        else:
            spec = read_shape(Spec, data["spec"], self.document, spec_path, "the spec")
        name = metadata.name or (metadata.generate_name or "").rstrip("-")
        description = said.strip() if isinstance(said, str) else ""
        resource = Resource(kind, name, description, spec, path, spec_path, cron)
        for at, shape in enumerate(spec.templates):
            own = (*spec_path, "templates", at)
            if shape.name in resource.templates:
                message = f"two templates have the name {shape.name[:80]!r}; only the first is read"
                self.notes.say("warning", message, *own, "name", fix="rename one of the two templates")
            resource.templates.setdefault(shape.name, ArgoTemplate(shape.name, shape, own, resource))
        return resource


def _words(data: Any) -> str:
    if not isinstance(data, dict):
        return "a document that is not a mapping"
    kind, version = data.get("kind"), data.get("apiVersion")
    if not isinstance(kind, str):
        return "a resource without a kind"
    return f"a {kind[:80]}" + (f" of {version[:80]}" if isinstance(version, str) else "")
