"""Facts about the possible runs of a workflow."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, YesNo, unknown
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question, each_task
from wfgate.catalogue.facts.course import Situation
from wfgate.catalogue.facts.order import repeats
from wfgate.catalogue.facts.situations import as_yes_no, checked
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.logic import FALSE, TRUE, Node, Space, Term

EACH_PASS = ("the branch taken ", "outcome of ", "the event at ")
"""Prefixes of terms that get a new value whenever a step runs."""


class Trace(Fact):
    """Whether exactly the tasks of a list can run, in this order.

    Question:
        Can the trace of tasks R1, ..., Rk occur in workflow W (in situation S)?

    Definition:
        Yes if in some situation (consistent with S) exactly these tasks run, and they can run in this order. If only
        one step runs at a time, the trace is followed link by link, through loops too. Values may change between two
        iterations. Therefore the answer yes for a trace with repeated steps is exact only if all its conditions can
        hold together. The answer is unknown if steps run in parallel and repeat.
    """

    id: ClassVar[str] = "trace"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("sequence",)
    takes: ClassVar[tuple[Parameter, ...]] = ("situation",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with a situation, no, or unknown."""
        named = [(name, subject.find(name)) for name in question.sequence]
        foreign = [name for name, task in named if task is None]
        if foreign:
            return YesNo(value=False, because=f"{foreign[0]!r} is no task of the workflow")
        sequence = [task for _, task in named if task is not None]
        situation = checked(subject, question.situation)
        twice = [task for place, task in enumerate(sequence) if task in sequence[:place]]
        alone = [task for task in twice if not repeats(subject, task)]
        if alone:
            return YesNo(value=False, because=f"'{subject.labels[alone[0]]}' is named twice and does not repeat")
        if subject.course.single and not subject.course.acyclic:
            return _replayed(subject, sequence, situation)
        return _possible(subject, sequence, situation, repeated=bool(twice))


class RunsInEverySituation(Fact):
    """Whether a task runs in every situation.

    Question:
        Will the task T be executed in every possible initial situation?

    Definition:
        Yes if there is no situation in which T does not run, provided that no step fails. The answer no has such a
        situation.
    """

    id: ClassVar[str] = "runs-in-every-situation"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes, no with a situation, or unknown."""
        task = subject.task(question.task or "")
        yes_no = as_yes_no(subject.behaviour.must_run(task))
        if yes_no.value is False and not yes_no.witness:
            return yes_no.model_copy(update={"because": "it never runs"})
        return yes_no

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one question for each task."""
        yield from each_task(subject)


def _possible(subject: FactSubject, sequence: Sequence[int], situation: Situation, *, repeated: bool) -> YesNo:
    """Return the answer by conditions: exactly these tasks run, and no task has to wait for a later one."""
    course, space = subject.course, subject.behaviour.space
    once = list(dict.fromkeys(sequence))
    left = [task for task in range(subject.graph.n) if task not in once]
    exactly = course.all_run(once, left)
    if repeated:
        answer = course.sometimes(exactly, situation)
        if answer.value is False:
            return as_yes_no(answer).model_copy(update={"because": "no situation has exactly these tasks"})
        return unknown("steps repeat and run in parallel: such traces are not replayed")
    answer = course.sometimes(space.both(exactly, course.allows(once)), situation)
    if answer.value is False and course.sometimes(exactly, situation).value is not False:
        return as_yes_no(answer).model_copy(update={"because": "these tasks can run together, but not in this order"})
    because = "no situation has exactly these tasks" if answer.value is False else answer.because
    yes_no = as_yes_no(answer).model_copy(update={"because": because} if because else {})
    if answer.value and not course.acyclic and not course.is_dag:
        return unknown("the flow has cycles and parallel steps: such traces are not replayed")
    return yes_no


def _replayed(subject: FactSubject, sequence: Sequence[int], situation: Situation) -> YesNo:
    """Return the answer by following links: from START through the sequence to END, or until no link is taken."""
    course, space, flow = subject.course, subject.course.choices, subject.behaviour.flow
    condition = TRUE
    for source, target in pairwise([flow.start, *sequence, flow.end]):
        if target == source and subject.tasks[source].loop is not None:
            continue
        chosen = course.chosen(source)
        taken = chosen.get(target, FALSE)
        if target == flow.end:
            taken = space.either(taken, space.contrary(space.some(chosen.values())))
        if taken == FALSE:
            names = [flow.labels[node] for node in (source, target)]
            return YesNo(value=False, because=f"no path leads from {names[0]} to {names[1]}")
        condition = space.both(condition, _whatever_is_chosen(space, taken))
    answer = space.sometimes(course.choice_in(condition, situation) if situation else condition)
    if answer.value is not False:
        return as_yes_no(answer)
    if len({*sequence}) < len(sequence):
        return unknown("its conditions contradict each other unless values change between iterations")
    return YesNo(value=False, because="its conditions cannot hold together")


def _whatever_is_chosen(space: Space, node: Node) -> Node:
    """Return the condition for some choice and outcome at each split; in a loop these can differ per iteration."""
    for variable in space.support(node):
        term = variable.term
        if isinstance(term, Term) and term.text.startswith(EACH_PASS):
            node = space.some(space.given(node, {term.text: value}) for value in term.values)
    return node
