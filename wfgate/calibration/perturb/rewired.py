"""Perturbation that changes the links between steps."""

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
from wfgate.model import START, TaskGraph


class Rewired(Perturbation):
    """k steps get other predecessors: a link is removed, added, reversed or moved.

    Severity: the share of steps with a changed link. The graph stays connected and acyclic. A step without
    predecessors gets a link from START, a step without successors gets a link to END. No step becomes unreachable or a
    dead end.
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
    """Return the edges with one changed link to `step`; None if no such change is possible."""
    before = sorted(a for a, b in edges if b == step and a not in {START, step})
    others = [other for other in ids if other != step and (other, step) not in edges]
    if kind == "add":
        return reconnected(edges, edges | {(_pick(others, rng), step)}) if others else None
    if not before:
        return None
    old = _pick(before, rng)
    left = edges - {(old, step)}
    if kind == "drop":
        return reconnected(edges, left)
    if kind == "reverse":
        return reconnected(edges, left | {(step, old)})
    return reconnected(edges, left | {(_pick(others, rng), step)}) if others else None


def _pick(options: list[str], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]


def _orders_otherwise(golden: Golden, before: Edges, after: Edges) -> bool:
    """Return whether the change alters the order of some steps, closes no cycle and disconnects no step."""
    old = TaskGraph.of(rebuilt(golden, golden.workflow.tasks, before))
    new = TaskGraph.of(rebuilt(golden, golden.workflow.tasks, after))
    whole = all(of_old & ~of_new == 0 for of_old, of_new in zip(connected(old), connected(new), strict=True))
    return len(new.cycles) <= len(old.cycles) and new.descendants != old.descendants and whole
