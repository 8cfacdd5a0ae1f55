"""Which runs a workflow can have, and which tasks are in all of them."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import ClassVar

from wfgate.conditions import FALSE, TRUE, Node, Space, Term
from wfgate.facts.answers import AnswerType, YesNo, unknown
from wfgate.facts.base import Fact, Group, Metric, Parameter, Question, each_task
from wfgate.facts.course import Situation
from wfgate.facts.order import repeats
from wfgate.facts.situations import checked, said
from wfgate.facts.subject import Subject

EACH_PASS = ("the branch taken ", "outcome of ", "the event at ")
"""How terms begin that are decided anew whenever a step runs, and are no value that anything reads."""


class Trace(Fact):
    """Whether a list of tasks can be all that runs, in that order.

    Question:
        Can the trace of tasks R1, ..., Rk occur in workflow W (in situation S)?

    Definition:
        In some situation (that agrees with S) exactly these tasks run, and may run in this order. Where one step runs
        at a time, the trace is replayed link by link, loops included; what conditions read may change between two
        passes of a loop, so a trace that repeats steps is certain only if its conditions agree. Where steps run in
        parallel and repeat, traces are not decided.
    """

    id: ClassVar[str] = "trace"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("sequence",)
    takes: ClassVar[tuple[Parameter, ...]] = ("situation",)

    def answer(self, subject: Subject, question: Question) -> YesNo:
        """Return yes with a situation, no, or unknown."""
        found = [(name, subject.find(name)) for name in question.sequence]
        foreign = [name for name, task in found if task is None]
        if foreign:
            return YesNo(value=False, because=f"{foreign[0]!r} is no task of the workflow")
        sequence = [task for _, task in found if task is not None]
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
        There is no situation in which T does not run, as long as no step fails. A no carries one.
    """

    id: ClassVar[str] = "runs-in-every-situation"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)

    def answer(self, subject: Subject, question: Question) -> YesNo:
        """Return yes, no with a situation, or unknown."""
        task = subject.task(question.task or "")
        found = said(subject.behaviour.must_run(task))
        if found.value is False and not found.witness:
            return found.model_copy(update={"because": "it never runs"})
        return found

    def instances(self, subject: Subject) -> Iterator[Question]:
        """Yield one question for each task."""
        yield from each_task(subject)


def _possible(subject: Subject, sequence: Sequence[int], situation: Situation, *, repeated: bool) -> YesNo:
    """Answer by conditions: exactly these run, and none has to wait for a later one."""
    course, space = subject.course, subject.behaviour.space
    once = list(dict.fromkeys(sequence))
    left = [task for task in range(subject.graph.n) if task not in once]
    exactly = course.all_run(once, left)
    if repeated:
        answer = course.sometimes(exactly, situation)
        if answer.value is False:
            return said(answer).model_copy(update={"because": "no situation has exactly these tasks"})
        return unknown("steps repeat and run in parallel: such traces are not replayed")
    answer = course.sometimes(space.both(exactly, course.allows(once)), situation)
    if answer.value is False and course.sometimes(exactly, situation).value is not False:
        return said(answer).model_copy(update={"because": "these tasks can run together, but not in this order"})
    because = "no situation has exactly these tasks" if answer.value is False else answer.because
    found = said(answer).model_copy(update={"because": because or None})
    if answer.value and not course.acyclic and not course.is_dag:
        return unknown("the flow goes in circles and runs steps in parallel: such traces are not replayed")
    return found


def _replayed(subject: Subject, sequence: Sequence[int], situation: Situation) -> YesNo:
    """Follow the links from START through the sequence to END, or to where nothing is taken any more."""
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
            return YesNo(value=False, because=f"no way leads from {names[0]} to {names[1]}")
        condition = space.both(condition, _whatever_is_chosen(space, taken))
    answer = space.sometimes(course.choice_in(condition, situation) if situation else condition)
    if answer.value is not False:
        return said(answer)
    if len({*sequence}) < len(sequence):
        return unknown("its conditions contradict each other unless values change between the passes")
    return YesNo(value=False, because="the conditions on its way cannot hold together")


def _whatever_is_chosen(space: Space, node: Node) -> Node:
    """Return where a condition holds for some choice and outcome: in a loop they can be others in each pass."""
    for variable in space.support(node):
        term = variable.term
        if isinstance(term, Term) and term.text.startswith(EACH_PASS):
            node = space.some(space.given(node, {term.text: value}) for value in term.values)
    return node
