"""What a check is, and the finding it returns."""

import hashlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from wfgate.matching import Comparison
from wfgate.model import SourceSpan, Task, TaskGraph, Workflow
from wfgate.model.workflow import Frozen

Severity = Literal["error", "warning", "info"]


class Finding(Frozen):
    """One defect of a workflow, or one difference between two.

    Attributes:
        id: The check that found it ("WF105").
        defect: The check's name in words-with-dashes ("unreachable-task").
        severity: How much it matters.
        message: One sentence that names the tasks.
        tasks: Names of the tasks concerned, the most important first.
        location: Where it stands in the candidate (or in the only workflow).
        golden_location: Where its twin stands in the golden.
        witness: What proves it: a path, a cycle, a pair.
        fingerprint: Stable under id renames and reordering; waivers name it.
        pre_existing: Whether the golden has the same finding already.
    """

    id: str
    defect: str
    severity: Severity
    message: str
    tasks: tuple[str, ...] = ()
    location: SourceSpan | None = None
    golden_location: SourceSpan | None = None
    witness: tuple[str, ...] = ()
    fingerprint: str
    pre_existing: bool = False


@dataclass(frozen=True)
class Subject:
    """One workflow under an absolute check, with its task view."""

    workflow: Workflow
    graph: TaskGraph

    @classmethod
    def of(cls, workflow: Workflow) -> "Subject":
        """Prepare a workflow for checking."""
        return cls(workflow, TaskGraph.of(workflow))


class Check(ABC):
    """One rule. Its docstring is its documentation (`wfgate explain ID`).

    The docstring has the sections *What it does*, *Why it matters*, *Golden*, *Candidate*, *How to fix*.
    """

    id: ClassVar[str]
    defect: ClassVar[str]
    severity: ClassVar[Severity]
    version: ClassVar[int] = 1

    def finding(
        self,
        message: str,
        tasks: Sequence[Task] = (),
        *,
        location: SourceSpan | None = None,
        golden_location: SourceSpan | None = None,
        witness: Sequence[str] = (),
        key: Sequence[str] = (),
        severity: Severity | None = None,
    ) -> Finding:
        """Build a finding.

        Args:
            message: One sentence that names the tasks.
            tasks: The tasks concerned.
            location: Where in the candidate; the first task's position by default.
            golden_location: Where in the golden.
            witness: What proves it.
            key: What tells this finding from another of the same check on the same tasks. Never ids of tasks.
            severity: Where a rule is milder than its class says.
        """
        content = [self.id, *(task.text.casefold() for task in tasks), *key]
        return Finding(
            id=self.id,
            defect=self.defect,
            severity=severity or self.severity,
            message=message,
            tasks=tuple(task.name for task in tasks),
            location=location or next((task.span for task in tasks if task.span), None),
            golden_location=golden_location,
            witness=tuple(witness),
            fingerprint=hashlib.sha256("\0".join(content).encode("utf-8", "surrogatepass")).hexdigest()[:16],
        )

    @property
    def documentation(self) -> str:
        """The rule's docstring, dedented."""
        return inspect.getdoc(type(self)) or ""


class AbsoluteCheck(Check):
    """A rule about one workflow alone."""

    @abstractmethod
    def check(self, subject: Subject) -> Iterator[Finding]:
        """Yield what is wrong with this workflow."""


class RelativeCheck(Check):
    """A rule about a candidate against its golden."""

    @abstractmethod
    def check(self, comparison: Comparison) -> Iterator[Finding]:
        """Yield what the candidate lost, gained or turned round."""


def quoted(task: Task, limit: int = 80) -> str:
    """Return the task's name in quotes, shortened for a sentence."""
    name = " ".join((task.name or task.id).split())
    return f"'{name if len(name) <= limit else name[: limit - 1] + '…'}'"
