"""Data that stay inside a job are kept apart from data of the same name elsewhere in the file."""

from collections import Counter
from collections.abc import Mapping

from wfgate.model import END, START, Workflow

_Uses = Mapping[tuple[str, str], str]


def kept_apart(parts: Mapping[str, Workflow], outside: set[str]) -> list[Workflow]:
    """Return the steps of the jobs, with data called by their job too where others have the same name.

    What a step writes is known in its job only: `tags` of two jobs are two data, and neither is an output of its job.

    Args:
        parts: The steps of each job, by its id.
        outside: What data between jobs are called.

    Returns:
        The parts in their order. Cost: linear in the data links.

    Example:
        >>> from wfgate.model import DataLink, Task
        >>> meta, push = Task(id="meta", name="m", outputs=("tags",)), Task(id="push", name="p", inputs=("tags",))
        >>> job = Workflow(tasks=(meta, push), data_links=(DataLink(source="meta", target="push", data="tags"),))
        >>> [part.tasks[1].inputs for part in kept_apart({"api": job, "web": job}, set())]
        [('api/tags',), ('web/tags',)]
    """
    known = {key: (_inside(part), _handed(part)) for key, part in parts.items()}
    owners = Counter(datum for inside, _ in known.values() for datum in {datum for _, datum in inside})
    found = []
    for key, part in parts.items():
        inside, handed = known[key]
        taken = outside | {datum for _, datum in handed}
        renamed = {
            (source, datum): f"{key}/{datum}" for source, datum in inside if owners[datum] > 1 or datum in taken
        }
        found.append(_renamed(part, renamed) if renamed else part)
    return found


def _inside(part: Workflow) -> set[tuple[str, str]]:
    """Return what steps write for other steps only, as (step, datum)."""
    between = {(link.source, link.data) for link in part.data_links if link.source != START and link.target != END}
    return between - _handed(part)


def _handed(part: Workflow) -> set[tuple[str, str]]:
    """Return what steps hand out, as (step, datum)."""
    return {(link.source, link.data) for link in part.data_links if link.target == END}


def _renamed(part: Workflow, names: _Uses) -> Workflow:
    links = tuple(
        link.model_copy(update={"data": names.get((link.source, link.data), link.data)}) for link in part.data_links
    )
    read: dict[tuple[str, str], dict[str, None]] = {}
    for before, link in zip(part.data_links, links, strict=True):
        read.setdefault((before.target, before.data), {})[link.data] = None
    tasks = []
    for task in part.tasks:
        inputs = [name for datum in task.inputs for name in read.get((task.id, datum), {datum: None})]
        outputs = [names.get((task.id, datum), datum) for datum in task.outputs]
        tasks.append(task.model_copy(update={"inputs": tuple(inputs), "outputs": tuple(outputs)}))
    return part.model_copy(update={"tasks": tuple(tasks), "data_links": links})
