"""The shapes of resources, templates and calls: what the reader reads of them. All other keys are kept."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel

from wfgate.read.formats.typed import Written, listed

Name = Annotated[str, Field(min_length=1)]

_CONTAINER = ("image", "command", "args", "workingDir")
_CONTAINERS = ("name", *_CONTAINER, "source", "dependencies")
"""The keys of a container that become parameters, if a template has several containers."""
WORK: dict[str, tuple[str, ...] | None] = {
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
"""The keys that describe the work of a template, each with the inner keys that become parameters; None for all.

Environments and headers may hold secrets.
"""
_Body = dict[str, Any] | None
_POD = """
affinity automountServiceAccountToken executor hostAliases metrics nodeSelector parallelism podResources podSpecPatch
priority resourceClaims schedulerName securityContext serviceAccountName synchronization tolerations volumes
"""
_TEMPLATE = "annotations archiveLocation failFast memoize metadata priorityClassName"
_SPEC = """
archiveLogs artifactGC artifactRepositoryRef dnsConfig dnsPolicy executorPlugins hostNetwork imagePullSecrets
podDisruptionBudget podGC podMetadata podPriority podPriorityClassName shutdown suspend ttlSecondsAfterFinished
ttlStrategy volumeClaimGC volumeClaimTemplates workflowMetadata
"""
_CRON = """
concurrencyPolicy failedJobsHistoryLimit startingDeadlineSeconds stopStrategy successfulJobsHistoryLimit suspend
workflowMetadata
"""


def _text(value: Any) -> Any:
    """Return a value as text: a text as it is, anything else as JSON; None for nothing."""
    return value if isinstance(value, str | None) else json.dumps(value, ensure_ascii=False, sort_keys=True)


_Text = Annotated[str | None, BeforeValidator(_text)]
_Duration = Annotated[str | None, AfterValidator(lambda said: f"{said}s" if said and said.isdigit() else said)]


class ArgoShape(Written):
    """The base of the shapes."""

    model_config = ConfigDict(alias_generator=to_camel)

    def has(self, name: str) -> bool:
        """Return whether a field is written in the file."""
        return name in self.model_fields_set


class ArgoEntry(ArgoShape):
    """A parameter or artifact."""

    name: Name

    @property
    def given(self) -> JsonValue:
        """Its value, default or source, or everything else that is written about it."""
        rest = self.model_extra or {}
        return next((rest[key] for key in ("value", "default", "from") if key in rest), rest or None)


class ArgoValues(ArgoShape):
    """Arguments, inputs or outputs."""

    parameters: tuple[ArgoEntry, ...] | None = None
    artifacts: tuple[ArgoEntry, ...] | None = None

    def named(self, *keys: str) -> dict[str, JsonValue]:
        """Return the entries of the lists under these keys by name."""
        return {entry.name: entry.given for key in keys for entry in getattr(self, key) or ()}


_Given = Annotated[ArgoValues, BeforeValidator(lambda value: {} if value is None or value in ("", []) else value)]


class WorkflowRef(ArgoShape):
    """A reference to a workflow template."""

    name: Name
    cluster_scope: Any = None


class TemplateRef(WorkflowRef):
    """A reference to a template of a workflow template."""

    template: Name


class CallShape(ArgoShape):
    """What a call and a hook have: a template, and its arguments."""

    template: Name | None = None
    template_ref: TemplateRef | None = None
    inline: "Work | None" = None
    arguments: _Given = ArgoValues()


class Hook(CallShape):
    """A template that runs at an event of a task or workflow."""

    expression: Any = None


class Hooked(ArgoShape):
    """What may have hooks; `onExit` is the older notation for the hook `exit`."""

    hooks: dict[str, Hook] | None = None
    on_exit: str | None = None

    def events(self) -> list[tuple[str, Hook, tuple[str, ...]]]:
        """Return the event of each hook, the hook, and its path."""
        hooks = self.hooks or {}
        newer = [(event, hook, ("hooks", event)) for event, hook in hooks.items()]
        older = [("exit", Hook(template=self.on_exit), ("onExit",))] if self.on_exit and "exit" not in hooks else []
        return [*older, *newer]


def _goes_on(said: Any) -> bool:
    return isinstance(said, dict) and any(said.get(result) is True for result in ("failed", "error"))


class ArgoStep(Hooked, CallShape):
    """One item in a list of parallel steps. `goes_on`: whether the calls after it run although it failed."""

    name: Name
    when: _Text = None
    goes_on: Annotated[bool, BeforeValidator(_goes_on)] = Field(default=False, alias="continueOn")
    with_items: _Text = None
    with_param: _Text = None
    with_sequence: _Text = None

    @property
    def over(self) -> str | None:
        """What the call is repeated for: a list or a sequence; None if it runs once."""
        return next(
            (each for each in (self.with_items, self.with_param, self.with_sequence) if each is not None), None
        )


class DagTask(ArgoStep):
    """A task of a dag."""

    depends: str | None = None
    dependencies: Annotated[tuple[Name, ...], BeforeValidator(listed)] = ()


class Dag(ArgoShape):
    """Tasks with dependencies."""

    tasks: tuple[DagTask, ...] = ()
    target: Any = None


class Work(ArgoShape):
    """A template that may have no name: inside a call, or the defaults of all templates."""

    aside = frozenset(f"{_POD} {_TEMPLATE}".split())

    name: Any = None
    inputs: _Given = ArgoValues()
    outputs: _Given = ArgoValues()
    steps: tuple[tuple[ArgoStep, ...], ...] = ()
    dag: Dag = Field(default_factory=Dag)
    timeout: _Duration = None
    active_deadline_seconds: _Duration = None
    retry_strategy: Any = None
    daemon: Any = None
    init_containers: tuple[Any, ...] = ()
    sidecars: tuple[Any, ...] = ()
    container: _Body = None
    script: _Body = None
    resource: _Body = None
    suspend: _Body = None
    http: _Body = None
    container_set: _Body = None
    data: _Body = None
    plugin: _Body = None

    @property
    def flow(self) -> str | None:
        """Key of the flow of the template, "steps" or "dag"; None if the template has no flow."""
        return next((key for key in ("steps", "dag") if self.has(key)), None)

    @property
    def work(self) -> tuple[str, Any] | None:
        """What the template runs itself: its key, such as "container", and value; None if it runs nothing."""
        names = ((field.alias, name) for name, field in type(self).model_fields.items())
        return next(((key, getattr(self, name)) for key, name in names if key in WORK and self.has(name)), None)

    @property
    def time_limit(self) -> str | None:
        """The time limit, with its unit."""
        return self.timeout or self.active_deadline_seconds

    def calls(self) -> Iterator[ArgoStep]:
        """Yield the steps and dag tasks, with those of templates inside them."""
        for call in chain(*self.steps, self.dag.tasks):
            yield call
            if call.inline is not None:
                yield from call.inline.calls()

    def params(self) -> dict[str, JsonValue]:
        """Return what the template runs, by its keys, without environments, headers and places of execution."""
        params: dict[str, JsonValue] = {}
        if self.work is not None:
            key, value = self.work
            params[key] = _kept(value or {}, WORK[key])
        params["initContainers"] = [_kept(value, _CONTAINERS) for value in self.init_containers]
        params["sidecars"] = [_kept(value, _CONTAINERS) for value in self.sidecars]
        params["daemon"] = self.daemon is True
        return {key: value for key, value in params.items() if value}


class NamedWork(Work):
    """A template in the list of a resource."""

    name: Name


class Spec(Hooked):
    """What a workflow or a collection of templates consists of."""

    aside = frozenset(f"{_POD} {_SPEC}".split())

    entrypoint: Name | None = None
    arguments: _Given = ArgoValues()
    templates: tuple[NamedWork, ...] = ()
    template_defaults: Work = Work()
    workflow_template_ref: WorkflowRef | None = None
    active_deadline_seconds: Any = None
    retry_strategy: Any = None


class CronSpec(ArgoShape):
    """A specification with a schedule."""

    aside = frozenset(_CRON.split())

    workflow_spec: Spec
    schedule: Any = None
    schedules: Any = None
    timezone: Any = None
    when: Any = None


class Metadata(ArgoShape):
    """The metadata of a resource."""

    name: str | None = None
    generate_name: str | None = None
    annotations: Any = None


class ArgoHead(ArgoShape):
    """What all resources have."""

    kind: str
    metadata: Metadata = Metadata()


def _kept(value: Any, keys: Sequence[str] | None) -> JsonValue:
    """Return the entries of a mapping with these keys; all entries for None. Lists of containers are filtered, too."""
    if not isinstance(value, dict) or keys is None:
        return value  # type: ignore[no-any-return]
    kept: dict[str, JsonValue] = {key: inner for key, inner in value.items() if key in keys}
    if isinstance(containers := kept.get("containers"), list):
        kept["containers"] = [_kept(container, _CONTAINERS) for container in containers]
    return kept
