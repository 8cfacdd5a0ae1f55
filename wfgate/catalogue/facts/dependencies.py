"""Facts about dependencies of tasks and producers of data."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, NameSet, OneTask, YesNo
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question, none, these
from wfgate.catalogue.facts.subject import FactSubject, suggestion
from wfgate.errors import ConfigError
from wfgate.model import members


class DependencyExistence(Fact):
    """Whether a task depends on another task, or on a piece of data.

    Question:
        In workflow W, does T depend on E?

    Definition:
        If E is a task: yes if a path leads from E to T, in control flow, or in data flow if requested. If E is a
        datum: yes if T reads the datum, or if a task reads the datum from which data flow to T. With `direct`, only a
        path of one link counts (for a datum: only T itself).
    """

    id: ClassVar[str] = "dependency-existence"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)
    takes: ClassVar[tuple[Parameter, ...]] = ("first", "data", "flow", "direct")

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes or no."""
        task = subject.task(question.task or "")
        if (question.first is None) == (question.data is None):
            raise ConfigError(
                "dependency-existence needs either first or data",
                fix="give --first NAME for a task, or --data NAME for data, that --task may depend on",
            )
        if question.data is not None:
            return YesNo(value=known_data(subject, question.data) in subject.data.needed(task, direct=question.direct))
        return YesNo(value=subject.task(question.first or "") in _tasks_before(subject, task, question))


class ListOfDependencies(Fact):
    """What a task depends on.

    Question:
        List all tasks (or all data) that T depends on.

    Definition:
        In control flow: the tasks from which a path of links leads to T. In data flow: the data read by T and by the
        tasks from which data flow to T. With `direct`: only the direct predecessors of T, or the data that T itself
        reads. (The definition in the pattern catalogue is about paths; its example about data is direct.)
    """

    id: ClassVar[str] = "list-of-dependencies"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)
    takes: ClassVar[tuple[Parameter, ...]] = ("flow", "direct")

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return names of tasks, or of data."""
        task = subject.task(question.task or "")
        if question.flow == "data":
            return NameSet(value=tuple(sorted(subject.data.needed(task, direct=question.direct))))
        return these(subject, _tasks_before(subject, task, question))

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield no question: the facts next-tasks and task-order contain the same information."""
        del subject
        yield from ()


class DataProduction(Fact):
    """Which task produces a piece of data.

    Question:
        In workflow W, which task produces D?

    Definition:
        The task that has D as an output or is the source of a data link for D. If there is no such task, D comes from
        outside or is missing. If there are several such tasks, there is no answer, and the witness lists the tasks.
    """

    id: ClassVar[str] = "data-production"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "task"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("data",)

    def answer(self, subject: FactSubject, question: Question) -> OneTask:
        """Return the producer."""
        name = known_data(subject, question.data or "")
        names = subject.named(subject.data.data.producers(name))
        if len(names) == 1:
            return OneTask(value=names[0])
        if not names:
            return none("no task of the workflow produces it: it comes from outside, or is missing")
        return OneTask(value=None, because=f"{len(names)} tasks produce it", witness=names)

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one question for each piece of data."""
        for name in subject.data.names:
            yield Question(data=name)


def known_data(subject: FactSubject, name: str) -> str:
    """Return the name of a datum if the workflow has a datum with this name.

    Raises:
        ConfigError: If there is no datum with this name.
    """
    names = subject.data.names
    if name in names:
        return name
    near = suggestion(name, names) or f"there are: {', '.join(names[:12]) or 'none'}"
    raise ConfigError(f"no data is called {name!r}", fix=near)


def _tasks_before(subject: FactSubject, task: int, question: Question) -> set[int]:
    graph = subject.data.graph if question.flow == "data" else subject.flow
    return set(graph.predecessors[task] if question.direct else members(graph.ancestors[task]))
