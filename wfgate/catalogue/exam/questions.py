"""Possible questions about a workflow, for each question pattern."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice, product, zip_longest
from typing import TypeVar

import numpy as np

from wfgate.catalogue.exam.architecture import chooses
from wfgate.catalogue.exam.wording import OPERATORS
from wfgate.catalogue.facts import answer
from wfgate.catalogue.facts.answers import NameList
from wfgate.catalogue.facts.base import Fact, Question
from wfgate.catalogue.facts.conditional import TaskOrderConditional
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.catalogue.facts.traces import Trace
from wfgate.logic import Atom, Scalar, atoms

T = TypeVar("T")

_POOL = 240
"""Maximum number of questions of a pattern that are tried on one workflow."""
_SITUATIONS = 12
_TASK_PROPERTIES = (
    "critical",
    "timeout",
    "loop",
    "event",
    "has-params",
    "has-description",
    "exceptional",
    "conditional",
)
_LINK_PROPERTIES = ("conditional", "exceptional", "default", "loop")
_ELSEWHERE = ("invoice printing", "image resizing", "language translation", "payroll accounting", "weather forecast")
"""Topics that few workflows have, for questions with the answer "no". The answer is computed, not assumed."""


def candidates(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterator[Question]:
    """Yield the possible questions of a pattern about a workflow, without duplicates, in random order.

    A question may turn out to have no answer: only the fact decides that. Patterns about conditions give no questions
    if the workflow has no conditions.
    """
    seen = set()
    for question in islice(_POOLS.get(fact.id, _plain)(fact, subject, rng), _POOL):
        key = question.model_dump_json()
        if key not in seen:
            seen.add(key)
            yield question


def _plain(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    return [Question(task=name) for name in _names(subject, rng)] if fact.needs else [Question()]


def _own(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    """Return the questions that the fact itself proposes."""
    return _shuffled([*fact.instances(subject)], rng)


def _always(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    return _plain(fact, subject, rng) if subject.behaviour.conditional else []


def _two(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    questions = [Question(first=a, second=b) for a, b in _pairs(subject, rng)]
    if "flow" not in fact.takes or not subject.data.linked:
        return questions
    return _turns(questions, [Question(first=a, second=b, flow="data") for a, b in _pairs(subject, rng, data=True)])


def _two_conditional(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    return _two(fact, subject, rng) if subject.behaviour.conditional else []


def _next(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    data = [Question(task=name, flow="data") for name in _names(subject, rng)] if subject.data.linked else []
    return _turns(_plain(fact, subject, rng), data)


def _links(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    if "task" in fact.needs:
        return (Question(task=name, property=p) for name, p in product(_names(subject, rng), _LINK_PROPERTIES))
    return (Question(first=a, second=b, property=p) for (a, b), p in product(_linked(subject, rng), _LINK_PROPERTIES))


def _having(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    del fact
    tags = sorted({tag for task in subject.tasks for tag in task.tags})
    return (Question(property=p) for p in _shuffled([*_TASK_PROPERTIES, *(f"tagged:{tag}" for tag in tags)], rng))


def _operators(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    del fact, subject
    return (Question(property=p) for p in _shuffled([*OPERATORS], rng))


def _dependency(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    del fact
    data = product(_names(subject, rng)[:_POOL], _shuffled(subject.data.names, rng)[:_POOL])
    tasks = [Question(task=b, first=a) for a, b in _pairs(subject, rng)]
    return _turns(tasks, (Question(task=name, data=each) for name, each in _shuffled([*data], rng)))


def _dependencies(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    names = _names(subject, rng) if subject.data.linked else []
    return _turns(_plain(fact, subject, rng), [Question(task=name, flow="data", direct=True) for name in names])


def _produced(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    del fact
    return (Question(data=name) for name in _shuffled(subject.data.names, rng))


def _parts(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    del fact
    composites = [subject.labels[task] for task in subject.order if subject.tasks[task].workflow]
    inside = [subject.library[name].tasks[at].name for name, at in subject.nested_tasks]
    seconds = _shuffled([*dict.fromkeys([*inside, *subject.labels])], rng)
    return (Question(first=first, second=second) for second, first in product(seconds, composites))


def _orders(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    del fact
    return _sequences(subject.named(subject.order), rng)


def _traces(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    whole = fact.id == Trace.id
    situations: list[dict[str, Scalar]] = [*_situations(subject, rng)]
    for situation in situations or ([{}] if whole else []):
        order = answer(subject, TaskOrderConditional.id, Question(situation=situation)).answer
        if isinstance(order, NameList) and order.value:
            yield from _sequences(order.value, rng, situation, whole=whole)


def _in_situation(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    if not fact.needs:
        return (Question(situation=situation) for situation in _situations(subject, rng))
    choices = (name for name in _names(subject, rng) if chooses(subject, name))
    return (
        Question(task=name, situation=situation) for name, situation in product(choices, _situations(subject, rng))
    )


def _meaning(fact: Fact, subject: FactSubject, rng: np.random.Generator) -> Iterable[Question]:
    labels = {text for task in subject.tasks for text in (*task.tags, task.action or "") if text.strip()}
    for property_ in _turns(_shuffled(sorted(labels), rng), _shuffled(_ELSEWHERE, rng)):
        if "task" in fact.needs:
            names = product(_names(subject, rng), _shuffled((False, True), rng))
            yield from (Question(property=property_, task=name, after=after) for name, after in names)
        else:
            yield Question(property=property_)


_POOLS: dict[str, Callable[[Fact, FactSubject, np.random.Generator], Iterable[Question]]] = {
    "tasks-with-property": _having,
    "link-existence": _two,
    "task-after-task": _two,
    "next-tasks": _next,
    "link-with-property": _links,
    "links-with-property": _links,
    "operator-existence": _operators,
    "fork-join-block": _own,
    "operator-block": _own,
    "dependency-existence": _dependency,
    "list-of-dependencies": _dependencies,
    "data-production": _produced,
    "task-hierarchy": _parts,
    "order-of-two": _two,
    "order-of-all": _orders,
    "mutually-exclusive": _own,
    "next-task-conditional": _in_situation,
    "order-of-two-conditional": _two_conditional,
    "order-of-all-conditional": _traces,
    "task-order-conditional": _in_situation,
    "loop-end-condition": _own,
    "trace": _traces,
    "runs-in-every-situation": _always,
    "meaning-of-task": _meaning,
    "meaning-of-preceding-task": _meaning,
}
"""Questions by pattern; all other patterns take each task in turn."""


def _names(subject: FactSubject, rng: np.random.Generator) -> list[str]:
    return _shuffled(subject.labels, rng)


def _linked(subject: FactSubject, rng: np.random.Generator, *, data: bool = False) -> list[tuple[str, str]]:
    edges = subject.data.graph.edges if data else subject.flow.edges
    return _shuffled([(subject.labels[a], subject.labels[b]) for a, b in sorted(edges)], rng)


def _pairs(subject: FactSubject, rng: np.random.Generator, *, data: bool = False) -> Iterator[tuple[str, str]]:
    """Yield pairs of tasks: in turn a linked pair, a linked pair in reverse order, and a random pair."""
    linked = _linked(subject, rng, data=data)
    count = min(_POOL, 4 * len(subject.labels))
    any_two = [
        rng.choice(len(subject.labels), 2, replace=False) for _ in range(count if len(subject.labels) > 1 else 0)
    ]
    free = [(subject.labels[int(a)], subject.labels[int(b)]) for a, b in any_two]
    return _turns(linked, [(b, a) for a, b in linked], free)


def _sequences(
    names: Sequence[str], rng: np.random.Generator, situation: dict[str, Scalar] | None = None, *, whole: bool = False
) -> Iterator[Question]:
    """Yield sequences of tasks, some in the right order and some changed.

    A right sequence is a part of the order, or the whole order if `whole`. A changed sequence has two tasks exchanged,
    or, if `whole`, one task left out.
    """
    for _ in range(_SITUATIONS):
        if len(names) < 2:
            return
        size = len(names) if whole else int(rng.integers(2, min(5, len(names)) + 1))
        places = sorted(int(place) for place in rng.choice(len(names), size, replace=False))
        part = [names[place] for place in places]
        one, other = sorted(int(place) for place in rng.choice(len(part), 2, replace=False))
        turned = [*part]
        turned[one], turned[other] = part[other], part[one]
        wrong = [turned] if not whole else [turned, part[:one] + part[one + 1 :]]
        for sequence in (part, *wrong):
            yield Question(sequence=tuple(sequence), situation=situation or {})


def _situations(subject: FactSubject, rng: np.random.Generator) -> list[dict[str, Scalar]]:
    """Return situations. A situation gives each term in the conditions a value.

    Empty if a condition has a term without known values.
    """
    values: dict[str, dict[Scalar, None]] = {}
    selections = subject.behaviour.selections
    for formula in (*selections.taken, *(guard for guard in selections.guards if guard is not None)):
        for atom in atoms(formula):
            if not isinstance(atom, Atom) or atom.term.opaque:
                return []
            known = atom.term.values or tuple(_around(atom))
            values.setdefault(atom.term.text, {}).update(dict.fromkeys(known))
    if not values or not subject.behaviour.conditional:
        return []
    some = [_shuffled([*each], rng)[:_SITUATIONS] for each in values.values()]
    return _shuffled([dict(zip(values, each, strict=True)) for each in islice(product(*some), 10 * _POOL)], rng)[
        :_SITUATIONS
    ]


def _around(atom: Atom) -> Iterable[Scalar]:
    """Return values that make a comparison true, and values that make it false."""
    value = atom.value
    if atom.relation == "truthy" or isinstance(value, bool):
        return (True, False)
    if isinstance(value, int | float):
        return (value - 1, value, value + 1)
    return (value, "another") if isinstance(value, str) else (value, "something")


def _shuffled(values: Sequence[T], rng: np.random.Generator) -> list[T]:
    return [values[int(place)] for place in rng.permutation(len(values))]


def _turns(*several: Iterable[T]) -> Iterator[T]:
    """Yield the first item of each iterable, then the second of each, and so on."""
    nothing = object()
    for each in chain.from_iterable(zip_longest(*several, fillvalue=nothing)):
        if each is not nothing:
            yield each  # type: ignore[misc]
