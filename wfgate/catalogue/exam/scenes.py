"""Arrangements of a workflow's tasks ("scenes"), so that every question pattern has questions.

Few workflows have a loop, a choice, a sub-process, data and a missing link at once. A workflow without a loop, for
example, gives no question about loops. Then its tasks are arranged in a sequence that contains a loop.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from wfgate.catalogue.facts.subject import FactSubject
from wfgate.model import END, START, Gateway, Guard, Link, Task, Workflow

AS_GIVEN = "as given"
EXAMPLE = "contradictory"
"""Name of the fixed example; it has no task of the workflow."""
LEAST = 3
"""Minimum number of tasks for an arrangement of the workflow's own tasks."""
_SPAN = 4
"""Number of tasks that a loop, choice, ... and the task after it take, in a workflow with that many tasks."""
MOST = 24
"""Maximum number of tasks in an arrangement."""
TAG = "data preprocessing"

_ALONE = {"kind": "task", "workflow": None, "external": False, "loop": None, "join": None, "inputs": (), "outputs": ()}
"""Fields of a task that are reset, because they refer to its original workflow."""
_ODD = (
    Task(id="odd1", name="MLModelEvaluation", description="Evaluation of a classification model"),
    Task(
        id="odd2",
        name="BinaryClassificationModelTraining",
        description="Training of a regression ML model",
        outputs=("RegressionModel",),
    ),
)
"""Inconsistent names, descriptions and order, as in the example of the pattern catalogue."""


def scenes(subject: FactSubject, rng: np.random.Generator) -> Iterator[tuple[str, Workflow]]:
    """Yield arrangements of a workflow's tasks, with the names of the arrangements.

    A workflow with fewer than `LEAST` tasks only yields the inconsistent example, which is the same for all workflows.

    Args:
        subject: The workflow.
        rng: Random generator for the position of the loop, choice, ... in the sequence.
    """
    chosen = subject.order[:MOST]
    names = [subject.labels[task] for task in chosen]
    tasks = [
        subject.tasks[task].model_copy(
            update={
                "id": f"s{number}",
                "name": name,
                **_ALONE,
            }
        )
        for number, (task, name) in enumerate(zip(chosen, names, strict=True), start=1)
    ]
    for name in _SCENES if len(tasks) >= LEAST else [EXAMPLE]:
        scene = _SCENES[name](tasks, int(rng.integers(max(len(tasks) - _SPAN, 0) + 1)))
        yield name, scene.model_copy(update={"name": scene.name or subject.workflow.name or "Workflow"})


def _row(tasks: Sequence[Task], at: int) -> Workflow:
    del at
    return Workflow(tasks=tuple(tasks), links=tuple(_chain([START, *_ids(tasks), END])))


def _branched(tasks: Sequence[Task], at: int, guards: tuple[Guard, Guard] | None) -> Workflow:
    """Put two tasks on two branches: with guards if given, else between an AND split and an AND join.

    The branches meet at the next task, or at the end.
    """
    start, one, other = _ids(tasks)[at : at + 3]
    before, after = [START, *_ids(tasks)[: at + 1]], [*_ids(tasks)[at + 3 :], END]
    meet = after[0]
    links = [*_chain(before), *_chain(after)]
    if guards is not None:
        links += [Link(source=start, target=to, guard=guard) for to, guard in zip((one, other), guards, strict=True)]
        links += [Link(source=task, target=meet) for task in (one, other)]
        return Workflow(semantics="token", tasks=tuple(tasks), links=tuple(links))
    links += [Link(source=start, target="fork"), Link(source="meet", target=meet)]
    links += [Link(source="fork", target=task) for task in (one, other)]
    links += [Link(source=task, target="meet") for task in (one, other)]
    gateways = (Gateway(id="fork", op="AND"), Gateway(id="meet", op="AND", role="join"))
    return Workflow(semantics="token", tasks=tuple(tasks), gateways=gateways, links=tuple(links))


def _side_by_side(tasks: Sequence[Task], at: int) -> Workflow:
    return _branched(tasks, at, None)


def _exclusive(tasks: Sequence[Task], at: int) -> Workflow:
    return _branched(tasks, at, (Guard(expr="p < 10"), Guard(expr="p >= 10")))


def _overlapping(tasks: Sequence[Task], at: int) -> Workflow:
    return _branched(tasks, at, (Guard(expr="p < 10"), Guard(expr="p > 0")))


def _optional(tasks: Sequence[Task], at: int) -> Workflow:
    """Skip one task under a condition. The tasks after it run in every situation."""
    start, skipped, after = _ids(tasks)[at : at + 3]
    links = [link for link in _chain([START, *_ids(tasks), END]) if link.source != start]
    links += [Link(source=start, target=skipped, guard=Guard(expr="p < 10"))]
    links += [Link(source=start, target=after, guard=Guard(expr="p >= 10"))]
    return Workflow(semantics="token", tasks=tuple(tasks), links=tuple(links))


def _side_step(tasks: Sequence[Task], at: int) -> Workflow:
    """Let a conditional link and an unconditional one leave the same task. The conditional branch ends on its own."""
    start, beside, after = _ids(tasks)[at : at + 3]
    links = [link for link in _chain([START, *_ids(tasks), END]) if beside not in {link.source, link.target}]
    links += [Link(source=start, target=beside, guard=Guard(expr="p < 10")), Link(source=beside, target=END)]
    links += [Link(source=start, target=after)]
    return Workflow(semantics="token", tasks=tuple(tasks), links=tuple(links))


def _loop(tasks: Sequence[Task], at: int) -> Workflow:
    """Return from the last of three tasks (two, if there are only three tasks) to the first of them."""
    ids = _ids(tasks)
    after = at + min(_SPAN, len(tasks)) - 1
    back, out = ids[at], ids[after - 1]
    links = [link for link in _chain([START, *ids, END]) if link.source != out]
    links.append(Link(source=out, target=back, guard=Guard(expr="attempts < 3")))
    links.append(Link(source=out, target=ids[after], guard=Guard(expr="attempts >= 3")))
    return Workflow(semantics="state-machine", tasks=tuple(tasks), links=tuple(links))


def _endless(tasks: Sequence[Task], at: int) -> Workflow:
    ids = _ids(tasks)
    return Workflow(semantics="state-machine", tasks=tuple(tasks), links=tuple(_chain([START, *ids, ids[at]])))


def _unconnected(tasks: Sequence[Task], at: int) -> Workflow:
    row = _row(tasks, at)
    return row.model_copy(update={"links": tuple(link for link in row.links if link.source != tasks[at].id)})


def _subprocess(tasks: Sequence[Task], at: int, *, recursive: bool = False) -> Workflow:
    inner = tasks[at + 1 : at + 3]
    composite = Task(id="sub", name="Subprocess", kind="composite", workflow="Subprocess")
    inside = [*inner, composite.model_copy(update={"id": "again", "name": "Subprocess again"})] if recursive else inner
    outer = _row([*tasks[: at + 1], composite, *tasks[at + 3 :]], 0)
    part = _row(inside, 0).model_copy(update={"name": "Subprocess"})
    return outer.model_copy(update={"subworkflows": (part,)})


def _recursive(tasks: Sequence[Task], at: int) -> Workflow:
    return _subprocess(tasks, at, recursive=True)


def _data(tasks: Sequence[Task], at: int) -> Workflow:
    """Let each task read the output of the previous task. One task also reads the output of an earlier task."""
    passed = [
        task.model_copy(
            update={
                "inputs": (*([f"result{place - 1}"] if place > 1 else ["source"]), *extra),
                "outputs": (f"result{place}",),
            }
        )
        for place, task in enumerate(tasks, start=1)
        for extra in [(f"result{at + 1}",) if place == at + min(_SPAN, len(tasks)) else ()]
    ]
    return _row(passed, at)


def _tagged(tasks: Sequence[Task], at: int) -> Workflow:
    updates: dict[int, dict[str, object]] = {
        at + 1: {"tags": (TAG,)},
        at + 2: {"critical": True, "timeout": "PT10M"},
    }
    return _row([task.model_copy(update=updates.get(index, {})) for index, task in enumerate(tasks)], at)


def _contradictory(tasks: Sequence[Task], at: int) -> Workflow:
    """Return a fixed example with inconsistent tasks. The right answer is only known for a fixed example."""
    del tasks
    description = "Training and evaluation of a regression ML model"
    return _row(_ODD, at).model_copy(update={"name": "BinaryClassification", "description": description})


_SCENES: dict[str, Callable[[Sequence[Task], int], Workflow]] = {
    "in a row": _row,
    "missing link": _unconnected,
    "side by side": _side_by_side,
    "exclusive choice": _exclusive,
    "overlapping choice": _overlapping,
    "optional step": _optional,
    "side step": _side_step,
    "loop": _loop,
    "endless loop": _endless,
    "sub-process": _subprocess,
    "recursion": _recursive,
    "data": _data,
    "tagged": _tagged,
    EXAMPLE: _contradictory,
}


def _ids(tasks: Sequence[Task]) -> list[str]:
    return [task.id for task in tasks]


def _chain(nodes: Sequence[str]) -> Iterator[Link]:
    for source, target in pairwise(nodes):
        yield Link(source=source, target=target)
