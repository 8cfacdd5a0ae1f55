"""Checks of changed conditions, exchanged branches, and splits that lost exclusivity, coverage or default."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from wfgate.compare import DOUBTED, Comparison, compare_conditions
from wfgate.language import contradictions, has_other_limits, has_other_logic, replaced_word, scope_change
from wfgate.logic import ALWAYS, FALSE, Atom, Behaviour, Formula, atoms, some, words
from wfgate.model import listed
from wfgate.rules.absolute.splits import gap, groups, overlap, overlaps
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity, instead, with_values
from wfgate.rules.conditions import (
    Way,
    are_data,
    are_formal,
    conditions_of,
    exchanges,
    is_lost,
    is_same_step,
    runs_more,
)
from wfgate.rules.relative.joins import waits_of
from wfgate.rules.relative.order import Orders
from wfgate.rules.relative.running_change import is_skipped, switches_off
from wfgate.rules.relative.written_conditions import ConditionChange, condition_changes


class GuardChanged(RelativeCheck):
    """The condition of a link changed.

    What it does:
        Compares the conditions on links that both workflows have between the same steps. The conditions are compared
        by logical implication, not by their texts. The new condition is weaker (the link is taken more often),
        stronger (taken less often) or different; the finding has a situation in which the two differ. Single words and
        sentences are compared as texts. Their change is only information, unless the texts contradict each other,
        have other limits ("at least 3", "more than 3"), one has a part more ("yes, and in office hours"), or they
        join or deny the same parts in another way ("not A or B", "neither A nor B"), or they have at most six words,
        a single one differs, and the meaning model doubts that it means the same ("booked", "printed").
        Other conditions that cannot be compared exactly need a review. In data files, it is an error if the condition
        of a step with the same name now holds in a situation in which it did not, and is written in a condition
        language (GitHub Actions, Argo, BPMN, ...) or is a comparison. So it is if the step now waits for less:
        ``a || b`` instead of ``a && b`` in `depends` of Argo; and if only the name of a branch is left of a condition
        that was evaluated (BPMN, n8n, Dify). Changes reported by WR201, WR202 or WR306 are not repeated. The `if` of
        GitHub Actions, and conditions in steps of JSON and YAML, are compared as written, too, because links may
        be equal although the conditions differ: ``always() && x`` instead of ``x``.

    Why it matters:
        ``amount > 1000`` and ``amount > 10000`` look similar, but they approve different invoices.

    Golden:
        ``check -> approve`` if ``amount > 1000``

    Candidate:
        ``check -> approve`` if ``amount > 10000``

    How to fix:
        Restore the condition, or approve the candidate.
    """

    id: ClassVar[str] = "WR301"
    defect: ClassVar[str] = "condition-changed"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "guard"
    rank: ClassVar[int] = 31
    version: ClassVar[int] = 2
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per link whose condition changed."""
        yield from self._joins(comparison)
        written = comparison.golden_behaviour.selections.written or comparison.candidate_behaviour.selections.written
        was, is_now = conditions_of(comparison) if written else ({}, {})
        exchanged = {way for group in exchanges(comparison, was, is_now) for way in group}
        known: set[int | None] = set()
        for way in sorted(was.keys() & is_now.keys(), key=Orders.of(comparison).rank):
            if was[way] == is_now[way]:
                continue
            elsewhere = way in exchanged or self._is_reported(comparison, way)
            observation = None if elsewhere else self._on_link(comparison, way, was[way], is_now[way])
            if elsewhere or observation:
                known.add(way.target)
            if observation:
                yield observation
        for change in condition_changes(comparison):
            if known.isdisjoint(change.steps) and not self._is_reported(comparison, Way(None, change.steps[0])):
                yield self._as_written(comparison, change)

    @staticmethod
    def _on_link(comparison: Comparison, way: Way, old: Formula, new: Formula) -> Observation | None:
        """Return the observation about the condition of a link; None if both conditions are equivalent."""
        kind, situation = compare_conditions(comparison, old, new)
        if kind == "same":
            return None
        source, target = Orders.of(comparison).ends(way)
        on = "" if way.outcome == "success" else f" on {way.outcome}"
        same = are_formal(comparison) and way.target is not None and is_same_step(comparison, way.target)
        lost = is_lost(comparison, old, new)
        severity: Severity | None = "error" if lost or (same and runs_more(comparison, old, new)) else None
        if not lost and kind == "other words" and _is_reworded(comparison, old, new):
            kind = scope_change(words(old), words(new), _around(comparison, way)) or kind
            severity = "info" if kind == "other words" else None
        both = ALWAYS not in {old, new}
        change = "is gone, and only a name is left: " if lost else _change(kind, old, new)
        message, values_at = with_values(
            f"the condition{on} from {source} to {target} {change}",
            instead(words(old), words(new)) * both,
            _where(kind, situation),
        )
        if new == ALWAYS and _goes_on_without(comparison, way):  # the conditions on its other links still hold
            message, values_at = f"{target} now also runs if {source} is skipped", None
        return Observation(
            message,
            golden=tuple(task for task in way.ends if task is not None),
            key=(kind, "" if way.source is not None else "START", "" if way.target is not None else "END", on),
            witness=(situation,) if situation else (),
            severity=severity,
            golden_value=words(old) if both else None,
            candidate_value=words(new) if both else None,
            values_at=values_at,
        )

    @staticmethod
    def _as_written(comparison: Comparison, change: ConditionChange) -> Observation:
        """Return the observation about a written condition that no link states as it is."""
        was, now = change.golden, change.candidate
        both = bool(was and now) and was != now
        said = f"{_KINDS[change.kind]}: " if both else f"is gone: `{was}`" if was else f"is new: `{now}`"
        said = said if was != now else f"names other steps than in the golden, or none: `{now}`"
        message, values_at = with_values(
            f"the condition of {change.name} {said}", instead(was, now) * both, _where(change.kind, change.situation)
        )
        prose = change.formulas is not None and _is_reworded(comparison, *change.formulas)
        return Observation(
            message,
            golden=change.steps[:1],
            key=("written", change.kind),
            witness=(change.situation,) if change.situation else (),
            severity="info" if change.kind == "other words" and prose else None,
            golden_value=was if both else None,
            candidate_value=now if both else None,
            values_at=values_at,
        )

    def _joins(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step of a data file that waits for less than in the golden."""
        golden, candidate = comparison.golden, comparison.candidate
        if golden.semantics != candidate.semantics:
            return
        names = {candidate.tasks[other].id: golden.tasks[task].id for task, other in comparison.pairs}
        was, is_now = waits_of(golden, {name: name for name in names.values()}), waits_of(candidate, names)
        data = are_data(comparison)
        orders = Orders.of(comparison)
        for task, _ in comparison.pairs:
            name = golden.tasks[task].id
            if name not in was or name not in is_now or was[name][0] != is_now[name][0]:
                continue
            (_, old), (_, new) = was[name], is_now[name]
            kind, situation = compare_conditions(comparison, old, new)
            less = kind == "weaker" and bool(situation)
            if (less or kind == "too complex") and not self._is_reported(comparison, Way(None, task)):
                now = f"{words(new)} instead of {words(old)}"
                yield Observation(
                    f"{orders.step(task)} no longer waits for all that it waited for: {now}, for example when "
                    f"{situation}"
                    if less
                    else f"what {orders.step(task)} waits for is too complex to compare: {now}",
                    golden=(task,),
                    key=("join", words(old), words(new)),
                    witness=(situation,) if less else (),
                    severity="error" if less and data and is_same_step(comparison, task) else None,
                )

    @staticmethod
    def _is_reported(comparison: Comparison, way: Way) -> bool:
        """Return whether WR201 or WR202 reports the target step."""
        task = way.target
        if task is None or way.outcome != "success":
            return False
        twin = comparison.candidate_of[task]
        was, is_now = comparison.golden_behaviour.must_run(task), comparison.candidate_behaviour.must_run(twin)
        off = comparison.candidate_behaviour.runs[twin] == FALSE and switches_off(comparison.candidate_behaviour)
        return (was.value is True and (off or is_skipped(comparison.candidate_behaviour, twin, is_now))) or (
            is_now.value is True and is_skipped(comparison.golden_behaviour, task, was)
        )


class BranchesExchanged(RelativeCheck):
    """The branches of a decision are exchanged.

    What it does:
        Reports branches after one step if the branches have the same conditions as in the golden, but each condition
        now leads to the step of another branch. Single words such as "yes" and "no" are compared too. Not reported if
        the text of the deciding step now means the opposite ("Valid?", "Invalid?"), or if the target steps have the
        same name.

    Why it matters:
        The steps for passed tests now run when the tests fail.

    Golden:
        ``Tests passed? -> Ship`` if ``yes``, ``Tests passed? -> Revert`` if ``no``

    Candidate:
        ``Tests passed? -> Ship`` if ``no``, ``Tests passed? -> Revert`` if ``yes``

    How to fix:
        Exchange the conditions again.
    """

    id: ClassVar[str] = "WR306"
    defect: ClassVar[str] = "branches-exchanged"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "guard"
    rank: ClassVar[int] = 30
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per decision and group of exchanged branches."""
        if not (comparison.golden_behaviour.selections.written or comparison.candidate_behaviour.selections.written):
            return
        was, is_now = conditions_of(comparison)
        orders = Orders.of(comparison)
        rings = [sorted(ring, key=orders.rank) for ring in exchanges(comparison, was, is_now)]
        for ring in sorted(rings, key=lambda ring: orders.rank(ring[0])):
            first, *_ = ring
            source, _ = orders.ends(first)
            branches = [f"{orders.ends(way)[1]} now {_when(is_now[way])}" for way in ring]
            on = "" if first.outcome == "success" else f" on {first.outcome}"
            yield Observation(
                f"the branches{on} after {source} are exchanged: {listed(branches)}",
                golden=tuple(task for task in (first.source, *(way.target for way in ring)) if task is not None),
                key=(*("END" for way in ring if way.target is None), on),
            )


class SplitWeakened(RelativeCheck):
    """The branches of a split no longer exclude each other, no longer cover every case, or are tried in another order.

    What it does:
        Compares the splits that follow the same steps. Reports conditions that exclude each other in the golden but
        not in the candidate. Reports situations in which the candidate, but not the golden, takes no branch. A lost
        default branch is reported by WR303. In BPMN, reports conditions that do not exclude each other if their flows
        are in another order in the file.

    Why it matters:
        The golden takes exactly one branch. The candidate may take no branch, or the engine chooses one of several
        branches: Camunda, for example, takes the first flow in the file whose condition holds.

    Golden:
        ``to ship`` if ``p < 10``, ``to ask`` if ``p >= 10``

    Candidate:
        ``to ship`` if ``p < 10``, ``to ask`` if ``p > 10``

    How to fix:
        Change the conditions so that they exclude each other and cover every case, as in the golden.
    """

    id: ClassVar[str] = "WR302"
    defect: ClassVar[str] = "split-weakened"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "guard"
    rank: ClassVar[int] = 32
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per split and lost property."""
        orders = Orders.of(comparison)
        for old, new in _splits(comparison):
            names = listed([orders.step(task) for task in old.tasks]) or "START"
            now = overlap(new.behaviour, new.node, new.links)
            if now is not None and _excluded(old):
                situation = str(now[2].situation)
                yield Observation(
                    f"two branches after {names} can now both be taken when {situation}; "
                    "in the golden, only one of them could be taken",
                    golden=old.tasks,
                    key=("exclusive",),
                    witness=(situation,),
                )
            was = old.overlapping
            for first, second in sorted(was.keys() & {(other, one) for one, other in new.overlapping}):
                situation = was[first, second]
                first_name, second_name = (
                    listed([orders.step(task) for task in ends]) or "END" for ends in (first, second)
                )
                yield Observation(
                    f"the branch after {names} to {second_name} is now before the branch to {first_name}: an engine "
                    f"that takes the first branch takes another one when {situation}",
                    golden=(*old.tasks, *first, *second),
                    key=("order",),
                    witness=(situation,),
                )
            missing = gap(new.behaviour, new.node, new.links)
            if missing is not None and not old.has_default and gap(old.behaviour, old.node, old.links) is None:
                situation = str(missing.situation)
                if _covered(old):
                    yield Observation(
                        f"no branch after {names} is taken any more when {situation}",
                        golden=old.tasks,
                        key=("exhaustive",),
                        witness=(situation,),
                    )


class DefaultLost(RelativeCheck):
    """A split lost its default branch.

    What it does:
        Compares the splits that follow the same steps. Reports a split that has a default branch in the golden but not
        in the candidate. Not reported if the conditions of the candidate cover every case without a default branch.

    Why it matters:
        The workflow no longer handles cases that match no condition.

    Golden:
        ``to retry`` if ``status == 'timeout'``, ``to report`` by default

    Candidate:
        ``to retry`` if ``status == 'timeout'``, ``to report`` if ``status == 'error'``

    How to fix:
        Mark one branch as the default, as in the golden.
    """

    id: ClassVar[str] = "WR303"
    defect: ClassVar[str] = "default-lost"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "guard"
    rank: ClassVar[int] = 33
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per split that lost its default branch."""
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


def _is_reworded(comparison: Comparison, old: Formula, new: Formula) -> bool:
    """Return whether two conditions that cannot be compared exactly are sentences without a contradiction."""
    links = (*comparison.golden.links, *comparison.candidate.links)
    languages = {link.guard.language for link in links if link.guard and link.guard.expr}
    leaves = [atom for formula in (old, new) for atom in atoms(formula)]
    prose = all(isinstance(atom, Atom) and atom.relation == "truthy" and _is_prose(atom.term.text) for atom in leaves)
    texts = words(old).translate(_BRACKETS), words(new).translate(_BRACKETS)
    rules = (contradictions, has_other_limits, has_other_logic)
    return (
        prose
        and languages <= {"plain"}
        and not any(rule(*texts) for rule in rules)
        and not _is_other(comparison, *texts)
    )


def _is_other(comparison: Comparison, golden: str, candidate: str) -> bool:
    """Return whether a single word of a short condition was replaced, and the meaning model doubts that both are one.

    Neither is enough alone: for the embedder "above" and "exceeds" are as unlike as "booked" and "printed", and the
    model doubts 13 to 36 % of the accepted rewordings of conditions. Together they report 10 of 4,000 (0.25 %).
    """
    model = comparison.meaning_model
    if model is None or replaced_word(golden, candidate) is None:
        return False
    (score,) = model.compare([(golden, candidate)])
    return model.p_value(score.logit, len(golden.split())) <= DOUBTED


def _around(comparison: Comparison, way: Way) -> str:
    """Return the names of the golden's steps around a link, and the name of the deciding step in the candidate."""
    source, target = way.ends
    names = [comparison.golden.tasks[task].name for task in (source, target) if task is not None]
    twin = None if source is None else comparison.candidate_of[source]
    return "\n".join([*names, *([] if twin is None else [comparison.candidate.tasks[twin].name])])


def _is_prose(text: str) -> bool:
    """Return whether a text has only words and numbers ("the canary's error rate is above 2 %"), no operators."""
    return _OPERATOR.search(text) is None


def _when(condition: Formula) -> str:
    return "in every situation" if condition == ALWAYS else f"when `{words(condition)}`"


_BRACKETS = str.maketrans("«»", "()")
_OPERATOR = re.compile(r"[<>=&|!(){}\[\]$*+^~\\_]|\w[./:]\w*[A-Za-z]")
"""What formulas and names of values have and sentences have not."""
_KINDS = {
    "weaker": "now holds more often",
    "stronger": "now holds less often",
    "different": "now holds in other cases",
    "other words": "has other words",
    "too complex": "is too complex to compare",
}


def _where(kind: str, situation: str) -> str:
    """Return a situation in which the conditions differ: one that only the weaker of both lets through."""
    only = "candidate" if kind == "weaker" else "golden"
    return f"; for example, only the {only} goes on when {situation}" if situation else ""


def _goes_on_without(comparison: Comparison, way: Way) -> bool:
    """Return whether only in the candidate the target of a link also runs if the source was skipped."""
    if way.source is None or way.target is None:
        return False
    was, now = comparison.golden, comparison.candidate
    ends = was.tasks[way.source].id, was.tasks[way.target].id
    twins = tuple(now.tasks[comparison.candidate_of[task]].id for task in (way.source, way.target))
    before, after = (
        {(link.source, link.target) for link in flow.links if link.outcome == "skipped"} for flow in (was, now)
    )
    return twins in after and ends not in before


def _change(kind: str, old: Formula, new: Formula) -> str:
    if old == ALWAYS:
        return f"is new: `{words(new)}`"
    return f"is gone: `{words(old)}`" if new == ALWAYS else f"{_KINDS[kind]}: "


@dataclass(frozen=True)
class _Split:
    """The alternative branches of a split, in the golden or in the candidate.

    Attributes:
        behaviour: The behaviour of the workflow.
        node: The node that the branches leave.
        links: The branches.
        tasks: Golden positions of the steps before the split.
        golden_of: The golden position of each shared step.
    """

    behaviour: Behaviour
    node: int
    links: list[int]
    tasks: tuple[int, ...]
    golden_of: Mapping[int, int]

    @property
    def has_default(self) -> bool:
        guards = [self.behaviour.flow.links[link][2].guard for link in self.links]
        return any(guard is not None and guard.default for guard in guards)

    @property
    def has_plain(self) -> bool:
        return any(self.behaviour.flow.links[link][2].guard is None for link in self.links)

    @property
    def overlapping(self) -> dict[tuple[tuple[int, ...], tuple[int, ...]], str]:
        """The branches of BPMN that can both be taken, in the order of the file, each with a situation.

        A branch is given by the golden positions of the steps behind it, none for the end. Branches to the same steps,
        and branches to a step without a counterpart, are left out.
        """
        situations = {}
        spans = {link: self.behaviour.flow.links[link][2].span for link in self.links}
        places = {link: (span.line, span.column) for link, span in spans.items() if span is not None}
        for one, other, answer in overlaps(self.behaviour, self.node, sorted(places, key=places.__getitem__)):
            first, second = self._ends(one), self._ends(other)
            if first is not None and second is not None and first != second:
                situations[first, second] = str(answer.situation)
        return situations

    def _ends(self, link: int) -> tuple[int, ...] | None:
        flow = self.behaviour.flow
        _, target, written = flow.links[link]
        tasks = [task for task in flow.tasks_behind(target) if flow.task(task) is not None]
        known = [self.golden_of[task] for task in tasks if task in self.golden_of]
        bpmn = written.guard is not None and written.guard.language == "bpmn"
        return tuple(sorted(known)) if bpmn and len(known) == len(tasks) else None

    @property
    def guards(self) -> list[Formula]:
        guards = [self.behaviour.selections.guards[link] for link in self.links]
        return [guard for guard in guards if guard is not None]


def _splits(comparison: Comparison) -> Iterator[tuple[_Split, _Split]]:
    """Yield the pairs of golden and candidate splits that follow the same steps."""
    same = {task: task for task in comparison.candidate_of}
    before = _placed(comparison.golden_behaviour, same)
    now = _placed(comparison.candidate_behaviour, comparison.golden_of)
    for key in sorted(before.keys() & now.keys()):
        yield before[key], now[key]


def _placed(behaviour: Behaviour, golden_of: Mapping[int, int]) -> dict[tuple[tuple[int, ...], str], _Split]:
    """Return the splits by (golden steps before the split, outcome); ambiguous keys are left out."""
    placed: defaultdict[tuple[tuple[int, ...], str], list[_Split]] = defaultdict(list)
    for node, links in groups(behaviour):
        flow = behaviour.flow
        steps = [golden_of.get(task) for task in flow.tasks_before(node) if flow.task(task) is not None]
        known = sorted(step for step in steps if step is not None)
        if len(known) == len(steps):
            outcome = flow.links[links[0]][2].outcome
            placed[tuple(known), outcome].append(_Split(behaviour, node, links, tuple(known), golden_of))
    return {key: splits[0] for key, splits in placed.items() if len(splits) == 1}


def _excluded(split: _Split) -> bool:
    guards = split.guards
    return all(
        split.behaviour.exclude(one, other).value is True
        for place, one in enumerate(guards)
        for other in guards[place + 1 :]
    )


def _covered(split: _Split) -> bool:
    return split.has_plain or split.behaviour.always(some(split.guards)).value is True
