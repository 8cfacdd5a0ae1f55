"""Facts about loops: whether and when they end."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, Text, YesNo, unknown
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question, each_task
from wfgate.catalogue.facts.circles import Circle
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.logic import FALSE, TRUE, Atom, BudgetSpentError, Formula, GuardSyntaxError, Space, Term, negated, parse
from wfgate.model import Loop


class InfiniteLoop(Fact):
    """Whether a loop never ends.

    Question:
        Is there an infinite loop in workflow W? With a task: is the loop that T is on infinite?

    Definition:
        Yes if a cycle has no exit, or if every exit is only taken together with a link back into the cycle. Yes if a
        step is repeated until a condition that never holds, or while a condition that always holds. No if there is no
        loop, or if every loop is bounded (`max`, or once per element) or can never be repeated. Otherwise the answer
        is unknown, because it depends on conditions that change while the loop runs.
    """

    id: ClassVar[str] = "infinite-loop"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    takes: ClassVar[tuple[Parameter, ...]] = ("task",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with the loop, no, or unknown with the condition on which it depends."""
        chosen = None if question.task is None else subject.task(question.task)
        doubt = None
        answers = [*_own_loops(subject, chosen), *_links_loops(subject, chosen)]
        for answer in answers:
            if answer.value:
                return answer
            doubt = doubt or (answer if answer.value is None else None)
        return doubt or YesNo(value=False, because=None if answers else "there is no loop")


class LoopEndCondition(Fact):
    """Under which conditions a loop ends.

    Question:
        When does the loop that task T is on end?

    Definition:
        One line for each step that can end the cycle: the condition under which a link out of the cycle is taken and
        no link back into the cycle. The loop ends if one of these conditions holds. For a step that repeats itself:
        its end condition and its maximum number of iterations.
    """

    id: ClassVar[str] = "loop-end-condition"
    group: ClassVar[Group] = "behaviour"
    answers: ClassVar[AnswerType] = "text"
    metric: ClassVar[Metric] = "judged"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)

    def answer(self, subject: FactSubject, question: Question) -> Text:
        """Return one line for each possible end of the loop."""
        task = subject.task(question.task or "")
        lines = [*_own_end(subject.tasks[task].loop)]
        for circle in subject.circles:
            if task in circle.tasks:
                lines += _ends(subject, circle)
        return Text(value=tuple(lines)) if lines else Text(value=None, because="the task is on no loop")

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one task of each cycle, and each task that repeats itself."""
        try:
            first = {min(circle.tasks, key=subject.place.__getitem__) for circle in subject.circles if circle.tasks}
        except BudgetSpentError:
            first = set()
        for question in each_task(subject):
            task = subject.task(question.task or "")
            if task in first or subject.tasks[task].loop is not None:
                yield question


def _links_loops(subject: FactSubject, chosen: int | None) -> Iterator[YesNo]:
    space = subject.course.choices
    for circle in subject.circles:
        if chosen is not None and chosen not in circle.tasks:
            continue
        names = subject.named(circle.tasks)
        if not circle.endings:
            yield YesNo(value=True, because="no link leaves the cycle", witness=names)
        elif all(ending.node == FALSE for ending in circle.endings):
            yield YesNo(
                value=True, because="the flow never leaves the cycle without also continuing it", witness=names
            )
        else:
            ends = [f"{space.words(e.node)} ({e.where})" for e in circle.endings if e.node not in {None, FALSE, TRUE}]
            if ends:
                because = f"it ends when {' or '.join(ends)}; links do not tell whether that happens"
            else:
                because = "the number of repetitions is not specified"
            yield unknown(because).model_copy(update={"witness": names})


def _ends(subject: FactSubject, circle: Circle) -> Iterator[str]:
    space = subject.course.choices
    if not circle.endings:
        yield "it never ends: nothing leads out of the cycle"
    for ending in circle.endings:
        if ending.node is None:
            yield f"{ending.where}, without a condition"
        elif ending.node != FALSE:
            lines = space.words(ending.node)
            yield f"{ending.where}, in every case" if lines == "always" else f"{ending.where}, when {lines}"
    if circle.endings and all(ending.node == FALSE for ending in circle.endings):
        yield "it never ends: the flow never goes out without going on as well"


def _own_loops(subject: FactSubject, chosen: int | None) -> Iterator[YesNo]:
    """Yield the answers about steps that repeat themselves."""
    for task in subject.order:
        loop = subject.tasks[task].loop
        if loop is None or chosen not in {None, task}:
            continue
        name = (subject.labels[task],)
        if loop.max is not None or loop.mode == "foreach":
            because = f"'{name[0]}' runs {loop.max} times at most" if loop.max is not None else "once for each element"
            yield YesNo(value=False, because=because, witness=name)
            continue
        formula = _end_of(loop)
        space = Space([formula])
        ends = space.node(formula)
        if ends == FALSE:
            yield YesNo(
                value=True, because=f"'{name[0]}' is repeated forever: its end condition never holds", witness=name
            )
        elif ends == TRUE:
            yield YesNo(value=False, because=f"'{name[0]}' runs once", witness=name)
        else:
            because = f"'{name[0]}' ends when {space.words(ends)}; links do not tell whether that happens"
            yield unknown(because).model_copy(update={"witness": name})


def _own_end(loop: Loop | None) -> Iterator[str]:
    if loop is None:
        return
    if loop.mode == "foreach":
        yield f"after the last element of {loop.over}" if loop.over else "after the last element"
    else:
        formula = _end_of(loop)
        space = Space([formula])
        yield f"when {space.words(space.node(formula))}"
    if loop.max is not None:
        yield f"after {loop.max} {'time' if loop.max == 1 else 'times'} at most"


def _end_of(loop: Loop) -> Formula:
    """Return the condition under which the repetition of a step ends."""
    if loop.condition is None:
        return Atom(Term("its end", opaque=True), "truthy")
    try:
        formula = parse(loop.condition, loop.language)
    except GuardSyntaxError:
        formula = Atom(Term(" ".join(loop.condition.split()), opaque=True), "truthy")
    return formula if loop.mode == "until" else negated(formula)
