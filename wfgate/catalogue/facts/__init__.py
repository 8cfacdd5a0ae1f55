"""The pattern catalogue as facts: questions about a workflow, each with a definition, an answer and a metric."""

from collections.abc import Iterable

from wfgate.base import Registry, table
from wfgate.catalogue.facts.answers import Answer
from wfgate.catalogue.facts.base import Fact, Question
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.model import Frozen

FACTS: Registry[Fact] = Registry(
    "fact",
    table(
        __name__,
        {
            "list-of-tasks": ("tasks:ListOfTasks", "Which tasks the workflow has."),
            "tasks-with-property": ("tasks:TasksWithProperty", "Which tasks have a property."),
            "link-existence": ("link_facts:LinkExistence", "Whether a link leads from one task to another."),
            "task-after-task": ("link_facts:TaskAfterTask", "Whether one task directly follows another."),
            "next-tasks": ("link_facts:NextTasks", "Which tasks come directly after a task."),
            "flow-cycle": ("flow:FlowCycle", "Whether the flow has a cycle."),
            "flow-start": ("flow:FlowStart", "Which task runs first."),
            "flow-end": ("flow:FlowEnd", "Which tasks run last."),
            "missing-link": ("flow:MissingLink", "Whether the flow is connected."),
            "link-with-property": (
                "link_facts:LinkWithProperty",
                "Whether a link with a property leads from one task to another.",
            ),
            "links-with-property": (
                "link_facts:LinksWithProperty",
                "Which tasks a link with a property leads to, from a given task.",
            ),
            "operator-existence": (
                "operators:OperatorExistence",
                "Whether the workflow uses an operator: a fork, a choice, a join.",
            ),
            "parallel-block-existence": (
                "operators:ParallelBlockExistence",
                "Whether some tasks can run in parallel.",
            ),
            "fork-join-block": ("operators:ForkJoinBlock", "Which tasks are in a parallel block."),
            "parallel-to-task": ("operators:ParallelToTask", "Which tasks can run in parallel to a task."),
            "parallel-tasks": ("operators:ParallelTasks", "Which tasks can run in parallel with each other."),
            "operator-block": ("operators:OperatorBlock", "Which tasks are in the block of a choice."),
            "dependency-existence": (
                "dependencies:DependencyExistence",
                "Whether a task depends on another task, or on a piece of data.",
            ),
            "list-of-dependencies": ("dependencies:ListOfDependencies", "What a task depends on."),
            "data-production": ("dependencies:DataProduction", "Which task produces a piece of data."),
            "task-hierarchy": ("hierarchy:TaskHierarchy", "Whether one task is a part of another."),
            "composite-tasks": ("hierarchy:CompositeTasks", "Which tasks are composite."),
            "nested-tasks": ("hierarchy:NestedTasks", "Which tasks are inside composite tasks."),
            "infinite-recursion": ("hierarchy:InfiniteRecursion", "Whether workflows call each other without end."),
            "order-of-two": ("order:OrderOfTwo", "Whether one task always runs before another, without conditions."),
            "order-of-all": ("order:OrderOfAll", "Whether tasks can run in a given order, without conditions."),
            "task-order": ("order:TaskOrder", "In which order the tasks run, without conditions."),
            "mutually-exclusive": (
                "conditional:MutuallyExclusive",
                "Whether the conditional links from a task exclude each other.",
            ),
            "next-task-conditional": ("conditional:NextTaskConditional", "Which task follows a task in a situation."),
            "order-of-two-conditional": (
                "conditional:OrderOfTwoConditional",
                "Whether one task runs before another, with conditions.",
            ),
            "order-of-all-conditional": (
                "conditional:OrderOfAllConditional",
                "Whether tasks can run in a given order, with conditions.",
            ),
            "task-order-conditional": (
                "conditional:TaskOrderConditional",
                "Which tasks run in a situation, and in which order.",
            ),
            "infinite-loop": ("loops:InfiniteLoop", "Whether a loop never ends."),
            "loop-end-condition": ("loops:LoopEndCondition", "Under which conditions a loop ends."),
            "trace": ("traces:Trace", "Whether exactly the tasks of a list can run, in this order."),
            "runs-in-every-situation": ("traces:RunsInEverySituation", "Whether a task runs in every situation."),
            "describe-task": ("functionality:DescribeTask", "What a task does, according to the file."),
            "inconsistent-task-name": (
                "functionality:InconsistentTaskName",
                "Which tasks have a description that does not fit their name.",
            ),
            "inconsistent-task-entities": (
                "functionality:InconsistentTaskEntities",
                "Which tasks have data or parameters that do not fit their name.",
            ),
            "meaning-of-task": ("functionality:MeaningOfTask", "Whether a task with a certain meaning exists."),
            "describe-workflow": ("functionality:DescribeWorkflow", "What the workflow does, according to the file."),
            "inconsistent-workflow-name": (
                "functionality:InconsistentWorkflowName",
                "Whether the workflow's description fits its name.",
            ),
            "inconsistent-descriptions": (
                "functionality:InconsistentDescriptions",
                "Which tasks have a description that does not fit the description of the workflow.",
            ),
            "semantically-wrong-order": (
                "functionality:SemanticallyWrongOrder",
                "Which tasks are probably in the wrong order.",
            ),
            "meaning-of-preceding-task": (
                "functionality:MeaningOfPrecedingTask",
                "Whether a task with a certain meaning runs before another, or after it.",
            ),
        },
    ),
)
"""All facts, in the order of the pattern catalogue."""


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


def answer(subject: FactSubject, fact: str, question: Question | None = None) -> Answered:
    """Return the answer to one question.

    Raises:
        ConfigError: If the fact is unknown, a parameter is missing or not supported, or a name is unknown.

    Example:
        >>> from wfgate.model import Link, Task, Workflow
        >>> tasks = (Task(id="a", name="Build"), Task(id="b", name="Test"))
        >>> subject = FactSubject.of(Workflow(tasks=tasks, links=(Link(source="a", target="b"),)))
        >>> answer(subject, "next-tasks", Question(task="Build")).answer.value
        ('Test',)
    """
    entry = FACTS.find(fact)
    question = question or Question()
    return Answered(id=entry.id, question=question, answer=entry.ask(subject, question))


def all_answers(subject: FactSubject, ids: Iterable[str] | None = None) -> tuple[Answered, ...]:
    """Return the answers to all questions without parameters, and to the questions about each single task.

    Args:
        subject: The workflow.
        ids: Ids of the facts; None for all facts with default questions (`Fact.instances`).

    Raises:
        ConfigError: If a fact is unknown or needs parameters.
    """
    answers = []
    for fact in [FACTS.find(name) for name in (FACTS if ids is None else ids)]:
        questions = [*fact.instances(subject)]
        if ids is not None and not questions:
            questions = [Question()]
        answers += [Answered(id=fact.id, question=each, answer=fact.ask(subject, each)) for each in questions]
    return tuple(answers)
