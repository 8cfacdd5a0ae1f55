"""An order of the tasks that depends on content alone, and the fingerprint that follows from it.

Colour refinement (1-dimensional Weisfeiler-Leman; Babai, Erdos & Selkow 1980) with individualisation: tasks
start with a colour for what they say, are recoloured by what comes before and after them until nothing changes,
and where twins remain one of them is singled out and the refinement goes on. Trying each twin and keeping the
smallest certificate makes the result exact; the tries are counted, and a graph too symmetric for the budget is
marked inexact rather than searched for ever.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from wfgate.model.graph import TaskGraph, task_numbers
from wfgate.model.workflow import END, START, Task, Workflow

DEFAULT_BUDGET = 64
"""Refinements allowed before a symmetric graph is called inexact."""


@dataclass(frozen=True)
class CanonicalForm:
    """The tasks in canonical order.

    Attributes:
        order: Task positions, canonical first to last.
        certificate: Hash of everything that has a meaning; equal for workflows that differ only in ids, listing
            order or formatting.
        exact: Whether equal certificates prove that the two orders correspond task by task.
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
    """Order the tasks by content.

    Cost: O(n log n) refinements of O(tasks + links) each in the worst case, one or two on real workflows.
    """
    graph = graph or TaskGraph.of(workflow)
    labels = _edge_labels(workflow)
    incident: list[list[tuple[str, int]]] = [[] for _ in range(graph.n)]
    for (source, target), label in labels.items():
        incident[source].append((f">{label}", target))
        incident[target].append((f"<{label}", source))
    initial = [_task_label(task, graph, position) for position, task in enumerate(workflow.tasks)]
    search = _Search(incident, initial, budget)
    order = search.best_order()
    context = [
        workflow.name,
        workflow.description,
        workflow.semantics,
        _dump(workflow.params),
        *_dangling(workflow),
    ]
    rank = {task: place for place, task in enumerate(order)}
    if search.exact:
        body: list[str] = [search.labels[task] for task in order]
        body += sorted(f"{rank[a]}>{rank[b]}:{label}" for (a, b), label in labels.items())
    else:
        body = sorted(search.stable)
    return CanonicalForm(tuple(order), _digest([*context, *body]), search.exact)


class _Search:
    """Individualisation-refinement with a counted budget."""

    def __init__(self, incident: Sequence[Sequence[tuple[str, int]]], labels: Sequence[str], budget: int) -> None:
        self.incident = incident
        self.labels = labels
        self.left = budget
        self.exact = True
        self.stable = self._refine(list(labels))

    def best_order(self) -> list[int]:
        found = self._complete(self.stable)
        return found[1]

    def _complete(self, colours: list[str]) -> tuple[list[str], list[int]]:
        """Return the smallest certificate below these colours, and its order."""
        counts = Counter(colours)
        twins = min((colour for colour, count in counts.items() if count > 1), default=None)
        if twins is None:
            order = sorted(range(len(colours)), key=colours.__getitem__)
            rank = {task: place for place, task in enumerate(order)}
            edges = sorted(
                f"{rank[task]}{label}{rank[other]}"
                for task in order
                for label, other in self.incident[task]
                if label[0] == ">"
            )
            return edges, order
        members = [task for task, colour in enumerate(colours) if colour == twins]
        if len({self._surroundings(task, twins, colours) for task in members}) == 1:
            members = members[:1]  # interchangeable: any of them gives the same certificate
        best: tuple[list[str], list[int]] | None = None
        for task in members:
            if self.left <= 0:
                self.exact = False
                break
            self.left -= 1
            single = list(colours)
            single[task] = _digest([colours[task], "individualised"])
            outcome = self._complete(self._refine(single))
            if best is None or outcome[0] < best[0]:
                best = outcome
        return best or ([], sorted(range(len(colours)), key=lambda task: (colours[task], task)))

    def _surroundings(self, task: int, twins: str, colours: Sequence[str]) -> tuple[tuple[str, int], ...]:
        """The very neighbours of a task; two twins with the same neighbours can be exchanged freely.

        A neighbour that is a twin itself makes the task special.
        """
        near = tuple(sorted(self.incident[task]))
        return (*near, ("self", task)) if any(colours[other] == twins for _, other in near) else near

    def _refine(self, colours: list[str]) -> list[str]:
        """Recolour by neighbourhood until the partition is stable."""
        classes = len(set(colours))
        while classes < len(colours):
            colours = [
                _digest([colours[task], *sorted(f"{label}{colours[other]}" for label, other in near)])
                for task, near in enumerate(self.incident)
            ]
            if len(set(colours)) == classes:
                break
            classes = len(set(colours))
        return colours


def _task_label(task: Task, graph: TaskGraph, position: int) -> str:
    content = task.model_dump(mode="json", exclude={"id", "span"}, exclude_defaults=True)
    flags = [START * (position in graph.starts), END * (position in graph.ends)]
    return _digest([_dump(content), *flags])


def _edge_labels(workflow: Workflow) -> dict[tuple[int, int], str]:
    """What each task-to-task connection says: guards, outcomes, operators on the way, and data."""
    number = task_numbers(workflow)
    operators = {gateway.id: f"{gateway.op}/{gateway.role}" for gateway in workflow.gateways}
    outgoing: dict[str, list[tuple[str, str]]] = {}
    for link in workflow.links:
        says = _dump(link.model_dump(mode="json", exclude={"source", "target", "span"}, exclude_defaults=True))
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
    """Links with an undefined end: no edge of the task view, but content all the same."""
    known = {START, END, *(task.id for task in workflow.tasks), *(gate.id for gate in workflow.gateways)}
    ends = [(link.source, link.target) for link in workflow.links]
    ends += [(link.source, link.target) for link in workflow.data_links]
    return sorted(f"{a not in known and a}>{b not in known and b}" for a, b in ends if not {a, b} <= known)


def _dump(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
