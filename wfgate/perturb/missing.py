"""Operators that remove steps."""

import numpy as np

from wfgate.perturb.base import Golden, Perturbation, Variant, choose, edges_by_id, rebuilt, without


class Missing(Perturbation):
    """k steps are removed with their links; their neighbours are not linked to each other.

    Severity: share of steps removed; recorded omissions of that size are used first. This is the paper's *Missing
    Steps* (WorkflowPerturb, section 3.1), whose Table 1 is reproduced without bridging.
    """

    id = "missing"
    bridge = False

    def expected_steps(self, n: int, k: int) -> int:
        """Return n - k."""
        return n - k

    def _apply(self, golden: Golden, k: int, rng: np.random.Generator) -> Variant:
        recorded = [tuple(sorted(steps)) for steps in golden.texts.omissions if len(set(steps)) == len(steps) == k]
        gone = recorded[int(rng.integers(len(recorded)))] if recorded else choose(rng, golden.n, k)
        edges = edges_by_id(golden)
        for position in gone:
            edges = without(edges, golden.workflow.tasks[position].id, bridge=self.bridge)
        left = [task for position, task in enumerate(golden.workflow.tasks) if position not in gone]
        return Variant(rebuilt(golden, left, edges), gone)


class MissingBridged(Missing):
    """k steps are removed and their neighbours are linked, as by a generator that omits a step.

    Severity: share of steps removed. The graph stays connected, so only a comparison with the golden detects it.
    """

    id = "missing-bridged"
    bridge = True
