"""Edits by hand: one change in an otherwise verbatim workflow, recorded with the verdict of reviewers."""

from collections.abc import Sequence
from itertools import pairwise

from wfgate.calibration.perturb.base import restated
from wfgate.calibration.perturb.texts import Edit
from wfgate.model import START, Link, Task, Workflow

Parts = dict[str, Sequence[str]]
"""The ids of the steps that a step became, by the id of the step."""


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
    relinked = [
        link.model_copy(update={"source": source, "target": target})
        for link, (source, target) in zip(links, ends, strict=True)
    ]
    return [link for link in dict.fromkeys(relinked) if link.source != link.target]


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
