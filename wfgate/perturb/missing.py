"""Steps vanish."""

import numpy as np

from wfgate.perturb.base import Golden, Perturbation, Variant, choose, edges_by_id, rebuilt, without


class Missing(Perturbation):
    """k steps are gone and their links with them; what stood around them is no longer connected.

    Severity: share of steps removed; recorded omissions of as many steps are taken first. This is the paper's
    *Missing Steps* (WorkflowPerturb, section 3.1): its Table 1 is reproduced without bridging.
    """

    id = "missing"
    bridge = False

    def expected_steps(self, n: int, k: int) -> int:
        """N - k."""
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
    """k steps are gone and their neighbours are joined, as a generator that forgot a step would write it.

    Severity: share of steps removed. The graph stays whole, so only the comparison with the golden shows it.
    """

    id = "missing-bridged"
    bridge = True
