"""The data flow between tasks as a graph."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from wfgate.behaviour.data import DataFlow
from wfgate.model import TaskGraph, Workflow


@dataclass(frozen=True)
class DataView:
    """The data flow between tasks.

    A task gets a datum from the sources of its data links; without one, from the tasks that write it before it in
    control flow, or from all writers if none is before it.

    Attributes:
        data: Inputs and outputs of the tasks.
        carried: The data that flow between each pair of tasks.
        graph: The tasks with data flow as edges.
    """

    data: DataFlow
    carried: dict[tuple[int, int], frozenset[str]]
    graph: TaskGraph

    @classmethod
    def of(cls, workflow: Workflow, flow: TaskGraph, parts: Iterable[Workflow]) -> "DataView":
        """Return the data view of a workflow.

        Args:
            workflow: The workflow.
            flow: Its task graph, including back edges.
            parts: The sub-workflows that its composites may call.
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
        found = {edge: frozenset(names) for edge, names in carried.items()}
        return cls(data, found, TaskGraph(len(workflow.tasks), edges, frozenset(), (), ()))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All data, sorted."""
        return tuple(sorted({*self.data.names, *self.data.declared}))

    @cached_property
    def linked(self) -> frozenset[int]:
        """Tasks with data flow from or to another task."""
        return frozenset(task for edge in self.carried for task in edge)

    def needed(self, task: int, *, direct: bool) -> frozenset[str]:
        """Return the data that a task reads and, unless `direct`, those that the tasks before it in data flow read."""
        tasks = {task} if direct else {task, *members(self.graph.ancestors[task])}
        return frozenset(name for each in tasks for name in self.data.inputs[each])


def members(bits: int) -> list[int]:
    """Return the tasks of a bit set, ascending."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return found
