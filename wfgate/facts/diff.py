"""Differences between the facts of two aligned workflows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wfgate.facts.answers import Answer, Text
from wfgate.facts.base import Fact, Question
from wfgate.facts.conditional import MutuallyExclusive
from wfgate.facts.course import Course
from wfgate.facts.flow import FlowCycle, MissingLink
from wfgate.facts.listing import relisted
from wfgate.facts.loops import InfiniteLoop, LoopEndCondition
from wfgate.facts.subject import MOST_PAIRS, Subject
from wfgate.facts.traces import RunsInEverySituation
from wfgate.model import Workflow
from wfgate.model.workflow import Frozen

Pair = tuple[int, int]

NAMED = 4
"""Largest number of tasks named in one sentence."""


class Difference(Frozen):
    """One fact that differs between two workflows.

    Attributes:
        id: Id of the fact.
        message: One sentence about the difference.
        tasks: Names of the tasks concerned, as in the golden, the most important first.
    """

    id: str
    message: str
    tasks: tuple[str, ...] = ()


def differences(golden: Workflow, candidate: Workflow, candidate_of: Mapping[int, int]) -> tuple[Difference, ...]:
    """Return the facts that differ between two workflows.

    Args:
        golden: The approved workflow.
        candidate: The workflow to compare with it.
        candidate_of: The matched candidate position of each matched golden position.

    Example:
        >>> from wfgate.model import Link, Task
        >>> tasks = (Task(id="a", name="Build"), Task(id="b", name="Test"))
        >>> serial = Workflow(tasks=tasks, links=(Link(source="START", target="a"), Link(source="a", target="b")))
        >>> parallel = Workflow(tasks=tasks, links=tuple(Link(source="START", target=task) for task in "ab"))
        >>> [found.message for found in differences(serial, parallel, {0: 0, 1: 1}) if "parallel" in found.id]
        ["'Build' may now run in parallel with 'Test'"]
    """
    place = {position: number for number, position in enumerate(relisted(candidate)[1])}
    same = {
        number: place[candidate_of[position]]
        for number, position in enumerate(relisted(golden)[1])
        if position in candidate_of
    }
    pair = _Pair(Subject.of(golden), Subject.of(candidate), same)
    return tuple(
        found
        for facts in (_tasks, _ends, _connected, _runs, _orders, _exclusive, _choices, _loops, _data)
        for found in facts(pair)
    )


@dataclass(frozen=True)
class _Pair:
    """Golden and candidate with their alignment."""

    golden: Subject
    candidate: Subject
    candidate_of: dict[int, int]

    @cached_property
    def shared(self) -> list[int]:
        """The matched golden tasks, in flow order."""
        return self.golden.sorted(self.candidate_of)

    @cached_property
    def golden_of(self) -> dict[int, int]:
        """The matched golden position of each matched candidate position."""
        return {theirs: ours for ours, theirs in self.candidate_of.items()}

    def name(self, task: int) -> str:
        """Return the name of a golden task, with the candidate's name if the task was reworded."""
        ours = self.golden.labels[task]
        theirs = self.candidate.labels[self.candidate_of[task]] if task in self.candidate_of else ours
        same = ours.casefold() == theirs.casefold() or self.golden.tasks[task].name == theirs
        return (
            f"'{ours}'"
            if same or theirs == self.candidate.tasks[self.candidate_of[task]].id
            else (f"'{ours}' (now '{theirs}')")
        )

    def names(self, tasks: Iterable[int]) -> str:
        """Return the golden names of tasks as an enumeration."""
        return _listed([f"'{self.golden.labels[task]}'" for task in self.golden.sorted(tasks)])

    def difference(self, fact: str, message: str, tasks: Iterable[int] = ()) -> Difference:
        """Return a difference about golden tasks."""
        return Difference(id=fact, message=message, tasks=tuple(self.golden.labels[task] for task in tasks))

    @property
    def is_large(self) -> bool:
        """Whether the workflows have too many tasks to compare all pairs of tasks."""
        return len(self.shared) ** 2 > 4 * MOST_PAIRS

    def each_pair(self) -> Iterator[tuple[Pair, Pair]]:
        """Yield every pair of shared tasks, as golden positions and as candidate positions."""
        for place, first in enumerate(self.shared):
            for second in self.shared[place + 1 :]:
                yield (first, second), (self.candidate_of[first], self.candidate_of[second])


def _tasks(pair: _Pair) -> Iterator[Difference]:
    for task in pair.golden.order:
        if task not in pair.candidate_of:
            yield pair.difference("list-of-tasks", f"the task '{pair.golden.labels[task]}' is missing", [task])
    for task in pair.candidate.order:
        if task not in pair.golden_of:
            yield Difference(id="list-of-tasks", message=f"the task '{pair.candidate.labels[task]}' is new")


def _ends(pair: _Pair) -> Iterator[Difference]:
    for fact, verb, ends in (
        ("flow-start", "starts", lambda subject: set(subject.graph.starts)),
        ("flow-end", "ends", lambda subject: {t for t, near in enumerate(subject.flow.successors) if not near}),
    ):
        ours, theirs = ends(pair.golden), ends(pair.candidate)
        for task in pair.shared:
            was, now = task in ours, pair.candidate_of[task] in theirs
            if was != now:
                change = f"now {verb}" if now else f"no longer {verb}"
                yield pair.difference(fact, f"{pair.name(task)} {change} the flow", [task])


def _connected(pair: _Pair) -> Iterator[Difference]:
    for fact, lost, gained in (
        (MissingLink(), "the flow is no longer connected", "the flow is now connected"),
        (FlowCycle(), "the flow no longer has a cycle", "the flow now has a cycle"),
        (InfiniteLoop(), "no loop is infinite any more", "a loop is now infinite"),
    ):
        ours, theirs = (fact.ask(subject, Question()) for subject in (pair.golden, pair.candidate))
        if theirs.value is not None and ours.value != theirs.value and (ours.value is not None or theirs.value):
            where = _listed([f"'{name}'" for name in theirs.witness])
            yield Difference(id=fact.id, message=(gained if theirs.value else lost) + (f": {where}" if where else ""))


def _runs(pair: _Pair) -> Iterator[Difference]:
    fact = RunsInEverySituation()
    for task in pair.shared:
        ours = _about(fact, pair.golden, task)
        theirs = _about(fact, pair.candidate, pair.candidate_of[task])
        if ours.value == theirs.value:
            continue
        if ours.value:
            why = " and ".join(theirs.witness) or theirs.because
            message = f"no longer runs in every situation: not if {why}" if theirs.witness else f"may not run: {why}"
            if theirs.value is False and not theirs.witness:
                message = "never runs any more"
            yield pair.difference(fact.id, f"{pair.name(task)} {message}", [task])
        elif theirs.value:
            yield pair.difference(fact.id, f"{pair.name(task)} now runs in every situation", [task])


def _orders(pair: _Pair) -> Iterator[Difference]:
    if pair.is_large:
        because = f"the order of {len(pair.shared):,} tasks is not compared: too many pairs"
        yield Difference(id="order-of-two", message=because)
        return
    inverted, parallel, serial = set(), set(), set()
    ours, theirs = pair.golden.course, pair.candidate.course
    for golden, candidate in pair.each_pair():
        was, now = _relation(ours, golden), _relation(theirs, candidate)
        if was == now or "cycle" in {was, now}:
            continue
        if "none" not in {was, now}:
            inverted.add(golden)
        elif was == "none" and ours.parallel(*golden):
            serial.add(golden)
        elif now == "none" and theirs.parallel(*candidate):
            parallel.add(golden)
    for fact, change, pairs in (
        ("order-of-two", "changed places with", inverted),
        ("parallel-to-task", "may now run in parallel with", parallel),
        ("parallel-to-task", "can no longer run in parallel with", serial),
    ):
        for task, others in _by_task(pairs, pair.golden.place):
            yield pair.difference(fact, f"{pair.name(task)} {change} {pair.names(others)}", [task, *others])


def _relation(course: Course, pair: Pair) -> str:
    before, after = course.graph.precedes(*pair), course.graph.precedes(*pair[::-1])
    return ("cycle" if after else "before") if before else ("after" if after else "none")


def _exclusive(pair: _Pair) -> Iterator[Difference]:
    lost = set()
    if not pair.golden.behaviour.conditional or pair.is_large:
        return
    for golden, candidate in pair.each_pair():
        if pair.golden.course.together(golden) is False and pair.candidate.course.together(candidate):
            lost.add(golden)
    dead = {task for task in pair.shared if pair.golden.behaviour.can_run(task).value is False}
    for task, others in _by_task({found for found in lost if not dead & {*found}}, pair.golden.place):
        message = (
            f"{pair.name(task)} and {pair.names(others)} can now both run; in the golden, they excluded each other"
        )
        yield pair.difference("mutually-exclusive", message, [task, *others])


def _choices(pair: _Pair) -> Iterator[Difference]:
    fact = MutuallyExclusive()
    for task in pair.shared:
        ours = _about(fact, pair.golden, task)
        theirs = _about(fact, pair.candidate, pair.candidate_of[task])
        if ours.value and theirs.value is False:
            case = f" ({' and '.join(theirs.witness)})" if theirs.witness else ""
            message = f"the conditional links from {pair.name(task)} no longer exclude each other{case}"
            yield pair.difference(fact.id, message, [task])


def _loops(pair: _Pair) -> Iterator[Difference]:
    fact = LoopEndCondition()
    for task in pair.shared:
        ours = _about(fact, pair.golden, task)
        theirs = _about(fact, pair.candidate, pair.candidate_of[task])
        was, now = _endings(ours), _endings(theirs)
        if was and not now:
            yield pair.difference(fact.id, f"{pair.name(task)} is no longer repeated", [task])
        elif now and not was:
            yield pair.difference(fact.id, f"{pair.name(task)} is now repeated; it ends {now}", [task])
        elif was != now and pair.golden.tasks[task].loop:
            yield pair.difference(fact.id, f"the loop of {pair.name(task)} ended {was}, now it ends {now}", [task])


def _data(pair: _Pair) -> Iterator[Difference]:
    ours, theirs = pair.golden.data.data, pair.candidate.data.data
    for name in ours.names:
        if not ours.producers(name) or theirs.producers(name) or _renamed(pair, name):
            continue
        who = [task for task in ours.producers(name) if task in pair.candidate_of]
        gone = [task for task in ours.producers(name) if task not in pair.candidate_of]
        why = f": {pair.names(gone)} is gone" if gone and not who else ""
        yield pair.difference("data-production", f"nothing produces '{name}' any more{why}", ours.producers(name))


def _renamed(pair: _Pair, name: str) -> bool:
    """Return whether the same tasks write and read a datum under a new name."""
    ours, theirs = pair.golden.data.data, pair.candidate.data.data
    writers = {pair.candidate_of.get(task) for task in ours.producers(name)}
    readers = {pair.candidate_of.get(task) for task in ours.consumers(name)}
    return any(
        writers & {*theirs.producers(other)} and readers <= {*theirs.consumers(other)}
        for other in theirs.names
        if other not in ours.names
    )


def _about(fact: Fact, subject: Subject, task: int) -> Answer:
    """Return the answer of a fact about a task."""
    return fact.ask(subject, Question(task=subject.labels[task]))


def _endings(answer: Answer) -> str:
    return " or ".join(answer.value or ()) if isinstance(answer, Text) else ""


def _by_task(pairs: Iterable[Pair], place: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield a greedy vertex cover of the pairs: each task with its remaining partners, most partners first."""
    partners: dict[int, set[int]] = {}
    for first, second in pairs:
        partners.setdefault(first, set()).add(second)
        partners.setdefault(second, set()).add(first)
    while partners:
        task = min(partners, key=lambda each: (-len(partners[each]), place[each]))
        others = partners.pop(task)
        for other in others:
            partners[other].discard(task)
            if not partners[other]:
                del partners[other]
        yield task, sorted(others, key=place.__getitem__)


def _listed(names: Sequence[str]) -> str:
    if len(names) > NAMED + 1:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
