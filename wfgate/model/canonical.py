"""Canonical order of the tasks by content, and the fingerprint derived from it.

The method is colour refinement (1-dimensional Weisfeiler-Leman; Babai, Erdos & Selkow 1980) with individualisation.
Tasks are coloured by content, then recoloured by their neighbours until the colours are stable. Tasks with equal
colours are twins. If there are twins, one twin gets a separate colour and the refinement continues. Every twin is
tried, and the smallest certificate is kept; this makes the result exact. The number of tries is limited. The result
for a graph that is too symmetric is marked as inexact.
"""

import hashlib
import heapq
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from wfgate.model.task_graph import TaskGraph, task_numbers
from wfgate.model.workflow import END, START, Task, Workflow

_FROM_START, _TO_END = -1, -2
"""The numbers of START and END among the positions of tasks."""
DEFAULT_BUDGET = 64
"""Largest number of twins singled out before a symmetric graph is marked as inexact."""


@dataclass(frozen=True)
class CanonicalForm:
    """The tasks in canonical order.

    Attributes:
        order: The positions of the tasks in canonical order.
        certificate: Hash of the content. Workflows that differ only in ids, listing order or formatting have the same
            hash.
        exact: Whether equal certificates of two workflows prove that their orders correspond task by task.
    """

    order: tuple[int, ...]
    certificate: str
    exact: bool


def fingerprint(workflow: Workflow) -> str:
    """Return a content fingerprint that does not depend on task ids, listing order or source positions.

    Example:
        >>> from wfgate.model.workflow import Link, Task, Workflow
        >>> one = Workflow(
        ...     tasks=(Task(id="a", name="Build"), Task(id="b", name="Test")),
        ...     links=(Link(source="a", target="b"),),
        ... )
        >>> two = Workflow(
        ...     tasks=(Task(id="2", name="Test"), Task(id="1", name="Build")),
        ...     links=(Link(source="1", target="2"),),
        ... )
        >>> fingerprint(one) == fingerprint(two)
        True
    """
    certificates = sorted(canonical_form(part).certificate for part in workflow.subworkflows)
    return _digest([canonical_form(workflow).certificate, *certificates])[:32]


def canonical_form(
    workflow: Workflow, graph: TaskGraph | None = None, *, budget: int = DEFAULT_BUDGET
) -> CanonicalForm:
    """Return the canonical form of the tasks and links of a workflow, without its sub-workflows.

    Cost: one refinement in O(links log tasks), and one more for each twin that is tried, at most `budget`. Real
    workflows need zero or two more.
    """
    graph = graph or TaskGraph.of(workflow)
    said = _edge_labels(workflow)
    labels = {(a, b): label for (a, b), label in said.items() if a >= 0 and b >= 0}
    incident: list[list[tuple[str, int]]] = [[] for _ in range(graph.n)]
    for (source, target), label in labels.items():
        incident[source].append((f">{label}", target))
        incident[target].append((f"<{label}", source))
    loose = _loose_ends(workflow)
    initial = [
        _task_label(task, graph, position, [*loose.get(task.id, ()), *_outer(said, position)])
        for position, task in enumerate(workflow.tasks)
    ]
    search = _Search(incident, initial, budget)
    order = search.best_order()
    context = [
        workflow.name,
        workflow.description,
        workflow.semantics,
        _dump(workflow.params),
        *_dangling(workflow),
        said.get((_FROM_START, _TO_END), ""),
    ]
    rank = {task: place for place, task in enumerate(order)}
    if search.exact:
        body: list[str] = [search.labels[task] for task in order]
        body += sorted(f"{rank[a]}>{rank[b]}:{label}" for (a, b), label in labels.items())
    else:
        body = search.summary()
    return CanonicalForm(tuple(order), _digest([*context, *body]), search.exact)


def content_key(workflow: Workflow, graph: TaskGraph) -> Callable[[int], tuple[float, str, int]]:
    """Return the sort key of tasks by content: depth, then text, then (for equal texts) the canonical order."""
    keys = [(depth, task.text) for depth, task in zip(graph.depth, workflow.tasks, strict=True)]
    twins = dict.fromkeys(range(graph.n), 0)
    if len(set(keys)) < len(keys):
        twins = {task: rank for rank, task in enumerate(canonical_form(workflow, graph).order)}
    return lambda task: (*keys[task], twins[task])


def content_order(workflow: Workflow, graph: TaskGraph) -> tuple[int, ...]:
    """Return the tasks in a topological order that depends on content, but not on ids or listing order.

    Example:
        >>> workflow = Workflow(tasks=(Task(id="1", name="Test"), Task(id="2", name="Build")))
        >>> content_order(workflow, TaskGraph.of(workflow))
        (1, 0)
    """
    return tuple(graph.topological_order(content_key(workflow, graph)))


class _Partition:
    """An ordered partition of the tasks into classes. A class is identified by the rank of its first member.

    Attributes:
        colour: The class of each task.
        members: The tasks of each class.
    """

    def __init__(self, colour: list[int], members: dict[int, set[int]]) -> None:
        self.colour = colour
        self.members = members

    @classmethod
    def of(cls, labels: Sequence[str]) -> "_Partition":
        """Return the partition by label, in the order of the labels."""
        by_label: dict[str, set[int]] = {}
        for task, label in enumerate(labels):
            by_label.setdefault(label, set()).add(task)
        partition = cls([0] * len(labels), {})
        place = 0
        for label in sorted(by_label):
            partition._put(by_label[label], place)
            place += len(by_label[label])
        return partition

    def copy(self) -> "_Partition":
        """Return an independent copy."""
        return _Partition(list(self.colour), {place: set(tasks) for place, tasks in self.members.items()})

    def twins(self) -> list[int]:
        """Return the classes with more than one member, in order."""
        return sorted(place for place, tasks in self.members.items() if len(tasks) > 1)

    def single_out(self, task: int) -> int:
        """Move a task from its class to a new class directly after it; return the new class."""
        rest = self.members[self.colour[task]]
        rest.discard(task)
        place = self.colour[task] + len(rest)
        self._put({task}, place)
        return place

    def refine(self, incident: Sequence[Sequence[tuple[str, int]]], splitters: Iterable[int]) -> None:
        """Split classes until all members of a class are linked to each class in the same way.

        After a class is split, all its parts except the largest are examined again (Hopcroft 1971). Therefore a long
        chain of equal steps takes O(links log tasks) instead of one round per step.
        """
        pending = list(splitters)
        heapq.heapify(pending)
        queued = set(pending)
        while pending:
            splitter = heapq.heappop(pending)
            queued.discard(splitter)
            links: dict[int, list[str]] = {}
            for task in self.members[splitter]:
                for label, other in incident[task]:
                    links.setdefault(other, []).append(label)
            touched: dict[int, dict[tuple[str, ...], set[int]]] = {}
            for task, labels in links.items():
                kinds = touched.setdefault(self.colour[task], {})
                kinds.setdefault(tuple(sorted(labels)), set()).add(task)
            for place in sorted(touched):
                fresh = self._split(place, touched[place], whole=place in queued)
                queued.update(fresh)
                for part in fresh:
                    heapq.heappush(pending, part)

    def _split(self, place: int, kinds: dict[tuple[str, ...], set[int]], *, whole: bool) -> list[int]:
        """Split one class and return the parts to examine; `whole`: the class is already in the queue."""
        rest = self.members[place]
        rest.difference_update(*kinds.values())
        parts = [rest] if rest else []
        parts += [kinds[kind] for kind in sorted(kinds)]
        places = []
        for part in parts:
            if part is not rest:
                self._put(part, place)
            places.append(place)
            place += len(part)
        if whole:
            return places[1:]
        largest = max(range(len(parts)), key=lambda number: (len(parts[number]), -number))
        return places[:largest] + places[largest + 1 :]

    def _put(self, tasks: set[int], place: int) -> None:
        self.members[place] = tasks
        for task in tasks:
            self.colour[task] = place


class _Search:
    """Individualisation and refinement with a limited number of tries."""

    def __init__(self, incident: Sequence[Sequence[tuple[str, int]]], labels: Sequence[str], budget: int) -> None:
        self.incident = incident
        self.labels = labels
        self.left = budget
        self.exact = True
        self.stable = _Partition.of(labels)
        self.stable.refine(incident, tuple(self.stable.members))

    def best_order(self) -> list[int]:
        return self._complete(self.stable.copy())[1]

    def summary(self) -> list[str]:
        """Return the result of refinement alone: each class with its size and its links to other classes."""
        classes = []
        for place, tasks in sorted(self.stable.members.items()):
            task = next(iter(tasks))
            near = sorted(f"{label}{self.stable.colour[other]}" for label, other in self.incident[task])
            classes.append(_digest([str(place), str(len(tasks)), self.labels[task], *near]))
        return classes

    def _complete(self, partition: _Partition) -> tuple[list[str], list[int]]:
        """Return the smallest certificate of all completions of this partition, with its order."""
        different = []
        for place in partition.twins():
            tasks = partition.members[place]
            if len({self._surroundings(task, partition) for task in tasks}) > 1:
                different.append(place)
                continue
            for task in list(tasks)[1:]:  # interchangeable: every order gives the same certificate
                partition.single_out(task)
        if not different:
            return self._certificate(partition.colour)
        best: tuple[list[str], list[int]] | None = None
        for task in sorted(partition.members[different[0]]):
            if self.left <= 0:
                self.exact = False
                break
            self.left -= 1
            branch = partition.copy()
            branch.refine(self.incident, [branch.single_out(task)])
            outcome = self._complete(branch)
            if best is None or outcome[0] < best[0]:
                best = outcome
        return best or self._certificate(partition.colour)

    def _certificate(self, colours: Sequence[int]) -> tuple[list[str], list[int]]:
        order = sorted(range(len(colours)), key=lambda task: (colours[task], task))
        rank = {task: place for place, task in enumerate(order)}
        edges = sorted(
            f"{rank[task]}{label}{rank[other]}"
            for task in order
            for label, other in self.incident[task]
            if label[0] == ">"
        )
        return edges, order

    def _surroundings(self, task: int, partition: _Partition) -> tuple[tuple[str, int], ...]:
        """Return the neighbours of a task. Twins with identical neighbours are interchangeable.

        A task with a neighbour in its own class is never interchangeable.
        """
        near = tuple(sorted(self.incident[task]))
        own = partition.colour[task]
        return (*near, ("self", task)) if any(partition.colour[other] == own for _, other in near) else near


def _task_label(task: Task, graph: TaskGraph, position: int, besides: Sequence[str]) -> str:
    content = task.model_dump(mode="json", exclude={"id", "span"}, exclude_defaults=True)
    flags = [START * (position in graph.starts), END * (position in graph.ends)]
    return _digest([_dump(content), *flags, *sorted(besides)])


def _outer(said: Mapping[tuple[int, int], str], position: int) -> list[str]:
    """Return the labels of the paths from START to a task and from the task to END."""
    ways = (_FROM_START, position), (position, _TO_END)
    return [f"{min(way)} {said[way]}" for way in ways if way in said]


def _edge_labels(workflow: Workflow) -> dict[tuple[int, int], str]:
    """Return the label of each connection of tasks, START and END: guards, outcomes, gateways between, data."""
    number = {START: _FROM_START, END: _TO_END, **task_numbers(workflow)}
    operators = {gateway.id: f"{gateway.op}/{gateway.role}" for gateway in workflow.gateways}
    outgoing: dict[str, list[tuple[str, str]]] = {}
    for link in workflow.links:
        plain = link.guard is None and link.outcome == "success" and not link.back
        content = {"guard", "outcome", "back"}
        says = "{}" if plain else _dump(link.model_dump(mode="json", include=content, exclude_defaults=True))
        outgoing.setdefault(link.source, []).append((link.target, says))
    labels: dict[tuple[int, int], list[str]] = {}
    for task_id, position in number.items():
        pending = [(target, says, frozenset[str]()) for target, says in outgoing.get(task_id, ())]
        seen: set[tuple[str, str]] = set()
        while pending:
            node, says, passed = pending.pop()
            if (node, says) in seen:
                continue
            seen.add((node, says))
            if node in number:
                labels.setdefault((position, number[node]), []).append(says)
            elif node in operators and node not in passed:
                pending += [
                    (target, f"{says}{operators[node]}{more}", passed | {node})
                    for target, more in outgoing.get(node, ())
                ]
    for data in workflow.data_links:
        if data.source in number and data.target in number:
            labels.setdefault((number[data.source], number[data.target]), []).append(f"data {data.data}")
    return {edge: _digest(sorted(says)) for edge, says in labels.items()}


def _dangling(workflow: Workflow) -> list[str]:
    """Return the links with an undefined end. They are not edges of the task graph, but part of the content."""
    known = {START, END, *(task.id for task in workflow.tasks), *(gate.id for gate in workflow.gateways)}
    ends = [(link.source, link.target) for link in workflow.links]
    ends += [(link.source, link.target) for link in workflow.data_links]
    return sorted(f"{a not in known and a}>{b not in known and b}" for a, b in ends if not {a, b} <= known)


def _loose_ends(workflow: Workflow) -> dict[str, list[str]]:
    """Return, by id, the links to or from undefined ids. They distinguish tasks that are equal otherwise."""
    known = {START, END, *(task.id for task in workflow.tasks), *(gate.id for gate in workflow.gateways)}
    loose: dict[str, list[str]] = {}
    ends = [("link", link.source, link.target) for link in workflow.links]
    ends += [("data", link.source, link.target) for link in workflow.data_links]
    for kind, source, target in ends:
        if target not in known:
            loose.setdefault(source, []).append(f"{kind} to {target}")
        if source not in known:
            loose.setdefault(target, []).append(f"{kind} from {source}")
    return loose


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
