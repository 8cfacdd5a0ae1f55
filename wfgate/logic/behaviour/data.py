"""The data flow: the tasks that write and the tasks that read each datum."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from wfgate.model import END, START, Workflow, reach, task_numbers


@dataclass(frozen=True)
class DataFlow:
    """Producers and consumers of each datum. Data are identified by name.

    A task with a data link for a datum reads the value of the link's source. A task without such a link reads the
    value of any writer. A composite without declared outputs writes the data that its sub-workflow writes.

    Attributes:
        inputs: The data that each task reads.
        outputs: The data that each task writes.
        stated_inputs: The declared inputs of each task; `inputs` also has data that only a data link brings.
        stated_outputs: The declared outputs of each task. For a composite without declared outputs: the data written
            inside.
        linked: The source tasks of data links, by task and datum.
        from_start: The data with a data link from START.
        to_end: The data with a data link to END.
        declared: The data items of the workflow.
        params: The parameters of the workflow.
    """

    inputs: tuple[frozenset[str], ...]
    outputs: tuple[frozenset[str], ...]
    stated_inputs: tuple[frozenset[str], ...]
    stated_outputs: tuple[frozenset[str], ...]
    linked: Mapping[tuple[int, str], frozenset[int]]
    from_start: frozenset[str]
    to_end: frozenset[str]
    declared: frozenset[str]
    params: frozenset[str]

    @classmethod
    def of(cls, workflow: Workflow, parts: Iterable[Workflow] | None = None) -> "DataFlow":
        """Return the data flow of a workflow.

        Args:
            workflow: The workflow.
            parts: The sub-workflows that composites may call; by default those of the workflow.

        Returns:
            The data flow. If two tasks share an id, data links belong to the first task. Undefined ends of links are
            ignored. Cost: linear.

        Example:
            >>> from wfgate.model import Task
            >>> build = Task(id="b", name="Build", inputs=("source",), outputs=("image",))
            >>> deploy = Task(id="d", name="Deploy", inputs=("image",))
            >>> flow = DataFlow.of(Workflow(tasks=(build, deploy), params={"source": "main"}))
            >>> flow.producers("image"), flow.consumers("image"), sorted(flow.given)
            ((0,), (1,), ['source'])
        """
        inside = written_inside(workflow.subworkflows if parts is None else parts)
        stated_inputs = tuple(frozenset(task.inputs) for task in workflow.tasks)
        stated_outputs = tuple(
            frozenset(task.outputs or (inside.get(task.workflow, ()) if task.workflow else ()))
            for task in workflow.tasks
        )
        inputs, outputs = [set(names) for names in stated_inputs], [set(names) for names in stated_outputs]
        number = task_numbers(workflow)
        linked: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
        from_start, to_end = set(), set()
        for link in workflow.data_links:
            source, target = number.get(link.source), number.get(link.target)
            if source is not None:
                outputs[source].add(link.data)
            if target is not None:
                inputs[target].add(link.data)
            if source is not None and target is not None:
                linked[target, link.data].add(source)
            if link.source == START:
                from_start.add(link.data)
            if link.target == END:
                to_end.add(link.data)
        return cls(
            tuple(frozenset(names) for names in inputs),
            tuple(frozenset(names) for names in outputs),
            stated_inputs,
            stated_outputs,
            {end: frozenset(sources) for end, sources in linked.items()},
            frozenset(from_start),
            frozenset(to_end),
            frozenset(item.id for item in workflow.data_items),
            frozenset(workflow.params),
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every datum that a task reads or writes, sorted."""
        return tuple(sorted({*self._producers, *self._consumers}))

    @cached_property
    def given(self) -> frozenset[str]:
        """Data from outside: parameters, data with a link from START, and data items that no task writes."""
        return self.params | self.from_start | (self.declared - self._producers.keys())

    def producers(self, datum: str) -> tuple[int, ...]:
        """Return the tasks that write a datum, ascending."""
        return self._producers.get(datum, ())

    def consumers(self, datum: str) -> tuple[int, ...]:
        """Return the tasks that read a datum, ascending."""
        return self._consumers.get(datum, ())

    def sources(self, task: int, datum: str) -> tuple[int, ...]:
        """Return the tasks whose value of a datum a task may read, regardless of the order of the tasks.

        If the task has data links for the datum, these are the sources of the links. Otherwise these are all
        producers.
        """
        linked = self.linked.get((task, datum))
        return self.producers(datum) if linked is None else tuple(sorted(linked))

    def source_bits(self, task: int, datum: str) -> int:
        """Return `sources` as a bit set, without the task itself."""
        linked = self.linked.get((task, datum))
        return (self._producer_bits.get(datum, 0) if linked is None else _bits(linked)) & ~(1 << task)

    @cached_property
    def _producer_bits(self) -> dict[str, int]:
        return {datum: _bits(tasks) for datum, tasks in self._producers.items()}

    @cached_property
    def _producers(self) -> dict[str, tuple[int, ...]]:
        return _inverted(self.outputs)

    @cached_property
    def _consumers(self) -> dict[str, tuple[int, ...]]:
        return _inverted(self.inputs)


def written_inside(parts: Iterable[Workflow]) -> dict[str, frozenset[str]]:
    """Return the data written inside each sub-workflow (nested sub-workflows included), by its name.

    A composite with declared outputs writes only these outputs. If several sub-workflows have the same name, the last
    one counts.
    """
    named = {part.name: part for part in parts}
    called: dict[str, set[str]] = {}
    own: dict[str, set[str]] = {}
    for name, part in named.items():
        handed = {link.data for link in part.data_links if link.target == END}
        kept = {link.data for link in part.data_links if link.target != END} - handed  # read by a step inside
        own[name] = {datum for task in part.tasks for datum in task.outputs if datum not in kept} | {
            link.data for link in part.data_links if link.source != START and link.target == END
        }
        called[name] = {task.workflow for task in part.tasks if task.workflow in named and not task.outputs}
    return {name: frozenset[str]().union(*(own[part] for part in reach([name], called.__getitem__))) for name in named}


def _bits(tasks: Iterable[int]) -> int:
    bits = 0
    for task in tasks:
        bits |= 1 << task
    return bits


def _inverted(names: Iterable[Iterable[str]]) -> dict[str, tuple[int, ...]]:
    inverted: dict[str, list[int]] = {}
    for task, data in enumerate(names):
        for datum in data:
            inverted.setdefault(datum, []).append(task)
    return {datum: tuple(tasks) for datum, tasks in inverted.items()}
