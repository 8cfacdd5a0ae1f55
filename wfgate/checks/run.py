"""Runs the checks and converts their observations to findings, in a fixed order and with stable fingerprints."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wfgate.alignment import Comparison, Fate
from wfgate.behaviour import Behaviour
from wfgate.checks.base import (
    SEVERITIES,
    AbsoluteCheck,
    Check,
    Finding,
    Observation,
    RelativeCheck,
    Severity,
    Subject,
)
from wfgate.model import SourceSpan, Task, TaskGraph, Workflow

_CANDIDATE = "candidate "
"""Marks the number of a candidate step. The numbers of golden steps do not depend on the candidate."""


@dataclass(frozen=True)
class _Draft:
    """A finding before it has a fingerprint: `content` is hashed for the fingerprint, `place` is the sort key.

    `free`: whether the contract leaves the difference free. `harmless`: whether a proven check says that it has no
    effect.
    """

    finding: Finding
    content: tuple[str, ...]
    place: tuple[int, ...]
    free: bool = False
    harmless: bool = False


@dataclass(frozen=True)
class _Seen:
    """An observation of an absolute check, with the check and the workflow."""

    check: Check
    subject: Subject
    observation: Observation


def lint_with(
    checks: Iterable[AbsoluteCheck],
    workflow: Workflow,
    levels: Mapping[str, Severity],
) -> tuple[Finding, ...]:
    """Return the findings of these checks on the workflow and on each sub-workflow.

    Args:
        checks: The checks to run.
        workflow: The workflow to check.
        levels: Severity by check id. It replaces the severity of all findings of that check, except of differences
            without effect.
    """
    subject = Subject.of(workflow, behaviour=Behaviour.of(workflow))
    subjects = [subject, *(subject.part(part) for part in workflow.subworkflows)]
    return _finished((_absolute(seen, None) for seen in _observed(checks, subjects)), levels)


def review_with(
    absolute: Iterable[AbsoluteCheck],
    relative: Iterable[RelativeCheck],
    comparison: Comparison,
    levels: Mapping[str, Severity],
) -> tuple[Finding, ...]:
    """Return the findings of these checks on the candidate; `levels` is used as in `lint_with`."""
    absolute = tuple(absolute)
    golden = _opened(comparison.golden, comparison.golden_graph, comparison.golden_behaviour, comparison.golden_file)
    candidate = _opened(
        comparison.candidate, comparison.candidate_graph, comparison.candidate_behaviour, comparison.candidate_file
    )
    known = _Known(_observed(absolute, golden), comparison)
    drafts = [
        _absolute(seen, (golden[0], comparison), pre_existing=seen in known) for seen in _observed(absolute, candidate)
    ]
    differences: list[_Draft] = []
    explained = False
    for check in sorted(relative, key=lambda check: check.fallback):
        if check.fallback and explained:
            continue
        found = [
            _relative(check, observation, comparison, golden[0], candidate[0])
            for observation in check.check(comparison)
        ]
        # Information of a proven check says that a value has no effect; it does not explain another flow.
        explained = explained or any(not check.proven or draft.finding.severity != "info" for draft in found)
        differences += found
    return _approved(_finished([*drafts, *differences], levels), comparison.contract.approved)


def _approved(findings: tuple[Finding, ...], approved: Collection[str]) -> tuple[Finding, ...]:
    """Return the findings, sorted; those that another approved reference has too are information."""
    found = [
        finding.model_copy(update={"severity": "info", "message": f"{finding.message}; so has another reference"})
        if finding.fingerprint in approved and finding.severity != "info"
        else finding
        for finding in findings
    ]
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))


def _opened(workflow: Workflow, graph: TaskGraph, behaviour: Behaviour, written: Workflow | None) -> list[Subject]:
    """Return the workflow with expanded composites, and the sub-workflows that could not be expanded in place."""
    subject = Subject.of(workflow, graph, behaviour, written)
    closed = {task.workflow for task in workflow.tasks if task.workflow}
    return [subject, *(subject.part(part) for part in workflow.subworkflows if part.name in closed)]


def _observed(checks: Iterable[AbsoluteCheck], subjects: Sequence[Subject]) -> Iterator[_Seen]:
    for check in checks:
        for subject in subjects:
            for observation in check.check(subject):
                yield _Seen(check, subject, observation)


class _Known:
    """The defects of the golden. The same defect in the candidate is not a regression.

    Steps of the main workflow are compared by the alignment, not by their texts. Sub-workflows that could not be
    expanded are not aligned; their steps are compared by their labels.
    """

    def __init__(self, seen: Iterable[_Seen], comparison: Comparison) -> None:
        self.golden_of = comparison.golden_of
        self.defects: defaultdict[tuple[str, ...], list[tuple[int | str | None, ...]]] = defaultdict(list)
        for item in seen:
            self.defects[self._kind(item)].append(self._steps(item, lambda task: task))

    def __contains__(self, item: _Seen) -> bool:
        steps = self._steps(item, self.golden_of.get)
        if None in steps:
            return False
        known = self.defects.get(self._kind(item), [])
        if item.check.grouped and steps:
            return any(set(steps) <= set(other) for other in known)
        return steps in known

    @staticmethod
    def _kind(item: _Seen) -> tuple[str, ...]:
        severity = item.observation.severity or item.check.severity
        return (item.check.id, severity, item.subject.scope, *item.observation.key)

    @staticmethod
    def _steps(item: _Seen, twin: Callable[[int], int | None]) -> tuple[int | str | None, ...]:
        if item.subject.scope:
            return tuple(item.subject.label(task) for task in item.observation.tasks)
        return tuple(twin(task) for task in item.observation.tasks)


def _absolute(seen: _Seen, against: tuple[Subject, Comparison] | None, *, pre_existing: bool = False) -> _Draft:
    """Return the draft of an observation; `against` is the golden and its comparison with the workflow."""
    subject, observation = seen.subject, seen.observation
    tasks = [subject.tasks[task] for task in observation.tasks]
    known: list[Task] = []
    if against is None or subject.scope:
        labels = [subject.label(task) for task in observation.tasks]
    else:
        golden, comparison = against
        twins = [(task, comparison.golden_of.get(task)) for task in observation.tasks]
        known = [golden.tasks[twin] for _, twin in twins if twin is not None]
        labels = [subject.label(task, _CANDIDATE) if twin is None else golden.label(twin) for task, twin in twins]
    message = f"in the sub-workflow '{subject.scope}': {observation.message}" if subject.scope else observation.message
    return _Draft(
        _finding(
            seen.check,
            observation,
            tasks,
            steps=(known, tasks),
            message=message,
            pre_existing=pre_existing,
        ),
        _content(seen.check, observation, subject.scope, labels),
        (bool(subject.scope), *(subject.place[task] for task in observation.tasks)),
    )


def _relative(
    check: RelativeCheck, observation: Observation, comparison: Comparison, golden: Subject, candidate: Subject
) -> _Draft:
    exact = observation.exact or (check.exact_in_data and _have_values(comparison))
    observation = replace(observation, exact=exact, proven=observation.proven or check.proven)
    steps = [golden.tasks[task] for task in observation.golden]
    partners = [comparison.candidate_of[task] for task in observation.golden if task in comparison.candidate_of]
    tasks = [candidate.tasks[task] for task in observation.tasks]
    twins = [*tasks, *(candidate.tasks[task] for task in partners)]
    return _Draft(
        _finding(
            check,
            observation,
            [*steps, *tasks],
            steps=(steps, twins),
            message=observation.message,
            pre_existing=False,
        ),
        _content(
            check,
            observation,
            "",
            [
                *(golden.label(task) for task in observation.golden),
                *(candidate.label(task, _CANDIDATE) for task in observation.tasks),
            ],
        ),
        (
            *(golden.place[task] for task in observation.golden),
            *(candidate.place[task] for task in observation.tasks),
        ),
        free=observation.free or _is_left_out([comparison.fates[step] for step in observation.golden]),
        harmless=check.proven and observation.severity == "info" != check.severity,
    )


def _is_left_out(steps: Sequence[Fate]) -> bool:
    """Return whether an observation about these golden steps is about steps that are left out."""
    if not steps:
        return False
    return steps[0].is_left_out or (len(steps) > 1 and all(step.is_left_out for step in steps[1:]))


def _have_values(comparison: Comparison) -> bool:
    """Return whether both files have the values of a data format; wfgate's own format has none."""
    files = comparison.golden_file, comparison.candidate_file
    return all(file is not None and file.raw is not None for file in files)


def _finding(
    check: Check,
    observation: Observation,
    tasks: Iterable[Task],
    *,
    steps: tuple[Sequence[Task], Sequence[Task]],
    message: str,
    pre_existing: bool,
) -> Finding:
    return Finding(
        id=check.id,
        defect=check.defect,
        severity=observation.severity or check.severity,
        message=message,
        tasks=tuple(task.name for task in tasks),
        golden_steps=_ids(steps[0]),
        candidate_steps=_ids(steps[1]),
        golden_value=observation.golden_value,
        candidate_value=observation.candidate_value,
        location=observation.location or _span(steps[1]),
        golden_location=observation.golden_location or _span(steps[0]),
        witness=observation.witness,
        wording=observation.wording,
        exact=observation.exact,
        proven=observation.proven,
        consequence=observation.consequence,
        fingerprint="",
        pre_existing=pre_existing,
    )


def _finished(drafts: Iterable[_Draft], levels: Mapping[str, Severity]) -> tuple[Finding, ...]:
    """Return the findings with severities and unique fingerprints, sorted.

    The content tells steps apart, also those with equal texts. Equal contents remain if a check reports the same about
    several places of the same steps; then occurrence numbers distinguish the fingerprints.
    """

    def position(draft: _Draft) -> tuple[int, str, tuple[int, ...], tuple[str, ...], str]:
        finding = draft.finding
        return SEVERITIES.index(finding.severity), finding.id, draft.place, draft.content, finding.message

    times: defaultdict[tuple[str, ...], int] = defaultdict(int)
    findings = []
    for draft in sorted((_levelled(draft, levels) for draft in drafts), key=position):
        times[draft.content] += 1
        number = [] if times[draft.content] == 1 else [f"#{times[draft.content]}"]
        findings.append(draft.finding.model_copy(update={"fingerprint": _digest([*draft.content, *number])}))
    return tuple(findings)


def _levelled(draft: _Draft, levels: Mapping[str, Severity]) -> _Draft:
    level = "info" if draft.free or draft.harmless else levels.get(draft.finding.id, draft.finding.severity)
    if level == draft.finding.severity:
        return draft
    return replace(draft, finding=draft.finding.model_copy(update={"severity": level}))


def _content(check: Check, observation: Observation, scope: str, labels: Sequence[str]) -> tuple[str, ...]:
    steps = sorted(labels) if check.grouped else labels
    return (check.id, f"in {scope}", *steps, *(f"key {part}" for part in observation.key))


def _ids(tasks: Iterable[Task]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(task.id for task in tasks))


def _span(tasks: Iterable[Task]) -> SourceSpan | None:
    return next((task.span for task in tasks if task.span), None)


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
