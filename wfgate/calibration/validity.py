"""What was measured on goldens that nothing was fitted on: promises kept, curves, other corpora."""

from collections.abc import Mapping

import numpy as np

from wfgate.calibration.clustered import BenignNull, Floats, Mask, Rate, cluster_weights
from wfgate.calibration.cross_fit import CrossFit
from wfgate.calibration.models import KINDS, LEVELS, block_model
from wfgate.calibration.sample import FOLDS, Sample
from wfgate.model.workflow import Frozen

ALPHAS = (0.005, 0.01, 0.05)
"""False-block rates at which the promise is checked."""
GRID = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""P-values at which the operating curve is stored."""
BINS = np.linspace(0, 1, 11)


class Validity(Frozen):
    """A promise and what came of it: rewordings of unseen goldens with p <= alpha."""

    alpha: float
    rate: Rate

    @property
    def kept(self) -> bool:
        """Whether what was measured is within its error of what was promised."""
        return self.rate.low <= self.alpha


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


class CorpusRates(Frozen):
    """One corpus, judged by what was fitted on all (its own goldens held out) and on the other corpora alone.

    Attributes:
        corpus: Its name.
        goldens: How many it has.
        false_block: Rewordings blocked at the promised rate.
        caught: Smallest damage blocked, on top of full rewordings where there are some.
        unseen_false_block: The same without any golden of this corpus; None where the others are too few.
        unseen_caught: Likewise.
    """

    corpus: str
    goldens: int
    false_block: Rate
    caught: Rate
    unseen_false_block: Rate | None = None
    unseen_caught: Rate | None = None


def goldens_needed(alpha: float) -> int:
    """Return how many goldens with rewordings can promise alpha and measure it: the other folds alone must reach it.

    Example:
        >>> goldens_needed(0.01)
        124
    """
    return int(np.ceil(round((1 / alpha - 1) * FOLDS / (FOLDS - 1), 6)))


def validity(held_out: CrossFit) -> tuple[Validity, ...]:
    """Return how each promise fared that the sample is large enough to make."""
    sample = held_out.sample
    have = len(np.unique(sample.clusters(sample.null)))
    return tuple(
        Validity(alpha=alpha, rate=held_out.rate(sample.null, held_out.p_values <= alpha))
        for alpha in ALPHAS
        if have >= goldens_needed(alpha)
    )


def operating_curves(held_out: CrossFit) -> tuple[OperatingCurve, ...]:
    """Return one curve per severity level."""
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
        if (hard := _hard(sample, level)).any()
    )


def reliability(held_out: CrossFit) -> Reliability:
    """Compare the probability of the most probable kind with how often it is the true one."""
    sample = held_out.sample
    truth = KINDS[sample.operator]
    known = truth >= 0
    predicted = held_out.kinds.max(axis=1)
    right = held_out.kinds.argmax(axis=1) == truth
    place = np.clip(np.digitize(predicted, BINS) - 1, 0, len(BINS) - 2)
    bins: list[ReliabilityBin] = []
    distances: list[tuple[float, int]] = []
    for index in range(len(BINS) - 1):
        members = known & (place == index)
        if members.any():
            weights = cluster_weights(sample.clusters(members))
            mean = float((weights * predicted[members]).sum() / weights.sum())
            observed = held_out.rate(members, right)
            bins.append(ReliabilityBin(predicted=round(mean, 6), observed=observed))
            distances.append((abs(mean - observed.value), int(members.sum())))
    total = sum(count for _, count in distances)
    error = sum(distance * count for distance, count in distances) / total if total else 0.0
    return Reliability(bins=tuple(bins), error=round(error, 6))


def by_corpus(held_out: CrossFit, corpora: Mapping[str, str], alpha: float) -> tuple[CorpusRates, ...]:
    """Return the rates of each corpus that has rewordings, where there are several.

    Args:
        held_out: The cross-fitted sample.
        corpora: The corpus of each golden, by id.
        alpha: Promised false-block rate.
    """
    names = sorted(set(corpora.values()))
    if len(names) < 2:
        return ()
    return tuple(_rates_of(held_out, corpora, name, alpha) for name in names)


def _rates_of(held_out: CrossFit, corpora: Mapping[str, str], corpus: str, alpha: float) -> CorpusRates:
    sample = held_out.sample
    mine = sample.of_goldens(lambda name: corpora.get(name) == corpus)
    hard = mine & _hard(sample, LEVELS[0])
    benign = mine & sample.null
    unseen: list[Rate | None] = [None, None]
    if len(np.unique(sample.clusters(sample.null & ~mine))) >= goldens_needed(alpha):
        p_values = np.ones(len(sample))
        p_values[mine] = fitted_without(sample, mine)
        unseen = [held_out.rate(members, p_values <= alpha) for members in (benign, hard)]
    return CorpusRates(
        corpus=corpus,
        goldens=len(np.unique(sample.golden[mine])),
        false_block=held_out.rate(benign, held_out.p_values <= alpha),
        caught=held_out.rate(hard, held_out.p_values <= alpha),
        unseen_false_block=unseen[0],
        unseen_caught=unseen[1],
    )


def fitted_without(sample: Sample, fresh: Mask) -> Floats:
    """Return p-values of some variants, model and null fitted on all the others."""
    others = sample.where(~fresh)
    null = CrossFit(others).null
    return null.p_values(block_model(others, others.everything).score(sample.features[fresh]))


def _hard(sample: Sample, level: float) -> Mask:
    """Return the damage of one severity; on top of a full rewording for goldens that have one."""
    damaged = sample.damaged & (sample.asked == level)
    can = np.zeros(len(sample.names), dtype=bool)
    can[sample.golden[sample.reworded]] = True
    return np.asarray(damaged & (sample.reworded == can[sample.golden]), dtype=bool)


def _auc(held_out: CrossFit, damaged: Mask) -> float:
    """Return the area under the curve of p-values, goldens weighing the same (Hanley & McNeil 1982)."""
    sample = held_out.sample
    null = BenignNull.of(-held_out.p_values[sample.null], sample.clusters(sample.null))
    mass = float(null.tail[-1])
    scores = -held_out.p_values[damaged]
    tail = np.concatenate([[0.0], null.tail])
    worse_still = tail[np.searchsorted(-null.scores, -scores, side="left")]
    at_least_as_bad = tail[np.searchsorted(-null.scores, -scores, side="right")]
    worse = 1 - (worse_still + at_least_as_bad) / 2 / mass
    weights = cluster_weights(sample.clusters(damaged))
    return round(float((weights * worse).sum() / weights.sum()), 6)
