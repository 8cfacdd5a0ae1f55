"""Facts about links between tasks."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, NameSet, YesNo
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question, each_task, these
from wfgate.catalogue.facts.properties import link_property
from wfgate.catalogue.facts.subject import FactSubject


class LinkExistence(Fact):
    """Whether a link leads from one task to another.

    Question:
        In workflow W, is there a flow F link from T1 to T2?

    Definition:
        Yes if (T1, T2) is an edge of the task graph. Gateways are contracted in the task graph. In data flow: yes if
        T1 writes data that T2 reads. (The text of the pattern asks for a link from T2 to T1, but its example has a
        link from T1 to T2.)
    """

    id: ClassVar[str] = "link-existence"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("first", "second")
    takes: ClassVar[tuple[Parameter, ...]] = ("flow",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes or no."""
        return _link(subject, question)


class TaskAfterTask(Fact):
    """Whether one task directly follows another.

    Question:
        In workflow W, does T2 directly follow T1 in flow F?

    Definition:
        The same as link-existence: yes if (T1, T2) is an edge of the task graph.
    """

    id: ClassVar[str] = "task-after-task"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("first", "second")
    takes: ClassVar[tuple[Parameter, ...]] = ("flow",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes or no."""
        return _link(subject, question)


class LinkWithProperty(Fact):
    """Whether a link with a property leads from one task to another.

    Question:
        In workflow W, is there a flow F link from T1 to T2 satisfying P?

    Definition:
        Yes if a path from T1 to T2, direct or only through gateways, has a link with property P. P is one of:
        conditional (a condition, or the default branch), default, exceptional (after a failure or a timeout), event,
        loop (a back edge). In data flow, P is data:X for the datum X that flows.
    """

    id: ClassVar[str] = "link-with-property"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("first", "second", "property")
    takes: ClassVar[tuple[Parameter, ...]] = ("flow",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes or no."""
        return _link(subject, question)


class NextTasks(Fact):
    """Which tasks come directly after a task.

    Question:
        In workflow W, which tasks come directly after T in flow F?

    Definition:
        The successors of T in the task graph, including conditional links and back edges. In data flow: the tasks that
        read what T writes.
    """

    id: ClassVar[str] = "next-tasks"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)
    takes: ClassVar[tuple[Parameter, ...]] = ("flow",)

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return the successors."""
        return _next(subject, question)

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one question for each task."""
        yield from each_task(subject)


class LinksWithProperty(Fact):
    """Which tasks a link with a property leads to, from a given task.

    Question:
        To which tasks is there a flow F link from T satisfying P?

    Definition:
        The successors T' of T with the answer yes to link-with-property from T to T'.
    """

    id: ClassVar[str] = "links-with-property"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"
    needs: ClassVar[tuple[Parameter, ...]] = ("task", "property")
    takes: ClassVar[tuple[Parameter, ...]] = ("flow",)

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return the successors reached by such links."""
        return _next(subject, question)

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one question for each task with conditional links."""
        for question in each_task(subject):
            asked = question.model_copy(update={"property": "conditional"})
            if _next(subject, asked).value:
                yield asked


def _link(subject: FactSubject, question: Question) -> YesNo:
    first, second = subject.task(question.first or ""), subject.task(question.second or "")
    return YesNo(value=second in _after(subject, first, question))


def _next(subject: FactSubject, question: Question) -> NameSet:
    return these(subject, _after(subject, subject.task(question.task or ""), question))


def _after(subject: FactSubject, task: int, question: Question) -> set[int]:
    """Return the tasks reached from a task by links of the kind in the question."""
    wanted = question.property
    if question.flow == "data":
        carried = subject.data.carried
        name = None if wanted is None else wanted.removeprefix("data:").strip()
        return {b for (a, b), names in carried.items() if a == task and (name is None or name in names)}
    near = set(subject.flow.successors[task])
    if wanted is None:
        return near
    wanted = link_property(wanted)
    return {other for other in near if subject.ways.has(subject.tasks[task].id, subject.tasks[other].id, wanted)}
