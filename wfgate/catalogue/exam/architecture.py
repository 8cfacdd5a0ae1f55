"""Whether a question has the architecture of its pattern, as the catalogue of patterns describes it.

A fact answers more questions than its pattern asks. "Which task follows T in this situation?" has an answer for every
T, but the pattern is about the conditions on the links that leave T.
"""

from collections.abc import Callable, Iterator

from wfgate.catalogue.facts.answers import Answer, NameSet
from wfgate.catalogue.facts.base import Fact, Question
from wfgate.catalogue.facts.properties import tasks_with
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.model import END, members

_NOT_NORMAL = frozenset({"exceptional", "event"})
"""Properties of links that are taken only after a failure, a timeout or an event."""


def fits(fact: Fact, subject: FactSubject, question: Question, reference: Answer) -> bool:
    """Return whether a question has the architecture that its pattern requires of the workflow.

    Only patterns that require more than an answer are tested:

    - `next-task-conditional`: all links that leave the task are conditional, and a task follows (not the end).
    - `runs-in-every-situation`: a conditional link leads to the task or to a task before it.
    - `links-with-property`: links with and without the property leave the task.
    - `tasks-with-property`: some tasks have the property and some do not.
    - `order-of-two`, `order-of-all`, `task-order`: no link is conditional. The two tasks of `order-of-two` have an
      order, also if the right answer is "no".
    - `order-of-two-conditional`, `order-of-all-conditional`, `task-order-conditional`: some links are conditional.

    Args:
        fact: The pattern.
        subject: The workflow.
        question: The parameters.
        reference: The right answer.
    """
    test = _TESTS.get(fact.id)
    return test is None or test(subject, question, reference)


def chooses(subject: FactSubject, name: str) -> bool:
    """Return whether all links that leave a task after a success are conditional, and there are such links.

    Raises:
        ConfigError: If no task or several tasks have this name.
    """
    task = subject.tasks[subject.task(name)].id
    normal = [way for (source, _), way in _ways(subject) if source == task and not way & _NOT_NORMAL]
    return bool(normal) and all("conditional" in way for way in normal)


def _next_by_condition(subject: FactSubject, question: Question, reference: Answer) -> bool:
    return reference.value != END and chooses(subject, question.task or "")


def _condition_before(subject: FactSubject, question: Question, reference: Answer) -> bool:
    del reference
    task = subject.task(question.task or "")
    until = {subject.tasks[near].id for near in (task, *members(subject.graph.ancestors[task]))}
    return any(target in until and "conditional" in way for (_, target), way in _ways(subject))


def _mixed_links(subject: FactSubject, question: Question, reference: Answer) -> bool:
    names = reference.value if isinstance(reference, NameSet) else None
    return 0 < len(names or ()) < len(subject.flow.successors[subject.task(question.task or "")])


def _mixed_tasks(subject: FactSubject, question: Question, reference: Answer) -> bool:
    del reference
    return 0 < len(tasks_with(subject, question.property or "")) < len(subject.tasks)


def _without_conditions(subject: FactSubject, question: Question, reference: Answer) -> bool:
    return not _with_conditions(subject, question, reference)


def _with_conditions(subject: FactSubject, question: Question, reference: Answer) -> bool:
    del question, reference
    return any("conditional" in way for _, way in _ways(subject))


def _in_an_order(subject: FactSubject, question: Question, reference: Answer) -> bool:
    one, other = subject.task(question.first or ""), subject.task(question.second or "")
    ordered = subject.course.strictly_before(one, other) or subject.course.strictly_before(other, one)
    return ordered and _without_conditions(subject, question, reference)


def _ways(subject: FactSubject) -> Iterator[tuple[tuple[str, str], frozenset[str]]]:
    return ((ends, way) for ends, ways in subject.ways.properties.items() for way in ways)


_TESTS: dict[str, Callable[[FactSubject, Question, Answer], bool]] = {
    "next-task-conditional": _next_by_condition,
    "runs-in-every-situation": _condition_before,
    "links-with-property": _mixed_links,
    "tasks-with-property": _mixed_tasks,
    "order-of-two": _in_an_order,
    "order-of-all": _without_conditions,
    "task-order": _without_conditions,
    "order-of-two-conditional": _with_conditions,
    "order-of-all-conditional": _with_conditions,
    "task-order-conditional": _with_conditions,
}
