"""Checks, one file per family: absolute checks (WF###) examine one workflow, relative checks (WR###) two."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Literal, TypeVar

from wfgate.base import Registry, table
from wfgate.compare import Comparison
from wfgate.errors import ConfigError
from wfgate.model import Workflow
from wfgate.rules.base import AbsoluteCheck, Check, Finding, RelativeCheck, Severity
from wfgate.rules.run import lint_with, review_with
from wfgate.rules.weight import Terms, Waive, no_waiver

_ABSOLUTE = table(
    "wfgate.rules",
    {
        "WF001": ("absolute.unreadable:Unreadable", "No workflow can be read from a file."),
        "WF002": ("absolute.references:DuplicateId", "Two steps have the same id."),
        "WF003": ("absolute.references:UndefinedReference", "A link refers to a step that does not exist."),
        "WF004": ("absolute.references:DuplicateLink", "A link is duplicated."),
        "WF101": ("absolute.flow:NoStart", "No step follows START."),
        "WF102": ("absolute.flow:SeveralStarts", "START leads to several steps."),
        "WF103": ("absolute.flow:NoEnd", "No step leads to END."),
        "WF104": ("absolute.flow:IsolatedTask", "A step is not linked to any other step."),
        "WF105": ("absolute.flow:UnreachableTask", "A step is not reachable from START."),
        "WF106": ("absolute.flow:DeadEnd", "No path leads from a step to END."),
        "WF107": ("absolute.operators:UnclearOperator", "A gateway is implied, mixed or superfluous."),
        "WF201": ("absolute.soundness:Deadlock", "A join waits for branches that are not all taken."),
        "WF202": ("absolute.soundness:LackOfSynchronisation", "Parallel branches are merged without synchronisation."),
        "WF203": ("absolute.soundness:NoOptionToComplete", "The workflow never completes although END is reachable."),
        "WF204": (
            "absolute.running:DeadTask",
            "A step never runs, because it waits for steps that never run together.",
        ),
        "WF205": ("absolute.soundness:UnmatchedOrJoin", "An OR join has no matching split."),
        "WF206": ("absolute.running:SilentSkip", "A step is skipped only because another step is skipped."),
        "WF301": ("absolute.guards:GuardSyntax", "A condition has a syntax error."),
        "WF302": ("absolute.guards:GuardNeverTrue", "A condition never holds."),
        "WF303": ("absolute.guards:GuardAlwaysTrue", "A condition always holds."),
        "WF304": ("absolute.splits:Overlap", "Two branches of an exclusive split can be taken at once."),
        "WF305": ("absolute.splits:Shadowed", "An earlier branch covers every case of a later one."),
        "WF306": ("absolute.splits:NotExhaustive", "In some situation no branch of a split is taken."),
        "WF307": ("absolute.splits:UnguardedBranch", "A split has branches with and without a condition."),
        "WF308": ("absolute.guards:NestedContradiction", "A condition contradicts the conditions before it."),
        "WF309": ("absolute.guards:UnknownValue", "A condition reads a value that nothing provides."),
        "WF310": ("absolute.cycles:CycleWithoutExit", "No link leaves a cycle."),
        "WF311": ("absolute.cycles:ExitNeverChanges", "Nothing in a loop changes its exit condition."),
        "WF312": ("absolute.cycles:Cycle", "Steps wait for each other in a cycle."),
        "WF401": ("absolute.data:NeverProduced", "A step reads data that nothing produces."),
        "WF402": ("absolute.data:UsedBeforeProduced", "A step reads data that are produced only after it."),
        "WF403": ("absolute.data:NeverUsed", "Data are produced that nothing uses."),
        "WF404": ("absolute.data_races:ParallelWrites", "Parallel steps write the same data."),
        "WF405": ("absolute.data_races:ReadWhileWritten", "A step reads data while a parallel step writes them."),
        "WF406": ("absolute.data_races:OverwrittenUnread", "Data are overwritten before anything reads them."),
        "WF407": ("absolute.data:NotProducedOnEveryPath", "A step can run without the data that it reads."),
        "WF501": (
            "absolute.hierarchy:MissingSubWorkflow",
            "A composite calls a sub-workflow that is not in the file.",
        ),
        "WF502": ("absolute.hierarchy:Recursion", "A workflow calls itself."),
        "WF503": (
            "absolute.hierarchy:InterfaceMismatch",
            "The inputs or outputs of a composite do not match those of its sub-workflow.",
        ),
        "WF601": ("absolute.names:NameDisagrees", "A name and a description contradict each other."),
        "WF602": ("absolute.characters:HiddenCharacters", "A text contains hidden or lookalike characters."),
        "WF603": ("absolute.characters:UnreadText", "A text is too long to be analysed completely."),
        "WF901": ("absolute.limits:BudgetSpent", "The analysis of conditions reached its work limit."),
        "WF902": ("absolute.limits:OpaqueGuard", "A condition is not analysed."),
        "WF903": ("absolute.limits:UnstableGuard", "A condition depends on the time or a random number."),
    },
)
_RELATIVE = table(
    "wfgate.rules",
    {
        "WR101": ("relative.steps:TaskMissing", "A golden step is missing in the candidate."),
        "WR102": ("relative.steps:TaskAdded", "The candidate has a step that is not in the golden."),
        "WR103": ("relative.meaning:TaskTypeChanged", "A step is of another kind."),
        "WR104": ("relative.steps:TasksCompressed", "Several steps were merged into one."),
        "WR105": ("relative.steps:TaskSplit", "One step was split into several."),
        "WR106": ("relative.meaning:MeaningChanged", "The meaning of a step changed."),
        "WR107": ("relative.values:ValueChanged", "A value of a step differs from the golden."),
        "WR111": ("relative.order:LinkChanged", "A link between two steps is lost or new."),
        "WR121": ("relative.ends:EndsChanged", "Another step starts or ends the workflow."),
        "WR201": ("relative.running_change:NoLongerAlways", "A step no longer runs in every situation."),
        "WR202": ("relative.running_change:NewlyAlways", "A step now runs in every situation."),
        "WR203": ("relative.order:OrderInverted", "Two steps run in the opposite order."),
        "WR204": ("relative.order:NowParallel", "A step no longer waits for another one."),
        "WR205": ("relative.order:NowSerial", "A step now waits for another one."),
        "WR206": (
            "relative.running_change:ExclusivityLost",
            "Two steps that excluded each other can now run together.",
        ),
        "WR207": (
            "relative.running_change:TogetherLost",
            "Two conditional steps no longer run under the same condition.",
        ),
        "WR208": ("relative.turns:TurnsChanged", "Branches that run one after the other run in another order."),
        "WR301": ("relative.guard_change:GuardChanged", "The condition of a link changed."),
        "WR302": (
            "relative.guard_change:SplitWeakened",
            (
                "The branches of a split no longer exclude each other, no longer cover every case, or are tried in "
                "another order."
            ),
        ),
        "WR303": ("relative.guard_change:DefaultLost", "A split lost its default branch."),
        "WR304": ("relative.handler_change:HandlerLost", "The failure of a step is no longer handled."),
        "WR305": ("relative.handler_change:LoopChanged", "The loop of a step changed."),
        "WR306": ("relative.guard_change:BranchesExchanged", "The branches of a decision are exchanged."),
        "WR307": (
            "relative.handler_change:OutcomeChanged",
            "A step now runs although the step before it failed, or no longer does.",
        ),
        "WR401": ("relative.data_change:NoLongerProduced", "A datum that steps still read is no longer produced."),
        "WR402": ("relative.data_change:ConsumerLost", "A step no longer reads a datum."),
        "WR403": ("relative.data_change:DependencyLost", "Data no longer flow from one step to another."),
        "WR501": ("relative.data_change:SubWorkflowChanged", "A step calls another sub-workflow."),
        "WR502": (
            "relative.values:SettingsChanged",
            "A setting of the workflow, or of a composite around a step, differs from the golden.",
        ),
        "WR503": ("relative.uncalled:UncalledChanged", "A sub-workflow that nothing calls is new, changed or gone."),
        "WR504": (
            "relative.values:FlowRewritten",
            "The flow is written in another way, and no other check reports a difference.",
        ),
        "WR601": ("relative.soundness:SoundnessLost", "The golden is sound and the candidate is not."),
    },
)
_OWN = table("wfgate.rules", {"WO001": ("own.check:OwnRuleBroken", "A rule of your own is broken.")})

ABSOLUTE: Registry[AbsoluteCheck] = Registry("check", _ABSOLUTE)
"""Checks of a single workflow."""

RELATIVE: Registry[RelativeCheck] = Registry("check", _RELATIVE)
"""Checks that compare a candidate with its golden."""

OWN: Registry[Check] = Registry("check", _OWN)
"""The check of own rules; `wfgate.rules.own` makes its findings, if there are own rules."""

CHECKS: Registry[Check] = Registry(
    "check", {**_ABSOLUTE, **_RELATIVE, **_OWN}, group="wfgate.checks", added="wfgate.rules.plugins:added"
)
"""All checks of workflows, by id. A check of another package runs if a policy gives it a level."""


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
    if not given:
        return {}
    known = {name.casefold(): (check.id, name) for check in CHECKS.values() for name in (check.id, check.defect)}
    known |= {name: (name, name) for name in CHECKS.extensions.ids}
    levels: dict[str, Level] = {}
    for name, level in given.items():
        if name.casefold() not in known:
            near = get_close_matches(name.casefold(), known, n=1)
            fix = f"did you mean {known[near[0]][1]}?" if near else "`wfgate list checks` lists all checks"
            raise ConfigError(f"unknown check {name!r}", fix=fix)
        check = CHECKS.find(known[name.casefold()][0]).id  # it names a package that cannot be loaded
        if check in levels:
            raise ConfigError(
                f"the check {check} is configured twice, by id and by name", fix="keep one of the two entries"
            )
        levels[check] = level
    return levels


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
    return lint_with(_absolute(levels), workflow, Terms(_severities(levels), waived=waived))


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
    relative = [*_shipped(RELATIVE, levels), *(one for one in _added(levels) if isinstance(one, RelativeCheck))]
    return review_with(_absolute(levels), relative, comparison, terms)


def is_relative(check_id: str) -> bool:
    """Return whether a check compares a candidate with its golden."""
    return check_id in RELATIVE or isinstance(CHECKS.get(check_id), RelativeCheck)


def _absolute(levels: Mapping[str, Level] | None) -> list[AbsoluteCheck]:
    return [*_shipped(ABSOLUTE, levels), *(one for one in _added(levels) if isinstance(one, AbsoluteCheck))]


def _shipped(checks: Registry[_C], levels: Mapping[str, Level] | None) -> list[_C]:
    return [checks[name] for name in checks if (levels or {}).get(name) != "off"]


def _added(levels: Mapping[str, Level] | None) -> list[Check]:
    """Return the checks of other packages that have a level: an installed package alone changes no verdict."""
    others = sorted((levels or {}).keys() - {*CHECKS})
    return [CHECKS[name] for name in others if levels and levels[name] != "off" and name in CHECKS]


def _severities(levels: Mapping[str, Level] | None) -> dict[str, Severity]:
    return {name: level for name, level in (levels or {}).items() if level != "off"}
