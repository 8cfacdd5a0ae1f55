"""Checks of lost failure handlers and changed loops."""

from collections import defaultdict
from collections.abc import Iterator
from typing import ClassVar

from wfgate.compare import Comparison, compare_conditions
from wfgate.logic import Flow, GuardSyntaxError, parse
from wfgate.model import Loop, Task, listed
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity, instead, quoted, with_values
from wfgate.rules.conditions import Conditions, conditions_of
from wfgate.rules.relative.order import Orders

_FAILURES = frozenset({"failure", "timeout"})


class HandlerLost(RelativeCheck):
    """The failure of a step is no longer handled.

    What it does:
        Reports a step that has a link on failure or timeout in the golden, but not in the candidate. If all steps that
        this link leads to are missing, only the missing steps are reported (WR101). If both files are data, a link
        that now leads to END handles nothing; it is reported unless WR111 or WR204 reports the lost link.

    Why it matters:
        A rollback may still be in the file, but no link leads to it.

    Golden:
        ``deploy -> rollback`` on failure

    Candidate:
        ``deploy``, without a link on failure

    How to fix:
        Restore the link with its outcome.
    """

    id: ClassVar[str] = "WR304"
    defect: ClassVar[str] = "handler-lost"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "outcome"
    rank: ClassVar[int] = 34
    version: ClassVar[int] = 2
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that lost its handler."""
        orders = Orders.of(comparison)
        was, is_now = _handlers(comparison.golden_behaviour.flow), _handlers(comparison.candidate_behaviour.flow)
        for task, twin in comparison.pairs:
            for outcome, handlers in was[task].items():
                kept = [handler for handler in handlers if handler in comparison.candidate_of]
                if handlers and not kept:
                    continue
                if outcome in is_now[twin]:
                    linked = any((task, handler) in orders.candidate.edges for handler in kept)  # by another outcome
                    if is_now[twin][outcome] or not linked or not orders.is_fact(task):
                        continue
                names = listed([orders.name(handler) for handler in kept]) or "END"
                yield Observation(
                    f"the {outcome} of {orders.step(task)} is no longer handled; in the golden it leads to {names}",
                    golden=(task, *kept),
                    key=(outcome,),
                )


class OutcomeChanged(RelativeCheck):
    """A step now runs although the step before it failed, or no longer does.

    What it does:
        Compares the outcomes of the links between shared steps. Reports a step that waits for the success of another
        step in the golden and also runs after its failure in the candidate, and a step that runs after every outcome
        in the golden and only after success in the candidate. A lost link on failure is reported by WR304.

    Why it matters:
        A deployment with ``if: always()`` deploys a build whose tests failed.

    Golden:
        ``test -> deploy``

    Candidate:
        ``test -> deploy`` with the outcome ``always``

    How to fix:
        Restore the outcome of the link, or approve the candidate.
    """

    id: ClassVar[str] = "WR307"
    defect: ClassVar[str] = "outcome-changed"
    severity: ClassVar[Severity] = "error"
    about: ClassVar[Kind] = "outcome"
    rank: ClassVar[int] = 35
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per link whose outcome changed."""
        orders = Orders.of(comparison)
        was, is_now = (_outcomes(conditions) for conditions in conditions_of(comparison))
        for source, target in sorted(was.keys() & is_now.keys()):
            before, now = was[source, target], is_now[source, target]
            if not _runs_after_failure(before) and _runs_after_failure(now):
                change = "now also runs" if now & {"always", "success"} else "now only runs"
            elif "always" in before and not _runs_after_failure(now):
                change = "no longer runs"
            else:
                continue
            message = f"{orders.step(target)} {change} if {orders.name(source)} fails"
            yield Observation(message, golden=(target, source), key=(change,))


class LoopChanged(RelativeCheck):
    """The loop of a step changed.

    What it does:
        Compares the loops of matched steps. Reports an added or removed loop, and changes of mode, end condition,
        collection or maximum number of iterations. Logically equivalent end conditions count as equal.

    Why it matters:
        A step may be retried three times, a hundred times, or forever.

    Golden:
        ``smoke test`` until ``status == 200``, at most 10 times

    Candidate:
        ``smoke test`` until ``status == 200``

    How to fix:
        Restore the loop, or approve the candidate.
    """

    id: ClassVar[str] = "WR305"
    defect: ClassVar[str] = "loop-changed"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "loop"
    rank: ClassVar[int] = 36
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step whose loop changed."""
        for task, twin in comparison.pairs:
            golden, candidate = comparison.golden.tasks[task], comparison.candidate.tasks[twin]
            yield from loop_changes(comparison, golden, candidate, (task,))


def _outcomes(conditions: Conditions) -> dict[tuple[int, int], set[str]]:
    """Return the outcomes of the links between each pair of steps."""
    outcomes: defaultdict[tuple[int, int], set[str]] = defaultdict(set)
    for way in conditions:
        if way.source is not None and way.target is not None:
            outcomes[way.source, way.target].add(way.outcome)
    return outcomes


def _runs_after_failure(outcomes: set[str]) -> bool:
    return not outcomes.isdisjoint({"always", "failure"})


def _handlers(flow: Flow) -> defaultdict[int, dict[str, list[int]]]:
    """Return the handled outcomes of each step with the steps that handle them."""
    handlers: defaultdict[int, dict[str, list[int]]] = defaultdict(dict)
    for source, target, link in flow.links:
        if link.outcome in _FAILURES and flow.task(source) is not None:
            steps = [task for task in flow.tasks_behind(target) if flow.task(task) is not None]
            handlers[source].setdefault(link.outcome, []).extend(steps)
    return handlers


def loop_changes(
    comparison: Comparison, golden: Task, candidate: Task, steps: tuple[int, ...], key: tuple[str, ...] = ()
) -> Iterator[Observation]:
    """Yield an observation if the loop of a step changed.

    Args:
        comparison: The pair.
        golden: The step in the golden.
        candidate: The step in the candidate.
        steps: Positions of the golden steps that the observation is about.
        key: First parts of its key.
    """
    old, new = golden.loop, candidate.loop
    change, both = _loop_change(comparison, old, new)
    if change:
        message, values_at = with_values(f"{quoted(golden)} {change}", both)
        yield Observation(
            message,
            golden=steps,
            key=(*key, change + both),
            location=candidate.span,
            golden_value=old.condition if old and both else None,
            candidate_value=new.condition if new and both else None,
            values_at=values_at,
            about="loop",
        )


def _loop_change(comparison: Comparison, old: Loop | None, new: Loop | None) -> tuple[str, str]:
    """Return the change of a loop in words, and both conditions if only these differ; empty without a change.

    Both are part of fingerprints.
    """
    if old is None or new is None:
        return "" if old is new else "is no longer repeated" if new is None else "is now repeated", ""
    if old.mode != new.mode:
        return f"is now repeated '{new.mode}' instead of '{old.mode}'", ""
    if old.max != new.max:
        bounds = ["without bound" if loop.max is None else f"at most {loop.max} times" for loop in (old, new)]
        return f"is now repeated {bounds[1]} instead of {bounds[0]}", ""
    if old.over != new.over:
        return f"now runs over '{new.over}' instead of '{old.over}'", ""
    if old.condition == new.condition or _means_the_same(comparison, old, new):
        return "", ""
    return f"is now repeated {new.mode} ", instead(str(old.condition), str(new.condition))


def _means_the_same(comparison: Comparison, old: Loop, new: Loop) -> bool:
    """Return whether the conditions of two loops are equivalent."""
    try:
        one, other = (parse(loop.condition or "", loop.language) for loop in (old, new))
    except GuardSyntaxError:
        return False
    return one == other or compare_conditions(comparison, one, other)[0] == "same"
