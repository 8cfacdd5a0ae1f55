"""The texts of the exam questions."""

from wfgate.catalogue.facts.base import Fact, Question
from wfgate.catalogue.facts.properties import TASK_PROPERTIES
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.logic import Scalar
from wfgate.model import START

_WORDS: dict[str, str] = {
    "list-of-tasks": "List all tasks of {workflow} itself, without those inside sub-workflows.",
    "tasks-with-property": "List all tasks of {workflow} with this property: {property}.",
    "link-existence": "In {workflow}, is there a {flow} link from task {first} directly to task {second}?",
    "task-after-task": "In {workflow}, does task {second} directly follow task {first} in the {flow}?",
    "next-tasks": "In {workflow}, which tasks come directly after task {task} in the {flow}?",
    "flow-cycle": "In {workflow}, is there a cycle in the {flow}?",
    "flow-start": "In {workflow}, which task runs first?",
    "flow-end": "In {workflow}, which tasks run last, with no task behind them?",
    "missing-link": "In {workflow}, is the {flow} connected, so that every task lies on a path from start to end?",
    "link-with-property": "In {workflow}, is there a {property} link from task {first} directly to task {second}?",
    "links-with-property": "In {workflow}, to which tasks does a {property} link lead directly from task {task}?",
    "operator-existence": (
        "Does {workflow} use {property}, written as such or implied by several links that leave a task?"
    ),
    "parallel-block-existence": "Can some tasks of {workflow} run in parallel?",
    "fork-join-block": (
        "In {workflow}, the flow splits into parallel branches directly behind {task}. List the tasks on those"
        " branches, up to where all of them meet."
    ),
    "parallel-to-task": "In {workflow}, which tasks can run in parallel to task {task}?",
    "parallel-tasks": "List all tasks of {workflow} that can run in parallel with each other.",
    "operator-block": (
        "In {workflow}, conditions choose between branches directly behind {task}. List the tasks on those branches,"
        " up to where all of them meet."
    ),
    "dependency-existence": "In {workflow}, does task {task} depend, directly or through others, on {on}?",
    "list-of-dependencies": "List all {kind} of {workflow} that task {task} depends on{how}.",
    "data-production": "In {workflow}, which task produces the data {data}?",
    "task-hierarchy": "Is task {second} a part of task {first} of {workflow}?",
    "composite-tasks": "List all tasks of {workflow} that are composite, that is: have nested tasks.",
    "nested-tasks": "List all tasks that are nested inside composite tasks of {workflow}, however deep.",
    "infinite-recursion": "In {workflow}, is there an infinite recursion in the references to sub-workflows?",
    "order-of-two": "Does task {first} run before task {second} in {workflow}?",
    "order-of-all": "Can the tasks {sequence} run in this order in {workflow}, perhaps with others between?",
    "task-order": "List all tasks of {workflow} in an order in which they can run.",
    "mutually-exclusive": (
        "Are the conditional links from task {task} of {workflow} mutually exclusive, whatever the values are?"
    ),
    "next-task-conditional": "Which task follows {task} in {workflow}, in the situation {situation}?",
    "order-of-two-conditional": (
        "Is there a situation in which both tasks {first} and {second} of {workflow} run, and does the first then"
        " always run before the second?"
    ),
    "order-of-all-conditional": (
        "In {workflow}, in the situation {situation}, can all of the tasks {sequence} run, and in this order?"
    ),
    "task-order-conditional": (
        "Given the situation {situation}, list all tasks that run when {workflow} is executed, in the order in which"
        " they run."
    ),
    "infinite-loop": "Is there a loop in {workflow} that never ends?",
    "loop-end-condition": "When does the loop that task {task} of {workflow} is on end?",
    "trace": (
        "Can exactly the tasks {sequence}, and no others, run in this order when {workflow} is executed{situation_if}?"
    ),
    "runs-in-every-situation": (
        "Will task {task} of {workflow} be executed in every possible initial situation, as long as no task fails?"
    ),
    "describe-task": "What does task {task} of {workflow} do?",
    "inconsistent-task-name": "Identify tasks of {workflow} whose name does not correspond with their description.",
    "inconsistent-task-entities": (
        "Identify tasks of {workflow} whose name does not correspond with their data, parameters or action."
    ),
    "meaning-of-task": "Is there a task in {workflow} that is labelled or described as {property}?",
    "describe-workflow": "What is {workflow} for?",
    "inconsistent-workflow-name": "Does the name of {workflow} correspond with its description? Explain your answer.",
    "inconsistent-descriptions": (
        "Identify tasks of {workflow} and of its sub-workflows whose description does not correspond with the"
        " description of {workflow}."
    ),
    "semantically-wrong-order": "Identify tasks of {workflow} that seem to be in the wrong order.",
    "meaning-of-preceding-task": (
        "Does a task that is labelled or described as {property} run {side} task {task} of {workflow}?"
    ),
}
"""The catalogue's questions, made precise where the catalogue is ambiguous."""

_LINKS = {"default": "default (taken where no condition holds)", "exceptional": "failure", "loop": "returning"}
OPERATORS: dict[str | None, str] = {
    None: "an operator (a fork, a choice or a join)",
    "AND": "an AND operator (a fork or a join)",
}


def in_words(fact: Fact, subject: FactSubject, question: Question) -> str:
    """Return the text of a question.

    Example:
        >>> from wfgate.catalogue import FACTS
        >>> from wfgate.model import Task, Workflow
        >>> subject = FactSubject.of(Workflow(name="Ship", tasks=(Task(id="a", name="Pack"),)))
        >>> in_words(FACTS["next-tasks"], subject, Question(task="Pack"))
        "In workflow 'Ship', which tasks come directly after task 'Pack' in the control flow?"
    """
    name = subject.workflow.name
    situation = ", ".join(f"{term} = {_value(value)}" for term, value in question.situation.items())
    data = question.flow == "data"
    on = f"the data '{question.data}'" if question.data is not None else f"task '{question.first}'"
    values = {
        "workflow": f"workflow '{name}'" if name else "the workflow",
        "flow": f"{question.flow} flow",
        "task": "the start" if question.task == START else f"'{question.task}'",
        "first": f"'{question.first}'",
        "second": f"'{question.second}'",
        "data": f"'{question.data}'",
        "on": f"{on}{' by the data that flows' if data else ''}",
        "kind": "data" if data else "tasks",
        "how": _how(question),
        "sequence": ", ".join(f"'{each}'" for each in question.sequence),
        "situation": situation,
        "situation_if": f" in the situation {situation}" if situation else "",
        "property": _property(fact, question.property),
        "side": "after" if question.after else "before",
    }
    return _WORDS[fact.id].format_map(values)


def _value(value: Scalar) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else (f"'{value}'" if isinstance(value, str) else str(value))


def _property(fact: Fact, wanted: str | None) -> str:
    if fact.id == "operator-existence":
        return OPERATORS[wanted]
    if fact.id in {"link-with-property", "links-with-property"}:
        return _LINKS.get(wanted or "", wanted or "")
    if fact.id == "tasks-with-property":
        kind, mark, value = (wanted or "").partition(":")
        if wanted == "conditional":
            return "a conditional link leads to it"
        return f"it has the tag '{value}'" if mark and kind == "tagged" else f"it {TASK_PROPERTIES[wanted or '']}"
    return f"'{wanted}'"


def _how(question: Question) -> str:
    if question.flow == "data":
        return ", that is: the data that it reads itself" if question.direct else ", directly or through other tasks"
    return " in control flow, that is: that come before it on some path"
