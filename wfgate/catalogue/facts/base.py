"""The interface of facts: a question about a workflow, its correct answer, and a metric for other answers."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from wfgate.catalogue.facts.answers import UNKNOWN, Answer, AnswerType, NameSet, OneTask
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.errors import ConfigError
from wfgate.logic import BudgetSpentError, Scalar
from wfgate.model import Frozen

Flow = Literal["control", "data"]
Group = Literal["structure", "behaviour", "functionality"]
Metric = Literal["correctness", "jaccard", "pair-jaccard", "damerau-levenshtein", "judged"]
Parameter = Literal["task", "first", "second", "data", "property", "situation", "sequence", "flow", "direct", "after"]


class Question(Frozen):
    """The parameters of a question. Each fact declares the parameters that it supports.

    Attributes:
        task: Name of a task (or its id, if several tasks have the same name).
        first: The first of two tasks.
        second: The second of two tasks.
        data: Name of a datum.
        property: Name of a property of tasks or links (`wfgate.catalogue.facts.properties`).
        situation: Values of terms in conditions, by the texts of the terms.
        sequence: Names of tasks in order.
        flow: "control" for the control flow or "data" for the data flow.
        direct: Whether only direct links count.
        after: Whether the question is about the tasks after a task instead of those before it.
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
    after: bool = False

    def given(self) -> dict[str, object]:
        """Return the parameters that differ from their defaults."""
        return self.model_dump(exclude_defaults=True)


class Fact(ABC):
    """One type of question. The docstring of a fact is its documentation (`wfgate explain ID`).

    The docstring has a summary, the question in words, and the definition of the answer. A fact is a pure function.
    Its answers do not depend on task ids or listing order.

    Attributes:
        id: Kebab-case name.
        group: Structure, behaviour, or functionality.
        answers: The type of the answers.
        metric: The metric that grades other answers; "judged" if a reader or a language model grades them.
        needs: Required parameters.
        takes: Optional parameters.
        version: Increased whenever an answer about an unchanged workflow can change.
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
        """The docstring of the fact, without indentation."""
        return inspect.getdoc(type(self)) or ""

    @abstractmethod
    def answer(self, subject: FactSubject, question: Question) -> Answer:
        """Return the answer to a question. The question has all required parameters.

        Raises:
            BudgetSpentError: If conditions exceed the work limit; `ask` returns an unknown answer in this case.
        """

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield the default questions: by default the question without parameters, if no parameter is required."""
        del subject
        if not self.needs:
            yield Question()

    def ask(self, subject: FactSubject, question: Question) -> Answer:
        """Return the answer to a question whose parameters may be missing or wrong.

        Raises:
            ConfigError: If a parameter is missing or not supported, or a name is unknown.
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
            because = str(problem) or "the conditions are too complex for the work limit"
            return UNKNOWN[self.answers](value=None, exact=False, because=because)


def each_task(subject: FactSubject) -> Iterator[Question]:
    """Yield one question for each task, in flow order."""
    for task in subject.order:
        yield Question(task=subject.labels[task])


def these(subject: FactSubject, tasks: frozenset[int] | set[int] | list[int] | tuple[int, ...]) -> NameSet:
    """Return the set of the names of some tasks."""
    return NameSet(value=subject.named(tasks))


def none(because: str) -> OneTask:
    """Return the answer "no such task", with the reason."""
    return OneTask(value=None, because=because)
