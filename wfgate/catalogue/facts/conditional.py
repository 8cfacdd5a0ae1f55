"""Facts about taken links and the order of tasks, with conditions."""

from collections.abc import Iterator
from itertools import combinations
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, NameList, OneTask, YesNo
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question, each_task
from wfgate.catalogue.facts.course import Situation
from wfgate.catalogue.facts.order import in_order, inversion
from wfgate.catalogue.facts.situations import as_yes_no, checked
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.logic import FALSE, TRUE, Answer, Formula, every, negated, some, terms
from wfgate.model import END

_ENDINGS: frozenset[str] = frozenset({"success", "failure", "timeout"})


class MutuallyExclusive(Fact):
    """Whether the conditional links from a task exclude each other.

    Question:
        Are conditional links in the flow from task T mutually exclusive?

    Definition:
        Yes if, for every two conditional links from T (directly or through gateways), no values satisfy both
        conditions. The conditions are used as written; default values of parameters are ignored. A default branch
        excludes its sibling branches. The answer is unknown if T has fewer than two conditional links. The answer no
        has a situation in which two conditions hold.
    """

    id: ClassVar[str] = "mutually-exclusive"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes, no with a situation, or unknown."""
        ways = _conditional_ways(subject, subject.task(question.task or ""))
        if len(ways) < 2:
            return YesNo(value=None, because="it has fewer than two conditional links")
        return self._exclude(subject, ways)

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one question for each task with several conditional links."""
        for question in each_task(subject):
            if len(_conditional_ways(subject, subject.task(question.task or ""))) > 1:
                yield question

    def _exclude(self, subject: FactSubject, ways: list[tuple[str, Formula, frozenset[str]]]) -> YesNo:
        space, course = subject.course.choices, subject.course
        doubt: Answer | None = None
        for (one, first, ended), (other, second, how) in combinations(ways, 2):
            if ended and how and not ended & how:
                continue
            answer = space.exclude(course.node(first), course.node(second))
            if answer.value is False:
                both = (
                    f"'{one}' and '{other}' can both be chosen" if one != other else f"two links to '{one}' can hold"
                )
                return as_yes_no(answer).model_copy(update={"because": both})
            doubt = doubt or (answer if answer.value is None else None)
        return YesNo(value=True) if doubt is None else as_yes_no(doubt)


class NextTaskConditional(Fact):
    """Which task follows a task in a situation.

    Question:
        Which task will follow T in workflow W, in situation S?

    Definition:
        The task that runs next after T, for the values of S, if no step fails: the only task that selected links reach
        from T (directly or through gateways). END if the workflow ends after T.
    """

    id: ClassVar[str] = "next-task-conditional"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "task"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)
    takes: ClassVar[tuple[Parameter, ...]] = ("situation",)

    def answer(self, subject: FactSubject, question: Question) -> OneTask:
        """Return the task, or the reason why there is not exactly one."""
        course, situation = subject.course, checked(subject, question.situation)
        task = subject.task(question.task or "")
        follows: dict[str, None] = {}
        chosen = course.chosen(task)
        for target in sorted(chosen, key=lambda node: subject.place[node] if node < len(subject.tasks) else node):
            name = END if target == course.flow.end else subject.labels[target]
            left = course.choice_in(chosen[target], situation)
            if left == TRUE:
                follows[name] = None
            elif left != FALSE:
                because = f"whether '{name}' follows depends on whether {course.choices.words(left)}"
                return OneTask(value=None, exact=False, because=because)
        if len(follows) == 1:
            return OneTask(value=next(iter(follows)))
        because = f"{len(follows)} tasks follow" if follows else "nothing follows"
        return OneTask(value=None, because=because, witness=tuple(follows))

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield nothing: the question needs a situation."""
        del subject
        yield from ()


class OrderOfTwoConditional(Fact):
    """Whether one task runs before another, with conditions.

    Question:
        Does task T1 run before T2 in workflow W (in situation S)?

    Definition:
        Yes if both tasks run in some situation and, whenever both run, a path of taken links leads from T1 to T2. With
        dag semantics, and in a flow with cycles, every path counts, also with links that are not taken. (With dag
        semantics a step starts or is skipped only after all its predecessors.)
    """

    id: ClassVar[str] = "order-of-two-conditional"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("first", "second")
    takes: ClassVar[tuple[Parameter, ...]] = ("situation",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes, no with a situation, or unknown."""
        first, second = subject.task(question.first or ""), subject.task(question.second or "")
        situation = checked(subject, question.situation)
        return self._ordered(subject, (first, second), situation)

    def _ordered(self, subject: FactSubject, pair: tuple[int, int], situation: Situation) -> YesNo:
        course, space = subject.course, subject.behaviour.space
        both = course.all_run(pair)
        meet = course.sometimes(both, situation)
        if meet.value is not True:
            because = "they never run together" if meet.value is False else meet.because
            return as_yes_no(meet).model_copy(update={"because": because})
        before = course.before(pair[0])[pair[1]]
        return as_yes_no(course.always(space.either(space.contrary(both), before), situation))


class OrderOfAllConditional(Fact):
    """Whether tasks can run in a given order, with conditions.

    Question:
        Can tasks T1, ..., Tk run in this order in workflow W (in situation S)?

    Definition:
        Yes if in some situation (consistent with S) all these tasks run and no path of taken links leads from Tj to Ti
        for i < j. Other tasks may run as well. The answer yes has such a situation.
    """

    id: ClassVar[str] = "order-of-all-conditional"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("sequence",)
    takes: ClassVar[tuple[Parameter, ...]] = ("situation",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with a situation, no, or unknown."""
        sequence = [subject.task(name) for name in question.sequence]
        situation = checked(subject, question.situation)
        wrong = inversion(subject, sequence)
        if wrong is not None and wrong[0] == wrong[1]:
            return YesNo(value=False, because="a task is named twice and does not repeat")
        course = subject.course
        return as_yes_no(course.sometimes(course.allows(sequence), situation))


class TaskOrderConditional(Fact):
    """Which tasks run in a situation, and in which order.

    Question:
        Given the situation S, list all the tasks that will run when workflow W is executed, in order.

    Definition:
        The tasks whose condition holds in S, in a linear extension of the order given by the taken links. With dag
        semantics all links determine the order, because a step starts or is skipped only after all its predecessors.
        Terms without a value in S are unknown; there is no answer if the answer depends on an unknown term. No step
        fails unless S says so.
    """

    id: ClassVar[str] = "task-order-conditional"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "list"
    metric: ClassVar[Metric] = "damerau-levenshtein"
    takes: ClassVar[tuple[Parameter, ...]] = ("situation",)

    def answer(self, subject: FactSubject, question: Question) -> NameList:
        """Return the tasks that run, in order."""
        situation = checked(subject, question.situation)
        running = []
        for task in subject.order:
            runs = subject.behaviour.runs_in(task, situation)
            if runs.value is None:
                because = f"whether '{subject.labels[task]}' runs is not known: {runs.because}"
                return NameList(value=None, exact=False, because=because)
            if runs.value:
                running.append(task)
        graph, certain = subject.course.taken_in(situation)
        names = in_order(subject, graph, running)
        if certain:
            return names
        because = "the situation does not determine which links are taken, and so the order"
        return names.model_copy(update={"exact": False, "because": because})

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield nothing: the question needs a situation."""
        del subject
        yield from ()


def _conditional_ways(subject: FactSubject, task: int) -> list[tuple[str, Formula, frozenset[str]]]:
    """Return the conditional paths from a task as (target, condition as written, outcome of the task)."""
    flow = subject.behaviour.flow
    paths: list[tuple[str, Formula, frozenset[str]]] = []
    for target, ways in sorted(subject.course.ways(task).items()):
        name = END if target == flow.end else subject.labels[target]
        for way in ways:
            written = [_written(subject, place) for place in way]
            formula = every(part for part in written if part is not None)
            if any(part is not None for part in written):
                paths.append((name, formula, _ENDINGS & {flow.links[way[0]][2].outcome}))
    return paths


def _written(subject: FactSubject, place: int) -> Formula | None:
    """Return the condition of a link as written. For a default branch: that no condition of its siblings holds."""
    behaviour = subject.behaviour
    source, _, link = behaviour.flow.links[place]
    guard = behaviour.selections.guards[place]
    if link.guard is None or not link.guard.default:
        taken = behaviour.selections.taken[place]
        if guard is not None and behaviour.selections.kind(source) == "one" and not {*terms(guard)} & {*terms(taken)}:
            return taken  # bare words at an exclusive split ("yes", "no") name branches and are not conditions
        return guard
    siblings = [other for other in behaviour.flow.outgoing[source] if other != place]
    same = [other for other in siblings if behaviour.flow.links[other][2].outcome == link.outcome]
    return negated(some(guard for other in same if (guard := behaviour.selections.guards[other]) is not None))
