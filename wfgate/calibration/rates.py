"""Rates out of sample: what was promised, what is caught, from where on it counts as how bad, corpus by corpus."""

from collections.abc import Mapping, Sequence

import numpy as np

from wfgate.calibration.clustered import Mask
from wfgate.calibration.cross_fit import cross_fit
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import KINDS, LEVELS, block_model
from wfgate.calibration.sample import FOLDS, Sample
from wfgate.evidence.features import Floats
from wfgate.profile.rates import Catch, CorpusRates, Promise, Rate, SeverityThreshold, Validity

ALPHAS = (0.005, 0.01, 0.05)
"""False-block rates at which the promise is checked."""
NESTED = 3
"""Folds that must have goldens for nested cross-fitting: one held out, one inside that, one to fit on."""


def goldens_needed(alpha: float) -> int:
    """Return how many goldens with rewordings can promise alpha and measure it: the other folds alone must reach it.

    Example:
        >>> goldens_needed(0.01)
        124
    """
    return int(np.ceil(round((1 / alpha - 1) * FOLDS / (FOLDS - 1), 6)))


def promise(held_out: HeldOut, alphas: tuple[float, float]) -> Promise:
    """Return what is promised about rewordings, and what was measured."""
    block, review = (held_out.rate(held_out.sample.null, held_out.p_values <= alpha) for alpha in alphas)
    return Promise(alpha_block=alphas[0], alpha_review=alphas[1], false_block=block, false_review=review)


def degradation_accuracy(held_out: HeldOut) -> Rate:
    """Return how often the most probable kind of damage is the true one."""
    truth = KINDS[held_out.sample.operator]
    return held_out.rate(truth >= 0, held_out.kinds.argmax(axis=1) == truth)


def catches(held_out: HeldOut, alpha: float) -> tuple[Catch, ...]:
    """Return how many variants of each kind are blocked."""
    blocked = held_out.p_values <= alpha
    return tuple(
        Catch(operator=operator, severity=severity, reworded=reworded, rate=held_out.rate(members, blocked))
        for (operator, reworded, severity), members in held_out.sample.settings()
    )


def thresholds(held_out: HeldOut, cuts: Sequence[float]) -> tuple[SeverityThreshold, ...]:
    """Return what it costs to call a candidate damaged from some estimated severities on, one for each level."""
    sample = held_out.sample
    found = []
    for level, cut in zip(LEVELS, cuts, strict=True):
        bad = sample.severity >= level - 1e-9
        above = held_out.severities >= cut
        found.append(
            SeverityThreshold(
                level=level,
                threshold=cut,
                false_block=held_out.rate(sample.null, above),
                over_call=held_out.rate(~bad, above),
                miss=held_out.rate(bad, ~above),
            )
        )
    return tuple(found)


def cheapest_cut(held_out: HeldOut, level: float) -> float:
    """Return the estimated severity where false calls and misses of this level are rarest together (Youden 1950)."""
    bad = held_out.sample.severity >= level - 1e-9
    rounded = np.round(held_out.severities, 3)
    candidates = np.unique(rounded[rounded > 0])
    if not len(candidates):
        return 1.0
    over = _share_at_or_above(held_out.severities[~bad], candidates)
    under = 1 - _share_at_or_above(held_out.severities[bad], candidates)
    return float(candidates[int(np.argmin(over + under))])


def _share_at_or_above(values: Floats, thresholds: Floats) -> Floats:
    """Return the share of values at or above each threshold."""
    below = np.searchsorted(np.sort(values), thresholds, side="left")
    return np.asarray(1 - below / max(len(values), 1), dtype=np.float64)


def validity(held_out: HeldOut) -> tuple[Validity, ...]:
    """Return how each promise fared that the sample is large enough to make."""
    sample = held_out.sample
    have = len(np.unique(sample.clusters(sample.null)))
    return tuple(
        Validity(alpha=alpha, rate=held_out.rate(sample.null, held_out.p_values <= alpha))
        for alpha in ALPHAS
        if have >= goldens_needed(alpha)
    )


def by_corpus(held_out: HeldOut, corpora: Mapping[str, str], alpha: float) -> tuple[CorpusRates, ...]:
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


def _rates_of(held_out: HeldOut, corpora: Mapping[str, str], corpus: str, alpha: float) -> CorpusRates:
    sample = held_out.sample
    mine = sample.of_goldens(lambda name: corpora.get(name) == corpus)
    hard = mine & hardest(sample, LEVELS[0])
    benign = mine & sample.null
    unseen: list[Rate | None] = [None, None]
    others = sample.null & ~mine
    enough = len(np.unique(sample.clusters(others))) >= goldens_needed(alpha)
    if enough and len(np.unique(sample.folds[others])) >= NESTED:
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
    null = cross_fit(others).null
    return null.p_values(block_model(others, others.everything).score(sample.features[fresh]))


def hardest(sample: Sample, level: float) -> Mask:
    """Return the damage of one severity; on top of a full rewording for goldens that have one."""
    damaged = sample.damaged & (sample.asked == level)
    can = np.zeros(len(sample.names), dtype=bool)
    can[sample.golden[sample.reworded]] = True
    return np.asarray(damaged & (sample.reworded == can[sample.golden]), dtype=bool)
