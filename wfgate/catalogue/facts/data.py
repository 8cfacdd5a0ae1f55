"""The data flow between tasks as a graph."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from wfgate.logic import DataFlow
from wfgate.model import TaskGraph, Workflow, members


@dataclass(frozen=True)
class DataView:
    """The data flow between tasks.

    A task with data links for a datum gets the datum from the sources of these links. Without data links, it gets the
    datum from the writers before it in control flow. If no writer is before it, it gets the datum from all writers.

    Attributes:
        data: The inputs and outputs of each task.
        carried: The data that flow from one task to another, by (writer, reader).
        graph: The graph of the tasks with the data flow as edges.
    """

    data: DataFlow
    carried: dict[tuple[int, int], frozenset[str]]
    graph: TaskGraph

    @classmethod
    def of(cls, workflow: Workflow, flow: TaskGraph, parts: Iterable[Workflow]) -> "DataView":
        """Return the data view of a workflow.

        Args:
            workflow: The workflow.
            flow: The task graph of the workflow, with back edges as ordinary edges.
            parts: The sub-workflows that composites may call.
        """
        data = DataFlow.of(workflow, parts)
        carried: dict[tuple[int, int], set[str]] = {}
        for reader, names in enumerate(data.inputs):
            for name in names:
                sources = data.sources(reader, name)
                if (reader, name) not in data.linked:
                    others = [writer for writer in sources if writer != reader]
                    sources = tuple(writer for writer in others if flow.precedes(writer, reader)) or tuple(others)
                for writer in sources:
                    carried.setdefault((writer, reader), set()).add(name)
        edges = frozenset(carried)
        by_edge = {edge: frozenset(names) for edge, names in carried.items()}
        return cls(data, by_edge, TaskGraph(len(workflow.tasks), edges, frozenset(), (), ()))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All data, sorted."""
        return tuple(sorted({*self.data.names, *self.data.declared}))

    @cached_property
    def linked(self) -> frozenset[int]:
        """Tasks with data flow from or to another task."""
        return frozenset(task for edge in self.carried for task in edge)

    def needed(self, task: int, *, direct: bool) -> frozenset[str]:
        """Return the data that a task reads. Unless `direct`, also the data read by its predecessors in data flow."""
        tasks = {task} if direct else {task, *members(self.graph.ancestors[task])}
        return frozenset(name for each in tasks for name in self.data.inputs[each])
