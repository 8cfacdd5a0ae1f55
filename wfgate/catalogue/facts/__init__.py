"""The pattern catalogue as facts: questions about a workflow, each with a definition, an answer and a metric."""

from collections.abc import Iterable

from wfgate.base import Registry
from wfgate.catalogue.facts.answers import Answer
from wfgate.catalogue.facts.base import Fact, Question
from wfgate.catalogue.facts.conditional import (
    MutuallyExclusive,
    NextTaskConditional,
    OrderOfAllConditional,
    OrderOfTwoConditional,
    TaskOrderConditional,
)
from wfgate.catalogue.facts.dependencies import DataProduction, DependencyExistence, ListOfDependencies
from wfgate.catalogue.facts.flow import FlowCycle, FlowEnd, FlowStart, MissingLink
from wfgate.catalogue.facts.functionality import (
    DescribeTask,
    DescribeWorkflow,
    InconsistentDescriptions,
    InconsistentTaskEntities,
    InconsistentTaskName,
    InconsistentWorkflowName,
    MeaningOfPrecedingTask,
    MeaningOfTask,
    SemanticallyWrongOrder,
)
from wfgate.catalogue.facts.grading import Grade, grade
from wfgate.catalogue.facts.hierarchy import CompositeTasks, InfiniteRecursion, NestedTasks, TaskHierarchy
from wfgate.catalogue.facts.link_facts import (
    LinkExistence,
    LinksWithProperty,
    LinkWithProperty,
    NextTasks,
    TaskAfterTask,
)
from wfgate.catalogue.facts.loops import InfiniteLoop, LoopEndCondition
from wfgate.catalogue.facts.operators import (
    ForkJoinBlock,
    OperatorBlock,
    OperatorExistence,
    ParallelBlockExistence,
    ParallelTasks,
    ParallelToTask,
)
from wfgate.catalogue.facts.order import OrderOfAll, OrderOfTwo, TaskOrder
from wfgate.catalogue.facts.situations import read_names, read_situation
from wfgate.catalogue.facts.subject import Subject
from wfgate.catalogue.facts.tasks import ListOfTasks, TasksWithProperty
from wfgate.catalogue.facts.traces import RunsInEverySituation, Trace
from wfgate.model import Frozen

FACTS: Registry[Fact] = Registry(
    "fact",
    (
        ListOfTasks(),
        TasksWithProperty(),
        LinkExistence(),
        TaskAfterTask(),
        NextTasks(),
        FlowCycle(),
        FlowStart(),
        FlowEnd(),
        MissingLink(),
        LinkWithProperty(),
        LinksWithProperty(),
        OperatorExistence(),
        ParallelBlockExistence(),
        ForkJoinBlock(),
        ParallelToTask(),
        ParallelTasks(),
        OperatorBlock(),
        DependencyExistence(),
        ListOfDependencies(),
        DataProduction(),
        TaskHierarchy(),
        CompositeTasks(),
        NestedTasks(),
        InfiniteRecursion(),
        OrderOfTwo(),
        OrderOfAll(),
        TaskOrder(),
        MutuallyExclusive(),
        NextTaskConditional(),
        OrderOfTwoConditional(),
        OrderOfAllConditional(),
        TaskOrderConditional(),
        InfiniteLoop(),
        LoopEndCondition(),
        Trace(),
        RunsInEverySituation(),
        DescribeTask(),
        InconsistentTaskName(),
        InconsistentTaskEntities(),
        MeaningOfTask(),
        DescribeWorkflow(),
        InconsistentWorkflowName(),
        InconsistentDescriptions(),
        SemanticallyWrongOrder(),
        MeaningOfPrecedingTask(),
    ),
)
"""All facts, in the order of the pattern catalogue."""

__all__ = ["FACTS", "Answer", "Answered", "Fact", "Grade", "Question", "Subject", "all_answers", "answer", "grade"]
__all__ += ["read_names", "read_situation"]


class Answered(Frozen):
    """One question about a workflow, with its answer.

    Attributes:
        id: Id of the fact.
        question: The parameters of the question.
        answer: The answer.
    """

    id: str
    question: Question
    answer: Answer


def answer(subject: Subject, fact: str, question: Question | None = None) -> Answered:
    """Return the answer to one question.

    Raises:
        ConfigError: If the fact is unknown, a parameter is missing or not supported, or a name is unknown.

    Example:
        >>> from wfgate.model import Link, Task, Workflow
        >>> tasks = (Task(id="a", name="Build"), Task(id="b", name="Test"))
        >>> subject = Subject.of(Workflow(tasks=tasks, links=(Link(source="a", target="b"),)))
        >>> answer(subject, "next-tasks", Question(task="Build")).answer.value
        ('Test',)
    """
    found = FACTS.find(fact)
    question = question or Question()
    return Answered(id=found.id, question=question, answer=found.ask(subject, question))


def all_answers(subject: Subject, ids: Iterable[str] | None = None) -> tuple[Answered, ...]:
    """Return the answers to all questions without parameters, and to the questions about each single task.

    Args:
        subject: The workflow.
        ids: Ids of the facts; None for all facts with default questions (`Fact.instances`).

    Raises:
        ConfigError: If a fact is unknown or needs parameters.
    """
    found = []
    for fact in [FACTS.find(name) for name in (FACTS if ids is None else ids)]:
        questions = [*fact.instances(subject)]
        if ids is not None and not questions:
            questions = [Question()]
        found += [Answered(id=fact.id, question=each, answer=fact.ask(subject, each)) for each in questions]
    return tuple(found)
