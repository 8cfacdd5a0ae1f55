"""The workflow model: the workflow as an immutable value, its task graph, and its fingerprint."""

from wfgate.model.canonical import CanonicalForm, canonical_form, content_key, content_order, fingerprint
from wfgate.model.expand import expand
from wfgate.model.graph import TaskGraph
from wfgate.model.names import Names
from wfgate.model.workflow import (
    END,
    LONGEST_TEXT,
    START,
    DataItem,
    DataLink,
    Element,
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
    "LONGEST_TEXT",
    "START",
    "CanonicalForm",
    "DataItem",
    "DataLink",
    "Element",
    "Gateway",
    "Guard",
    "Link",
    "Loop",
    "Names",
    "SourceSpan",
    "Task",
    "TaskGraph",
    "Workflow",
    "canonical_form",
    "content_key",
    "content_order",
    "expand",
    "fingerprint",
]
