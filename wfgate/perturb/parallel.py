"""Steps wait for each other that did not, or no longer wait for each other."""

from collections.abc import Iterator

import numpy as np

from wfgate.errors import PerturbationRejected
from wfgate.model import TaskGraph
from wfgate.perturb.base import Edges, Golden, Perturbation, Variant, connected, edges_by_id, rebuilt, reconnected


class Serialised(Perturbation):
    """k steps that could run in parallel with another step must now wait for it.

    Severity: share of steps that wait. Nothing that had an order loses it; links that say no more than the new ones
    are left out, as in a plan that lists the steps one after the other. Only in dags, and only between steps that no
    condition skips: a skip would be passed on, and more than the order would change.
    """

    id = "serialised"

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        certain = _certain_steps(golden)
        ids = [task.id for task in golden.workflow.tasks]
        edges = edges_by_id(golden)
        touched: list[int] = []
        for step in map(int, rng.permutation(sorted(certain))):
            graph = _graph(golden, edges)
            others = [other for other in _beside(graph, step) if other in certain]
            if len(touched) < k and others:
                first = others[int(rng.integers(len(others)))]
                before, after = graph.ancestors[first] | 1 << first, graph.descendants[step] | 1 << step
                implied = {(a, step) for a in graph.predecessors[step] if before >> a & 1}
                implied |= {(first, b) for b in graph.successors[first] if after >> b & 1 and b in certain}
                left = edges - {(ids[a], ids[b]) for a, b in implied}
                edges = reconnected(edges, left | {(ids[first], ids[step])})
                touched.append(step)
        if len(touched) < k:
            raise PerturbationRejected("too few steps that run in parallel")
        return Variant(rebuilt(golden, golden.workflow.tasks, edges), tuple(sorted(touched)))

    def _validate(self, golden: Golden, k: int, variant: Variant) -> None:
        super()._validate(golden, k, variant)
        _require_more_order(golden.graph, TaskGraph.of(variant.workflow))


class Parallelised(Perturbation):
    """k steps no longer wait for a step right before them and run beside it.

    Severity: share of steps that no longer wait. Such a step waits for what the other one waits for, and what came
    behind it still waits for both; no other order changes. Only in dags, and only where no condition skips a step.
    """

    id = "parallelised"

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        certain = _certain_steps(golden)
        ids = [task.id for task in golden.workflow.tasks]
        edges = edges_by_id(golden)
        touched: list[int] = []
        for step in map(int, rng.permutation(golden.n)):
            graph = _graph(golden, edges)
            before = [first for first in graph.predecessors[step] if _needed(graph, first, step)]
            if len(touched) < k and before and certain.issuperset((step, *before, *graph.successors[step])):
                first = before[int(rng.integers(len(before)))]
                parted = TaskGraph(graph.n, graph.edges - {(first, step)}, graph.back_edges, (), ())
                taken = {(a, step) for a in graph.predecessors[first] if not parted.precedes(a, step)}
                taken |= {(first, b) for b in graph.successors[step] if not parted.precedes(first, b)}
                left = edges - {(ids[first], ids[step])}
                edges = reconnected(edges, left | {(ids[a], ids[b]) for a, b in taken})
                touched.append(step)
        if len(touched) < k:
            raise PerturbationRejected("too few steps that wait for another one")
        return Variant(rebuilt(golden, golden.workflow.tasks, edges), tuple(sorted(touched)))

    def _validate(self, golden: Golden, k: int, variant: Variant) -> None:
        super()._validate(golden, k, variant)
        _require_more_order(TaskGraph.of(variant.workflow), golden.graph)


def _certain_steps(golden: Golden) -> set[int]:
    """Return the steps that run in every situation in which none fails.

    Raises:
        PerturbationRejected: If links do not say what waits for what, but where a token goes.
    """
    workflow = golden.workflow
    if workflow.semantics != "dag" or workflow.gateways:
        raise PerturbationRejected("links say more than what waits for what")
    asked = {link.target for link in workflow.links if link.guard is not None or link.outcome != "success"}
    doubtful = 0
    for place, task in enumerate(workflow.tasks):
        if task.id in asked or task.join not in {None, "all"}:
            doubtful |= 1 << place | golden.graph.descendants[place]
    return {place for place in range(golden.n) if not doubtful >> place & 1}


def _graph(golden: Golden, edges: Edges) -> TaskGraph:
    return TaskGraph.of(rebuilt(golden, golden.workflow.tasks, edges))


def _beside(graph: TaskGraph, step: int) -> Iterator[int]:
    """Yield the steps that have no order with this one and can come before it without cutting either off."""
    reached, leading = connected(graph)
    for other in range(graph.n):
        ordered = other == step or graph.precedes(other, step) or graph.precedes(step, other)
        whole = reached >> other & 1 >= reached >> step & 1 and leading >> step & 1 >= leading >> other & 1
        if whole and not ordered:
            yield other


def _needed(graph: TaskGraph, first: int, step: int) -> bool:
    """Return whether nothing but their link orders the two."""
    around = any(near != step and graph.precedes(near, step) for near in graph.successors[first])
    return not around and not graph.precedes(step, first)


def _require_more_order(less: TaskGraph, more: TaskGraph) -> None:
    """Refuse a variant unless the one graph orders all that the other does, and more, with nothing cut off."""
    kept = all(few & ~many == 0 for few, many in zip(less.descendants, more.descendants, strict=True))
    same = len(less.cycles) == len(more.cycles) and connected(less) == connected(more)
    if not (kept and same) or less.descendants == more.descendants:
        raise PerturbationRejected("not the order alone changed")
