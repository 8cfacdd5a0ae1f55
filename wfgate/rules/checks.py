"""Checks, one file per family: absolute checks (WF###) examine one workflow, relative checks (WR###) two."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Literal, TypeVar

from wfgate.base import Registry
from wfgate.compare import Comparison
from wfgate.errors import ConfigError
from wfgate.model import Workflow
from wfgate.rules.absolute.characters import HiddenCharacters, UnreadText
from wfgate.rules.absolute.cycles import Cycle, CycleWithoutExit, ExitNeverChanges
from wfgate.rules.absolute.data import NeverProduced, NeverUsed, NotProducedOnEveryPath, UsedBeforeProduced
from wfgate.rules.absolute.data_races import OverwrittenUnread, ParallelWrites, ReadWhileWritten
from wfgate.rules.absolute.flow import DeadEnd, IsolatedTask, NoEnd, NoStart, SeveralStarts, UnreachableTask
from wfgate.rules.absolute.guards import (
    GuardAlwaysTrue,
    GuardNeverTrue,
    GuardSyntax,
    NestedContradiction,
    UnknownValue,
)
from wfgate.rules.absolute.hierarchy import InterfaceMismatch, MissingSubWorkflow, Recursion
from wfgate.rules.absolute.limits import BudgetSpent, OpaqueGuard, UnstableGuard
from wfgate.rules.absolute.names import NameDisagrees
from wfgate.rules.absolute.operators import UnclearOperator
from wfgate.rules.absolute.references import DuplicateId, DuplicateLink, UndefinedReference
from wfgate.rules.absolute.running import DeadTask, SilentSkip
from wfgate.rules.absolute.soundness import Deadlock, LackOfSynchronisation, NoOptionToComplete, UnmatchedOrJoin
from wfgate.rules.absolute.splits import NotExhaustive, Overlap, Shadowed, UnguardedBranch
from wfgate.rules.absolute.unreadable import Unreadable, unreadable
from wfgate.rules.base import AbsoluteCheck, Check, Finding, Observation, RelativeCheck, Severity, Subject
from wfgate.rules.relative.data_change import ConsumerLost, DependencyLost, NoLongerProduced, SubWorkflowChanged
from wfgate.rules.relative.ends import EndsChanged
from wfgate.rules.relative.guard_change import BranchesExchanged, DefaultLost, GuardChanged, SplitWeakened
from wfgate.rules.relative.handler_change import HandlerLost, LoopChanged, OutcomeChanged
from wfgate.rules.relative.meaning import MeaningChanged, TaskTypeChanged
from wfgate.rules.relative.order import LinkChanged, NowParallel, NowSerial, OrderInverted
from wfgate.rules.relative.running_change import ExclusivityLost, NewlyAlways, NoLongerAlways, TogetherLost
from wfgate.rules.relative.soundness import SoundnessLost
from wfgate.rules.relative.steps import TaskAdded, TaskMissing, TasksCompressed, TaskSplit
from wfgate.rules.relative.turns import TurnsChanged
from wfgate.rules.relative.uncalled import UncalledChanged
from wfgate.rules.relative.values import FlowRewritten, SettingsChanged, ValueChanged
from wfgate.rules.run import lint_with, review_with
from wfgate.rules.weight import Terms, Waive, no_waiver

__all__ = [
    "ABSOLUTE",
    "CHECKS",
    "RELATIVE",
    "AbsoluteCheck",
    "Check",
    "Finding",
    "Level",
    "Observation",
    "RelativeCheck",
    "Severity",
    "Subject",
    "levels_of",
    "lint",
    "review",
    "unreadable",
]

ABSOLUTE: Registry[AbsoluteCheck] = Registry(
    "check",
    (
        Unreadable(),
        DuplicateId(),
        UndefinedReference(),
        DuplicateLink(),
        NoStart(),
        SeveralStarts(),
        NoEnd(),
        IsolatedTask(),
        UnreachableTask(),
        DeadEnd(),
        UnclearOperator(),
        Deadlock(),
        LackOfSynchronisation(),
        NoOptionToComplete(),
        DeadTask(),
        UnmatchedOrJoin(),
        SilentSkip(),
        GuardSyntax(),
        GuardNeverTrue(),
        GuardAlwaysTrue(),
        Overlap(),
        Shadowed(),
        NotExhaustive(),
        UnguardedBranch(),
        NestedContradiction(),
        UnknownValue(),
        CycleWithoutExit(),
        ExitNeverChanges(),
        Cycle(),
        NeverProduced(),
        UsedBeforeProduced(),
        NeverUsed(),
        ParallelWrites(),
        ReadWhileWritten(),
        OverwrittenUnread(),
        NotProducedOnEveryPath(),
        MissingSubWorkflow(),
        Recursion(),
        InterfaceMismatch(),
        NameDisagrees(),
        HiddenCharacters(),
        UnreadText(),
        BudgetSpent(),
        OpaqueGuard(),
        UnstableGuard(),
    ),
)
"""Checks of a single workflow."""

RELATIVE: Registry[RelativeCheck] = Registry(
    "check",
    (
        TaskMissing(),
        TaskAdded(),
        TaskTypeChanged(),
        TasksCompressed(),
        TaskSplit(),
        MeaningChanged(),
        ValueChanged(),
        LinkChanged(),
        EndsChanged(),
        NoLongerAlways(),
        NewlyAlways(),
        OrderInverted(),
        NowParallel(),
        NowSerial(),
        ExclusivityLost(),
        TogetherLost(),
        TurnsChanged(),
        GuardChanged(),
        SplitWeakened(),
        DefaultLost(),
        HandlerLost(),
        LoopChanged(),
        BranchesExchanged(),
        OutcomeChanged(),
        NoLongerProduced(),
        ConsumerLost(),
        DependencyLost(),
        SubWorkflowChanged(),
        SettingsChanged(),
        UncalledChanged(),
        FlowRewritten(),
        SoundnessLost(),
    ),
)
"""Checks that compare a candidate with its golden."""

CHECKS: dict[str, Check] = {check.id: check for check in (*ABSOLUTE.values(), *RELATIVE.values())}
"""All checks of workflows, by id."""


Level = Literal["error", "warning", "info", "off"]
"""Configured level of a check: the severity of all its findings, or "off"."""

_C = TypeVar("_C", bound=Check)


def levels_of(given: Mapping[str, Level]) -> dict[str, Level]:
    """Return the configured levels by check id.

    Args:
        given: Levels by check id ("WF105") or defect ("unreachable-step"), case-insensitive.

    Raises:
        ConfigError: If a check does not exist or is named twice.

    Example:
        >>> levels_of({"wf102": "error", "step-added": "off"})
        {'WF102': 'error', 'WR102': 'off'}
    """
    known = {name.casefold(): (check.id, name) for check in CHECKS.values() for name in (check.id, check.defect)}
    found: dict[str, Level] = {}
    for name, level in given.items():
        if name.casefold() not in known:
            near = get_close_matches(name.casefold(), known, n=1)
            fix = f"did you mean {known[near[0]][1]}?" if near else "`wfgate list checks` lists all checks"
            raise ConfigError(f"unknown check {name!r}", fix=fix)
        check, _ = known[name.casefold()]
        if check in found:
            raise ConfigError(
                f"the check {check} is configured twice, by id and by name", fix="keep one of the two entries"
            )
        found[check] = level
    return found


def lint(
    workflow: Workflow, levels: Mapping[str, Level] | None = None, waived: Waive = no_waiver
) -> tuple[Finding, ...]:
    """Return the findings of all absolute checks on a workflow and its sub-workflows, worst first.

    Args:
        workflow: The workflow to check.
        levels: Configured level by check id (`levels_of`). A check that is off does not run.
        waived: Returns the waiver of a finding, by check id and fingerprint.

    Cost: near linear in tasks and links.

    Example:
        >>> from wfgate.model import Task
        >>> [finding.id for finding in lint(Workflow(tasks=(Task(id="a", name="Build"),)))]
        ['WF101', 'WF103']
    """
    return lint_with(_enabled(ABSOLUTE, levels), workflow, Terms(_severities(levels), waived=waived))


def review(
    comparison: Comparison,
    levels: Mapping[str, Level] | None = None,
    *,
    critical: Collection[str] = (),
    small: bool = False,
    waived: Waive = no_waiver,
) -> tuple[Finding, ...]:
    """Return the findings of all checks on a candidate: absolute checks, and relative checks against the golden.

    A finding is marked `pre_existing` if the golden has the same finding on the matched steps. Fingerprints contain
    the golden's text of matched steps, so a reworded step does not change the fingerprint of its findings. Steps with
    equal texts contribute their numbers in the order of the workflow, too.

    Args:
        comparison: The comparison of golden and candidate.
        levels: As for `lint`.
        critical: Ids of the critical steps of the golden.
        small: Whether the golden is too small for statistics, so that only findings decide.
        waived: As for `lint`.
    """
    terms = Terms(_severities(levels), frozenset(critical), small, waived)
    return review_with(_enabled(ABSOLUTE, levels), _enabled(RELATIVE, levels), comparison, terms)


def _enabled(checks: Registry[_C], levels: Mapping[str, Level] | None) -> list[_C]:
    return [check for check in checks.values() if (levels or {}).get(check.id) != "off"]


def _severities(levels: Mapping[str, Level] | None) -> dict[str, Severity]:
    return {name: level for name, level in (levels or {}).items() if level != "off"}
