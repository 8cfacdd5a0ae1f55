"""Perturbations that remove steps."""

import numpy as np

from wfgate.calibration.perturb.base import Golden, Perturbation, Variant, choose, edges_by_id, rebuilt, without


class Missing(Perturbation):
    """k steps are removed with their links. The neighbours of a removed step are not linked with each other.

    Severity: the share of steps that are removed. Recorded omissions of this size are used first. This is *Missing
    Steps* of the paper (WorkflowPerturb, section 3.1); its Table 1 is reproduced if neighbours are not linked.
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
    """k steps are removed and their neighbours are linked, as when a generator omits a step.

    Severity: the share of steps that are removed. The graph stays connected, so only a comparison with the golden
    detects the removal.
    """

    id = "missing-bridged"
    bridge = True
