"""Out-of-sample operating curves, and the reliability of predicted probabilities."""

import numpy as np

from wfgate.calibration.clustered import Mask, cluster_weights
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import KINDS, LEVELS
from wfgate.calibration.null import benign_null
from wfgate.calibration.rates import hardest
from wfgate.decide import OperatingCurve, OperatingPoint, Reliability, ReliabilityBin

GRID = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""P-values at which the operating curve is stored."""
BINS = np.linspace(0, 1, 11)


def operating_curves(held_out: HeldOut) -> tuple[OperatingCurve, ...]:
    """Return one operating curve per severity level."""
    sample = held_out.sample
    return tuple(
        OperatingCurve(
            level=level,
            auc=_auc(held_out, hard),
            points=tuple(
                OperatingPoint(
                    alpha=alpha,
                    false_block=held_out.rate(sample.null, held_out.p_values <= alpha).value,
                    caught=held_out.rate(hard, held_out.p_values <= alpha).value,
                )
                for alpha in GRID
            ),
        )
        for level in LEVELS
        if (hard := hardest(sample, level)).any() and sample.null.any()
    )


def reliability(held_out: HeldOut) -> Reliability:
    """Return the share of correct predictions of the kind of damage, by predicted probability."""
    sample = held_out.sample
    truth = KINDS[sample.operator]
    damaged = truth >= 0
    predicted = held_out.kinds.max(axis=1)
    correct = held_out.kinds.argmax(axis=1) == truth
    bin_of = np.clip(np.digitize(predicted, BINS) - 1, 0, len(BINS) - 2)
    bins: list[ReliabilityBin] = []
    distances: list[tuple[float, int]] = []
    for index in range(len(BINS) - 1):
        members = damaged & (bin_of == index)
        if members.any():
            weights = cluster_weights(sample.clusters(members))
            mean = float((weights * predicted[members]).sum() / weights.sum())
            observed = held_out.rate(members, correct)
            bins.append(ReliabilityBin(predicted=round(mean, 6), observed=observed))
            distances.append((abs(mean - observed.value), int(members.sum())))
    total = sum(count for _, count in distances)
    error = sum(distance * count for distance, count in distances) / total if total else 0.0
    return Reliability(bins=tuple(bins), error=round(error, 6))


def _auc(held_out: HeldOut, damaged: Mask) -> float:
    """Return the AUC: how well p-values separate damage from rewordings (Hanley & McNeil 1982).

    Goldens have equal weight.
    """
    sample = held_out.sample
    null = benign_null(-held_out.p_values[sample.null], sample.clusters(sample.null))
    scores = -held_out.p_values[damaged]
    tail = np.concatenate([[0.0], null.tail])
    above = tail[np.searchsorted(-null.scores, -scores, side="left")]
    at_or_above = tail[np.searchsorted(-null.scores, -scores, side="right")]
    below = 1 - (above + at_or_above) / 2 / null.mass
    weights = cluster_weights(sample.clusters(damaged))
    return round(float((weights * below).sum() / weights.sum()), 6)
