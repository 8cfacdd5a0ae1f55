"""Data flow between tasks as a graph."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from wfgate.behaviour.data import DataFlow
from wfgate.model import TaskGraph, Workflow


@dataclass(frozen=True)
class DataView:
    """Which task passes which data on to which.

    A task gets a piece of data from those that data links name, else from the tasks that write it: those that come
    before it in control flow, or all of them if none does.

    Attributes:
        data: What each task reads and writes.
        carried: For each two tasks the data that flows from one to the other.
        graph: The tasks with data flow as edges.
    """

    data: DataFlow
    carried: dict[tuple[int, int], frozenset[str]]
    graph: TaskGraph

    @classmethod
    def of(cls, workflow: Workflow, flow: TaskGraph, parts: Iterable[Workflow]) -> "DataView":
        """Collect what tasks declare and what data links say.

        Args:
            workflow: The workflow.
            flow: Its task view, returning links of loops included.
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
        """Every piece of data, sorted."""
        return tuple(sorted({*self.data.names, *self.data.declared}))

    @cached_property
    def linked(self) -> frozenset[int]:
        """Tasks that take part in the data flow between tasks."""
        return frozenset(task for edge in self.carried for task in edge)

    def needed(self, task: int, *, direct: bool) -> frozenset[str]:
        """Return the data that a task depends on: what it reads, and unless `direct` what that was made from."""
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
