"""Conditions, defaults, handlers and loops that are not what they were."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from wfgate.behaviour import Behaviour
from wfgate.checks.base import Observation, RelativeCheck, Severity, listed
from wfgate.checks.order import Orders
from wfgate.checks.running_change import is_skipped
from wfgate.checks.splits import gap, groups, overlap
from wfgate.guards import ALWAYS, Answer, Atom, BudgetSpentError, Formula, Space, every, negated, some, words
from wfgate.matching import Comparison

MAX_WAYS = 200
"""Ways through gateways that are followed from one step."""


Ends = tuple[int | None, int | None]
"""Golden positions of two linked steps; None for START and END."""


class GuardChanged(RelativeCheck):
    """The condition of a link says something else.

    What it does:
        Compares the conditions between steps that both workflows link directly, by what they imply and not by how
        they are written: weaker (taken more often), stronger (taken less often) or different, with a situation in
        which they disagree. Bare words and sentences are only compared as texts, and a change of them is information.
        What WR201 or WR202 says of the step behind is not repeated.

    Why it matters:
        ``amount > 1000`` and ``amount > 10000`` look alike and approve other invoices.

    Golden:
        ``check -> approve`` if ``amount > 1000``

    Candidate:
        ``check -> approve`` if ``amount > 10000``

    How to fix:
        Restore the condition, or approve the candidate.
    """

    id: ClassVar[str] = "WR301"
    defect: ClassVar[str] = "guard-changed"
    severity: ClassVar[Severity] = "warning"

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per link whose condition changed."""
        before, now = comparison.golden_behaviour, comparison.candidate_behaviour
        if not (before.selections.written or now.selections.written):
            return
        was = _conditions(before, {task: task for task in comparison.candidate_of})
        is_now = _conditions(now, comparison.golden_of)
        orders = Orders.of(comparison)
        for ends in sorted(was.keys() & is_now.keys(), key=lambda pair: _rank(orders, pair)):
            old, new = was[ends], is_now[ends]
            if old == new or self._told(comparison, ends[1]):
                continue
            kind, situation = compared(old, new)
            if kind == "same":
                continue
            steps = tuple(task for task in ends if task is not None)
            names = [
                orders.step(task) if task is not None else end
                for task, end in zip(ends, ("START", "END"), strict=True)
            ]
            where = f", as for {situation}" if situation else ""
            yield Observation(
                f"the condition from {names[0]} to {names[1]} is {_said(kind, old, new)}{where}",
                golden=steps,
                key=(kind, "" if ends[0] is not None else "START", "" if ends[1] is not None else "END"),
                witness=(situation,) if situation else (),
                severity="info" if kind == "other words" else None,
            )

    @staticmethod
    def _told(comparison: Comparison, task: int | None) -> bool:
        """Return whether WR201 or WR202 speaks of the step behind."""
        if task is None:
            return False
        twin = comparison.candidate_of[task]
        was, is_now = comparison.golden_behaviour.must_run(task), comparison.candidate_behaviour.must_run(twin)
        return (was.value is True and is_skipped(comparison.candidate_behaviour, twin, is_now)) or (
            is_now.value is True and is_skipped(comparison.golden_behaviour, task, was)
        )


class SplitWeakened(RelativeCheck):
    """The branches of a split no longer exclude each other, or no longer cover every case.

    What it does:
        At a split behind the same steps, reports conditions that could not hold together in the golden and can in the
        candidate, and situations in which a branch was taken and none is any more. A lost default is left to WR303.

    Why it matters:
        Where exactly one branch was taken, now it may be none, or whichever the engine finds first.

    Golden:
        ``to ship`` if ``p < 10``, ``to ask`` if ``p >= 10``

    Candidate:
        ``to ship`` if ``p < 10``, ``to ask`` if ``p > 10``

    How to fix:
        Make the conditions exclude each other and cover every case again.
    """

    id: ClassVar[str] = "WR302"
    defect: ClassVar[str] = "split-weakened"
    severity: ClassVar[Severity] = "error"
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per split and property that is lost."""
        orders = Orders.of(comparison)
        for old, new in _splits(comparison):
            names = listed([orders.step(task) for task in old.tasks]) or "START"
            now = overlap(new.behaviour, new.node, new.links)
            if now is not None and _excluded(old):
                situation = str(now[2].situation)
                yield Observation(
                    f"the branches after {names} excluded each other, now two of them can be taken when {situation}",
                    golden=old.tasks,
                    key=("exclusive",),
                    witness=(situation,),
                )
            missing = gap(new.behaviour, new.node, new.links)
            if missing is not None and not old.has_default and gap(old.behaviour, old.node, old.links) is None:
                situation = str(missing.situation)
                if _covered(old):
                    yield Observation(
                        f"after {names} no branch is taken any more when {situation}",
                        golden=old.tasks,
                        key=("exhaustive",),
                        witness=(situation,),
                    )


class DefaultLost(RelativeCheck):
    """A split lost its default branch.

    What it does:
        Reports splits behind the same steps that had a default branch and have none now, unless their conditions
        cover every case without it.

    Why it matters:
        What no condition foresees is no longer dealt with.

    Golden:
        ``to retry`` if ``status == 'timeout'``, ``to report`` by default

    Candidate:
        ``to retry`` if ``status == 'timeout'``, ``to report`` if ``status == 'error'``

    How to fix:
        Mark one of the branches as the default again.
    """

    id: ClassVar[str] = "WR303"
    defect: ClassVar[str] = "default-lost"
    severity: ClassVar[Severity] = "error"
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per split without its default."""
        orders = Orders.of(comparison)
        for old, new in _splits(comparison):
            if not old.has_default or new.has_default or new.has_plain:
                continue
            answer = new.behaviour.always(some(new.guards))
            if answer.value is True:
                continue
            names = listed([orders.step(task) for task in old.tasks]) or "START"
            when = f": no branch is taken when {answer.situation}" if answer.value is False else ""
            yield Observation(
                f"the split after {names} lost its default branch{when}",
                golden=old.tasks,
                witness=(str(answer.situation),) if answer.value is False else (),
            )


_KINDS = {
    "weaker": "weaker",
    "stronger": "stronger",
    "different": "another one",
    "other words": "in other words",
}


def _said(kind: str, old: Formula, new: Formula) -> str:
    if old == ALWAYS:
        return f"new: `{words(new)}`"
    return f"gone: `{words(old)}`" if new == ALWAYS else f"{_KINDS[kind]}: `{words(new)}` instead of `{words(old)}`"


@dataclass(frozen=True)
class _Split:
    """One group of branches that compete: the golden's, or the candidate's at the same place.

    Attributes:
        behaviour: The workflow.
        node: The node that they leave.
        links: The branches.
        tasks: Golden positions of the steps before it.
    """

    behaviour: Behaviour
    node: int
    links: list[int]
    tasks: tuple[int, ...]

    @property
    def has_default(self) -> bool:
        found = [self.behaviour.flow.links[link][2].guard for link in self.links]
        return any(guard is not None and guard.default for guard in found)

    @property
    def has_plain(self) -> bool:
        return any(self.behaviour.flow.links[link][2].guard is None for link in self.links)

    @property
    def guards(self) -> list[Formula]:
        found = [self.behaviour.selections.guards[link] for link in self.links]
        return [guard for guard in found if guard is not None]


def _splits(comparison: Comparison) -> Iterator[tuple[_Split, _Split]]:
    """Yield the splits that both workflows have behind the same steps."""
    same = {task: task for task in comparison.candidate_of}
    before = _placed(comparison.golden_behaviour, same)
    now = _placed(comparison.candidate_behaviour, comparison.golden_of)
    for key in sorted(before.keys() & now.keys()):
        yield before[key], now[key]


def _placed(behaviour: Behaviour, golden_of: Mapping[int, int]) -> dict[tuple[tuple[int, ...], str], _Split]:
    """Return the splits by the golden steps before them and the outcome; none where there are two in one place."""
    found: defaultdict[tuple[tuple[int, ...], str], list[_Split]] = defaultdict(list)
    for node, links in groups(behaviour):
        flow = behaviour.flow
        steps = [golden_of.get(task) for task in flow.tasks_before(node) if flow.task(task) is not None]
        known = sorted(step for step in steps if step is not None)
        if len(known) == len(steps):
            outcome = flow.links[links[0]][2].outcome
            found[tuple(known), outcome].append(_Split(behaviour, node, links, tuple(known)))
    return {key: splits[0] for key, splits in found.items() if len(splits) == 1}


def _excluded(split: _Split) -> bool:
    guards = split.guards
    return all(
        split.behaviour.exclude(one, other).value is True
        for place, one in enumerate(guards)
        for other in guards[place + 1 :]
    )


def _covered(split: _Split) -> bool:
    return split.has_plain or split.behaviour.always(some(split.guards)).value is True


def _conditions(behaviour: Behaviour, golden_of: Mapping[int, int]) -> dict[Ends, Formula]:
    """Return what is written on the ways from step to step through gateways, by golden positions."""
    flow = behaviour.flow
    found: dict[Ends, Formula] = {}
    for source in (*range(len(flow.workflow.tasks)), flow.start):
        if source != flow.start and source not in golden_of:
            continue
        for target, condition in _ways(behaviour, source):
            if target == flow.end or target in golden_of:
                ends = (golden_of.get(source), golden_of.get(target))
                found[ends] = some([found[ends], condition]) if ends in found else condition
    return found


def _ways(behaviour: Behaviour, source: int) -> Iterator[tuple[int, Formula]]:
    """Yield where a step leads through gateways, with what is written on the way."""
    flow = behaviour.flow
    pending: list[tuple[int, Formula, frozenset[int]]] = [(source, ALWAYS, frozenset())]
    left = MAX_WAYS
    while pending and left:
        node, so_far, passed = pending.pop()
        left -= 1
        for link in flow.outgoing[node]:
            target = flow.links[link][1]
            written = _written(behaviour, node, link)
            if flow.links[link][2].outcome != "success" or target in passed:
                continue
            condition = so_far if written is None else every([so_far, written])
            if flow.gateway(target) is None:
                yield target, condition
            else:
                pending.append((target, condition, passed | {target}))


def _written(behaviour: Behaviour, node: int, link: int) -> Formula | None:
    """Return what is written on a link; on a default branch that none of the others holds."""
    selections = behaviour.selections
    guard = behaviour.flow.links[link][2].guard
    if guard is None or selections.kind(node) == "all":
        return None
    if not guard.default:
        return selections.guards[link]
    others = [selections.guards[other] for links in selections.siblings(node) if link in links for other in links]
    return negated(some(other for other in others if other is not None))


def compared(old: Formula, new: Formula) -> tuple[str, str]:
    """Return how two conditions differ, and a situation in which they do."""
    if _is_word(old) and _is_word(new):
        return "other words", ""
    space = Space([old, new])
    try:
        one, other = space.node(old), space.node(new)
        if one == other:
            return "same", ""
        weaker, stronger = space.implies(one, other), space.implies(other, one)
    except BudgetSpentError:
        return "other words", ""
    if weaker.value is None or stronger.value is None:
        # With one of them certain the direction is known all the same: p < 0 and «x» is never weaker than p < 0.
        if weaker.value is True or stronger.value is True:
            return ("weaker" if weaker.value else "stronger"), ""
        return "other words", ""
    kind = "weaker" if weaker.value else "stronger" if stronger.value else "different"
    shown: Answer = stronger if weaker.value else weaker
    return kind, str(shown.situation) if shown.situation else ""


def _is_word(formula: Formula) -> bool:
    return isinstance(formula, Atom) and formula.relation == "truthy"


def _rank(orders: Orders, ends: Ends) -> tuple[int, int]:
    first, second = (-1 if task is None else orders.place[task] for task in ends)
    return first, second
