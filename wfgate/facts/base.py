"""What a fact is: a question about a workflow that has one right answer, and how an answer is graded."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from wfgate.conditions import BudgetSpentError, Scalar
from wfgate.errors import ConfigError
from wfgate.facts.answers import UNKNOWN, Answer, AnswerType, NameSet, OneTask
from wfgate.facts.subject import Subject
from wfgate.model.workflow import Frozen

Flow = Literal["control", "data"]
Group = Literal["structure", "behaviour", "functionality"]
Metric = Literal["correctness", "jaccard", "pair-jaccard", "damerau-levenshtein", "judged"]
Parameter = Literal["task", "first", "second", "data", "property", "situation", "sequence", "flow", "direct"]


class Question(Frozen):
    """What a fact is asked about; each fact says which of these it takes.

    Attributes:
        task: Name of a task (or its id, where several tasks have one name).
        first: The first of two tasks.
        second: The second of two tasks.
        data: Name of a piece of data.
        property: What is looked for; see `wfgate.facts.properties`.
        situation: Values of terms, by the texts that conditions call them.
        sequence: Names of tasks in an order.
        flow: Control flow or data flow.
        direct: Whether only what is linked directly counts.
    """

    task: str | None = None
    first: str | None = None
    second: str | None = None
    data: str | None = None
    property: str | None = None
    situation: dict[str, Scalar] = Field(default_factory=dict)
    sequence: tuple[str, ...] = ()
    flow: Flow = "control"
    direct: bool = False

    def given(self) -> dict[str, object]:
        """Return the parameters that are not at their defaults."""
        return self.model_dump(exclude_defaults=True)


class Fact(ABC):
    """One pattern of question. Its docstring is its documentation (`wfgate explain ID`).

    The docstring's first sentence says what is answered; then come the question in words, the definition, and what
    is not decided. A fact is a pure function: it depends neither on ids of tasks nor on their listing order.

    Attributes:
        id: kebab-case.
        group: Structure, behaviour, or functionality.
        answers: The type of its answers.
        metric: How an answer given by somebody else is graded; "judged" means by a reader or a language model.
        needs: Parameters without which there is nothing to answer.
        takes: Parameters that may be given as well.
        version: Rises whenever an answer on an unchanged workflow can change.
    """

    id: ClassVar[str]
    group: ClassVar[Group]
    answers: ClassVar[AnswerType]
    metric: ClassVar[Metric]
    needs: ClassVar[tuple[Parameter, ...]] = ()
    takes: ClassVar[tuple[Parameter, ...]] = ()
    version: ClassVar[int] = 1

    @property
    def documentation(self) -> str:
        """The fact's docstring, dedented."""
        return inspect.getdoc(type(self)) or ""

    @abstractmethod
    def answer(self, subject: Subject, question: Question) -> Answer:
        """Return the answer; the parameters that the fact needs are there.

        Raises:
            BudgetSpentError: If conditions grow too large; `ask` makes an answer of that.
        """

    def instances(self, subject: Subject) -> Iterator[Question]:
        """Yield the questions that are answered when nobody asks for a special one; by default the bare one."""
        del subject
        if not self.needs:
            yield Question()

    def ask(self, subject: Subject, question: Question) -> Answer:
        """Return the answer to a question that somebody typed.

        Raises:
            ConfigError: If a parameter is missing, not taken by this fact, or names nothing.
        """
        given = question.given()
        missing = [name for name in self.needs if name not in given]
        if missing:
            flags = ", ".join(f"--{name}" for name in missing)
            raise ConfigError(f"{self.id} needs {' and '.join(missing)}", fix=f"give {flags}")
        extra = [name for name in given if name not in {*self.needs, *self.takes}]
        if extra:
            taken = ", ".join((*self.needs, *self.takes)) or "no parameters"
            raise ConfigError(f"{self.id} does not take {' or '.join(extra)}", fix=f"it takes: {taken}")
        try:
            return self.answer(subject, question)
        except BudgetSpentError as problem:
            because = str(problem) or "the conditions are too entangled for the work limit"
            return UNKNOWN[self.answers](value=None, exact=False, because=because)


def each_task(subject: Subject) -> Iterator[Question]:
    """Yield one question for each task, in flow order."""
    for task in subject.order:
        yield Question(task=subject.labels[task])


def these(subject: Subject, tasks: frozenset[int] | set[int] | list[int] | tuple[int, ...]) -> NameSet:
    """Return some tasks as an answer."""
    return NameSet(value=subject.named(tasks))


def none(because: str) -> OneTask:
    """Return that there is no such task."""
    return OneTask(value=None, because=because)
