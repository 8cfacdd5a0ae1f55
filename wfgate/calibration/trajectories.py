"""Metric values by severity of damage, and the numbers that the WorkflowPerturb paper derives from them."""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from wfgate.calibration.perturb import PERTURBATIONS
from wfgate.calibration.sample import ScoredVariants, Setting
from wfgate.decide import Floats, Point, Sensitivity

SHRINKING = ("missing", "missing-bridged", "compressed")
"""Operators whose expected score is 1 - p (paper, section 3.1, score assignment)."""


def expected_score(operator: str, severity: float) -> float | None:
    """Return the value of an ideal metric; None if the paper (WorkflowPerturb) defines none.

    Example:
        >>> expected_score("missing", 0.3), expected_score("description", 0.5), expected_score("rewired", 0.1)
        (0.7, 1.0, None)
    """
    if operator in SHRINKING:
        return round(1 - severity, 9)
    return 1.0 if PERTURBATIONS[operator].label == "benign" else None


def trajectories(sample: ScoredVariants) -> tuple[Point, ...]:
    """Return one point per operator, metric and severity.

    The order is that of the registry of operators. Points without rewording come before points with rewording.
    """
    points = [
        point_of(setting, metric, scores[members])
        for setting, members in sample.settings()
        for metric, scores in sample.metrics.items()
    ]
    rank = {operator: index for index, operator in enumerate(PERTURBATIONS)}
    return tuple(sorted(points, key=lambda p: (rank[p.operator], p.reworded, p.metric, p.severity)))


def sensitivities(points: Sequence[Point]) -> tuple[Sensitivity, ...]:
    """Return the sensitivities: the mean of the slopes from 10 to 30 % and from 30 to 50 % severity.

    A metric without a mean at one of the three severities is left out.
    """
    means: dict[tuple[str, str, bool], dict[float, float]] = defaultdict(dict)
    for point in points:
        if point.variants:
            means[point.metric, point.operator, point.reworded][point.severity] = point.mean
    return tuple(
        Sensitivity(
            metric=metric,
            operator=operator,
            reworded=reworded,
            value=round(((at[0.1] - at[0.3]) / 0.2 + (at[0.3] - at[0.5]) / 0.2) / 2, 6),
        )
        for (metric, operator, reworded), at in means.items()
        if {0.1, 0.3, 0.5} <= at.keys()
    )


def point_of(setting: Setting, metric: str, scores: Floats) -> Point:
    """Return mean and standard deviation of a metric's values for one setting; NaN is undefined."""
    operator, reworded, severity = setting
    values = scores[~np.isnan(scores)].tolist()
    mean = math.fsum(values) / len(values) if values else 0.0
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values)) if values else 0.0
    expected = expected_score(operator, severity)
    rmse = None
    if expected is not None and values:
        rmse = round(math.sqrt(math.fsum((value - expected) ** 2 for value in values) / len(values)), 6)
    return Point(
        metric=metric,
        operator=operator,
        reworded=reworded,
        severity=severity,
        mean=round(mean, 6),
        sd=round(spread, 6),
        expected=expected,
        bias=None if expected is None or not values else round(mean - expected, 6),
        rmse=rmse,
        variants=len(values),
        undefined=len(scores) - len(values),
    )
