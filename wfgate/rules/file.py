"""The workflows of a file as written: the data that they provide, read and mention, and their calls."""

import re
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from wfgate.logic import written_inside
from wfgate.model import Task, Workflow

_WORD = re.compile(r"[^\W\d][\w-]*")


@dataclass(frozen=True)
class File:
    """The main workflow with its composites not expanded, and its sub-workflows.

    Attributes:
        workflow: The main workflow.
    """

    workflow: Workflow

    @property
    def workflows(self) -> tuple[Workflow, ...]:
        """The main workflow and all sub-workflows."""
        return (self.workflow, *self.workflow.subworkflows)

    @cached_property
    def parts(self) -> dict[str, Workflow]:
        """The sub-workflows by name."""
        return {part.name: part for part in self.workflow.subworkflows}

    @cached_property
    def written_inside(self) -> dict[str, frozenset[str]]:
        """The data written inside each sub-workflow, by its name."""
        return written_inside(self.workflow.subworkflows)

    @cached_property
    def callers(self) -> dict[str, list[Task]]:
        """The composites that call each sub-workflow, by its name."""
        callers: defaultdict[str, list[Task]] = defaultdict(list)
        for task in self._tasks():
            if task.workflow:
                callers[task.workflow].append(task)
        return dict(callers)

    @cached_property
    def given(self) -> frozenset[str]:
        """Data from outside the workflows: parameters, arguments of composites, data items that no step writes."""
        data = {name for workflow in self.workflows for name in workflow.params}
        data |= {item.id for workflow in self.workflows for item in workflow.data_items} - self._written
        return frozenset(data | {name for task in self._tasks() if task.workflow for name in task.params})

    @cached_property
    def offered(self) -> frozenset[str]:
        """Data that the file provides, writes or declares anywhere."""
        declared = {item.id for workflow in self.workflows for item in workflow.data_items}
        return self.given | self._written | declared

    @cached_property
    def read(self) -> frozenset[str]:
        """Data that the file reads or passes on anywhere: inputs, data links, outputs of composites."""
        data = {datum for task in self._tasks() for datum in task.inputs}
        data |= {datum for task in self._tasks() if task.workflow for datum in task.outputs}
        return frozenset(data | {link.data for workflow in self.workflows for link in workflow.data_links})

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Words of all conditions and arguments. A condition or argument may read the datum with such a name."""
        return frozenset(word for workflow in self.workflows for word in mentioned(workflow))

    @cached_property
    def opaque(self) -> bool:
        """Whether a composite without declared outputs calls a workflow outside the file: it may write any datum."""
        here = {*self.parts, self.workflow.name}
        return any(task.workflow and task.workflow not in here and not task.outputs for task in self._tasks())

    @cached_property
    def _written(self) -> frozenset[str]:
        data = {datum for task in self._tasks() for datum in task.outputs}
        return frozenset(data | {link.data for workflow in self.workflows for link in workflow.data_links})

    def _tasks(self) -> Iterator[Task]:
        for workflow in self.workflows:
            yield from workflow.tasks


def mentioned(workflow: Workflow) -> Iterator[str]:
    """Yield the words of a workflow's conditions and of its tasks' arguments."""
    for link in workflow.links:
        if link.guard and link.guard.expr:
            yield from _WORD.findall(link.guard.expr)
    for task in workflow.tasks:
        if task.loop:
            yield from _WORD.findall(f"{task.loop.condition or ''} {task.loop.over or ''}")
        for value in task.params.values():
            yield from _words(value)


def within(datum: str, names: AbstractSet[str]) -> bool:
    """Return whether a datum is one of the names, a field of one of the names, or has one of the names as a field.

    Example:
        >>> within("order.total", {"order"}), within("order", {"order.total"}), within("orders", {"order"})
        (True, True, False)
    """
    if datum in names:
        return True
    if "." in datum and datum.partition(".")[0] in names:
        return True
    return any(name.startswith(f"{datum}.") for name in names)


def _words(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield from _WORD.findall(value)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
