"""The keys of Argo resources: those that are read, those that say how and where, not what, is run, and no others."""

from collections.abc import Iterable

from wfgate.documents import Diagnostic
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


def note_keys(
    fields: Fields, read: Iterable[str], ignored: Iterable[str], found: dict[str, Fields], notes: list[Diagnostic]
) -> None:
    """Warn of keys that Argo does not know, and remember those that it knows and that are not read.

    Args:
        fields: The mapping.
        read: Keys that are read.
        ignored: Keys that say nothing about the flow.
        found: Where to remember what is not read, by key.
        notes: Where the warnings go.
    """
    read, ignored = frozenset(read), frozenset(ignored)
    for key in fields.value:
        if key in ignored:
            found.setdefault(key, fields)
        elif key not in read:
            said = f"{fields.what} has no key {key[:80]!r}: it is not read"
            fix = did_you_mean(key, sorted(read | ignored))
            notes.append(fields.document.diagnostic("warning", said, *fields.path, key, fix=fix))
