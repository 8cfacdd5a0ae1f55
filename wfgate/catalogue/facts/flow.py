"""Facts about start, end, cycles and connectivity of the flow."""

from collections.abc import Iterable, Iterator
from typing import ClassVar

from wfgate.catalogue.facts.answers import AnswerType, NameSet, OneTask, YesNo
from wfgate.catalogue.facts.base import Fact, Group, Metric, Parameter, Question, none, these
from wfgate.catalogue.facts.subject import FactSubject
from wfgate.model import END, START, Workflow, cycle_through, reach


class FlowCycle(Fact):
    """Whether the flow has a cycle.

    Question:
        In workflow W, is there a cycle in the flow F?

    Definition:
        Yes if the task graph has a strongly connected component with more than one task, or a task that is linked to
        itself. Tasks inside composites do not count; conditional links and back edges count. In data flow: yes if a
        task reads, directly or through other tasks, data that it writes. The witness is a shortest cycle.
    """

    id: ClassVar[str] = "flow-cycle"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    takes: ClassVar[tuple[Parameter, ...]] = ("flow",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes with a cycle, or no."""
        graph = subject.data.graph if question.flow == "data" else subject.flow
        if not graph.cycles:
            return YesNo(value=False)
        first = subject.sorted(min(cycle, key=subject.place.__getitem__) for cycle in graph.cycles)
        cycles = (cycle_through(task, graph.successors.__getitem__) or [] for task in first)  # each is on a cycle
        cycle = min(cycles, key=len)
        return YesNo(value=True, witness=tuple(subject.labels[task] for task in cycle))


class FlowStart(Fact):
    """Which task runs first.

    Question:
        In workflow W, which task runs first?

    Definition:
        The only task that START leads to. If START leads to several tasks or to no task, there is no answer. In data
        flow: the only task that passes data on but gets no data from another task.
    """

    id: ClassVar[str] = "flow-start"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "task"
    metric: ClassVar[Metric] = "correctness"
    takes: ClassVar[tuple[Parameter, ...]] = ("flow",)

    def answer(self, subject: FactSubject, question: Question) -> OneTask:
        """Return the first task, or the reason why there is none."""
        starts: Iterable[int] = subject.graph.starts
        if question.flow == "data":
            view = subject.data
            starts = [task for task in view.linked if not view.graph.predecessors[task]]
        names = subject.named(starts)
        if len(names) == 1:
            return OneTask(value=names[0])
        if not names:
            return none("nothing starts the flow")
        return OneTask(value=None, because=f"{len(names)} tasks start the flow", witness=names)


class FlowEnd(Fact):
    """Which tasks run last.

    Question:
        In workflow W, which tasks run last?

    Definition:
        Tasks with a link to END, and tasks without a link to another task. In data flow: tasks that get data from
        other tasks but pass no data on.
    """

    id: ClassVar[str] = "flow-end"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "set"
    metric: ClassVar[Metric] = "jaccard"
    takes: ClassVar[tuple[Parameter, ...]] = ("flow",)

    def answer(self, subject: FactSubject, question: Question) -> NameSet:
        """Return the last tasks."""
        if question.flow == "data":
            view = subject.data
            return these(subject, [task for task in view.linked if not view.graph.successors[task]])
        last = {task for task, near in enumerate(subject.flow.successors) if not near}
        return these(subject, last | set(subject.graph.ends))


class MissingLink(Fact):
    """Whether the flow is connected.

    Question:
        In workflow W, is the flow F connected?

    Definition:
        Yes if every task and every gateway is on a path from START to END, along links of any kind. In data flow: yes
        if the tasks with data flow are weakly connected. The witness of the answer no lists the tasks that are not
        connected.
    """

    id: ClassVar[str] = "missing-link"
    group: ClassVar[Group] = "structure"
    answers: ClassVar[AnswerType] = "yes-no"
    metric: ClassVar[Metric] = "correctness"
    takes: ClassVar[tuple[Parameter, ...]] = ("flow",)

    def answer(self, subject: FactSubject, question: Question) -> YesNo:
        """Return yes, or no with the tasks that are not connected."""
        if question.flow == "data":
            return _data_connected(subject)
        workflow = subject.workflow
        forward, backward = _nodes(workflow)
        after_start = reach([START], lambda node: forward.get(node, ()))
        on = after_start.keys() & reach([END], lambda node: backward.get(node, ()))
        off = [t for t, task in enumerate(workflow.tasks) if task.id not in on or subject.number[task.id] != t]
        gates = sum(1 for gate in workflow.gateways if gate.id not in on)
        if not off and not gates and END in on:
            return YesNo(value=True)
        parts = [f"{len(off)} of {len(workflow.tasks)} tasks"] if off else []
        parts += [f"{gates} gateways"] if gates else []
        because = f"{' and '.join(parts)} are on no path from START to END" if parts else "no path from START to END"
        return YesNo(value=False, because=because, witness=subject.named(off))

    def instances(self, subject: FactSubject) -> Iterator[Question]:
        """Yield the question about control flow."""
        del subject
        yield Question()


def _data_connected(subject: FactSubject) -> YesNo:
    graph = subject.data.graph
    linked = subject.sorted(subject.data.linked)
    if not linked:
        return YesNo(value=None, because="there is no data flow between tasks")
    either = {task: [*graph.successors[task], *graph.predecessors[task]] for task in linked}
    off = either.keys() - reach(linked[:1], lambda task: either.get(task, ())).keys()
    if not off:
        return YesNo(value=True)
    return YesNo(value=False, because="these tasks have no data flow with the others", witness=subject.named(off))


def _nodes(workflow: Workflow) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    forward: dict[str, list[str]] = {}
    backward: dict[str, list[str]] = {}
    for link in workflow.links:
        forward.setdefault(link.source, []).append(link.target)
        backward.setdefault(link.target, []).append(link.source)
    return forward, backward
