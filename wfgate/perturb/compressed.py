"""Steps are squeezed into one."""

from itertools import pairwise

import numpy as np

from wfgate.errors import PerturbationRejected
from wfgate.perturb.base import Golden, Perturbation, Variant, edges_by_id, rebuilt, restated


class Compressed(Perturbation):
    """Linked consecutive steps are merged until k steps are gone; a recorded sentence says it, or both texts joined.

    Severity: k = ceil(p * n) steps fewer (the paper's *Compressed Steps*).
    """

    id = "compressed"

    def expected_steps(self, n: int, k: int) -> int:
        """N - k."""
        return n - k

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        groups = self._recorded(golden, k, rng)
        missing = k - sum(len(steps) - 1 for steps, _ in groups)
        groups += self._joined(golden, missing, {step for steps, _ in groups for step in steps}, rng)
        tasks = list(golden.workflow.tasks)
        edges = edges_by_id(golden)
        for steps, text in groups:
            kept, *folded = [golden.workflow.tasks[step].id for step in steps]
            tasks[steps[0]] = restated(tasks[steps[0]], text)
            edges = {
                (kept if a in folded else a, kept if b in folded else b)
                for a, b in edges
                if not {a, b} <= {kept, *folded}
            }
        gone = {step for steps, _ in groups for step in steps[1:]}
        left = [task for position, task in enumerate(tasks) if position not in gone]
        affected = tuple(sorted(step for steps, _ in groups for step in steps))
        return Variant(rebuilt(golden, left, edges), affected)

    @staticmethod
    def _recorded(golden: Golden, k: int, rng: np.random.Generator) -> list[tuple[tuple[int, ...], str]]:
        merges = golden.texts.merges
        chosen: list[tuple[tuple[int, ...], str]] = []
        used: set[int] = set()
        for index in rng.permutation(len(merges)):
            merge = merges[int(index)]
            steps = tuple(sorted(merge.steps))
            if len(steps) - 1 <= k and used.isdisjoint(steps) and _linked(golden, steps):
                chosen.append((steps, merge.text))
                used.update(steps)
                k -= len(steps) - 1
        return chosen

    @staticmethod
    def _joined(golden: Golden, k: int, used: set[int], rng: np.random.Generator) -> list[tuple[tuple[int, ...], str]]:
        """Merge runs of two or more by rule where no recorded sentence fits."""
        if k <= 0:
            return []
        texts = [task.text for task in golden.workflow.tasks]
        pairs = [(a, b) for a, b in sorted(golden.graph.edges) if a < b and used.isdisjoint((a, b))]
        runs: list[list[int]] = []
        for index in rng.permutation(len(pairs)):
            a, b = pairs[int(index)]
            touched = [run for run in runs if a in run or b in run]
            if not touched:
                grown = [a, b]
            elif len(touched) == 1 and (touched[0][-1] == a or touched[0][0] == b):
                grown = [*touched[0], b] if touched[0][-1] == a else [a, *touched[0]]
            else:
                continue
            if not _linked(golden, tuple(grown)):
                continue
            runs = [run for run in runs if run not in touched] + [grown]
            k -= 1
            if k == 0:
                return [(tuple(run), "; ".join(texts[step].rstrip(". ") for step in run)) for run in sorted(runs)]
        raise PerturbationRejected("too few linked steps to merge")


def _linked(golden: Golden, steps: tuple[int, ...]) -> bool:
    """Return whether the steps form a path whose merging closes no cycle."""
    graph = golden.graph
    if any((a, b) not in graph.edges for a, b in pairwise(steps)):
        return False
    members = sum(1 << step for step in steps)
    between = graph.descendants[steps[0]] & graph.ancestors[steps[-1]]
    return not between & ~members
