"""Check of the steps that start and end the workflow."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wfgate.compare import Comparison
from wfgate.model import TaskGraph, reach
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity, Subject
from wfgate.rules.relative.order import Orders


class EndsChanged(RelativeCheck):
    """Another step starts or ends the workflow.

    What it does:
        Reports a shared step that has a link from START (or to END) in only one of the two workflows, although the
        order of the step is unchanged. Both workflows are first reduced to the shared steps. Differences that have
        another cause (a missing or added step, a new order, a missing link) are reported by WR101, WR102, WR203,
        WR204, WR205, WF105 and WF106. If both files are data and the step has the words of the golden, the change
        leads to a review without statistics.

    Why it matters:
        A second start skips the steps that run first in the golden. A second end skips the steps that run last.

    Golden:
        ``START -> check``, ``check -> deploy``, ``deploy -> END``

    Candidate:
        ``START -> check``, ``START -> deploy``, ``check -> deploy``, ``deploy -> END``

    How to fix:
        Link START and END with the same steps as in the golden.
    """

    id: ClassVar[str] = "WR121"
    defect: ClassVar[str] = "ends-changed"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "course"
    rank: ClassVar[int] = 25
    version: ClassVar[int] = 2

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that starts or ends only one of the two workflows."""
        orders = Orders.of(comparison)
        golden = Subject.of(comparison.golden, comparison.golden_graph)
        candidate = Subject.of(comparison.candidate, comparison.candidate_graph)
        same = {task: task for task in comparison.candidate_of}
        twins = comparison.golden_of
        for starts, (place, then) in ((True, ("first", "start with")), (False, ("last", "end after"))):
            was = _border(golden, same, orders.golden, starts=starts)
            now = _border(candidate, twins, orders.candidate, starts=starts)
            if was is None or now is None:
                continue
            for task in sorted(was ^ now, key=orders.place.__getitem__):
                gained = task in now
                other, position = (golden, task) if gained else (candidate, comparison.candidate_of[task])
                if position not in (other.reachable if starts else other.finishing):
                    continue
                if _is_reordered(orders, task, starts=starts):
                    continue
                change = f"is {'now' if gained else 'no longer'} a {place} step of"
                message = (
                    f"{orders.step(task)} {change} the workflow, which can {'now' if gained else 'not'} {then} it"
                )
                key = "starts" if starts else "ends", "new" if gained else "lost"
                yield Observation(message, golden=(task,), key=key, proven=orders.is_fact(task))


def _border(subject: Subject, number: dict[int, int], shared: TaskGraph, *, starts: bool) -> set[int] | None:
    """Return the shared steps that run first (or last), as golden positions; None if START (or END) has no link.

    Unshared steps are skipped: the next shared step after an unshared first step runs first, if no shared step runs
    before it.
    """
    graph = subject.graph
    border = graph.starts if starts else graph.ends
    if not border:
        return None
    near: Sequence[Sequence[int]] = graph.successors if starts else graph.predecessors
    inward = shared.predecessors if starts else shared.successors
    steps = {number[task] for task in border if task in number}
    outside = [task for task in border if task not in number]
    reached = reach(outside, lambda task: () if task in number else near[task])
    return steps | {number[task] for task in reached if task in number and not inward[number[task]]}


def _is_reordered(orders: Orders, task: int, *, starts: bool) -> bool:
    """Return whether a changed order relative to a neighbour explains the change of start (or end)."""
    for graph in (orders.golden, orders.candidate):
        neighbours = graph.predecessors[task] if starts else graph.successors[task]
        if any(_order(orders.golden, near, task) != _order(orders.candidate, near, task) for near in neighbours):
            return True
    return False


def _order(graph: TaskGraph, first: int, second: int) -> tuple[bool, bool]:
    return graph.precedes(first, second), graph.precedes(second, first)
