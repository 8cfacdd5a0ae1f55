"""Edits by hand: one change in an otherwise verbatim workflow, recorded with the verdict of reviewers."""

from collections.abc import Sequence
from itertools import pairwise

from wfgate.model import START, Link, Task, Workflow
from wfgate.model.workflow import Frozen
from wfgate.perturb.base import restated

Parts = dict[str, Sequence[str]]
"""The ids of the steps that a step became, by the id of the step."""


class Edit(Frozen):
    """One edit. Steps are positions from 0.

    Exactly one change is given:

    - `step` and `text`: the step gets another text;
    - `step` and `texts`: it is split into these steps, one after the other;
    - `steps` and `text`: two steps become one, in the place of the first;
    - `swap`: two steps exchange their places;
    - `after` and `text`: a new step is inserted after a step, at the beginning if `after` is -1.

    Attributes:
        kind: Kind of the edit ("split", "detail", "approval"), for reports.
    """

    kind: str
    step: int | None = None
    text: str = ""
    texts: tuple[str, ...] = ()
    steps: tuple[int, int] | None = None
    swap: tuple[int, int] | None = None
    after: int | None = None

    def fits(self, n: int) -> bool:
        """Return whether it is one change of steps that a workflow with n steps has."""
        changes = (self.step, self.steps, self.swap, self.after)
        single = [self.step] if self.step is not None else []
        steps = [*single, *(self.steps or ()), *(self.swap or ())]
        return (
            sum(change is not None for change in changes) == 1
            and bool(self.text or self.texts or self.swap)
            and len(set(steps)) == len(steps)
            and all(0 <= step < n for step in steps)
            and -1 <= (0 if self.after is None else self.after) < n
        )


def edited(workflow: Workflow, edit: Edit) -> Workflow:
    """Return the workflow with one edit; all other steps stay word for word.

    Args:
        workflow: A workflow without gateways.
        edit: An edit that `fits` it.
    """
    tasks, links = list(workflow.tasks), list(workflow.links)
    if edit.swap is not None:
        one, two = edit.swap
        tasks[one], tasks[two] = restated(tasks[one], tasks[two].text), restated(tasks[two], tasks[one].text)
    elif edit.steps is not None:
        kept, gone = edit.steps
        links = _relinked(links, {tasks[gone].id: [tasks[kept].id]})
        tasks[kept] = restated(tasks[kept], edit.text)
        del tasks[gone]
    elif edit.after is not None:
        new = Task(id=_fresh("new-step", tasks), name=edit.text)
        links = _with_step(workflow, links, edit.after, new.id)
        tasks.insert(edit.after + 1, new)
    elif edit.step is not None and edit.texts:
        old = tasks[edit.step]
        parts = [restated(old, text) for text in edit.texts]
        ids = [old.id, *(_fresh(f"{old.id}-{number}", tasks) for number in range(2, len(parts) + 1))]
        parts = [part.model_copy(update={"id": name}) for part, name in zip(parts, ids, strict=True)]
        links = _relinked(links, {old.id: ids}) + [Link(source=a, target=b) for a, b in pairwise(ids)]
        tasks[edit.step : edit.step + 1] = parts
    elif edit.step is not None:
        tasks[edit.step] = restated(tasks[edit.step], edit.text)
    return workflow.model_copy(update={"tasks": tuple(tasks), "links": tuple(links)})


def _relinked(links: Sequence[Link], parts: Parts) -> list[Link]:
    """Return links that leave the last part of a step and lead to its first one, without links to itself."""
    ends = [(parts.get(link.source, (link.source,))[-1], parts.get(link.target, (link.target,))[0]) for link in links]
    found = [
        link.model_copy(update={"source": source, "target": target})
        for link, (source, target) in zip(links, ends, strict=True)
    ]
    return [link for link in dict.fromkeys(found) if link.source != link.target]


def _with_step(workflow: Workflow, links: list[Link], after: int, new: str) -> list[Link]:
    """Return links with a new step between a step and all that follow it; -1 stands for the start."""
    if after >= 0:
        before = workflow.tasks[after].id
        moved = [link.model_copy(update={"source": new}) if link.source == before else link for link in links]
        return [*moved, Link(source=before, target=new)]
    waiting = {link.target for link in links if link.source != START}
    first = [task.id for task in workflow.tasks if task.id not in waiting]
    return [link for link in links if link.source != START] + [Link(source=new, target=step) for step in first]


def _fresh(name: str, tasks: Sequence[Task]) -> str:
    taken = {task.id for task in tasks}
    while name in taken:
        name += "'"
    return name
