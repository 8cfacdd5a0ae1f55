"""Rules that block without the nonconformity score: lost critical steps, new defects, proven changes of behaviour."""

from wfgate.alignment import Comparison
from wfgate.alignment.supports import holm
from wfgate.checks import review


def loss_p_values(comparison: Comparison) -> dict[int, float]:
    """Return the p-value of each golden step, by its position: how often harmless changes seem to lose it.

    It is Holm-adjusted for the number of golden steps, so that harmless changes lose one at alpha in at most this
    share of the workflows, whichever steps are critical. It does not depend on the critical steps: otherwise a further
    critical step would raise the p-values of the others, and a block could become a pass. It is 0 for a step that no
    step of the candidate carries. Without measured p-values, it is 0 for a step whose demand may not be met, and
    otherwise 1.
    """
    steps = comparison.golden_order
    doubts = {support.golden: support.doubt for support in comparison.supports if support.calibrated}
    adjusted = dict(zip(steps, holm([10 ** -doubts.get(step, 0.0) for step in steps]), strict=True))
    return {
        step: 0.0
        if not comparison.places[step].carriers or (step not in doubts and step in comparison.doubted)
        else adjusted[step]
        for step in steps
    }


def rule_p_values(comparison: Comparison) -> tuple[float, float]:
    """Return the smallest false-block rates at which the rules block: with no critical step, and if all are critical.

    0 for a block at any rate. The severity of checks is the default one.
    """
    every = {task.id for task in comparison.golden.tasks}
    for if_none, critical in ((0.0, ()), (1.0, every)):
        if any(finding.weight == "proof" for finding in review(comparison, critical=critical)):
            return if_none, 0.0
    return 1.0, min(loss_p_values(comparison).values(), default=1.0)
