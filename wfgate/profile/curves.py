"""Measured curves: what is caught at which false-block rate, reliability, and how metrics fall with damage."""

from wfgate.model.workflow import Frozen
from wfgate.profile.rates import Rate


class OperatingPoint(Frozen):
    """Blocking at p <= alpha: share of rewordings and of damage that is blocked, both by golden."""

    alpha: float
    false_block: float
    caught: float


class OperatingCurve(Frozen):
    """How damage of one severity, on top of full rewordings where there are some, is told from rewordings.

    Attributes:
        level: Share of steps affected.
        auc: Probability that damage looks worse than a rewording, ties counting half.
        points: From strict to lenient.
    """

    level: float
    auc: float
    points: tuple[OperatingPoint, ...]


class ReliabilityBin(Frozen):
    """Where the most probable kind of damage was given about this probability: how often it was the true one."""

    predicted: float
    observed: Rate


class Reliability(Frozen):
    """Whether the probabilities of the kinds of damage are what they say.

    Attributes:
        bins: By predicted probability, ascending; empty ones left out.
        error: Expected calibration error: mean distance between predicted and observed, in [0, 1].
    """

    bins: tuple[ReliabilityBin, ...]
    error: float


class Point(Frozen):
    """One metric under one operator at one severity.

    Attributes:
        metric: Id of the metric.
        operator: Id of the perturbation.
        reworded: Whether on top of a full rewording.
        severity: Share of steps affected, p.
        mean: Mean over variants.
        sd: Standard deviation over variants (population).
        expected: 1 - p for missing and compressed steps, 1 for benign changes; None where the paper defines none.
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
