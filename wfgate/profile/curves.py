"""Measured curves of a profile: operating curves, reliability, metric scores by severity."""

from wfgate.model.workflow import Frozen
from wfgate.profile.rates import Rate


class OperatingPoint(Frozen):
    """Shares of rewordings and of damage that are blocked at p <= alpha, clustered by golden."""

    alpha: float
    false_block: float
    caught: float


class OperatingCurve(Frozen):
    """Operating curve of damage of one severity against rewordings; damage is reworded too if rewordings exist.

    Attributes:
        level: Share of affected steps.
        auc: Probability that damage has a smaller p-value than a rewording, ties counting half.
        points: By ascending alpha.
    """

    level: float
    auc: float
    points: tuple[OperatingPoint, ...]


class ReliabilityBin(Frozen):
    """Mean predicted probability of the most probable kind of damage, and the share for which it is the true one."""

    predicted: float
    observed: Rate


class Reliability(Frozen):
    """Reliability of the predicted probabilities of kinds of damage.

    Attributes:
        bins: By ascending predicted probability; empty bins are left out.
        error: Expected calibration error: mean distance between predicted and observed, in [0, 1].
    """

    bins: tuple[ReliabilityBin, ...]
    error: float


class Point(Frozen):
    """One metric under one operator at one severity.

    Attributes:
        metric: Id of the metric.
        operator: Id of the perturbation.
        reworded: Whether all steps are reworded too.
        severity: Share of affected steps, p.
        mean: Mean over variants.
        sd: Standard deviation over variants (population).
        expected: 1 - p for missing and compressed steps, 1 for benign changes; None if the paper defines none.
        bias: Mean residual against the expectation.
        rmse: Root mean squared residual.
        variants: Number of variants with a defined score.
        undefined: Number of variants for which the metric is undefined.
    """

    metric: str
    operator: str
    reworded: bool
    severity: float
    mean: float
    sd: float
    expected: float | None
    bias: float | None
    rmse: float | None
    variants: int
    undefined: int


class Sensitivity(Frozen):
    """Average loss of a metric per unit of severity (paper, appendix C.1, equation 1)."""

    metric: str
    operator: str
    reworded: bool
    value: float
