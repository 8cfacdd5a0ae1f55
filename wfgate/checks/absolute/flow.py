"""Where the flow starts and ends, and which steps it misses."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wfgate.checks.absolute.cycles import is_reported
from wfgate.checks.base import AbsoluteCheck, Observation, Severity, Subject, listed, regions
from wfgate.model import END, START


class NoStart(AbsoluteCheck):
    """Nothing follows START.

    What it does:
        Reports a workflow without steps, and one in which no link leads from START to a step. If every way back
        from a step ends in a cycle of a format that allows none, the cycle is the defect and reported instead; a link
        from a step that does not exist is left to WF003.

    Why it matters:
        No step ever runs.

    Golden:
        ``START -> build``

    Candidate:
        ``build -> test``, and no link from START.

    How to fix:
        Link START with the step that is to run first.
    """

    id: ClassVar[str] = "WF101"
    defect: ClassVar[str] = "no-start"
    severity: ClassVar[Severity] = "error"
    version: ClassVar[int] = 2

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        if not subject.tasks:
            yield Observation("the workflow has no steps", key=("empty",))
        elif (
            not subject.graph.starts
            and START not in subject.dangling[1]
            and not all(_is_told(subject, part, 0) or is_reported(subject, part) for part in subject.sources)
        ):
            yield Observation("no step follows START: a link from START is missing")


class SeveralStarts(AbsoluteCheck):
    """START leads to several steps.

    What it does:
        Reports several unguarded links out of START. A gateway behind START, or a guard on each link, says that the
        branching is meant. A warning where tokens flow or states change; only a note in a graph of dependencies, where
        steps that need nothing start at once.

    Why it matters:
        Often one of them was to wait for another and its link got lost. If all of them are to start at once,
        nothing is wrong.

    Golden:
        ``START -> build``, ``build -> test``

    Candidate:
        ``START -> build``, ``START -> test``

    How to fix:
        Link the steps that have to wait, or put an AND split behind START.
    """

    id: ClassVar[str] = "WF102"
    defect: ClassVar[str] = "several-starts"
    severity: ClassVar[Severity] = "warning"
    version: ClassVar[int] = 2
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        links = [link for link in subject.workflow.links if link.source == START and link.target != END]
        gateways = {gateway.id for gateway in subject.workflow.gateways}
        first = {link.target for link in links if link.target in subject.number or link.target in gateways}
        if len(first) > 1 and not all(link.guard for link in links):
            starts = subject.sorted(subject.graph.starts)
            names = listed(subject.named(starts), 4)
            severity: Severity = "info" if subject.workflow.semantics == "dag" else "warning"
            message = f"the workflow starts at {len(starts)} steps: {names}"
            yield Observation(message, tuple(starts), severity=severity)


class NoEnd(AbsoluteCheck):
    """Nothing leads to END.

    What it does:
        Reports a workflow in which no step is linked to END. If all ways run into cycles that nothing leaves, the
        cycles are the defect and reported instead; a link to a step that does not exist is left to WF003.

    Why it matters:
        The workflow is never complete, and nobody can say which result is the last.

    Golden:
        ``publish -> END``

    Candidate:
        ``build -> publish``, and no link to END.

    How to fix:
        Link the last step with END.
    """

    id: ClassVar[str] = "WF103"
    defect: ClassVar[str] = "no-end"
    severity: ClassVar[Severity] = "error"
    version: ClassVar[int] = 2

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation at most."""
        if (
            subject.tasks
            and not subject.graph.ends
            and END not in subject.dangling[0]
            and not all(_is_told(subject, part, 1) or is_reported(subject, part) for part in subject.sinks)
        ):
            yield Observation("no step leads to END: a link to END is missing")


class IsolatedTask(AbsoluteCheck):
    """A step is linked with no other step.

    What it does:
        Reports steps without a link from or to another step while other steps are linked. Steps that START does not
        reach or that do not reach END are left to WF105 and WF106.

    Why it matters:
        It runs beside everything else, whatever it needs or others need of it.

    Golden:
        ``build -> test``, ``test -> notify``

    Candidate:
        ``build -> test``, and ``notify`` alone between START and END.

    How to fix:
        Link it with the steps that it has to wait for or that have to wait for it.
    """

    id: ClassVar[str] = "WF104"
    defect: ClassVar[str] = "isolated-task"
    severity: ClassVar[Severity] = "warning"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per isolated step."""
        linked = {task for source, target in subject.flow.edges if source != target for task in (source, target)}
        if not linked:
            return
        flow = subject.behaviour.flow
        for source, target, _ in flow.links:  # a branch of one step is linked with the operator
            gateways = [gate for gate in (flow.gateway(source), flow.gateway(target)) if gate is not None]
            if any(not gate.implied for gate in gateways):
                linked |= {source, target}
        graph = subject.graph
        for task in subject.order:
            unreachable = graph.starts and task not in subject.reachable
            dead_end = graph.ends and task not in subject.finishing and task not in subject.unlinked
            if task in linked or task in subject.shadowed or unreachable or dead_end:
                continue
            yield Observation(f"{subject.named([task])[0]} is linked with no other step", (task,))


class UnreachableTask(AbsoluteCheck):
    """No path leads from START to a step.

    What it does:
        Reports steps that nothing reaches, one finding for each part of the graph that hangs together: it names the
        steps at the front, into which a link is missing, and counts the steps behind them. Where a link comes from a
        step that does not exist, WF003 says so.

    Why it matters:
        The step is in the file but never runs.

    Golden:
        ``START -> build``, ``build -> test``, ``test -> END``

    Candidate:
        ``START -> build``, ``build -> END``, ``test -> END``

    How to fix:
        Add the missing link into the first of the steps.
    """

    id: ClassVar[str] = "WF105"
    defect: ClassVar[str] = "unreachable-task"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per region that START does not reach."""
        if not subject.graph.starts:
            return
        sources = [part for part in subject.sources if part[0] not in subject.reachable]
        fronts = [
            part for part in sources if not _is_told(subject, part, 0) and not is_reported(subject, part, alone=False)
        ]
        for region, front in _by_region(subject, subject.reachable, fronts):
            names = [_named(subject, part) for part in front]
            rest = len(region) - sum(len(part) for part in front)
            if len(region) == 1 and region[0] in subject.unlinked:
                message = f"{names[0]} is linked with nothing: links into it and out of it are missing"
            else:
                message = f"no path leads from START to {listed(names)}: {_missing('into', front)}"
                message += f"; {_steps(rest)} behind cannot be reached either" if rest else ""
                if subject.graph.ends and not subject.finishing.intersection(region):
                    message += "; no path leads on to END"
            first = [task for part in front for task in part]
            yield Observation(message, (*first, *subject.sorted(set(region) - set(first))))


class DeadEnd(AbsoluteCheck):
    """No path leads from a step to END.

    What it does:
        Reports steps from which END cannot be reached, one finding for each part of the graph that hangs together:
        it names the steps at which the flow stops, out of which a link is missing, and counts the steps that lead
        nowhere else. Cycles without an exit are left to WF310, steps that never run to WF105, links to nothing to
        WF003. An error where tokens flow, a warning in a graph of dependencies.

    Why it matters:
        A token that gets there is stuck: the workflow never completes. In a graph of dependencies the step runs, but
        nothing uses its result.

    Golden:
        ``START -> build``, ``build -> test``, ``test -> END``, ``build -> publish``, ``publish -> END``

    Candidate:
        ``START -> build``, ``build -> test``, ``test -> END``, ``build -> publish``

    How to fix:
        Link the step with the one that comes next, or with END.
    """

    id: ClassVar[str] = "WF106"
    defect: ClassVar[str] = "dead-end"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per region that does not reach END."""
        if not subject.graph.ends:
            return
        covered = subject.finishing | subject.unlinked
        if subject.graph.starts:
            covered |= frozenset(range(subject.graph.n)) - subject.reachable
        sinks = [part for part in subject.sinks if part[0] not in covered]
        stops = [part for part in sinks if not _is_told(subject, part, 1) and not is_reported(subject, part)]
        severity: Severity = "warning" if subject.workflow.semantics == "dag" else "error"
        for region, stop in _by_region(subject, covered, stops):
            names = [_named(subject, part) for part in stop]
            rest = len(region) - sum(len(part) for part in stop)
            message = f"no path leads from {listed(names)} to END: {_missing('out of', stop)}"
            message += f"; {_steps(rest)} before lead{'s' * (rest == 1)} nowhere else" if rest else ""
            first = [task for part in stop for task in part]
            tasks = (*first, *subject.sorted(set(region) - set(first)))
            yield Observation(message, tasks, severity=severity)


def _is_told(subject: Subject, part: Sequence[int], side: int) -> bool:
    """Return whether a link from nothing (side 0) or to nothing (side 1) explains what this part lacks."""
    return any(subject.tasks[task].id in subject.dangling[side] for task in part)


def _by_region(
    subject: Subject, covered: frozenset[int], parts: Sequence[Sequence[int]]
) -> Iterator[tuple[list[int], list[list[int]]]]:
    """Yield each connected region outside `covered` with those of the parts that lie in it, in topological order."""
    outside = set(range(subject.graph.n)) - covered - subject.shadowed
    ordered = sorted((subject.sorted(part) for part in parts), key=lambda part: subject.place[part[0]])
    for region in regions(outside, subject.flow):
        members = set(region)
        inside = [part for part in ordered if part[0] in members]
        if inside:
            yield region, inside


def _named(subject: Subject, part: Sequence[int]) -> str:
    names = subject.named(part)
    return names[0] if len(names) == 1 else f"the cycle of {listed(names)}"


def _missing(side: str, parts: Sequence[Sequence[int]]) -> str:
    return f"a link {side} it is missing" if len(parts) == 1 else f"links {side} them are missing"


def _steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number} steps"
