"""Measured curves of a profile: operating curves, reliability, metric scores by severity."""

from wfgate.decide.profile.rates import Rate
from wfgate.model import Frozen


class OperatingPoint(Frozen):
    """Share of blocked rewordings and share of blocked damaged variants at p <= alpha, clustered by golden."""

    alpha: float
    false_block: float
    caught: float


class OperatingCurve(Frozen):
    """Operating curve for one severity: share of blocked damage by share of blocked rewordings.

    If a golden has recorded rewordings, its damaged variants are reworded too.

    Attributes:
        level: Severity: share of affected steps.
        auc: Probability that a damaged variant has a smaller p-value than a rewording; ties count half.
        points: The points, by ascending alpha.
    """

    level: float
    auc: float
    points: tuple[OperatingPoint, ...]


class ReliabilityBin(Frozen):
    """One bin of predicted probabilities: mean prediction and share of correct predictions.

    The prediction is the probability of the most probable kind of damage. It is correct if this is the true kind.
    """

    predicted: float
    observed: Rate


class Reliability(Frozen):
    """Reliability of the predicted probabilities of kinds of damage.

    Attributes:
        bins: The bins, by ascending predicted probability; empty bins are left out.
        error: Expected calibration error: mean distance between predicted and observed, in [0, 1].
    """

    bins: tuple[ReliabilityBin, ...]
    error: float


class Point(Frozen):
    """The values of one metric for variants of one operator (perturbation) with one severity.

    Attributes:
        metric: Id of the metric.
        operator: Id of the perturbation.
        reworded: Whether all steps are reworded too.
        severity: Share of affected steps, p.
        mean: Mean over variants.
        sd: Standard deviation over variants (population).
        expected: 1 - p for missing and compressed steps, 1 for benign changes; None if the paper defines no expected
            value.
        bias: Mean of value minus expected value.
        rmse: Root mean square of value minus expected value.
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
