"""Checks of cycles: cycles that are not allowed, have no exit, or have an exit condition that never changes."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wfgate.logic import Atom, GuardSyntaxError, parse, terms
from wfgate.model import Language, listed
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject, quoted

SEARCH_BUDGET = 1_000_000
"""Links followed when searching for the shortest cycle; after that, the shortest one found so far is shown."""


class CycleWithoutExit(AbsoluteCheck):
    """No link leaves a cycle.

    What it does:
        Reports cycles without a link to END or to a step outside the cycle. Applies to token and state-machine
        semantics.

    Why it matters:
        When the flow has entered the cycle, the cycle repeats forever and the workflow never completes.

    Golden:
        ``draft -> review``, ``review -> draft`` (rejected), ``review -> publish`` (approved)

    Candidate:
        ``draft -> review``, ``review -> draft``

    How to fix:
        Add a link out of the cycle, with the condition under which the cycle ends.
    """

    id: ClassVar[str] = "WF310"
    defect: ClassVar[str] = "cycle-without-exit"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per strongly connected component without outgoing links."""
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
                    f"{who} forever: no link leaves the cycle", tuple(tasks), witness=_walk(subject, cycle)
                )


class Cycle(AbsoluteCheck):
    """Steps wait for each other in a cycle.

    What it does:
        Applies to formats without cycles (dag semantics). Reports cycles, and steps that are linked to themselves. One
        finding is reported per strongly connected component; it shows one shortest cycle. Links marked as the back
        edge of a loop are allowed.

    Why it matters:
        Each step of the cycle waits for the step before it. No step of the cycle ever runs, or the engine rejects the
        file.

    Golden:
        ``build -> test``, ``test -> deploy``

    Candidate:
        ``build -> test``, ``test -> deploy``, ``deploy -> build``

    How to fix:
        Delete the link that closes the cycle. If the steps should repeat, mark this link as the back edge of a loop.
    """

    id: ClassVar[str] = "WF312"
    defect: ClassVar[str] = "cycle"
    severity: ClassVar[Severity] = "error"
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per strongly connected component with a cycle."""
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


class ExitNeverChanges(AbsoluteCheck):
    """Nothing in a loop changes its exit condition.

    What it does:
        Reports loops in which the steps declare outputs, but the exit condition reads none of these outputs. A loop is
        a cycle (token and state-machine semantics), or a step that is repeated until or while a condition on a
        parameter holds. Conditions that cannot be analysed are skipped.

    Why it matters:
        If the exit condition is false after the first iteration, it stays false and the loop never ends.

    Golden:
        ``probe`` produces ``status``, repeated until ``status == 200``

    Candidate:
        ``probe`` produces ``status``, repeated until ``replicas == 3``, a parameter

    How to fix:
        Use an output of the loop in the condition. Or declare the value that the condition reads as an output of a
        step in the loop.
    """

    id: ClassVar[str] = "WF311"
    defect: ClassVar[str] = "exit-never-changes"
    severity: ClassVar[Severity] = "warning"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per loop."""
        params = subject.workflow.params
        for task, step in enumerate(subject.tasks):
            if step.loop is None or step.loop.condition is None or step.loop.mode == "foreach" or not step.outputs:
                continue
            read = _read(step.loop.condition, step.loop.language)
            if read and read.isdisjoint(step.outputs) and read <= params.keys():
                names = listed(sorted(f"'{name}'" for name in read))
                yield Observation(
                    f"{quoted(step)} is repeated {step.loop.mode} a condition on {names} holds, but it only produces "
                    + listed([f"'{name}'" for name in step.outputs]),
                    (task,),
                    key=("step",),
                )
        if subject.workflow.semantics != "dag" and subject.behaviour.looping:
            yield from self._cycles(subject)

    @staticmethod
    def _cycles(subject: Subject) -> Iterator[Observation]:
        behaviour = subject.behaviour
        flow = behaviour.flow
        for part in flow.components(range(flow.n), range(len(flow.links))):
            tasks = [node for node in part if flow.task(node) is not None]
            made = {name for task in tasks for name in subject.tasks[task].outputs}
            ids = {subject.tasks[task].id for task in tasks}
            made |= {link.data for link in subject.workflow.data_links if link.source in ids}
            members = set(part)
            exits = [
                link
                for node in part
                for link in flow.outgoing[node]
                if any(flow.links[other][1] not in members for other in flow.outgoing[node])
            ]
            guards = [behaviour.selections.guards[link] for link in exits]
            if len(part) < 2 or not made or not exits or any(link in behaviour.selections.broken for link in exits):
                continue
            written = [guard for guard in guards if guard is not None]
            exit_terms = [term for guard in written for term in terms(guard)]
            read = {name for term in exit_terms for name in _prefixes(term.text)}
            own = {subject.tasks[task].name for task in tasks} | {flow.labels[task] for task in tasks}
            # Bare words ("yes", "approved") name branches and are not data.
            labels = all(
                isinstance(guard, Atom) and guard.relation == "truthy" for guard in guards if guard is not None
            )
            if (
                exit_terms
                and not labels
                and not any(term.opaque for term in exit_terms)
                and read.isdisjoint(made | own)
            ):
                ordered = subject.sorted(tasks)
                names = listed(list(dict.fromkeys(f"'{term.text}'" for term in exit_terms)))
                yield Observation(
                    f"the exit of the loop of {listed(subject.named(ordered))} depends on {names}, which none of its "
                    "steps produces",
                    tuple(ordered),
                    key=("cycle",),
                )


def _prefixes(name: str) -> Iterator[str]:
    """Yield a name and its prefixes of at most `_PARTS` parts: "a.b.c", "a.b", "a"; for an outcome, the step."""
    parts = name.removeprefix("error of ").removeprefix("outcome of ").split(".")
    yield name
    for length in range(1, min(len(parts), _PARTS) + 1):
        yield ".".join(parts[:length])


_PARTS = 20


def _read(condition: str, language: Language) -> set[str]:
    """Return the names that a condition reads; an empty set if a part of the condition cannot be analysed."""
    try:
        read = terms(parse(condition, language))
    except GuardSyntaxError:
        return set()
    return set() if any(term.opaque for term in read) else {term.text for term in read}


def is_reported(subject: Subject, part: Sequence[int], *, alone: bool = True) -> bool:
    """Return whether a strongly connected component is a cycle that WF310 or WF312 reports.

    Args:
        subject: The workflow.
        part: A component without outgoing links, or without incoming ones.
        alone: Whether a cycle without exit (WF310) counts; False for a cycle without entry.
    """
    if subject.workflow.semantics == "dag":
        return any(task in subject.cyclic for task in part)
    loops = len(part) > 1 or (part[0], part[0]) in subject.flow.edges
    return alone and loops and not set(part) & set(subject.graph.ends)


def shortest_cycle(subject: Subject, part: Sequence[int]) -> list[int]:
    """Return a shortest cycle inside a strongly connected component, starting with its first step by content.

    If there are several shortest cycles, the first one by content is returned. Only steps with several successors are
    tried as starts. If no step has several successors, the component is a single cycle.
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
            next_layer: list[int] = []
            for task in layer:
                left -= len(following[task])
                for near in following[task]:
                    if near not in came_from:
                        came_from[near] = task
                        next_layer.append(near)
            layer = next_layer
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
