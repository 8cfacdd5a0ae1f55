"""Checks of steps that never run, or that are skipped because another step is skipped (dag semantics)."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.logic import FALSE, TRUE, Node, joins_all
from wfgate.model import listed
from wfgate.rules.absolute.guards import node_label
from wfgate.rules.base import AbsoluteCheck, Observation, Severity, Subject, quoted


class DeadTask(AbsoluteCheck):
    """A step never runs, because it waits for steps that never run together.

    What it does:
        With dag semantics, the steps after a skipped step are skipped too. Reports a step or an AND join if each of
        its incoming links can be taken, but never all of them in one run. Reports steps whose join expression never
        holds. The finding counts the steps after the reported step. With token semantics such a step waits forever
        (WF201). Unreachable steps are reported by WF105, cycles by WF312, branches that are never taken by WF302,
        WF305 and WF308.

    Why it matters:
        The step is in the file and has links, but it is skipped in every situation.

    Golden:
        ``check -> small`` if ``p < 10``, ``check -> large`` if ``p >= 10``, ``report`` with ``join: any`` after both

    Candidate:
        the same, but ``report`` waits for both

    How to fix:
        If one of the branches is enough, declare `join: any` or put an XOR join before the step.
    """

    id: ClassVar[str] = "WF204"
    defect: ClassVar[str] = "dead-step"
    severity: ClassVar[Severity] = "error"

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per step or join that never runs, although each of its links can be taken."""
        behaviour = subject.behaviour
        if subject.workflow.semantics != "dag" or not behaviour.conditional:
            return
        flow = behaviour.flow
        for node in range(flow.start):
            into = [link for link in flow.incoming[node] if not flow.links[link][2].back]
            taken = [behaviour.taken[link] for link in into]
            if len(into) < 2 or behaviour.sometimes(behaviour.runs[node]).value is not False:
                continue
            if any(behaviour.sometimes(one).value is False for one in taken) or node in behaviour.looping:
                continue
            sources = list(dict.fromkeys(flow.links[link][0] for link in into))
            names = listed([node_label(subject, source) for source in sources])
            task = flow.task(node)
            if task is not None and task.join not in {None, "all", "any"}:
                message = f"{quoted(task)} never runs: its join `{task.join}` never holds"
            else:
                conditions = [one for one in dict.fromkeys(taken) if one is not None and one != TRUE]
                when = "; ".join(behaviour.space.words(one) for one in conditions)
                message = (
                    f"{node_label(subject, node)} never runs: it waits for {names}, which never run together ({when})"
                )
            tasks = flow.tasks_behind(node)
            rest = self._behind(subject, [task for task in tasks if task < len(subject.tasks)])
            message += f"; {rest} step{'s' * (rest > 1)} after it never run{'s' * (rest == 1)} either" if rest else ""
            known = tuple(task for task in (*tasks, *sources) if task < len(subject.tasks))
            yield Observation(message, tuple(dict.fromkeys(known)), witness=tuple(names.split(" and ")))

    @staticmethod
    def _behind(subject: Subject, tasks: list[int]) -> int:
        after = 0
        for task in tasks:
            after |= subject.graph.descendants[task]
        dead = [
            task
            for task in range(subject.graph.n)
            if after >> task & 1 and subject.behaviour.runs[task] == FALSE and task not in tasks
        ]
        return len(dead)


class SilentSkip(AbsoluteCheck):
    """A step is skipped only because another step is skipped.

    What it does:
        Applies to dag semantics. Reports a step that waits for a conditional step and for another step on a separate
        branch. If the conditional step is skipped, the reported step is skipped too, although the other step runs. Not
        reported if the step declares a join, or if a link to the step has a condition.

    Why it matters:
        "Deploy needs build and the optional scan" looks as if only the scan were optional. In fact the deployment is
        skipped whenever the scan is skipped.

    Golden:
        ``build -> deploy``, ``build -> scan`` if ``nightly``, ``scan -> report``

    Candidate:
        ``build -> deploy``, ``build -> scan`` if ``nightly``, ``scan -> deploy``

    How to fix:
        If the step can run without the conditional step, declare `join: any` or a join expression. If it cannot,
        declare `join: all`.
    """

    id: ClassVar[str] = "WF206"
    defect: ClassVar[str] = "silent-skip"
    severity: ClassVar[Severity] = "warning"
    version: ClassVar[int] = 2
    grouped: ClassVar[bool] = True

    def check(self, subject: Subject) -> Iterator[Observation]:
        """Yield one observation per step that is skipped together with a conditional step."""
        behaviour = subject.behaviour
        if subject.workflow.semantics != "dag" or not behaviour.conditional:
            return
        for task, step in enumerate(subject.tasks):
            run = behaviour.runs[task]
            if step.join is not None or run in {None, FALSE, TRUE} or not joins_all(subject.workflow, step):
                continue
            sources = self._sources(subject, task)
            if len(sources) < 2:
                continue
            # Only a skip is reported while another predecessor still runs; otherwise the whole branch is skipped.
            optional = [
                source
                for source, own in sources.items()
                if own not in {FALSE, TRUE}
                and any(
                    self._runs_without(subject, other, own)
                    for near, other in sources.items()
                    if near != source and not self._leads_to(subject, near, source)
                )
            ]
            if optional and len(optional) < len(sources):
                others = listed([node_label(subject, source) for source in sources if source not in optional])
                names = listed([node_label(subject, source) for source in optional])
                when = behaviour.space.words(behaviour.space.contrary(run))
                yield Observation(
                    f"{quoted(step)} is silently skipped with {names}, when {when}, although {others} run"
                    f"{'s' * (len(sources) - len(optional) == 1)}",
                    (task, *(source for source in optional if source < subject.graph.n)),
                    witness=(when,),
                )

    @staticmethod
    def _sources(subject: Subject, task: int) -> dict[int, Node]:
        """Return the nodes that a step waits for, with the conditions of their links; empty if a link has a guard."""
        flow, sources = subject.behaviour.flow, {}
        for link in flow.incoming[task]:
            source, _, written = flow.links[link]
            taken = subject.behaviour.taken[link]
            if written.back:
                continue
            if written.guard is not None or written.outcome != "success" or taken is None:
                return {}
            sources[source] = taken
        return sources

    @staticmethod
    def _leads_to(subject: Subject, node: int, other: int) -> bool:
        tasks = subject.behaviour.flow.tasks_before(other)
        return all(
            near == task or (max(near, task) < subject.graph.n and subject.graph.precedes(near, task))
            for near in subject.behaviour.flow.tasks_before(node)
            for task in tasks
        )

    @staticmethod
    def _runs_without(subject: Subject, node: Node, other: Node) -> bool:
        behaviour = subject.behaviour
        alone = behaviour.ask(lambda space: space.sometimes(space.both(node, space.contrary(other))))
        return alone.value is not False
