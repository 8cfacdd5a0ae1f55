"""A workflow listed in an order of its content, so that answers do not depend on the order in the file."""

from collections.abc import Iterable

from wfgate.model import END, START, DataLink, Gateway, Link, TaskGraph, Workflow, content_order, reach


def relisted(workflow: Workflow) -> Workflow:
    """Return the workflow with its tasks, gateways and links in an order that depends only on their content.

    If two nodes share an id, the order is not changed, because links belong to the first of the two.

    Example:
        >>> from wfgate.model import Task
        >>> [
        ...     task.name
        ...     for task in relisted(Workflow(tasks=(Task(id="1", name="Test"), Task(id="2", name="Build")))).tasks
        ... ]
        ['Build', 'Test']
    """
    ids = [task.id for task in workflow.tasks] + [gate.id for gate in workflow.gateways]
    if len({*ids}) < len(ids):
        return workflow
    order = content_order(workflow, TaskGraph.of(workflow))
    tasks = tuple(workflow.tasks[position] for position in order)
    place = {START: -1, END: len(ids), **{task.id: position for position, task in enumerate(tasks)}}
    gateways = sorted(workflow.gateways, key=lambda gate: _around(gate, workflow, place))
    place |= {gate.id: len(tasks) + position for position, gate in enumerate(gateways)}

    def said(link: Link | DataLink) -> tuple[int, int, str]:
        content = link.model_dump_json(exclude={"source", "target", "span"}, exclude_defaults=True)
        unknown = len(ids) + 1
        return place.get(link.source, unknown), place.get(link.target, unknown), content

    return workflow.model_copy(
        update={
            "tasks": tasks,
            "gateways": tuple(gateways),
            "links": tuple(sorted(workflow.links, key=said)),
            "data_links": tuple(sorted(workflow.data_links, key=said)),
        }
    )


def _around(gate: Gateway, workflow: Workflow, place: dict[str, int]) -> tuple[str, str, list[int], list[int], str]:
    """Return the sort key of a gateway: operator, role, the tasks before and after it, the content of its links."""
    pairs = [(link.source, link.target) for link in workflow.links]
    near = [
        link.model_dump_json(exclude={"source", "target", "span"}, exclude_defaults=True)
        for link in workflow.links
        if gate.id in {link.source, link.target}
    ]
    before = _nearest(gate.id, [(target, source) for source, target in pairs], place)
    return gate.op, gate.role, before, _nearest(gate.id, pairs, place), "".join(sorted(near))


def _nearest(gate: str, pairs: Iterable[tuple[str, str]], place: dict[str, int]) -> list[int]:
    """Return the positions of the nearest tasks on one side of a gateway, sorted by the number of links between."""
    after: dict[str, list[str]] = {}
    for source, target in pairs:
        after.setdefault(source, []).append(target)
    distance: dict[str, int] = {}
    reached = reach(after.get(gate, ()), lambda node: () if node in place else after.get(node, ()))
    for node, before in reached.items():
        distance[node] = 0 if before is None else distance[before] + 1
    near = [node for node in distance if node in place and node != gate]
    return [place[node] for node in sorted(near, key=lambda node: (distance[node], place[node]))]
