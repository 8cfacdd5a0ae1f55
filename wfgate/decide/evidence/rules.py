"""The false-block rate of what blocks without the score: lost critical steps, defects, proven changes."""

from wfgate.compare import Comparison
from wfgate.rules import review


def rule_p_values(comparison: Comparison) -> tuple[float, float]:
    """Return the smallest false-block rates at which the rules block: with no critical step, and if all are critical.

    0 for a block at any rate. The severity of checks is the default one.
    """
    every = {task.id for task in comparison.golden.tasks}
    for if_none, critical in ((0.0, ()), (1.0, every)):
        if any(finding.weight == "proof" for finding in review(comparison, critical=critical)):
            return if_none, 0.0
    return 1.0, min((fate.loss_p_value for fate in comparison.fates), default=1.0)
