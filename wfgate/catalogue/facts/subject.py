"""The workflow of a question: its tasks by name, flows, sub-workflows and behaviour."""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from wfgate.catalogue.facts.blocks import Blocks
from wfgate.catalogue.facts.circles import Circle, circles_of
from wfgate.catalogue.facts.course import Course
from wfgate.catalogue.facts.data import DataView
from wfgate.catalogue.facts.links import Ways
from wfgate.catalogue.facts.listing import relisted
from wfgate.errors import ConfigError
from wfgate.logic import Behaviour, BudgetSpentError
from wfgate.model import Task, TaskGraph, Workflow, content_order, members, task_numbers

MOST_PAIRS = 500_000
"""Largest number of examined pairs of tasks."""


@dataclass(frozen=True)
class FactSubject:
    """A workflow and its derived properties, computed on first use.

    Attributes:
        workflow: The workflow in the order of its content (`relisted`); composites are not expanded.
        library: All workflows of the file by name, including this workflow.
    """

    workflow: Workflow
    library: Mapping[str, Workflow] = field(default_factory=dict)

    @classmethod
    def of(cls, workflow: Workflow, name: str | None = None) -> "FactSubject":
        """Return the subject for a main workflow, or for one of its sub-workflows.

        Args:
            workflow: The main workflow.
            name: Name of the sub-workflow; None for the main workflow.

        Raises:
            ConfigError: If there is no workflow with this name.
        """
        main = relisted(workflow)
        library = {part.name: relisted(part) for part in workflow.subworkflows[::-1]} | {main.name: main}
        if name is None:
            return cls(main, library)
        if name not in library:
            raise ConfigError(f"there is no workflow {name!r}", fix=_suggested(name, library))
        return cls(library[name], library)

    def inside(self, name: str | None) -> "FactSubject | None":
        """Return the subject of a sub-workflow; None if it is not in the file."""
        return FactSubject(self.library[name], self.library) if name and name in self.library else None

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks, by position."""
        return self.workflow.tasks

    @cached_property
    def graph(self) -> TaskGraph:
        """The task graph: gateways contracted, back edges separate."""
        return TaskGraph.of(self.workflow)

    @cached_property
    def flow(self) -> TaskGraph:
        """The task graph with back edges treated as ordinary edges."""
        return replace(self.graph, edges=self.graph.edges | self.graph.back_edges, back_edges=frozenset())

    @cached_property
    def ways(self) -> Ways:
        """The links between tasks with their properties."""
        return Ways.of(self.workflow)

    @cached_property
    def data(self) -> DataView:
        """The data flow."""
        return DataView.of(self.workflow, self.flow, self.library.values())

    @cached_property
    def behaviour(self) -> Behaviour:
        """The conditions under which each task runs."""
        return Behaviour.of(self.workflow)

    @cached_property
    def course(self) -> Course:
        """Queries on the behaviour."""
        return Course(self.behaviour, self.graph)

    @cached_property
    def blocks(self) -> Blocks:
        """The splits and their blocks."""
        return Blocks.of(self.behaviour.flow)

    @cached_property
    def circles(self) -> list[Circle]:
        """The cycles of links.

        Raises:
            BudgetSpentError: If the conditions exceed the work limit.
        """
        return circles_of(self.course)

    @cached_property
    def parallel(self) -> dict[int, frozenset[int]]:
        """For each task, the tasks that can run at the same time: unordered, and not proven to be exclusive.

        Raises:
            BudgetSpentError: If there are more than `MOST_PAIRS` unordered pairs of tasks.
        """
        free = self._without_order
        if free is None:
            raise BudgetSpentError(f"more than {MOST_PAIRS:,} pairs of tasks are unordered")
        partners: dict[int, set[int]] = {task: set() for task in range(self.graph.n)}
        for first, row in enumerate(free):
            for second in members(row >> first << first):
                if self.course.parallel(first, second) is not False:
                    partners[first].add(second)
                    partners[second].add(first)
        return {task: frozenset(others) for task, others in partners.items()}

    @cached_property
    def _without_order(self) -> list[int] | None:
        """For each task, the bit set of the tasks without order to it; None if there are too many pairs."""
        graph, everything = self.graph, (1 << self.graph.n) - 1
        free = [everything & ~(graph.descendants[t] | graph.ancestors[t] | 1 << t) for t in range(graph.n)]
        return free if sum(row.bit_count() for row in free) <= 2 * MOST_PAIRS else None

    def parallel_is_known(self, tasks: Iterable[int]) -> bool:
        """Return whether `parallel` is certain for these tasks."""
        return all(self.course.parallel(task, other) for task in tasks for other in self.parallel[task])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The label of each task in answers: its name, or its id if another task has the same name."""
        names = Counter(task.name for task in self.tasks)
        ids = Counter(task.id for task in self.tasks)
        labels = [task.name if task.name and names[task.name] == 1 else task.id for task in self.tasks]
        for place, position in enumerate(self.order):
            label = labels[position]
            if label != self.tasks[position].name and (ids[label] > 1 or label in names):
                labels[position] = f"{self.tasks[position].name or label} #{place + 1}"
        return tuple(labels)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The tasks in topological order; ties are broken by content, not by id or listing order."""
        return content_order(self.workflow, self.graph)

    @cached_property
    def place(self) -> tuple[int, ...]:
        """The rank of each task in `order`."""
        places = [0] * self.graph.n
        for place, task in enumerate(self.order):
            places[task] = place
        return tuple(places)

    def sorted(self, tasks: Iterable[int]) -> list[int]:
        """Return the tasks in flow order, each once."""
        return sorted(set(tasks), key=self.place.__getitem__)

    def named(self, tasks: Iterable[int]) -> tuple[str, ...]:
        """Return the labels of tasks, in flow order."""
        return tuple(self.labels[task] for task in self.sorted(tasks))

    def listed(self, tasks: int) -> str:
        """Return the labels of a bit set of tasks as one text, which is made once: blocks share their branches."""
        if tasks not in self._texts:
            self._texts[tasks] = ", ".join(self.named(members(tasks)))
        return self._texts[tasks]

    @cached_property
    def _texts(self) -> dict[int, str]:
        return {}

    def task(self, name: str) -> int:
        """Return the position of a task by its label, id or name (case-insensitive).

        Raises:
            ConfigError: If no task matches, or several tasks match.
        """
        position = self.find(name)
        if position is None:
            raise ConfigError(f"no task is called {name!r}", fix=_suggested(name, self.labels))
        return position

    def find(self, name: str) -> int | None:
        """Return the position of a task by its label, id or name (case-insensitive); None if no task matches.

        Raises:
            ConfigError: If several tasks match.
        """
        if name in self._by_label:
            return self._by_label[name]
        if name in self.number:
            return self.number[name]
        alike = [task for task, each in enumerate(self.tasks) if _key(each.name) == _key(name)]
        if len(alike) > 1:
            labels = ", ".join(self.labels[task] for task in alike[:9])
            raise ConfigError(f"{len(alike)} tasks are called {name!r}", fix=f"name one of: {labels}")
        return alike[0] if alike else None

    @cached_property
    def _by_label(self) -> dict[str, int]:
        return {label: task for task, label in enumerate(self.labels)}

    @cached_property
    def number(self) -> dict[str, int]:
        """Position of each task by id. If two tasks have the same id, the position of the first one."""
        return task_numbers(self.workflow)

    def nested(self, task: int) -> Iterator[tuple[str, int]]:
        """Yield every task inside a composite, level by level, as (name of its workflow, position in it)."""
        pending = [self.tasks[task].workflow]
        seen: set[str] = set()
        for name in pending:
            inner = self.inside(name)
            if name is None or name in seen or inner is None:
                continue
            seen.add(name)
            yield from ((name, position) for position in inner.order)
            pending += [inner.tasks[position].workflow for position in inner.order]

    @cached_property
    def nested_tasks(self) -> tuple[tuple[str, int], ...]:
        """Every task inside a composite of this workflow, each once."""
        nested: dict[tuple[str, int], None] = {}
        for task in self.order:
            nested.update(dict.fromkeys(self.nested(task)))
        return tuple(nested)


def suggestion(name: str, known: Iterable[str]) -> str | None:
    """Return "did you mean ...?" with the most similar names; None if no name is similar.

    Example:
        >>> suggestion("Biuld", ["Build", "Test"])
        'did you mean Build?'
    """
    choices = {_key(each): each for each in known}
    near = difflib.get_close_matches(_key(name), list(choices)[:2000], n=3)
    return f"did you mean {' or '.join(choices[key] for key in near)}?" if near else None


def _suggested(name: str, known: Iterable[str]) -> str:
    known = list(known)
    return suggestion(name, known) or f"there are: {_first(known)}"


def _first(names: Sequence[str], limit: int = 12) -> str:
    if not names:
        return "none"
    return ", ".join(names[:limit]) + (f" and {len(names) - limit} more" if len(names) > limit else "")


def _key(name: str) -> str:
    return " ".join(name.split()).casefold()
