"""Kendall's tau of the aligned steps."""

from typing import ClassVar

import numpy as np

from wfgate.compare.comparison import Comparison
from wfgate.compare.metrics.base import Metric, MetricScore
from wfgate.compare.metrics.partial_order import aligned_orders

ONE_SIDED_TIE_PENALTY = 0.0
"""Cost of a pair that is ordered in one workflow and parallel in the other; a contradiction costs 1."""


class KendallTau(Metric):
    """Rank correlation of the aligned steps under both partial orders, times the aligned share of the golden.

    Definition:
        tau = 1 - 2K / (k(k-1)/2) over the pairs of k aligned steps. K is the number of pairs in opposite order, plus p
        for each pair that is ordered in one workflow and parallel in the other. p = 0 (Fagin's optimistic K^(0)):
        parallel steps are not discordant. With p = 0 (and no other p), steps that are removed with their links get the
        same score as in the paper, which uses list positions. A lost order affects graph-f1 and the findings instead.
        The value is tau * k / n with n golden steps: the coverage k / n reproduces the paper's numbers for missing
        steps. With one aligned step, tau is 1 and the value is the coverage. With no aligned step the value is 0.
        Order means precedence (transitive closure), never list position. Steps on a common cycle are unordered.
    Range and direction:
        [-1, 1], higher is better. The value is 1 if all golden steps are aligned and no order is reversed, and -1 if
        all orders are reversed. A low coverage moves the value towards 0.
    Undefined when:
        The golden has fewer than two steps (no pair to order), or the candidate has no steps.
    Cost:
        O(k^2) bit operations, and the two transitive closures.

    Example:
        Three steps in a row, of which the last two are exchanged: one of three pairs is reversed.

        >>> from wfgate.compare import compare
        >>> from wfgate.language import StaticEmbedder
        >>> from wfgate.model import Link, Task, Workflow
        >>> a, b, c = (Task(id=name, name=name) for name in ("Fetch data", "Train model", "Send email"))
        >>> def chain(*tasks):
        ...     links = (Link(source=x.id, target=y.id) for x, y in zip(tasks, tasks[1:], strict=False))
        ...     return Workflow(tasks=tasks, links=tuple(links))
        >>> score = KendallTau().compute(compare(chain(a, b, c), chain(a, c, b), StaticEmbedder()))
        >>> round(score.value, 3)
        0.333
    """

    id = "kendall-tau"
    range = (-1.0, 1.0)
    references: ClassVar = (
        "WorkflowPerturb (Kanda et al.), appendix B.5. We deviate: partial orders instead of list positions.",
        "Kendall 1938, A new measure of rank correlation, doi:10.1093/biomet/30.1-2.81",
        "Fagin et al. 2004, Comparing and aggregating rankings with ties, doi:10.1145/1055558.1055568",
    )

    def compute(self, comparison: Comparison) -> MetricScore:
        """Return the score of one pair."""
        n, k = comparison.golden_graph.n, len(comparison.pairs)
        if n < 2:
            return self.undefined(f"the golden has {n} step{'' if n == 1 else 's'}, so no pair to order")
        if not comparison.candidate_graph.n:
            return self.undefined("the candidate has no steps")
        coverage = k / n
        if k < 2:
            return self.defined(coverage)
        golden, candidate = comparison.derived(aligned_orders)
        discordant = int(np.count_nonzero(golden & candidate.T))
        ordered_in_one = int(np.count_nonzero((golden | golden.T) ^ (candidate | candidate.T))) // 2
        distance = discordant + ONE_SIDED_TIE_PENALTY * ordered_in_one
        return self.defined((1 - 2 * distance / (k * (k - 1) / 2)) * coverage)
