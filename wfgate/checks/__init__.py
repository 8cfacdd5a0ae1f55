"""Findings: one file per family. Absolute checks look at one workflow (WF###), relative ones at two (WR###)."""

from wfgate.checks.base import AbsoluteCheck, Check, Finding, Observation, RelativeCheck, Severity, Subject
from wfgate.checks.cycles import Cycle, CycleWithoutExit
from wfgate.checks.flow import DeadEnd, IsolatedTask, NoEnd, NoStart, SeveralStarts, UnreachableTask
from wfgate.checks.judge import lint_with, review_with
from wfgate.checks.order import LinkChanged, NowParallel, NowSerial, OrderInverted
from wfgate.checks.references import DuplicateId, DuplicateLink, UndefinedReference
from wfgate.checks.steps import TaskAdded, TaskMissing, TasksCompressed, TaskSplit
from wfgate.matching import Comparison
from wfgate.model import Workflow
from wfgate.registry import Registry

__all__ = [
    "ABSOLUTE",
    "RELATIVE",
    "AbsoluteCheck",
    "Check",
    "Finding",
    "Observation",
    "RelativeCheck",
    "Severity",
    "Subject",
    "lint",
    "review",
]

ABSOLUTE: Registry[AbsoluteCheck] = Registry(
    "check",
    (
        DuplicateId(),
        UndefinedReference(),
        DuplicateLink(),
        NoStart(),
        SeveralStarts(),
        NoEnd(),
        IsolatedTask(),
        UnreachableTask(),
        DeadEnd(),
        CycleWithoutExit(),
        Cycle(),
    ),
)
"""The checks of one workflow alone."""

RELATIVE: Registry[RelativeCheck] = Registry(
    "check",
    (
        TaskMissing(),
        TaskAdded(),
        TasksCompressed(),
        TaskSplit(),
        LinkChanged(),
        OrderInverted(),
        NowParallel(),
        NowSerial(),
    ),
)
"""The checks of a candidate against its golden."""


def lint(workflow: Workflow) -> tuple[Finding, ...]:
    """Return what is wrong with a workflow and with its sub-workflows, worst first.

    Cost: near linear in tasks and links.

    Example:
        >>> from wfgate.model import Task
        >>> [finding.id for finding in lint(Workflow(tasks=(Task(id="a", name="Build"),)))]
        ['WF101', 'WF103']
    """
    return lint_with(ABSOLUTE.values(), workflow)


def review(comparison: Comparison) -> tuple[Finding, ...]:
    """Return what is wrong with a candidate: alone (some of it the golden's fault) and against its golden.

    A finding that the golden has too, on the same steps whatever their wording, is marked `pre_existing`. The
    fingerprint of a finding is made of the golden's wording wherever a step is matched, so that rewording a step
    changes no fingerprint.
    """
    return review_with(ABSOLUTE.values(), RELATIVE.values(), comparison)
