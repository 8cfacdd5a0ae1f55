"""Out-of-sample rates: false blocks, block rates of damage, severity thresholds, rates by corpus."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from wfgate.calibration.clustered import Mask
from wfgate.calibration.cross_fit import cross_fit
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import KINDS, LEVELS, block_models
from wfgate.calibration.sample import FOLDS, ScoredVariants
from wfgate.decide import (
    CELLS,
    Catch,
    CorpusRates,
    Floats,
    HarmlessRates,
    Promise,
    Rate,
    Scorer,
    SeverityThreshold,
    Validity,
)

ALPHAS = (0.005, 0.01, 0.05)
"""Promised false-block rates that are compared with measured ones."""
HARMLESS = {
    "reworded, one step to all": ("description",),
    "written anew and accepted": ("rewritten",),
    "edited by hand and accepted": ("edited",),
    "reworded, relisted and with other ids": ("regenerated",),
    "relisted, or with other ids": ("relisted", "renamed-ids"),
}
"""Classes of harmless changes, and their operators. The promise is about the first two."""
MOSTLY = 0.5
"""A variant is counted with a cell that it belongs to by more than this share."""
NESTED = 3
"""Minimum number of folds with goldens for nested cross-fitting: one outer, one inner, one to fit on."""


def goldens_needed(alpha: float) -> int:
    """Return the minimum number of goldens with rewordings for a promised rate.

    With this number, p <= alpha is still possible when one fold is left out.

    Example:
        >>> goldens_needed(0.01)
        124
    """
    return int(np.ceil(round((1 / alpha - 1) * FOLDS / (FOLDS - 1), 6)))


def promise(held_out: HeldOut, alphas: tuple[float, float]) -> Promise:
    """Return the promised and the measured false-block and false-review rates."""
    null, p_values, rules = held_out.sample.null, held_out.p_values, held_out.sample.rules
    block, review = (held_out.rate(null, p_values <= alpha) for alpha in alphas)
    whole, critical = (held_out.rate(null, np.minimum(p_values, rule) <= alphas[0]) for rule in rules.T)
    return Promise(
        alpha_block=alphas[0],
        alpha_review=alphas[1],
        false_block=block,
        false_review=review,
        whole_block=whole,
        critical_block=critical,
    )


def harmless(held_out: HeldOut, alphas: tuple[float, float], short: Collection[str]) -> tuple[HarmlessRates, ...]:
    """Return the false-block and false-review rates of each class of harmless changes.

    Args:
        held_out: The cross-fitted sample.
        alphas: Promised false-block and false-review rates.
        short: Ids of the goldens with short step names.
    """
    sample = held_out.sample
    classes = {change: sample.made_by(*operators) for change, operators in HARMLESS.items()}
    for name, weights in zip(CELLS, sample.memberships.T, strict=True):
        classes[f"all of the promise: {name}"] = sample.null & (weights > MOSTLY)
    classes["all of the promise, short step names"] = sample.null & sample.of_goldens(short.__contains__)
    p_values = np.minimum(held_out.p_values, sample.rules[:, 0])
    rates = []
    for change, members in classes.items():
        blocked, reviewed = (held_out.rate(members, p_values <= alpha) for alpha in alphas)
        rates.append(HarmlessRates(change=change, blocked=blocked, reviewed=reviewed))
    return tuple(rates)


def degradation_accuracy(held_out: HeldOut) -> Rate:
    """Return the share of damaged variants whose most probable kind of damage is the true one."""
    truth = KINDS[held_out.sample.operator]
    return held_out.rate(truth >= 0, held_out.kinds.argmax(axis=1) == truth)


def catches(held_out: HeldOut, alpha: float) -> tuple[Catch, ...]:
    """Return the block rate for each combination of operator, severity and `reworded`."""
    blocked = held_out.p_values <= alpha
    return tuple(
        Catch(operator=operator, severity=severity, reworded=reworded, rate=held_out.rate(members, blocked))
        for (operator, reworded, severity), members in held_out.sample.settings()
    )


def thresholds(held_out: HeldOut, cuts: Sequence[float]) -> tuple[SeverityThreshold, ...]:
    """Return the error rates of the severity thresholds `cuts`, one for each of `LEVELS`."""
    sample = held_out.sample
    rows = []
    for level, cut in zip(LEVELS, cuts, strict=True):
        bad = sample.severity >= level - 1e-9
        above = held_out.severities >= cut
        rows.append(
            SeverityThreshold(
                level=level,
                threshold=cut,
                false_block=held_out.rate(sample.null, above),
                over_call=held_out.rate(~bad, above),
                miss=held_out.rate(bad, ~above),
            )
        )
    return tuple(rows)


def cheapest_cut(held_out: HeldOut, level: float) -> float:
    """Return the threshold that minimises the sum of over-call rate and miss rate (Youden's index, Youden 1950)."""
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
    """Return the measured false-block rate for each rate in `ALPHAS`; rates that need a larger sample are left out."""
    sample = held_out.sample
    have = held_out.null.smaller.goldens
    return tuple(
        Validity(alpha=alpha, rate=held_out.rate(sample.null, held_out.p_values <= alpha))
        for alpha in ALPHAS
        if have >= goldens_needed(alpha)
    )


def by_corpus(held_out: HeldOut, corpora: Mapping[str, str], alpha: float) -> tuple[CorpusRates, ...]:
    """Return the rates of each corpus; empty if there is only one corpus.

    Args:
        held_out: The cross-fitted sample.
        corpora: Name of the corpus of each golden, by id of the golden.
        alpha: Promised false-block rate.
    """
    names = sorted(set(corpora.values()))
    if len(names) < 2:
        return ()
    return tuple(_rates_of(held_out, corpora, name, alpha) for name in names)


def _rates_of(held_out: HeldOut, corpora: Mapping[str, str], corpus: str, alpha: float) -> CorpusRates:
    sample = held_out.sample
    members = sample.of_goldens(lambda name: corpora.get(name) == corpus)
    hard = members & hardest(sample, LEVELS[0])
    benign = members & sample.null
    unseen: list[Rate | None] = [None, None]
    others = sample.null & ~members
    enough = sample.nulls(held_out.scores, ~members).smaller.goldens >= goldens_needed(alpha)
    if enough and len(np.unique(sample.folds[others])) >= NESTED:
        p_values = np.ones(len(sample))
        p_values[members] = fitted_without(sample, members)
        unseen = [held_out.rate(variants, p_values <= alpha) for variants in (benign, hard)]
    return CorpusRates(
        corpus=corpus,
        goldens=len(np.unique(sample.golden[members])),
        false_block=held_out.rate(benign, held_out.p_values <= alpha),
        caught=held_out.rate(hard, held_out.p_values <= alpha),
        unseen_false_block=unseen[0],
        unseen_caught=unseen[1],
    )


def fitted_without(sample: ScoredVariants, fresh: Mask) -> Floats:
    """Return the p-values of the variants in `fresh`.

    The block models and the null distributions are fitted on all other variants.
    """
    others = sample.where(~fresh)
    scorer = Scorer(block_models(others, others.everything), cross_fit(others).null)
    return scorer.p_values(sample.features[fresh])


def hardest(sample: ScoredVariants, level: float) -> Mask:
    """Return the damaged variants of one severity.

    If a golden has reworded variants, only its reworded variants are returned.
    """
    damaged = sample.damaged & (sample.nominal == level)
    has_reworded = np.zeros(len(sample.names), dtype=bool)
    has_reworded[sample.golden[sample.reworded]] = True
    return np.asarray(damaged & (sample.reworded == has_reworded[sample.golden]), dtype=bool)
