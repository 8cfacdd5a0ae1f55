"""The resources of an Argo file, their templates and keys, and the template of each reference."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from wfgate.documents import Diagnostic, Document, Path
from wfgate.formats.fields import Fields, did_you_mean

LEAVES = ("container", "script", "resource", "suspend", "http", "containerSet", "data", "plugin")
"""Keys by which a template says what it does itself."""

SPEC_READ = frozenset(
    [
        "activeDeadlineSeconds",
        "arguments",
        "entrypoint",
        "hooks",
        "onExit",
        "retryStrategy",
        "templateDefaults",
        "templates",
        "workflowTemplateRef",
    ]
)
SPEC_IGNORED = frozenset(
    [
        "affinity",
        "archiveLogs",
        "artifactGC",
        "artifactRepositoryRef",
        "automountServiceAccountToken",
        "dnsConfig",
        "dnsPolicy",
        "executor",
        "executorPlugins",
        "hostAliases",
        "hostNetwork",
        "imagePullSecrets",
        "metrics",
        "nodeSelector",
        "parallelism",
        "podDisruptionBudget",
        "podGC",
        "podMetadata",
        "podPriority",
        "podPriorityClassName",
        "podResources",
        "podSpecPatch",
        "priority",
        "resourceClaims",
        "schedulerName",
        "securityContext",
        "serviceAccountName",
        "shutdown",
        "suspend",
        "synchronization",
        "tolerations",
        "ttlSecondsAfterFinished",
        "ttlStrategy",
        "volumeClaimGC",
        "volumeClaimTemplates",
        "volumes",
        "workflowMetadata",
    ]
)
CRON_READ = frozenset(["schedule", "schedules", "timezone", "when", "workflowSpec"])
CRON_IGNORED = frozenset(
    [
        "concurrencyPolicy",
        "failedJobsHistoryLimit",
        "startingDeadlineSeconds",
        "stopStrategy",
        "successfulJobsHistoryLimit",
        "suspend",
        "workflowMetadata",
    ]
)
TEMPLATE_READ = frozenset(
    [
        *(*LEAVES, "activeDeadlineSeconds", "daemon", "dag", "initContainers", "inputs", "name", "outputs"),
        *("retryStrategy", "sidecars", "steps", "timeout"),
    ]
)
TEMPLATE_IGNORED = frozenset(
    [
        "affinity",
        "annotations",
        "archiveLocation",
        "automountServiceAccountToken",
        "executor",
        "failFast",
        "hostAliases",
        "memoize",
        "metadata",
        "metrics",
        "nodeSelector",
        "parallelism",
        "podResources",
        "podSpecPatch",
        "priority",
        "priorityClassName",
        "resourceClaims",
        "schedulerName",
        "securityContext",
        "serviceAccountName",
        "synchronization",
        "tolerations",
        "volumes",
    ]
)
CALL_READ = frozenset(
    [
        "arguments",
        "continueOn",
        "hooks",
        "inline",
        "name",
        "onExit",
        "template",
        "templateRef",
        "when",
        "withItems",
        "withParam",
        "withSequence",
    ]
)
TASK_READ = CALL_READ | {"depends", "dependencies"}

_CONTAINER = ("image", "command", "args", "workingDir")
BODIES: dict[str, tuple[str, ...] | None] = {
    "container": _CONTAINER,
    "script": (*_CONTAINER, "source"),
    "resource": (
        *("action", "manifest", "manifestFrom", "mergeStrategy", "successCondition", "failureCondition", "flags"),
        "setOwnerReference",
    ),
    "suspend": ("duration",),
    "http": ("url", "method", "body", "successCondition", "timeoutSeconds"),
    "containerSet": ("containers", "retryStrategy"),
    "data": None,
    "plugin": None,
}
"""What is kept of what a template does; None for all. Environments and headers may hold secrets."""
CONTAINER_KEYS = ("name", *_CONTAINER, "source", "dependencies")
"""What is kept of one of several containers."""
GROUP = "argoproj.io/"
TEMPLATES = ("WorkflowTemplate", "ClusterWorkflowTemplate")
WORKFLOWS = ("Workflow", "CronWorkflow", *TEMPLATES)
"""Kinds that are read."""
_DESCRIPTION = "workflows.argoproj.io/description"


def note_keys(
    fields: Fields, read: Iterable[str], ignored: Iterable[str], found: dict[str, Fields], notes: list[Diagnostic]
) -> None:
    """Warn about keys that Argo does not know, and collect the known keys that are not read.

    Args:
        fields: The mapping.
        read: The keys that are read.
        ignored: The keys that do not concern the flow.
        found: Collects the known keys that are not read.
        notes: Collects the warnings.
    """
    read, ignored = frozenset(read), frozenset(ignored)
    for key in fields.value:
        if key in ignored:
            found.setdefault(key, fields)
        elif key not in read:
            message = f"{fields.what} has no key {key[:80]!r}; the key is not read"
            fix = did_you_mean(key, sorted(read | ignored))
            notes.append(fields.document.diagnostic("warning", message, *fields.path, key, fix=fix))


@dataclass(frozen=True)
class Template:
    """One template.

    Attributes:
        name: Name of the template; empty if the template is inside the task that runs it.
        fields: The fields of the template.
        resource: The resource that contains the templates to which this template refers.
    """

    name: str
    fields: Fields
    resource: "Resource"

    @property
    def flow(self) -> str | None:
        """Key of the flow of the template, "steps" or "dag"; None if the template has no flow."""
        return next((key for key in ("steps", "dag") if key in self.fields), None)

    @property
    def work(self) -> str | None:
        """The key that says what the template runs, such as "container"; None if it only calls other templates."""
        return next((key for key in LEAVES if key in self.fields), None)

    @property
    def key(self) -> tuple[int, Path]:
        """The key that identifies the template in its file."""
        return id(self.fields.document), self.fields.path


@dataclass
class Resource:
    """One Kubernetes resource that contains templates.

    Attributes:
        kind: Kind of the resource.
        name: Name of the resource, or the prefix from which Argo generates the name; may be empty.
        spec: The specification; for a scheduled workflow, the specification of the workflow.
        top: The complete resource.
        templates: The templates by name.
    """

    kind: str
    name: str
    spec: Fields
    top: Fields
    templates: dict[str, Template] = field(default_factory=dict)

    @property
    def document(self) -> Document:
        """The document that contains the resource."""
        return self.top.document

    @property
    def description(self) -> str:
        """The description of the resource in its annotations."""
        annotations = self.metadata.get("annotations")
        said = annotations.get(_DESCRIPTION) if isinstance(annotations, dict) else None
        return said.strip() if isinstance(said, str) else ""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata of the resource."""
        return self.top.mapping("metadata")

    @property
    def borrowed(self) -> str | None:
        """Name of the workflow template whose templates the resource uses as its own; None if there is none."""
        if "workflowTemplateRef" not in self.spec:
            return None
        path = (*self.spec.path, "workflowTemplateRef")
        return Fields(
            self.document, path, self.spec.value["workflowTemplateRef"], what="a reference to a workflow template"
        ).word("name")


def is_resource(data: object) -> bool:
    """Return whether the data are a resource of the API group of Argo (`argoproj.io`).

    Example:
        >>> is_resource({"apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow"})
        True
    """
    version = data.get("apiVersion") if isinstance(data, dict) else None
    return isinstance(version, str) and version.startswith(GROUP) and "wfgate" not in data  # type: ignore[operator]


def read_resources(document: Document, diagnostics: list[Diagnostic]) -> list[Resource]:
    """Return the resources in a file that contain templates; every other resource is reported in the diagnostics.

    Raises:
        FormatError: If no resource in the file contains templates.
    """
    parts = document.parts or (document,)
    found: list[Resource] = []
    others: list[tuple[Document, str]] = []
    for part in parts:
        data = part.mapping() if not document.parts else part.data
        if not isinstance(data, dict):
            others.append((part, "a document that is not a mapping"))
        elif not is_resource(data) or data.get("kind") not in WORKFLOWS:
            others.append((part, _words(data)))
        else:
            found.append(_resource(part, data, diagnostics))
    if not found:
        part, said = others[0]
        raise part.error(
            f"{said} does not contain a workflow",
            "kind",
            fix=f"give a resource of {GROUP} of kind {' or '.join(WORKFLOWS)}",
        )
    diagnostics += [part.diagnostic("info", f"{said} is not read", "kind") for part, said in others]
    return found


def _words(data: Mapping[str, Any]) -> str:
    kind, version = data.get("kind"), data.get("apiVersion")
    if not isinstance(kind, str):
        return "a resource without a kind"
    return f"a {kind[:80]}" + (f" of {version[:80]}" if isinstance(version, str) else "")


def _resource(document: Document, data: dict[str, Any], diagnostics: list[Diagnostic]) -> Resource:
    top = Fields(document, (), data, what="the resource")
    metadata = Fields(document, ("metadata",), top.mapping("metadata"), what="the metadata")
    name = metadata.as_word(metadata.value["name"], "name") if metadata.value.get("name") else ""
    if not name and metadata.value.get("generateName"):
        name = metadata.as_word(metadata.value["generateName"], "generateName").rstrip("-")
    if "spec" not in top:
        raise top.error(f"a {data['kind']} has no 'spec'", "kind", fix="add `spec:` with an entrypoint and templates")
    spec = Fields(document, ("spec",), top.value["spec"], what="the spec")
    if data["kind"] == "CronWorkflow":
        if "workflowSpec" not in spec:
            raise spec.error("a CronWorkflow has no 'workflowSpec'", fix="add `workflowSpec:` with its templates")
        spec = Fields(document, ("spec", "workflowSpec"), spec.value["workflowSpec"], what="the workflow's spec")
    resource = Resource(data["kind"], name, spec, top)
    for place, value in enumerate(spec.entries("templates")):
        path = (*spec.path, "templates", place)
        fields = Fields(document, path, value, what="a template")
        own = fields.word("name")
        if own in resource.templates:
            message = f"two templates have the name {own[:80]!r}; only the first is read"
            diagnostics.append(
                document.diagnostic("warning", message, *path, "name", fix="rename one of the two templates")
            )
        resource.templates.setdefault(own, Template(own, fields, resource))
    return resource


@dataclass
class Library:
    """All resources of a file. A resource can refer to the templates of another resource.

    Attributes:
        resources: The resources.
        documents: The YAML documents of the file; empty if there is only one.
    """

    resources: list[Resource]
    documents: tuple[Document, ...] = ()

    def place(self, document: Document, path: Path = ()) -> Path:
        """Return the position in the file of a value in one of its documents."""
        number = next((at for at, one in enumerate(self.documents) if one is document), None)
        return path if number is None else (number, *path)

    def find(self, name: str, *, cluster: bool = False) -> Resource | None:
        """Return the workflow template of a reference; None if the file does not contain it."""
        kind = TEMPLATES[cluster]
        return next((one for one in self.resources if one.kind == kind and one.name == name), None)

    def borrowed(self, resource: Resource) -> Resource | None:
        """Return the workflow template whose templates a resource uses as its own; None if not in the file."""
        name = resource.borrowed
        reference = resource.spec.value.get("workflowTemplateRef")
        cluster = isinstance(reference, dict) and reference.get("clusterScope") is True
        return None if name is None else self.find(name, cluster=cluster)

    def roots(self) -> list[Resource]:
        """Return the main resources: the workflows; without workflows, the templates that no other resource uses."""
        workflows = [one for one in self.resources if one.kind not in TEMPLATES]
        if workflows:
            return workflows
        used = {name for one in self.resources for name in _referenced(one.templates.values())}
        return [one for one in self.resources if one.name not in used] or self.resources


def _referenced(templates: Iterable[Template]) -> set[str]:
    found: set[str] = set()
    for template in templates:
        pending: list[Any] = [template.fields.value.get(key) for key in ("steps", "dag")]
        while pending:
            value = pending.pop()
            if isinstance(value, list):
                pending += value
            elif isinstance(value, dict):
                reference = value.get("templateRef")
                if isinstance(reference, dict) and isinstance(reference.get("name"), str):
                    found.add(reference["name"])
                pending += [value.get(key) for key in ("tasks", "inline", "steps", "dag")]
    return found
