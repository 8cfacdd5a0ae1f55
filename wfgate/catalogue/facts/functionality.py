"""Facts about the purpose of tasks and workflows: collected texts, and candidates for inconsistencies.

These facts are advisory. The candidates show a reader where a description may not fit a name; the reader decides.
Facts about properties of tasks are exact.
"""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, Text, YesNo
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question
from wfgate.catalogue.facts.properties import meant_by
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.catalogue.facts.wording import disagreement, first_sentence, other_topic, wrong_order
from wfgate.model import members

_NOTHING = "no contradiction by words alone"


class DescribeTask(Fact):
    """What a task does, according to the file.

    Question:
        What does task T do?

    Definition:
        One line each: the description (or else the name) of the task, its action, its parameters, its data, the tasks
        before the task and the tasks after it. This text is reference material for a judge (a language model that
        grades).
    """

    id: ClassVar[str] = "describe-task"
    group: ClassVar[Group] = "functionality"
    answers: ClassVar[AnswerType] = "text"
    metric: ClassVar[Metric] = "judged"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)

    def answer(self, subject: FactSubject, question: Question) -> Text:
        """Return the lines about the task."""
        position = subject.task(question.task or "")
        task, data = subject.tasks[position], subject.data.data
        lines = [first_sentence([task.name, task.description]) if task.description else task.name]
        parts = {
            "action": [task.action] if task.action else [],
            "sub-workflow": [task.workflow] if task.workflow else [],
            "parameters": [f"{name}={value}" for name, value in task.params.items()],
            "tags": [*task.tags],
            "reads": sorted(data.inputs[position]),
            "writes": sorted(data.outputs[position]),
            "after": [*subject.named(subject.graph.predecessors[position])],
            "before": [*subject.named(subject.graph.successors[position])],
        }
        lines += [f"{name}: {', '.join(values)}" for name, values in parts.items() if values]
        return Text(value=tuple(lines))

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield no question: the answers would repeat the whole file."""
        del subject
        yield from ()


class InconsistentTaskName(Fact):
    """Which tasks have a description that does not fit their name.

    Question:
        Identify tasks in W whose name does not correspond with their description.

    Definition:
        Candidates: tasks whose name and description contain mutually exclusive words (classification, regression), or
        have no word in common.
    """

    id: ClassVar[str] = "inconsistent-task-name"
    group: ClassVar[Group] = "functionality"
    answers: ClassVar[AnswerType] = "text"
    metric: ClassVar[Metric] = "judged"

    def answer(self, subject: FactSubject, question: Question) -> Text:
        """Return one answer line per task or datum that the definition selects."""
        del question
        lines = []
        for position in subject.order:
            task = subject.tasks[position]
            if task.description.strip() and task.name.strip():
                name = subject.labels[position]
                lines += [f"'{name}': {line}" for line in disagreement(task.name, task.description)]
        return _candidates(lines)


class InconsistentTaskEntities(Fact):
    """Which tasks have data or parameters that do not fit their name.

    Question:
        Identify tasks in W whose name does not correspond with the linked entities (data, parameters, action).

    Definition:
        Candidates: tasks whose name contains a word that excludes a word in the name of a linked entity.
    """

    id: ClassVar[str] = "inconsistent-task-entities"
    group: ClassVar[Group] = "functionality"
    answers: ClassVar[AnswerType] = "text"
    metric: ClassVar[Metric] = "judged"

    def answer(self, subject: FactSubject, question: Question) -> Text:
        """Return one answer line per task or datum that the definition selects."""
        del question
        data = subject.data.data
        lines = []
        for position in subject.order:
            task = subject.tasks[position]
            entities = [("output", name) for name in sorted(data.outputs[position])]
            entities += [("parameter", name) for name in sorted(task.params)]
            entities += [("action", task.action)] if task.action else []
            lines += [
                f"'{subject.labels[position]}' and its {kind} '{name}': {line}"
                for kind, name in entities
                for line in disagreement(task.name, name, shared=False)
            ]
        return _candidates(lines)


class MeaningOfTask(Fact):
    """Whether a task with a certain meaning exists.

    Question:
        Is there a task with property P in workflow W?

    Definition:
        Yes if a task has all words of P in one tag, or in its action, or in its name and description together. With
        `tagged:P` only tags count. The witness lists these tasks.
    """

    id: ClassVar[str] = "meaning-of-task"
    group: ClassVar[Group] = "functionality"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("property",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with the tasks, or no."""
        tasks = [task for task in subject.order if meant_by(subject.tasks[task], question.property or "")]
        return YesNo(value=bool(tasks), witness=subject.named(tasks))


class MeaningOfPrecedingTask(Fact):
    """Whether a task with a certain meaning runs before another, or after it.

    Question:
        Does a task with property P run before T (with --after: after T)?

    Definition:
        Yes if a path leads to T from a task with property P (as defined in meaning-of-task), and no path leads back
        from T to this task. With `after`: yes if a path leads from T to such a task, and no path leads back.
    """

    id: ClassVar[str] = "meaning-of-preceding-task"
    group: ClassVar[Group] = "functionality"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    needs: ClassVar[tuple[Parameter, ...]] = ("task", "property")
    takes: ClassVar[tuple[Parameter, ...]] = ("after",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with the tasks, or no."""
        task, wanted = subject.task(question.task or ""), question.property or ""
        graph, before = subject.graph, subject.course.strictly_before
        near = [
            other
            for other in members((graph.descendants if question.after else graph.ancestors)[task])
            if (before(task, other) if question.after else before(other, task))
        ]
        tasks = [other for other in subject.sorted(near) if meant_by(subject.tasks[other], wanted)]
        return YesNo(value=bool(tasks), witness=subject.named(tasks))


class DescribeWorkflow(Fact):
    """What the workflow does, according to the file.

    Question:
        What is workflow W for?

    Definition:
        The name and description of the workflow, its tasks in order, its input data and its results. This text is
        reference material for a judge (a language model that grades).
    """

    id: ClassVar[str] = "describe-workflow"
    group: ClassVar[Group] = "functionality"
    answers: ClassVar[AnswerType] = "text"
    metric: ClassVar[Metric] = "judged"

    def answer(self, subject: FactSubject, question: Question) -> Text:
        """Return the lines about the workflow."""
        del question
        workflow, data = subject.workflow, subject.data
        read = {name for names in data.data.inputs for name in names}
        written = {name for names in data.data.outputs for name in names}
        lines = [first_sentence([workflow.name, workflow.description]) or "a workflow without a name"]
        parts = {
            "tasks": [*subject.named(subject.order)],
            "data from outside": sorted(read - written),
            "results": sorted(written - read),
        }
        lines += [f"{name}: {', '.join(values)}" for name, values in parts.items() if values]
        return Text(value=tuple(lines))

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield no question: the answers would repeat the whole file."""
        del subject
        yield from ()


class InconsistentWorkflowName(Fact):
    """Whether the workflow's description fits its name.

    Question:
        Does the name of workflow W correspond with its description?

    Definition:
        The workflow is a candidate if its name and description contain mutually exclusive words.
    """

    id: ClassVar[str] = "inconsistent-workflow-name"
    group: ClassVar[Group] = "functionality"
    answers: ClassVar[AnswerType] = "text"
    metric: ClassVar[Metric] = "judged"

    def answer(self, subject: FactSubject, question: Question) -> Text:
        """Return one answer line per task or datum that the definition selects."""
        del question
        workflow = subject.workflow
        both = workflow.name.strip() and workflow.description.strip()
        return _candidates(disagreement(workflow.name, workflow.description, shared=False) if both else [])


class InconsistentDescriptions(Fact):
    """Which tasks have a description that does not fit the description of the workflow.

    Question:
        Identify tasks in workflow W (and in its sub-workflows) whose description does not correspond with the workflow
        description.

    Definition:
        Candidates: tasks whose text contains a topic that excludes a topic in the text of the workflow
        (classification, regression), and sub-workflows of W whose description does. Tasks in sub-workflows, on any
        level, are compared with the description of W too, because they do part of its work.
    """

    id: ClassVar[str] = "inconsistent-descriptions"
    group: ClassVar[Group] = "functionality"
    answers: ClassVar[AnswerType] = "text"
    metric: ClassVar[Metric] = "judged"
    version: ClassVar[int] = 2

    def answer(self, subject: FactSubject, question: Question) -> Text:
        """Return one answer line per task or datum that the definition selects."""
        del question
        whole = subject.workflow.description or subject.workflow.name
        texts = [(f"'{subject.labels[task]}'", subject.tasks[task].text) for task in subject.order]
        parts = {name: subject.inside(name) for name, _ in subject.nested_tasks if name != subject.workflow.name}
        for name, part in parts.items():
            if part is not None:
                texts.append((f"sub-workflow '{name}'", part.workflow.description))
                texts += [(f"'{part.labels[task]}' in '{name}'", part.tasks[task].text) for task in part.order]
        return _candidates([f"{where}: {line}" for where, text in texts for line in other_topic(whole, text)])


class SemanticallyWrongOrder(Fact):
    """Which tasks are probably in the wrong order.

    Question:
        Identify potential errors in the specification of W: tasks in the wrong order.

    Definition:
        Candidates: links between two tasks about the same object, if the verbs of the tasks usually occur in the
        opposite order. The usual order is: retrieve, prepare, split, train or build, evaluate or test, approve,
        deploy, monitor.
    """

    id: ClassVar[str] = "semantically-wrong-order"
    group: ClassVar[Group] = "functionality"
    answers: ClassVar[AnswerType] = "text"
    metric: ClassVar[Metric] = "judged"

    def answer(self, subject: FactSubject, question: Question) -> Text:
        """Return one answer line per task or datum that the definition selects."""
        del question
        pairs = [(subject.labels[first], subject.labels[second]) for first, second in wrong_order(subject)]
        return _candidates([f"'{second}' usually precedes '{first}', here it follows" for first, second in pairs])


def _candidates(lines: list[str]) -> Text:
    return Text(value=tuple(lines), exact=False, because=None if lines else _NOTHING)
