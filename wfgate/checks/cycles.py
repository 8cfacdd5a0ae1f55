"""Cycles: where none is allowed, and where one is never left."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wfgate.checks.base import AbsoluteCheck, Observation, Severity, Subject, listed

SEARCH_BUDGET = 1_000_000
"""Links followed in search of the shortest cycle; beyond that the shortest one found so far is shown."""


class CycleWithoutExit(AbsoluteCheck):
    """No link leaves a cycle.

    What it does:
        Reports cycles that no link leaves, neither to another step nor to END. Applies where steps are run one after
        the other (token and state-machine semantics).

    Why it matters:
        Once entered, it runs for ever: the workflow never completes.

    Golden:
        ``draft -> review``, ``review -> draft`` (rejected), ``review -> publish`` (approved)

    Candidate:
        ``draft -> review``, ``review -> draft``

    How to fix:
        Add the link by which the loop is left, with its condition.
    """

    id: ClassVar[str] = "WF310"
    defect: ClassVar[str] = "cycle-without-exit"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per strongly connected component that nothing leaves."""
        if subject.workflow.semantics == "dag":
            return
        for part in subject.sinks:
            entered = not subject.graph.starts or part[0] in subject.reachable
            if entered and is_reported(subject, part):
                tasks = subject.sorted(part)
                names = subject.named(tasks)
                who = f"{names[0]} repeats" if len(names) == 1 else f"{listed(names)} repeat"
                cycle = shortest_cycle(subject, tasks)
                yield Observation(
                    f"{who} for ever: no link leaves the cycle", tuple(tasks), witness=_walk(subject, cycle)
                )


class Cycle(AbsoluteCheck):
    """Steps wait for each other in a cycle.

    What it does:
        Reports cycles and steps linked with themselves in formats that allow none (dag semantics), one finding for
        each group of steps that reach each other, with one shortest cycle. Links marked as the returning edge of a
        loop are no defect.

    Why it matters:
        Each step waits for the one before: none of them ever runs, or the engine refuses the file.

    Golden:
        ``build -> test``, ``test -> deploy``

    Candidate:
        ``build -> test``, ``test -> deploy``, ``deploy -> build``

    How to fix:
        Delete the link that leads back, or mark it as the returning edge of a loop if repetition is meant.
    """

    id: ClassVar[str] = "WF312"
    defect: ClassVar[str] = "cycle"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per strongly connected component that holds a cycle."""
        if subject.workflow.semantics != "dag":
            return
        for part in subject.graph.cycles:
            cycle = shortest_cycle(subject, part)
            names = subject.named(cycle)
            who = f"{names[0]} waits for itself" if len(names) == 1 else f"{listed(names)} wait for each other"
            rest = len(part) - len(cycle)
            message = f"{who} in a cycle" + (f", with {rest} more steps in further cycles" if rest else "")
            tasks = (*cycle, *subject.sorted(set(part) - set(cycle)))
            yield Observation(message, tasks, witness=_walk(subject, cycle))


def is_reported(subject: Subject, part: Sequence[int], *, alone: bool = True) -> bool:
    """Return whether a strongly connected component is a cycle that a check of this file reports.

    Args:
        subject: The workflow.
        part: A component from which no link leads on, or to which none leads.
        alone: Whether a cycle without exit counts; False for a cycle in want of an entry.
    """
    if subject.workflow.semantics == "dag":
        return any(task in subject.cyclic for task in part)
    loops = len(part) > 1 or (part[0], part[0]) in subject.flow.edges
    return alone and loops and not set(part) & set(subject.graph.ends)


def shortest_cycle(subject: Subject, part: Sequence[int]) -> list[int]:
    """Return a shortest cycle inside a strongly connected component, from its first step in topological order.

    Of several shortest ones it is the one that content orders first. Only steps with a choice are tried: a cycle
    none of whose steps has one is the whole component.
    """
    members = set(part)
    graph = subject.graph if subject.workflow.semantics == "dag" else subject.flow
    ordered = subject.sorted(part)
    following = {task: subject.sorted(members.intersection(graph.successors[task])) for task in ordered}
    best: list[int] = []
    left = SEARCH_BUDGET
    for first in [task for task in ordered if len(following[task]) > 1] or ordered[:1]:
        came_from: dict[int, int] = {}
        layer = [first]
        length = 0
        while layer and first not in came_from and (not best or length + 1 < len(best)):
            length += 1
            found: list[int] = []
            for task in layer:
                left -= len(following[task])
                for near in following[task]:
                    if near not in came_from:
                        came_from[near] = task
                        found.append(near)
            layer = found
        if first in came_from:
            best = [first]
            while came_from[best[-1]] != first:
                best.append(came_from[best[-1]])
            best = [first, *reversed(best[1:])]
        if left < 0 and best:
            break
    lead = best.index(min(best, key=subject.place.__getitem__))
    return best[lead:] + best[:lead]


def _walk(subject: Subject, cycle: Sequence[int]) -> tuple[str, ...]:
    return tuple(subject.tasks[task].name for task in (*cycle, cycle[0]))
