"""Cycles of links, and the exits of the cycles."""

from collections.abc import Sequence
from dataclasses import dataclass

from wfgate.catalogue.facts.course import Course
from wfgate.logic import FALSE, TRUE, Node


@dataclass(frozen=True)
class Ending:
    """A possible end of a loop.

    Attributes:
        where: The step that decides whether the loop ends, as part of a sentence.
        node: The condition under which the loop ends at this step; None if the links do not determine the condition.
    """

    where: str
    node: Node | None


@dataclass(frozen=True)
class Circle:
    """A cycle of links.

    Attributes:
        tasks: The tasks on the cycle.
        endings: The exits of the cycle; empty for a cycle without exit.
    """

    tasks: tuple[int, ...]
    endings: tuple[Ending, ...]


def circles_of(course: Course) -> list[Circle]:
    """Return the cycles of links in listing order. Links that are never taken are ignored.

    Raises:
        BudgetSpentError: If the conditions exceed the work limit.
    """
    flow = course.flow
    if course.acyclic:
        return []
    selected = [course.choice_in(node, {}) for node in course.selected]
    links = [place for place, node in enumerate(selected) if node != FALSE]
    circles = []
    for part in flow.components(range(flow.n), links):
        members = set(part)
        inner = [place for place in links if {*flow.links[place][:2]} <= members]
        if inner:
            tasks = [node for node in part if flow.task(node) is not None]
            circles.append(Circle(tuple(tasks), _endings(course, part, links, selected)))
    return sorted(circles, key=lambda circle: circle.tasks)


def _endings(
    course: Course, part: Sequence[int], links: Sequence[int], selected: Sequence[Node]
) -> tuple[Ending, ...]:
    """Return each exit of a cycle, with the condition: the flow leaves the cycle, and no branch stays in the cycle."""
    flow, space = course.flow, course.choices
    members, alive = set(part), set(links)
    endings = []
    for node in sorted(part, key=lambda each: flow.labels[each]):
        leaving = [place for place in flow.outgoing[node] if place in alive]
        out = [place for place in leaving if flow.links[place][1] not in members]
        on = [place for place in leaving if flow.links[place][1] in members]
        if not out:
            continue
        silent = course.is_dag and any(flow.links[place][2].back and selected[place] == TRUE for place in on)
        ends = space.both(
            space.some(selected[place] for place in out), space.contrary(space.some(selected[place] for place in on))
        )
        endings.append(Ending(f"after {_where(course, node)}", None if silent else ends))
    return tuple(endings)


def _where(course: Course, node: int) -> str:
    flow = course.flow
    if flow.gateway(node) is None:
        return flow.labels[node]
    before = sorted(flow.labels[task] for task in flow.tasks_before(node) if flow.task(task))
    return " or ".join(before) or flow.labels[node]
