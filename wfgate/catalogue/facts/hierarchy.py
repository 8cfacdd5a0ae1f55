"""Facts about composite tasks, nested tasks and recursion."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, NameSet, YesNo
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question, these
from wfgate.catalogue.facts.properties import tasks_with
from wfgate.catalogue.facts.subject import FactSubject, suggestion
from wfgate.model import cycle_through, reach

Call = tuple[str, int, str]
"""The calling workflow, the composite task there, and the workflow that it calls."""


class TaskHierarchy(Fact):
    """Whether one task is a part of another.

    Question:
        Is task S (second) a part of task T (first) from workflow W?

    Definition:
        Yes if S is in the sub-workflow of T, or in the sub-workflow of a composite inside T, on any level. S may be a
        task of any workflow of the file.
    """

    id: ClassVar[str] = "task-hierarchy"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("first", "second")

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with the name of the workflow that contains S, or no."""
        name = question.second or ""
        for workflow, position in subject.nested(subject.task(question.first or "")):
            task = subject.library[workflow].tasks[position]
            if name in {task.name, task.id}:
                return YesNo(value=True, witness=(workflow,))
        known = [task.name for part in subject.library.values() for task in part.tasks]
        if name in known or subject.find(name) is not None:
            return YesNo(value=False)
        near = suggestion(name, known)
        return YesNo(value=False, because=f"no task of the file is called {name!r}" + (f"; {near}" if near else ""))


class CompositeTasks(Fact):
    """Which tasks are composite.

    Question:
        List all tasks from workflow W that are composite.

    Definition:
        The tasks that call a sub-workflow, in the file or not (the same as tasks-with-property with P = composite).
    """

    id: ClassVar[str] = "composite-tasks"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return the composite tasks."""
        del question
        return these(subject, tasks_with(subject, "composite"))


class NestedTasks(Fact):
    """Which tasks are inside composite tasks.

    Question:
        List all tasks that are nested inside composite tasks of workflow W.

    Definition:
        All tasks inside composites of W, on any level. If tasks of two sub-workflows have the same name, the name of
        the workflow is put before the name of the task.
    """

    id: ClassVar[str] = "nested-tasks"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return the nested tasks."""
        del question
        inside = {name: subject.inside(name) for name, _ in subject.nested_tasks}
        labels = [(name, part.labels[at]) for name, at in subject.nested_tasks if (part := inside[name])]
        names = [label for _, label in labels]
        return NameSet(value=tuple(label if names.count(label) == 1 else f"{name}/{label}" for name, label in labels))


class InfiniteRecursion(Fact):
    """Whether workflows call each other without end.

    Question:
        In workflow W, is there an infinite recursion in the references?

    Definition:
        Yes if the calls from W lead to a cycle of workflows that call each other. The recursion is infinite only if
        every call of the cycle runs in every situation. If a call can be skipped, the answer yes is marked as not
        exact, with the reason.
    """

    id: ClassVar[str] = "infinite-recursion"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with the cycle of workflows, or no."""
        del question
        cycles = list(recursions(subject))
        if not cycles:
            return YesNo(value=False)
        doubts = []
        for cycle in cycles:
            names = (*(caller for caller, _, _ in cycle), cycle[0][0])
            doubt = _avoidable(subject, cycle)
            if doubt is None:
                return YesNo(value=True, witness=names)
            doubts.append((doubt, names))
        return YesNo(value=True, exact=False, because=doubts[0][0], witness=doubts[0][1])


def recursions(subject: FactSubject) -> Iterator[list[Call]]:
    """Yield a shortest cycle of calls for each workflow that W calls and that calls itself, maybe indirectly."""
    calls: dict[str, list[Call]] = {}

    def called(name: str) -> list[str]:
        if name not in calls:
            part = subject.inside(name) or subject
            tasks = [(task, part.tasks[task].workflow) for task in part.order]
            calls[name] = [(name, task, each) for task, each in tasks if each is not None and each in subject.library]
        return [each for _, _, each in calls[name]]

    done: set[str] = set()
    for name in reach([subject.workflow.name], called):
        cycle = None if name in done else cycle_through(name, called)
        if cycle:
            done.update(cycle)
            ends = zip(cycle, [*cycle[1:], name], strict=True)
            yield [next(call for call in calls[caller] if call[2] == each) for caller, each in ends]


def _avoidable(subject: FactSubject, cycle: Sequence[Call]) -> str | None:
    """Return how the calls can end, in words; None if they cannot end."""
    for name, task, called in cycle:
        part = subject.inside(name) or subject
        runs = part.behaviour.must_run(task)
        if runs.value is None:
            return f"whether '{part.labels[task]}' calls {called!r} each time is unknown: {runs.because}"
        if not runs.value:
            when = f" (in the situation {runs.situation})" if runs.situation else ""
            return f"the calls end when '{part.labels[task]}' does not call {called!r}{when}"
    return None
