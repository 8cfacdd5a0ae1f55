"""Perturbation that merges steps."""

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant, edges_by_id, rebuilt, restated
from wfgate.errors import PerturbationRejected
from wfgate.model import TaskGraph

Group = tuple[int, ...]


class Compressed(Perturbation):
    """Consecutive steps are merged until the workflow has k steps fewer.

    Severity p: k = ceil(p * n) steps fewer, for n steps (the paper's *Compressed Steps*). Two steps can be merged if
    one directly follows the other, or if they are parallel with the same neighbours. Merging must not close a cycle. A
    merged step gets a recorded text, or the joined texts of its steps.
    """

    id = "compressed"

    def expected_steps(self, n: int, k: int) -> int:
        """Return n - k."""
        return n - k

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        groups: dict[Group, str] = {}
        folded = 0
        for index in rng.permutation(len(golden.texts.merges)):
            merge = golden.texts.merges[int(index)]
            steps = tuple(sorted(set(merge.steps)))
            free = len(steps) > 1 and not any(set(steps) & set(group) for group in groups)
            if free and folded + len(steps) - 1 <= k and contracted(golden, [*groups, steps]):
                groups[steps] = merge.text
                folded += len(steps) - 1
        while folded < k:
            groups = _one_more(golden, groups, rng)
            folded += 1
        tasks = list(golden.workflow.tasks)
        for steps, text in groups.items():
            tasks[steps[0]] = restated(tasks[steps[0]], text)
        gone = {step for steps in groups for step in steps[1:]}
        left = [task for position, task in enumerate(tasks) if position not in gone]
        affected = tuple(sorted(step for steps in groups for step in steps))
        return Variant(rebuilt(golden, left, _merged_edges(golden, list(groups))), affected)


def _one_more(golden: Golden, groups: dict[Group, str], rng: np.random.Generator) -> dict[Group, str]:
    """Return the groups with one more pair of neighbours merged. Groups that contain a step of the pair are joined."""
    pairs = neighbours(golden)
    for index in rng.permutation(len(pairs)):
        pair = set(pairs[int(index)])
        touched = [group for group in groups if pair & set(group)]
        grown = tuple(sorted(pair.union(*touched)))
        others = [group for group in groups if group not in touched]
        if grown not in groups and contracted(golden, [*others, grown]):
            text = "; ".join(_own_texts(golden, groups, touched, grown))
            return {group: groups[group] for group in others} | {grown: text}
    raise PerturbationRejected("too few neighbouring steps to merge")


def neighbours(golden: Golden) -> list[tuple[int, int]]:
    """Return the pairs of steps that can be merged: consecutive steps, and parallel steps between the same steps."""
    graph = golden.graph
    around = [(graph.predecessors[step], graph.successors[step]) for step in range(golden.n)]
    beside = [(a, b) for a in range(golden.n) for b in range(a + 1, golden.n) if around[a] == around[b]]
    return sorted(graph.edges) + beside


def _own_texts(golden: Golden, groups: dict[Group, str], touched: list[Group], grown: Group) -> list[str]:
    covered = {step for group in touched for step in group}
    texts = {group[0]: groups[group] for group in touched}
    texts |= {step: golden.workflow.tasks[step].text for step in grown if step not in covered}
    return [texts[step].rstrip(". ") for step in sorted(texts)]


def _merged_edges(golden: Golden, groups: list[Group]) -> set[tuple[str, str]]:
    ids = [task.id for task in golden.workflow.tasks]
    kept = {ids[step]: ids[group[0]] for group in groups for step in group}
    merged = {(kept.get(a, a), kept.get(b, b)) for a, b in edges_by_id(golden)}
    return {(a, b) for a, b in merged if a != b or a not in kept}


def contracted(golden: Golden, groups: list[Group]) -> bool:
    """Return whether merging the groups closes no cycle."""
    workflow = rebuilt(golden, golden.workflow.tasks, _merged_edges(golden, groups))
    return len(TaskGraph.of(workflow).cycles) <= len(golden.graph.cycles)
