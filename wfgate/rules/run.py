"""Runs the checks and converts their observations to findings, in a fixed order and with stable fingerprints."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from wfgate.compare import Comparison, Fate
from wfgate.logic import Behaviour
from wfgate.model import Said, SourceSpan, Task, TaskGraph, Workflow, plain, read
from wfgate.rules.base import SEVERITIES, AbsoluteCheck, Check, Finding, Kind, Observation, RelativeCheck, Subject
from wfgate.rules.conditions import have_links
from wfgate.rules.weight import Grounds, Terms, weigh

_CANDIDATE = "candidate "
"""Marks the number of a candidate step. The numbers of golden steps do not depend on the candidate."""


@dataclass(frozen=True)
class _Draft:
    """An observation on its way to a finding: `content` is hashed for the fingerprint, `place` is the sort key."""

    check: Check
    observation: Observation
    said: Said
    tasks: Sequence[Task]
    steps: tuple[Sequence[Task], Sequence[Task]]
    content: tuple[str, ...]
    place: tuple[int, ...]
    grounds: Grounds

    @property
    def about(self) -> Kind:
        return self.observation.about or self.check.about


@dataclass(frozen=True)
class _Seen:
    """An observation of an absolute check, with the check and the workflow."""

    check: Check
    subject: Subject
    observation: Observation


def lint_with(checks: Iterable[AbsoluteCheck], workflow: Workflow, terms: Terms) -> tuple[Finding, ...]:
    """Return the findings of these checks on the workflow and on each sub-workflow.

    Args:
        checks: The checks to run.
        workflow: The workflow to check.
        terms: What the policy says about findings.
    """
    subject = Subject.of(workflow, behaviour=Behaviour.of(workflow))
    subjects = [subject, *(subject.part(part) for part in workflow.subworkflows)]
    return _finished((_absolute(seen, None, terms) for seen in _observed(checks, subjects)), terms)


def review_with(
    absolute: Iterable[AbsoluteCheck], relative: Iterable[RelativeCheck], comparison: Comparison, terms: Terms
) -> tuple[Finding, ...]:
    """Return the findings of these checks on the candidate; `terms` is used as in `lint_with`."""
    absolute = tuple(absolute)
    golden = _opened(comparison.golden, comparison.golden_graph, comparison.golden_behaviour, comparison.golden_file)
    candidate = _opened(
        comparison.candidate, comparison.candidate_graph, comparison.candidate_behaviour, comparison.candidate_file
    )
    known = _Known(_observed(absolute, golden), comparison)
    drafts = [
        _absolute(seen, (golden[0], comparison), terms, new=seen not in known)
        for seen in _observed(absolute, candidate)
    ]
    differences = [
        _relative(check, _with_plain_evidence(observation), comparison, golden[0], candidate[0], terms)
        for check in relative
        for observation in check.check(comparison)
    ]
    if any(draft.about != "flow" and not _has_no_effect(draft.check, draft.observation) for draft in differences):
        differences = [draft for draft in differences if draft.about != "flow"]
    return _finished([*drafts, *differences], terms, comparison.contract.approved)


def _opened(workflow: Workflow, graph: TaskGraph, behaviour: Behaviour, written: Workflow | None) -> list[Subject]:
    """Return the workflow with expanded composites, and the sub-workflows that could not be expanded in place."""
    subject = Subject.of(workflow, graph, behaviour, written)
    closed = {task.workflow for task in workflow.tasks if task.workflow}
    return [subject, *(subject.part(part) for part in workflow.subworkflows if part.name in closed)]


def _observed(checks: Iterable[AbsoluteCheck], subjects: Sequence[Subject]) -> Iterator[_Seen]:
    for check in checks:
        for subject in subjects:
            for observation in check.check(subject):
                yield _Seen(check, subject, _with_plain_evidence(observation))


def _with_plain_evidence(observation: Observation) -> Observation:
    """Return an observation without marks in its witness and its key; `read` takes them off the message."""
    return replace(observation, witness=tuple(map(plain, observation.witness)), key=tuple(map(plain, observation.key)))


class _Known:
    """The defects of the golden. The same defect in the candidate is not a regression.

    Steps of the main workflow are compared by the alignment, not by their texts; a candidate step without a partner
    stands for the golden step that it carries. Sub-workflows that could not be expanded are not aligned; their steps
    are compared by their labels.
    """

    def __init__(self, seen: Iterable[_Seen], comparison: Comparison) -> None:
        carried = {carrier: fate.position for fate in comparison.fates for carrier in fate.carriers}
        self.golden_of = {**carried, **comparison.golden_of}
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


def _absolute(seen: _Seen, against: tuple[Subject, Comparison] | None, terms: Terms, *, new: bool = True) -> _Draft:
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
        seen.check,
        observation,
        read(message),
        tasks,
        (known, tasks),
        _content(seen.check, observation, subject.scope, labels),
        (bool(subject.scope), *(subject.place[task] for task in observation.tasks)),
        Grounds(
            observation.severity or seen.check.severity,
            policy=terms.levels.get(seen.check.id),
            new=new,
            relative=False,
            critical=not terms.critical.isdisjoint(_ids(known)),
        ),
    )


def _relative(
    check: RelativeCheck,
    observation: Observation,
    comparison: Comparison,
    golden: Subject,
    candidate: Subject,
    terms: Terms,
) -> _Draft:
    steps = [golden.tasks[task] for task in observation.golden]
    partners = [comparison.candidate_of[task] for task in observation.golden if task in comparison.candidate_of]
    tasks = [candidate.tasks[task] for task in observation.tasks]
    return _Draft(
        check,
        observation,
        read(observation.message),
        [*steps, *tasks],
        (steps, [*tasks, *(candidate.tasks[task] for task in partners)]),
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
        Grounds(
            observation.severity or check.severity,
            policy=terms.levels.get(check.id),
            free=observation.free
            or _is_left_out([comparison.fates[step] for step in observation.golden])
            or _has_no_effect(check, observation),
            proven=observation.proven or check.proven,
            exact=observation.exact or (check.exact_in_links and have_links(comparison)),
            confirmed=observation.confirmed,
            textual=observation.wording is not None,
            replaced=observation.replaced,
            changes_step=check.changes_step,
            kept=all(comparison.fates[step].is_verbatim for step in observation.golden),
            critical=not terms.critical.isdisjoint(_ids(steps)),
            small=terms.small,
        ),
    )


def _has_no_effect(check: Check, observation: Observation) -> bool:
    """Return whether a proven check says that a difference, such as a changed comment, has no effect."""
    proven = isinstance(check, RelativeCheck) and check.proven
    return proven and observation.severity == "info" != check.severity


def _is_left_out(steps: Sequence[Fate]) -> bool:
    """Return whether an observation about these golden steps is about steps that are left out."""
    if not steps:
        return False
    return steps[0].is_left_out or (len(steps) > 1 and all(step.is_left_out for step in steps[1:]))


def _finished(drafts: Iterable[_Draft], terms: Terms, approved: Collection[str] = ()) -> tuple[Finding, ...]:
    """Return the findings with unique fingerprints, sorted; what another approved reference has too is information.

    The content tells steps apart, also those with equal texts. Equal contents remain if a check reports the same about
    several places of the same steps; then occurrence numbers distinguish the fingerprints.
    """

    def position(draft: _Draft) -> tuple[int, str, tuple[int, ...], tuple[str, ...], str]:
        return SEVERITIES.index(draft.grounds.level), draft.check.id, draft.place, draft.content, draft.said.text

    times: defaultdict[tuple[str, ...], int] = defaultdict(int)
    findings = []
    for draft in sorted(drafts, key=position):
        times[draft.content] += 1
        number = [] if times[draft.content] == 1 else [f"#{times[draft.content]}"]
        fingerprint = _digest([*draft.content, *number])
        findings.append(_finding(draft, fingerprint, terms, approved=fingerprint in approved))
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def _finding(draft: _Draft, fingerprint: str, terms: Terms, *, approved: bool) -> Finding:
    check, observation, grounds = draft.check, draft.observation, draft.grounds
    message = draft.said.text
    if approved and grounds.level != "info":
        message += "; so has another reference"
        grounds = replace(grounds, free=True)
    waived = terms.waived(check.id, fingerprint)
    return Finding(
        id=check.id,
        defect=check.defect,
        about=draft.about,
        severity=grounds.level,
        weight=weigh(grounds, waived=waived is not None),
        message=message,
        mentions=draft.said.mentions,
        tasks=tuple(task.name for task in draft.tasks),
        golden_steps=_ids(draft.steps[0]),
        candidate_steps=_ids(draft.steps[1]),
        golden_value=observation.golden_value,
        candidate_value=observation.candidate_value,
        values_at=observation.values_at,
        location=observation.location or _span(draft.steps[1]),
        golden_location=observation.golden_location or _span(draft.steps[0]),
        witness=observation.witness,
        fingerprint=fingerprint,
        pre_existing=not grounds.new,
        wording=observation.wording,
        established=None if observation.established is None else read(observation.established),
        exact=grounds.exact,
        proven=grounds.proven,
        lost_critical=check.about == "step" and grounds.critical and "info" not in {grounds.severity, grounds.level},
        waived=waived and waived.model_copy(update={"weight": weigh(grounds)}),
    )


def _content(check: Check, observation: Observation, scope: str, labels: Sequence[str]) -> tuple[str, ...]:
    steps = sorted(labels) if check.grouped else labels
    return (check.id, f"in {scope}", *steps, *(f"key {part}" for part in observation.key))


def _ids(tasks: Iterable[Task]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(task.id for task in tasks))


def _span(tasks: Iterable[Task]) -> SourceSpan | None:
    return next((task.span for task in tasks if task.span), None)


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
