"""Check of branches that run one after the other."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import ClassVar

from wfgate.compare import Comparison
from wfgate.model import listed
from wfgate.rules.base import Kind, Observation, RelativeCheck, Severity
from wfgate.rules.relative.order import Orders


class TurnsChanged(RelativeCheck):
    """Branches that run one after the other run in another order.

    What it does:
        Applies to formats that run the branches after a step one after the other although no link orders them. n8n
        takes the branch that is higher on the canvas first, then the one further left. Reports two steps after the
        same step if the other one is now first. Between branches of different outputs (yes and no) this is only
        information: it matters only if some items take one branch and some the other.

    Why it matters:
        The branch that runs first may write what the other one reads, and if it fails, the other one does not run.

    Golden:
        n8n: "Save" at ``[400, 0]``, "Notify" at ``[400, 200]``

    Candidate:
        n8n: "Save" at ``[400, 400]``, "Notify" at ``[400, 200]``

    How to fix:
        Move the steps back, or link the first one to the second one, so that the order does not depend on positions.
    """

    id: ClassVar[str] = "WR208"
    defect: ClassVar[str] = "turns-changed"
    severity: ClassVar[Severity] = "warning"
    about: ClassVar[Kind] = "course"
    rank: ClassVar[int] = 23
    proven: ClassVar[bool] = True

    def check(self, comparison: Comparison) -> Iterator[Observation]:
        """Yield one observation per step that now runs before or after other branches than in the golden."""
        orders = Orders.of(comparison)
        ids = {task.id: place for place, task in enumerate(comparison.golden.tasks)}
        renamed = {comparison.candidate.tasks[other].id: place for place, other in comparison.pairs}
        for step, other in comparison.pairs:
            was = {ids[name]: output for name, output in comparison.golden.tasks[step].turns if name in ids}
            turns = comparison.candidate.tasks[other].turns
            now = {renamed[name]: at for at, (name, _) in enumerate(turns) if name in renamed}
            pairs = dict.fromkeys(was, 0)
            for first, second in combinations([task for task in was if task in now], 2):
                if now[first] > now[second] and not _is_linked(orders, first, second):
                    pairs[first] |= 1 << second
                    pairs[second] |= 1 << first
            for task, others in orders.by_moved_step(pairs):
                yield _moved(orders, step, task, sorted(others, key=now.__getitem__), was, now)


def _is_linked(orders: Orders, first: int, second: int) -> bool:
    """Return whether links order two steps, so that a check of links reports another order."""
    return any(orders.now(graph, first, second) != "none" for graph in (orders.golden, orders.candidate))


def _moved(
    orders: Orders, step: int, task: int, others: list[int], was: Mapping[int, int], now: Mapping[int, int]
) -> Observation:
    groups = (
        ("before", [other for other in others if now[task] < now[other]]),
        ("after", [other for other in others if now[task] > now[other]]),
    )
    sides = [
        f"{side} {'that' if len(group) == 1 else 'those'} of {listed([orders.name(other) for other in group])}"
        for side, group in groups
        if group
    ]
    several = all(was[task] != was[other] for other in others)
    more = "; this matters only if some items take one branch and some the other" if several else ""
    return Observation(
        f"after {orders.step(step)}, the branch of {orders.name(task)} now runs {' and '.join(sides)}{more}",
        golden=(task, *others, step),
        witness=tuple(f"{orders.name(task)} {side} {orders.name(other)}" for side, group in groups for other in group),
        key=("turns", orders.name(step)),
        severity="info" if several else None,
    )
