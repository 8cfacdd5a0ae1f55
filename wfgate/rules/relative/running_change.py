"""Checks of the situations in which steps run."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import ClassVar

from wfgate.compare import Comparison
from wfgate.logic import FALSE, TRUE, Answer, Behaviour, Node, terms
from wfgate.model import listed
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity
from wfgate.rules.conditions import SaidConditions, are_data, are_formal, have_lists, is_same_step
from wfgate.rules.relative.order import Orders

MAX_CONDITIONS = 40
"""Largest number of different conditions that are compared pairwise."""


class NoLongerAlways(RelativeCheck):
    """A step no longer runs in every situation.

    What it does:
        Reports a step that the golden runs for all parameter values, if no step fails, and that the candidate skips in
        some situation. Also reports a step that the candidate never runs because a condition is the constant
        ``false``. Steps with the same condition are reported together. A condition that cannot be analysed is reported
        only if no other condition decides about the step. A condition in words that the golden's text says too is not
        reported. It is only a warning if one file is a list of texts: an "if" in a sentence often repeats what follows
        from the steps before it. A step that never runs for another reason is reported by the absolute checks
        (WF###).

    Why it matters:
        A security scan that is skipped on staging finds no defects on staging.

    Golden:
        ``build -> scan``

    Candidate:
        ``build -> scan`` if ``environment == 'production'``

    How to fix:
        Remove the condition, or approve the candidate.
    """

    id: ClassVar[str] = "WR201"
    defect: ClassVar[str] = "condition-added"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "course"
    rank: ClassVar[int] = 40
    version: ClassVar[int] = 2
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per new condition, and one for steps that never run."""
        lost, off = [], []
        said = _Said(comparison, 1)
        switched = switches_off(comparison.candidate_behaviour)
        for task, twin in comparison.pairs:
            if comparison.golden_behaviour.must_run(task).value is True:
                answer = comparison.candidate_behaviour.must_run(twin)
                if switched and comparison.candidate_behaviour.runs[twin] == FALSE:
                    off.append(task)
                elif is_skipped(comparison.candidate_behaviour, twin, answer) and not said.contains(twin, task):
                    lost.append((task, comparison.candidate_behaviour.runs[twin], answer))
        orders = Orders.of(comparison)
        if off:
            first, *rest = off
            names = listed([orders.step(first), *(orders.name(task) for task in rest)])
            yield Observation(f"{names} never run{'s' * (not rest)} any more", golden=tuple(off))
        for observation in _by_condition(orders, lost, "no longer runs in every situation: it is skipped"):
            yield replace(observation, severity="warning") if have_lists(comparison) else observation


class NewlyAlways(RelativeCheck):
    """A step now runs in every situation.

    What it does:
        Reports a step that the golden skips in some situation, and that the candidate runs in all situations. Steps
        with the same condition are reported together. A condition in words that the candidate's text still says
        ("stop the writers if the lag is high") is not reported. It is an error for a step with the same name in data
        files whose conditions are written in a condition language (GitHub Actions, Argo, BPMN, ...) or are
        comparisons.

    Why it matters:
        A rollback that ran only on request now runs every time.

    Golden:
        ``deploy -> rollback`` if ``rollback_requested``

    Candidate:
        ``deploy -> rollback``

    How to fix:
        Restore the condition.
    """

    id: ClassVar[str] = "WR202"
    defect: ClassVar[str] = "condition-removed"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "course"
    rank: ClassVar[int] = 41
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per lost condition."""
        gained = []
        said = _Said(comparison, 0)
        for task, twin in comparison.pairs:
            if comparison.candidate_behaviour.must_run(twin).value is True:
                answer = comparison.golden_behaviour.must_run(task)
                if is_skipped(comparison.golden_behaviour, task, answer) and not said.contains(task, twin):
                    gained.append((task, comparison.golden_behaviour.runs[task], answer))
        formal = are_formal(comparison)
        certain = {task for task, _, _ in gained if formal and is_same_step(comparison, task)}
        change = "now runs in every situation: it used to be skipped"
        yield from _by_condition(Orders.of(comparison), gained, change, certain)


class ExclusivityLost(RelativeCheck):
    """Two steps that excluded each other can now run together.

    What it does:
        Reports two steps that never run in the same run of the golden, but both run in some situation of the
        candidate. The pairs are grouped by the steps that occur in most pairs.

    Why it matters:
        Only one of the two steps should run: ship or cancel, the blue or the green deployment.

    Golden:
        ``check -> ship`` if ``paid``, ``check -> cancel`` if ``not paid``

    Candidate:
        ``check -> ship`` if ``paid``, ``check -> cancel``

    How to fix:
        Make the two conditions exclude each other again.
    """

    id: ClassVar[str] = "WR206"
    defect: ClassVar[str] = "exclusivity-lost"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "course"
    rank: ClassVar[int] = 42
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that can now run together with another step."""
        before, now = comparison.golden_behaviour, comparison.candidate_behaviour
        if not before.conditional:
            return
        groups = conditional_groups(before, [task for task, _ in comparison.pairs])
        pairs: defaultdict[int, int] = defaultdict(int)
        shown: dict[tuple[int, int], Answer] = {}
        for first, second in combinations(groups, 2):
            if before.exclusive(groups[first][0], groups[second][0]).value is not True:
                continue
            for task in groups[first]:
                for other in groups[second]:
                    answer = now.exclusive(comparison.candidate_of[task], comparison.candidate_of[other])
                    if answer.value is False:
                        pairs[task] |= 1 << other
                        pairs[other] |= 1 << task
                        shown[task, other] = shown[other, task] = answer
        orders = Orders.of(comparison)
        for task, others in orders.by_moved_step(pairs):
            names = listed([orders.name(other) for other in others])
            when = str(shown[task, others[0]].situation)
            yield Observation(
                f"{orders.step(task)} and {names} can now both run"
                f"{f' when {when}' if when != 'always' else ' in every situation'}; "
                "in the golden, they never ran in the same run",
                golden=(task, *others),
                witness=(when,),
            )


class TogetherLost(RelativeCheck):
    """Two conditional steps no longer run under the same condition.

    What it does:
        Reports two steps with the same condition in the golden, if in some situation the candidate runs one step and
        skips the other.

    Why it matters:
        A migration can run without the backup that belongs to it.

    Golden:
        ``check -> backup`` and ``check -> migrate``, both if ``migrate_requested``

    Candidate:
        ``check -> backup`` if ``migrate_requested and size < 10``, ``check -> migrate`` if ``migrate_requested``

    How to fix:
        Give both steps the same condition, as in the golden.
    """

    id: ClassVar[str] = "WR207"
    defect: ClassVar[str] = "together-lost"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "course"
    rank: ClassVar[int] = 43

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that no longer runs whenever another one does."""
        before, now = comparison.golden_behaviour, comparison.candidate_behaviour
        if not before.conditional:
            return
        orders = Orders.of(comparison)
        place = orders.place
        for tasks in conditional_groups(before, [task for task, _ in comparison.pairs]).values():
            kept: dict[Node | None, int] = {}
            for task in sorted(tasks, key=place.__getitem__):
                kept.setdefault(now.runs[comparison.candidate_of[task]], task)
            leader, *rest = kept.values()
            for task in rest:
                for one, other in ((leader, task), (task, leader)):
                    if now.must_run(comparison.candidate_of[one]).value is True:
                        continue  # reported by WR202
                    answer = now.always_with(comparison.candidate_of[one], comparison.candidate_of[other])
                    if answer.value is False:
                        yield Observation(
                            f"{orders.step(other)} no longer runs whenever {orders.name(one)} runs: "
                            f"it is skipped when {answer.situation}",
                            golden=(other, one),
                            witness=(str(answer.situation),),
                        )


class _Said:
    """The conditional steps of one side whose condition the other side says in words.

    A step that inherits its condition, because it waits for a conditional step, is one of them if the other side keeps
    the condition of that step, as a condition or in words. Lists in prose rarely say what a skipped step skips.
    """

    def __init__(self, comparison: Comparison, side: int) -> None:
        both = comparison.golden_behaviour, comparison.candidate_behaviour
        self._own, self._other = both if side == 0 else both[::-1]
        self._pairs = comparison.pairs if side == 0 else [(twin, task) for task, twin in comparison.pairs]
        self._data = are_data(comparison)
        self._conditions = SaidConditions(comparison, side)

    def contains(self, step: int, twin: int) -> bool:
        """Return whether the twin of a conditional step says its condition, or the step inherits one that is kept."""
        if self._conditions.of(step):
            return self._conditions.contains(step, twin)
        return not self._data and self._own.runs[step] in self._kept

    @cached_property
    def _kept(self) -> set[Node | None]:
        """When the steps run whose own condition the other side keeps."""
        return {
            self._own.runs[step]
            for step, twin in self._pairs
            if self._conditions.of(step)
            and (self._other.must_run(twin).value is not True or self._conditions.contains(step, twin))
        }


def is_skipped(behaviour: Behaviour, task: int, answer: Answer) -> bool:
    """Return whether an answer shows that a step is skipped in some situations but runs in others."""
    if behaviour.runs[task] in {None, FALSE} or answer.value is True or answer.situation is None:
        return False
    return answer.value is False or (answer.situation.opaque == 1 and len(answer.situation.conditions) == 1)


def switches_off(behaviour: Behaviour) -> bool:
    """Return whether a condition is the constant false: a branch switched off on purpose."""
    guards = [guard for guard in behaviour.selections.guards if guard is not None and not terms(guard)]
    return any(behaviour.sometimes(guard).value is False for guard in guards)


def _by_condition(
    orders: Orders, steps: Sequence[tuple[int, Node | None, Answer]], change: str, errors: Collection[int] = ()
) -> Iterator[Observation]:
    """Yield one observation per condition, with the change of the first step and the names of the other steps.

    It is an error if it is about one of the steps `errors`.
    """
    groups: defaultdict[Node | None, list[tuple[int, Answer]]] = defaultdict(list)
    for task, condition, answer in steps:
        groups[condition].append((task, answer))
    for group in groups.values():
        (first, answer), *rest = group
        when = str(answer.situation)
        message = f"{orders.step(first)} {change} {f'when {when}' if when != 'always' else 'unless a step fails'}"
        if rest:
            message += f"; the same holds for {listed([orders.name(task) for task, _ in rest])}"
        tasks = tuple(task for task, _ in group)
        severity: Severity | None = None if set(tasks).isdisjoint(errors) else "error"
        yield Observation(message, golden=tasks, witness=(str(answer.situation),), severity=severity)


def conditional_groups(behaviour: Behaviour, tasks: Sequence[int]) -> Mapping[Node, list[int]]:
    """Return the conditional steps by condition; empty if there are more than `MAX_CONDITIONS` conditions."""
    groups: defaultdict[Node, list[int]] = defaultdict(list)
    for task in tasks:
        condition = behaviour.runs[task]
        if condition is not None and condition not in {FALSE, TRUE}:
            groups[condition].append(task)
    return groups if len(groups) <= MAX_CONDITIONS else {}
