"""The workflow model: the workflow as a value, its task graph, and its identity."""

from wfgate.model.canonical import CanonicalForm, canonical_form, fingerprint
from wfgate.model.expand import expand
from wfgate.model.graph import TaskGraph
from wfgate.model.workflow import (
    END,
    START,
    DataItem,
    DataLink,
    Gateway,
    Guard,
    Link,
    Loop,
    SourceSpan,
    Task,
    Workflow,
)

__all__ = [
    "END",
    "START",
    "CanonicalForm",
    "DataItem",
    "DataLink",
    "Gateway",
    "Guard",
    "Link",
    "Loop",
    "SourceSpan",
    "Task",
    "TaskGraph",
    "Workflow",
    "canonical_form",
    "expand",
    "fingerprint",
]
