"""Facts about the order of tasks, without conditions."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, NameList, YesNo
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question
from wfgate.catalogue.facts.subject import MOST_PAIRS, FactSubject
from wfgate.logic import BudgetSpentError
from wfgate.model import TaskGraph, path_to, reach


class OrderOfTwo(Fact):
    """Whether one task always runs before another, without conditions.

    Question:
        Does task T1 run before T2 in workflow W?

    Definition:
        Yes if a path leads from T1 to T2, and no path leads back. Back edges of loops do not count. Parallel tasks
        have no order, so the answer is no in both directions.
    """

    id: ClassVar[str] = "order-of-two"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("first", "second")

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes, or no with the actual order."""
        first, second = subject.task(question.first or ""), subject.task(question.second or "")
        if subject.course.strictly_before(first, second):
            return YesNo(value=True, witness=path(subject, first, second))
        if not subject.graph.precedes(first, second) and not subject.graph.precedes(second, first):
            return YesNo(value=False, because="neither has to wait for the other")
        if subject.course.strictly_before(second, first):
            because = f"'{question.first}' runs after '{question.second}'"
            return YesNo(value=False, because=because, witness=path(subject, second, first))
        return YesNo(value=False, because="a cycle leads from each to the other")


class OrderOfAll(Fact):
    """Whether tasks can run in a given order, without conditions.

    Question:
        Can tasks T1, ..., Tk run in this order in workflow W?

    Definition:
        Yes if there are no i < j such that Tj has to run before Ti. Other tasks may run in between.
    """

    id: ClassVar[str] = "order-of-all"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("sequence",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes, or no with two tasks in the wrong order."""
        sequence = [subject.task(name) for name in question.sequence]
        wrong = inversion(subject, sequence)
        if wrong is None:
            return YesNo(value=True)
        names = tuple(subject.labels[task] for task in wrong)
        if wrong[0] == wrong[1]:
            return YesNo(value=False, because=f"'{names[0]}' is named twice and does not repeat", witness=names[:1])
        return YesNo(value=False, because=f"'{names[0]}' has to run before '{names[1]}'", witness=names)

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield no question: the question needs an order."""
        del subject
        yield from ()


class TaskOrder(Fact):
    """In which order the tasks run, without conditions.

    Question:
        List all the tasks in workflow W in order in which they run.

    Definition:
        A linear extension of the order given by the links, independent of the listing order. With parallel tasks there
        are many correct orders, and an answer is graded by its distance to the nearest correct order. Tasks on a
        common cycle have no order.
    """

    id: ClassVar[str] = "task-order"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "list"
    metric: ClassVar[Metric] = "damerau-levenshtein"

    def answer(self, subject: FactSubject, question: Question) -> NameList:
        """Return all tasks in order."""
        del question
        return in_order(subject, subject.graph, subject.order)


def in_order(subject: FactSubject, graph: TaskGraph, tasks: Iterable[int]) -> NameList:
    """Return tasks in an order consistent with a graph, with all pairs whose order is required.

    Raises:
        BudgetSpentError: If there are too many pairs.
    """
    chosen = set(tasks)
    order = [task for task in graph.topological_order(subject.place.__getitem__) if task in chosen]
    number = {task: place for place, task in enumerate(order)}
    left = graph.restricted(number, len(order))
    part = {task: members for members in left.components for task in members}
    crossing = {(part[a], part[b]) for a, b in left.edges if part[a] is not part[b]}
    if sum(len(ours) * len(theirs) for ours, theirs in crossing) > MOST_PAIRS:
        raise BudgetSpentError(f"more than {MOST_PAIRS:,} pairs of tasks have an order between cycles")
    before = sorted({(a, b) for ours, theirs in crossing for a in ours for b in theirs})
    chain = {(place, place + 1) for place in range(len(order) - 1)}
    return NameList(
        value=tuple(subject.labels[task] for task in order),
        before=tuple((subject.labels[order[a]], subject.labels[order[b]]) for a, b in before),
        unique=chain <= {*before},
        because=None if chain <= {*before} else "one of several correct orders",
    )


def inversion(subject: FactSubject, sequence: list[int]) -> tuple[int, int] | None:
    """Return two tasks of a sequence such that the first must run before the second, but comes after it."""
    for place, later in enumerate(sequence):
        for earlier in sequence[:place]:
            if earlier == later and not repeats(subject, later):
                return later, later
            if subject.course.strictly_before(later, earlier):
                return later, earlier
    return None


def repeats(subject: FactSubject, task: int) -> bool:
    """Return whether a task can run more than once: it is on a cycle, or it repeats itself."""
    return subject.flow.precedes(task, task) or subject.tasks[task].loop is not None


def path(subject: FactSubject, first: int, second: int) -> tuple[str, ...]:
    """Return a shortest path between two tasks, both included."""
    way = path_to(second, reach([first], subject.graph.successors.__getitem__))
    return tuple(subject.labels[task] for task in way)
