"""Composites opened in place, so that moving steps in or out of a sub-workflow hides nothing."""

from wfgate.model.workflow import END, START, DataLink, Gateway, Link, Task, Workflow

MAX_TASKS = 20_000
"""Expansion stops opening composites beyond this many tasks: nested doubling must not exhaust memory."""


def expand(workflow: Workflow) -> Workflow:
    """Return the workflow with every composite replaced by the tasks of its sub-workflow.

    Ids become paths (`parent/child`). A composite stays a task where its sub-workflow is not in the file, is
    empty, calls itself, or would grow the whole beyond `MAX_TASKS`. The guards and outcomes on the links into
    and out of the composite are kept on each link that replaces them.

    Example:
        >>> inner = Workflow(
        ...     name="checks",
        ...     tasks=(Task(id="scan", name="Scan"),),
        ...     links=(Link(source="START", target="scan"), Link(source="scan", target="END")),
        ... )
        >>> outer = Workflow(
        ...     tasks=(Task(id="c", name="Checks", kind="composite", workflow="checks"),),
        ...     links=(Link(source="START", target="c"), Link(source="c", target="END")),
        ...     subworkflows=(inner,),
        ... )
        >>> [(link.source, link.target) for link in expand(outer).links]
        [('START', 'c/scan'), ('c/scan', 'END')]
    """
    if not any(task.workflow for task in workflow.tasks):
        return workflow
    named = {part.name: part for part in workflow.subworkflows}
    return _Expansion(named).open(workflow, frozenset({workflow.name}))


class _Expansion:
    def __init__(self, named: dict[str, Workflow]) -> None:
        self.named = named
        self.tasks = 0

    def open(self, workflow: Workflow, callers: frozenset[str]) -> Workflow:
        tasks: list[Task] = []
        gateways: list[Gateway] = list(workflow.gateways)
        inner_links: list[Link] = []
        data_links: list[DataLink] = list(workflow.data_links)
        entries: dict[str, list[str]] = {}
        exits: dict[str, list[str]] = {}
        self.tasks += len(workflow.tasks)
        for task in workflow.tasks:
            part = self.named.get(task.workflow or "")
            if part is None or not part.tasks or part.name in callers or self.tasks >= MAX_TASKS:
                tasks.append(task)
                continue
            opened = self.open(part, callers | {part.name})

            def path(inner: str, prefix: str = task.id) -> str:
                return inner if inner in {START, END} else f"{prefix}/{inner}"

            tasks += [
                step.model_copy(update={"id": path(step.id), "critical": step.critical or task.critical})
                for step in opened.tasks
            ]
            gateways += [gate.model_copy(update={"id": path(gate.id)}) for gate in opened.gateways]
            data_links += [
                data.model_copy(update={"source": path(data.source), "target": path(data.target)})
                for data in opened.data_links
            ]
            entries[task.id] = [path(link.target) for link in opened.links if link.source == START]
            exits[task.id] = [path(link.source) for link in opened.links if link.target == END]
            inner_links += [
                link.model_copy(update={"source": path(link.source), "target": path(link.target)})
                for link in opened.links
                if link.source != START and link.target != END
            ]
        links = [
            link.model_copy(update={"source": source, "target": target})
            for link in workflow.links
            for source in exits.get(link.source, [link.source])
            for target in entries.get(link.target, [link.target])
        ]
        return workflow.model_copy(
            update={
                "tasks": tuple(tasks),
                "gateways": tuple(gateways),
                "links": (*links, *inner_links),
                "data_links": tuple(data_links),
            }
        )
