"""Perturbations that make parallel steps serial, or serial steps parallel."""

from collections.abc import Iterator

import numpy as np

from wfgate.calibration.perturb.base import (
    Edges,
    Golden,
    Perturbation,
    Variant,
    connected,
    edges_by_id,
    rebuilt,
    reconnected,
)
from wfgate.errors import PerturbationRejected
from wfgate.model import TaskGraph


class Serialised(Perturbation):
    """k steps that could run in parallel with another step must now wait for this other step.

    Severity: the share of steps that must wait. Existing orders are kept. Links that follow from the new links are
    removed, as in a plan that lists the steps one after the other. Only for dag semantics, and only for unconditional
    steps: a skipped step would skip the steps after it, so that more than the order would change.
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
    """k steps no longer wait for a direct predecessor and run in parallel with it.

    Severity: the share of steps that no longer wait. Such a step now waits for the predecessors of its former
    predecessor, and its successors still wait for both steps. No other order changes. Only for dag semantics and
    unconditional steps.
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
    """Return the steps that always run if no step fails.

    Raises:
        PerturbationRejected: If the workflow has gateways or other than dag semantics.
    """
    workflow = golden.workflow
    if workflow.semantics != "dag" or workflow.gateways:
        raise PerturbationRejected("links say more than what waits for what")
    guarded = {link.target for link in workflow.links if link.guard is not None or link.outcome != "success"}
    conditional = 0
    for position, task in enumerate(workflow.tasks):
        if task.id in guarded or task.join not in {None, "all"}:
            conditional |= 1 << position | golden.graph.descendants[position]
    return {position for position in range(golden.n) if not conditional >> position & 1}


def _graph(golden: Golden, edges: Edges) -> TaskGraph:
    return TaskGraph.of(rebuilt(golden, golden.workflow.tasks, edges))


def _beside(graph: TaskGraph, step: int) -> Iterator[int]:
    """Yield the steps parallel to this step that can come before it without disconnecting a step."""
    reached, leading = connected(graph)
    for other in range(graph.n):
        ordered = other == step or graph.precedes(other, step) or graph.precedes(step, other)
        whole = reached >> other & 1 >= reached >> step & 1 and leading >> step & 1 >= leading >> other & 1
        if whole and not ordered:
            yield other


def _needed(graph: TaskGraph, first: int, step: int) -> bool:
    """Return whether only the direct link between two steps orders them."""
    around = any(near != step and graph.precedes(near, step) for near in graph.successors[first])
    return not around and not graph.precedes(step, first)


def _require_more_order(less: TaskGraph, more: TaskGraph) -> None:
    """Reject a variant unless `more` has all orders of `less` and at least one more, with nothing disconnected."""
    kept = all(few & ~many == 0 for few, many in zip(less.descendants, more.descendants, strict=True))
    same = len(less.cycles) == len(more.cycles) and connected(less) == connected(more)
    if not (kept and same) or less.descendants == more.descendants:
        raise PerturbationRejected("not the order alone changed")
