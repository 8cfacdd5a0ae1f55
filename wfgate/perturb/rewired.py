"""Dependencies change."""

import numpy as np

from wfgate.errors import PerturbationRejected
from wfgate.model import END, START, TaskGraph
from wfgate.perturb.base import Golden, Perturbation, Variant, edges_by_id, rebuilt

Edges = set[tuple[str, str]]


class Rewired(Perturbation):
    """k steps get other dependencies: a link is dropped, added, turned round or hung elsewhere.

    Severity: share of steps with a changed link. The graph stays whole and acyclic: a step left without a
    predecessor starts at START, one without a successor leads to END, and what START reached or led to END still
    does.
    """

    id = "rewired"
    attempts = 40

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        edges = edges_by_id(golden)
        ids = [task.id for task in golden.workflow.tasks]
        touched: list[int] = []
        kinds: list[str] = []
        for _ in range(self.attempts * k):
            if len(touched) == k:
                break
            step = int(rng.integers(golden.n))
            kind = ("drop", "add", "reverse", "rehang")[int(rng.integers(4))]
            changed = _change(edges, ids, ids[step], kind, rng)
            if step in touched or changed is None or not _orders_otherwise(golden, edges, changed):
                continue
            edges = changed
            touched.append(step)
            kinds.append(kind)
        if len(touched) < k:
            raise PerturbationRejected("too few links that can change")
        workflow = rebuilt(golden, golden.workflow.tasks, edges)
        if TaskGraph.of(workflow).descendants == golden.graph.descendants:
            raise PerturbationRejected("the changes cancelled out")
        return Variant(workflow, tuple(sorted(touched)), {"kinds": " ".join(kinds)})


def _change(edges: Edges, ids: list[str], step: str, kind: str, rng: np.random.Generator) -> Edges | None:
    """Change one link into `step`; None where there is nothing to change."""
    before = sorted(a for a, b in edges if b == step and a not in {START, step})
    others = [other for other in ids if other != step and (other, step) not in edges]
    if kind == "add":
        return _reconnected(edges, edges | {(_pick(others, rng), step)}) if others else None
    if not before:
        return None
    old = _pick(before, rng)
    left = edges - {(old, step)}
    if kind == "drop":
        return _reconnected(edges, left)
    if kind == "reverse":
        return _reconnected(edges, left | {(step, old)})
    return _reconnected(edges, left | {(_pick(others, rng), step)}) if others else None


def _pick(options: list[str], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]


def _reconnected(old: Edges, new: Edges) -> Edges:
    """Give START or END to each step that lost its last neighbour there, and take them where it got its first."""
    needed = {(START, b) for a, b in old if a != START} - {(START, b) for a, b in new if a != START}
    needed |= {(a, END) for a, b in old if b != END} - {(a, END) for a, b in new if b != END}
    done = {(START, b) for a, b in new if a != START} - {(START, b) for a, b in old if a != START}
    done |= {(a, END) for a, b in new if b != END} - {(a, END) for a, b in old if b != END}
    return new - done | needed


def _orders_otherwise(golden: Golden, before: Edges, after: Edges) -> bool:
    """Return whether the change orders some steps differently, closes no cycle and cuts nothing off."""
    old = TaskGraph.of(rebuilt(golden, golden.workflow.tasks, before))
    new = TaskGraph.of(rebuilt(golden, golden.workflow.tasks, after))
    whole = all(of_old & ~of_new == 0 for of_old, of_new in zip(_connected(old), _connected(new), strict=True))
    return len(new.cycles) <= len(old.cycles) and new.descendants != old.descendants and whole


def _connected(graph: TaskGraph) -> tuple[int, int]:
    """Return the bit sets of the tasks that START reaches and of those that reach END."""
    from_start = to_end = 0
    for task in graph.starts:
        from_start |= 1 << task | graph.descendants[task]
    for task in graph.ends:
        to_end |= 1 << task | graph.ancestors[task]
    return from_start, to_end
