"""Facts about operators (splits and joins), their blocks, and parallel tasks."""

from collections.abc import Iterator
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, NameSet, NameSets, YesNo
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question, each_task, these
from wfgate.catalogue.facts.blocks import BlockSplit, union
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.errors import ConfigError
from wfgate.model import START, Operator, members

_FORK: frozenset[Operator] = frozenset({"AND"})
_CHOICE: frozenset[Operator] = frozenset({"OR", "XOR"})
_NOT_SURE = "whether some of them exclude each other depends on conditions that cannot be analysed"
MOST_SETS = 1_000
"""Largest number of listed sets of parallel tasks."""


class OperatorExistence(Fact):
    """Whether the workflow uses an operator: a fork, a choice, a join.

    Question:
        Is there an operator in workflow W? With a property: an AND, an OR, an XOR; a split, a join.

    Definition:
        An operator is a gateway or an implied split: a task or START with several outgoing links (back edges do not
        count). An implied split is an AND if two or more of its links have no condition. It is an XOR if only the
        first link with a true condition is taken, or if the links are for success and failure of one task. Otherwise
        it is an OR. The witness lists the operators.
    """

    id: ClassVar[str] = "operator-existence"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    takes: ClassVar[tuple[Parameter, ...]] = ("property",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with the operators, or no."""
        flow = subject.behaviour.flow
        wanted = (question.property or "").casefold()
        if wanted not in {"", "and", "or", "xor", "split", "join"}:
            raise ConfigError(f"unknown operator {question.property!r}", fix="use AND, OR, XOR, split or join")
        start = len(subject.tasks)
        operators: dict[str, None] = {}
        for place, gateway in enumerate(subject.workflow.gateways):
            if wanted in {"", gateway.op.casefold(), gateway.role}:
                operators[flow.labels[start + place]] = None
        for split in subject.blocks.splits.values():
            if not split.explicit and wanted in {"", split.operator.casefold(), "split"}:
                operators[f"an implied {split.operator} split after {flow.labels[split.node]}"] = None
        return YesNo(value=bool(operators), witness=tuple(sorted(operators)))


class ParallelBlockExistence(Fact):
    """Whether some tasks can run in parallel.

    Question:
        Can some tasks in workflow W run in parallel?

    Definition:
        Yes if there are two tasks such that no task has to wait for the other and both run in some situation. No if
        only one step runs at a time.
    """

    id: ClassVar[str] = "parallel-block-existence"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with two parallel tasks, no, or unknown."""
        del question
        pairs = ((a, b) for a in subject.order for b in subject.sorted(subject.parallel[a]))
        first = None
        for a, b in pairs:
            if subject.course.parallel(a, b):
                return YesNo(value=True, witness=subject.named((a, b)))
            first = first or (a, b)
        if first is None:
            return YesNo(value=False)
        return YesNo(value=None, exact=False, because=_NOT_SURE, witness=subject.named(first))


class ForkJoinBlock(Fact):
    """Which tasks are in a parallel block.

    Question:
        List the tasks in the fork-join block behind task T (or around it).

    Definition:
        The block of the AND split that directly follows T. If no AND split follows T: the smallest block of an AND
        split that contains T. Without T: the only such block of the workflow. A block consists of the tasks on the
        paths from the split to the node that joins all its branches (its immediate post-dominator). The witness lists
        the branches.
    """

    id: ClassVar[str] = "fork-join-block"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"
    takes: ClassVar[tuple[Parameter, ...]] = ("task",)

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return the tasks of the block."""
        return _block(subject, question.task, _FORK, self.id)

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one question for each AND split."""
        yield from _each_split(subject, _FORK)


class OperatorBlock(Fact):
    """Which tasks are in the block of a choice.

    Question:
        List the tasks in the operator block (XOR or OR) behind task T (or around it).

    Definition:
        The same as fork-join-block, but for XOR and OR splits, explicit or implied.
    """

    id: ClassVar[str] = "operator-block"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"
    takes: ClassVar[tuple[Parameter, ...]] = ("task",)

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return the tasks of the block."""
        return _block(subject, question.task, _CHOICE, self.id)

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one question for each XOR or OR split."""
        yield from _each_split(subject, _CHOICE)


class ParallelToTask(Fact):
    """Which tasks can run in parallel to a task.

    Question:
        Which tasks can run in parallel to task T?

    Definition:
        The tasks u such that T and u do not have to wait for each other and both run in some situation.
    """

    id: ClassVar[str] = "parallel-to-task"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"
    needs: ClassVar[tuple[Parameter, ...]] = ("task",)

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return the tasks."""
        task = subject.task(question.task or "")
        names = these(subject, subject.parallel[task])
        sure = subject.parallel_is_known([task])
        return names if sure else names.model_copy(update={"exact": False, "because": _NOT_SURE})

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield one question for each task."""
        yield from each_task(subject)


class ParallelTasks(Fact):
    """Which tasks can run in parallel with each other.

    Question:
        List all tasks in workflow W that can run in parallel.

    Definition:
        Sets of tasks that can all run at the same time: any two tasks of a set are parallel, and all tasks of a set
        run in some situation. Every pair of parallel tasks is in at least one set. The sets are not unique, because
        there can be exponentially many maximal sets. Therefore answers are compared by pairs of tasks. For the
        branches of a block use fork-join-block.
    """

    id: ClassVar[str] = "parallel-tasks"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "sets"
    metric: ClassVar[Metric] = "pair-jaccard"

    def answer(self, subject: FactSubject, question: Question) -> NameSets:
        """Return the sets, in flow order."""
        del question
        left = {(a, b) for a in subject.order for b in subject.parallel[a] if subject.place[a] < subject.place[b]}
        sets = []
        for a, b in sorted(left, key=lambda pair: (subject.place[pair[0]], subject.place[pair[1]])):
            if (a, b) not in left:
                continue
            chosen = _together(subject, a, b)
            left -= {(first, second) for first in chosen for second in chosen}
            sets.append(subject.named(chosen))
            if len(sets) == MOST_SETS:
                return NameSets(value=tuple(sets), exact=False, because=f"more than {MOST_SETS} sets")
        sure = subject.parallel_is_known(subject.order)
        return NameSets(value=tuple(sets), exact=sure, because=None if sure else _NOT_SURE)


def _together(subject: FactSubject, first: int, second: int) -> list[int]:
    """Return a maximal set of parallel tasks that contains two given tasks, in flow order."""
    chosen = [first, second]
    near = subject.parallel[first] & subject.parallel[second]
    for task in subject.sorted(near):
        if task in near and subject.course.together([*chosen, task]) is not False:
            chosen.append(task)
            near &= subject.parallel[task]
    return chosen


def _each_split(subject: FactSubject, operators: frozenset[Operator]) -> Iterator[Question]:
    flow = subject.behaviour.flow
    questions = {}
    for split in subject.blocks.splits.values():
        if split.operator in operators:
            before = [node for node in flow.tasks_before(split.node) if node != flow.start]
            if before:
                task = min(before, key=subject.place.__getitem__)
                questions[subject.place[task]] = Question(task=subject.labels[task])
            else:
                questions[-1] = Question(task=START)
    yield from (questions[place] for place in sorted(questions))


def _block(subject: FactSubject, name: str | None, operators: frozenset[Operator], fact: str) -> NameSet:
    blocks, flow = subject.blocks, subject.behaviour.flow
    kind = " or ".join(sorted(operators))
    if name is None:
        splits = [split for split in blocks.splits.values() if split.operator in operators]
        if len(splits) > 1:
            names = ", ".join(question.task or START for question in _each_split(subject, operators))
            raise ConfigError(f"there are {len(splits)} {kind} blocks: {fact} needs a task", fix=f"one of: {names}")
        split: BlockSplit | None = splits[0] if splits else None
    else:
        node = flow.start if name == START else subject.task(name)
        split = blocks.behind(node)
        if split is None or split.operator not in operators:
            split = None if name == START else blocks.around(node, operators)
    if split is None:
        return NameSet(value=(), because=f"there is no {kind} block")
    branches = blocks.inside(split.node)
    if branches is None:
        return NameSet(value=None, exact=False, because="its branches do not lead to the end")
    branch_names = sorted(subject.listed(branch) or "nothing" for branch in branches)
    where = "" if flow.labels[split.node] == START else f" after {flow.labels[split.node]}"
    because = flow.labels[split.node] if split.explicit else f"an implied {split.operator} split{where}"
    return NameSet(value=subject.named(members(union(branches))), because=because, witness=tuple(branch_names))
