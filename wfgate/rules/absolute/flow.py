"""Checks of START and END, and of steps that are not on a path from START to END."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wfgate.model import END, START, listed
from wfgate.rules.absolute.cycles import is_reported
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject, regions


class NoStart(AbsoluteCheck):
    """No step follows START.

    What it does:
        Reports a workflow that has no steps, or no link from START to a step. If the first steps form a cycle that
        WF310 or WF312 reports, only the cycle is reported. A link from an undefined step is reported by WF003.

    Why it matters:
        No step ever runs.

    Golden:
        ``START -> build``

    Candidate:
        ``build -> test``, and no link from START.

    How to fix:
        Link START to the step that should run first.
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
            and not all(_has_dangling_link(subject, part, 0) or is_reported(subject, part) for part in subject.sources)
        ):
            yield Observation("no step follows START: add a link from START")


class SeveralStarts(AbsoluteCheck):
    """START leads to several steps.

    What it does:
        Reports several links without a condition from START. A gateway after START, or a condition on every link,
        shows that the branching is intended. The finding is a warning for token and state-machine semantics. For dag
        semantics, in which all steps without predecessors start at once, it is only information.

    Why it matters:
        Often one of these steps should wait for another step, and the link between the two was lost. If all these
        steps should start at once, nothing is wrong.

    Golden:
        ``START -> build``, ``build -> test``

    Candidate:
        ``START -> build``, ``START -> test``

    How to fix:
        If a step has to wait, link the step that it waits for to it. If all steps should start at once, put an AND
        split after START.
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
    """No step leads to END.

    What it does:
        Reports a workflow in which no step is linked to END. If all paths lead into cycles without exit, only these
        cycles are reported (WF310, WF312). A link to an undefined step is reported by WF003.

    Why it matters:
        The workflow never completes, and its final result is undefined.

    Golden:
        ``publish -> END``

    Candidate:
        ``build -> publish``, and no link to END.

    How to fix:
        Link the last step to END.
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
            and not all(_has_dangling_link(subject, part, 1) or is_reported(subject, part) for part in subject.sinks)
        ):
            yield Observation("no step leads to END: add a link to END")


class IsolatedTask(AbsoluteCheck):
    """A step is not linked to any other step.

    What it does:
        Reports steps without a link to or from another step, if other steps of the workflow are linked. Links from
        START and to END do not count. A step that START cannot reach (WF105), or that cannot reach END (WF106), is
        reported only by that check.

    Why it matters:
        The step runs in parallel with all other steps. It does not wait for the steps whose results it needs, and no
        step waits for its result.

    Golden:
        ``build -> test``, ``test -> notify``

    Candidate:
        ``build -> test``, and ``notify`` alone between START and END.

    How to fix:
        Link the step with the steps that must run before it and with the steps that must run after it.
    """

    id: ClassVar[str] = "WF104"
    defect: ClassVar[str] = "isolated-step"
    severity: ClassVar[Severity] = "warning"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per isolated step."""
        linked = {task for source, target in subject.flow.edges if source != target for task in (source, target)}
        if not linked:
            return
        flow = subject.behaviour.flow
        for source, target, _ in flow.links:  # a branch of a single step is linked by its gateway
            gateways = [gate for gate in (flow.gateway(source), flow.gateway(target)) if gate is not None]
            if any(not gate.implied for gate in gateways):
                linked |= {source, target}
        graph = subject.graph
        for task in subject.order:
            unreachable = graph.starts and task not in subject.reachable
            dead_end = graph.ends and task not in subject.finishing and task not in subject.unlinked
            if task in linked or task in subject.shadowed or unreachable or dead_end:
                continue
            yield Observation(f"{subject.named([task])[0]} is not linked to any other step", (task,))


class UnreachableTask(AbsoluteCheck):
    """A step is not reachable from START.

    What it does:
        Reports steps that are not reachable from START, one finding per connected part of the graph. The finding names
        the first steps of the part, which lack an incoming link, and counts the steps after them. A link from an
        undefined step is reported by WF003.

    Why it matters:
        The step is in the file but never runs.

    Golden:
        ``START -> build``, ``build -> test``, ``test -> END``

    Candidate:
        ``START -> build``, ``build -> END``, ``test -> END``

    How to fix:
        Add the missing link to the first step of the reported steps.
    """

    id: ClassVar[str] = "WF105"
    defect: ClassVar[str] = "unreachable-step"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per connected part that is not reachable from START."""
        if not subject.graph.starts:
            return
        sources = [part for part in subject.sources if part[0] not in subject.reachable]
        fronts = [
            part
            for part in sources
            if not _has_dangling_link(subject, part, 0) and not is_reported(subject, part, alone=False)
        ]
        for region, front in _by_region(subject, subject.reachable, fronts):
            names = [_named(subject, part) for part in front]
            rest = subject.sorted(set(region) - {task for part in front for task in part})
            if len(region) == 1 and region[0] in subject.unlinked:
                message = f"{names[0]} has no links: add a link to it and a link from it"
            else:
                message = f"no path leads from START to {listed(names)}: add {_links('to', front)}"
                after = listed(subject.named(rest))
                message += f"; after {_it(front)}, {after} cannot be reached either" if rest else ""
                if subject.graph.ends and not subject.finishing.intersection(region):
                    message += f"; no path leads from {_it(front)} to END either"
            first = [task for part in front for task in part]
            yield Observation(message, (*first, *rest))


class DeadEnd(AbsoluteCheck):
    """No path leads from a step to END.

    What it does:
        Reports steps that cannot reach END, one finding per connected part of the graph. The finding names the steps
        at which the flow stops (they lack an outgoing link), and counts the steps that lead only to these. The finding
        is a warning for dag semantics, otherwise an error. Cycles without exit are reported by WF310, unreachable
        steps by WF105, links to undefined steps by WF003.

    Why it matters:
        With token semantics a token stays at the step and the workflow never completes. With dag semantics the step
        runs, but no other step uses its result.

    Golden:
        ``START -> build``, ``build -> test``, ``test -> END``, ``build -> publish``, ``publish -> END``

    Candidate:
        ``START -> build``, ``build -> test``, ``test -> END``, ``build -> publish``

    How to fix:
        Link the step to the next one, or to END.
    """

    id: ClassVar[str] = "WF106"
    defect: ClassVar[str] = "dead-end"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per connected part that cannot reach END."""
        if not subject.graph.ends:
            return
        covered = subject.finishing | subject.unlinked
        if subject.graph.starts:
            covered |= frozenset(range(subject.graph.n)) - subject.reachable
        sinks = [part for part in subject.sinks if part[0] not in covered]
        stops = [part for part in sinks if not _has_dangling_link(subject, part, 1) and not is_reported(subject, part)]
        severity: Severity = "warning" if subject.workflow.semantics == "dag" else "error"
        for region, stop in _by_region(subject, covered, stops):
            names = [_named(subject, part) for part in stop]
            rest = len(region) - sum(len(part) for part in stop)
            message = f"no path leads from {listed(names)} to END: add {_links('from', stop)}"
            message += f"; {_steps(rest)} lead{'s' * (rest == 1)} only to {_it(stop)}" if rest else ""
            first = [task for part in stop for task in part]
            tasks = (*first, *subject.sorted(set(region) - set(first)))
            yield Observation(message, tasks, severity=severity)


def _has_dangling_link(subject: Subject, part: Sequence[int], side: int) -> bool:
    """Return whether a step of this part has a link from (side 0) or to (side 1) an undefined id (WF003)."""
    return any(subject.tasks[task].id in subject.dangling[side] for task in part)


def _by_region(
    subject: Subject, covered: frozenset[int], parts: Sequence[Sequence[int]]
) -> Iterator[tuple[list[int], list[list[int]]]]:
    """Yield each connected region outside `covered`, with the parts inside the region, in topological order."""
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


def _links(side: str, parts: Sequence[Sequence[int]]) -> str:
    return f"a link {side} it" if len(parts) == 1 else f"links {side} them"


def _it(parts: Sequence[Sequence[int]]) -> str:
    return "it" if len(parts) == 1 else "them"


def _steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number} steps"
