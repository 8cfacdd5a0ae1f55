"""Facts about the tasks of a workflow."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, NameSet
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question, these
from wfgate.catalogue.facts.properties import tasks_with
from wfgate.catalogue.facts.subject import FactSubject


class ListOfTasks(Fact):
    """Which tasks the workflow has.

    Question:
        List all tasks in workflow W.

    Definition:
        The tasks of W itself. Tasks inside composites belong to other workflows and do not count.
    """

    id: ClassVar[str] = "list-of-tasks"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return all tasks."""
        del question
        return these(subject, subject.order)


class TasksWithProperty(Fact):
    """Which tasks have a property.

    Question:
        List all tasks in workflow W that satisfy P.

    Definition:
        The tasks of W itself that have the property P. P is one of: composite, has-params, has-inputs, has-outputs,
        has-description, event, critical, loop, timeout, conditional (a conditional link leads to the task),
        exceptional, default (such a link leads to the task), tagged:X, action:X, param:X, input:X, output:X.
    """

    id: ClassVar[str] = "tasks-with-property"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"
    needs: ClassVar[tuple[Parameter, ...]] = ("property",)

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return the tasks that have the property."""
        return these(subject, tasks_with(subject, question.property or ""))

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one question for each less common property that a task of the workflow has."""
        for name in ("critical", "loop", "event", "exceptional"):
            if tasks_with(subject, name):
                yield Question(property=name)
