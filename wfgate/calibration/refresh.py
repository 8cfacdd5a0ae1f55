"""Compares a refitted profile with the profile in use: block rates, and false-block rates."""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from wfgate.calibration.curves import operating_curves
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import LEVELS
from wfgate.calibration.rates import hardest, thresholds
from wfgate.calibration.sample import OPERATORS, ScoredVariants
from wfgate.calibration.severity import covers
from wfgate.decide import OperatingCurve, Profile, Rate, SeverityThreshold, estimates
from wfgate.model import Frozen

NOTICED = 0.005
"""Minimum change of a rate that is reported, as a fraction."""


class Caught(Frozen):
    """Block rate of the damaged variants that one operator makes at the lowest severity."""

    operator: str
    rate: Rate


class ProfileRates(Frozen):
    """The rates of one profile, measured on the current corpus.

    Attributes:
        tool: Version of wfgate that fitted the profile.
        corpus: Fingerprint of the corpus that the profile was fitted on.
        goldens: Number of goldens in the null distribution of the profile.
        alpha_block: Promised false-block rate.
        false_block: Measured false-block rate.
        missed: Share of damage of the lowest severity that is not blocked, with equal weight per operator.
        caught: Block rate by operator.
        thresholds: Threshold of the estimated severity, with its error rates, for each severity level.
        curves: Operating curves: block rate of damage by false-block rate.
    """

    tool: str
    corpus: str
    goldens: int
    alpha_block: float
    false_block: Rate
    missed: float
    caught: tuple[Caught, ...]
    thresholds: tuple[SeverityThreshold, ...]
    curves: tuple[OperatingCurve, ...]


class Refresh(Frozen):
    """The result of the comparison of a refitted profile with the profile in use.

    Attributes:
        format: Version of the schema.
        before: The profile in use; None if it has another signature, because such profiles cannot be compared.
        after: The refitted profile, measured out of sample by golden.
        looser: The respects in which the refitted profile is less strict, one sentence each; empty if there are none.
    """

    format: Literal["wfgate.refresh/1"] = "wfgate.refresh/1"
    before: ProfileRates | None
    after: ProfileRates
    looser: tuple[str, ...]


def compare_profiles(before: Profile, after: Profile, held_out: HeldOut) -> Refresh:
    """Measure a refitted profile and the profile in use on the current corpus, and compare them.

    The profile in use may have been fitted on some goldens of this corpus. Then its rates are better than they would
    be on new goldens. The rates of the refitted profile are out of sample.

    Args:
        before: The profile in use.
        after: The refitted profile.
        held_out: Out-of-sample predictions of the refitted profile.
    """
    new = _side(after, held_out)
    if before.signature != after.signature:
        reason = "the profile in use has another signature, so it is unknown whether the refitted one is looser"
        return Refresh(before=None, after=new, looser=(reason,))
    old = _side(before, predictions_of(before, held_out.sample))
    return Refresh(before=old, after=new, looser=tuple(_looser(old, new)))


def predictions_of(profile: Profile, sample: ScoredVariants) -> HeldOut:
    """Return the predictions of a fitted profile for variants."""
    severities = estimates(sample.features)
    return HeldOut(
        sample=sample,
        scores=profile.block.scores(sample.features),
        p_values=profile.scorer.p_values(sample.features),
        severities=severities,
        covered=covers(severities, profile.severity.margins, sample.severity),
        kinds=profile.degradation.shares(sample.features),
    )


def _side(profile: Profile, predictions: HeldOut) -> ProfileRates:
    alpha = profile.promise.alpha_block
    blocked = predictions.p_values <= alpha
    hard = hardest(predictions.sample, LEVELS[0])
    caught = tuple(
        Caught(operator=operator, rate=predictions.rate(members, blocked))
        for operator in OPERATORS
        if (members := hard & predictions.sample.made_by(operator)).any()
    )
    return ProfileRates(
        tool=profile.tool,
        corpus=profile.corpus.fingerprint,
        goldens=profile.scorer.nulls.smaller.goldens,
        alpha_block=alpha,
        false_block=predictions.rate(predictions.sample.null, blocked),
        missed=round(float(np.mean([1 - each.rate.value for each in caught])) if caught else 0.0, 6),
        caught=caught,
        thresholds=thresholds(predictions, [threshold.threshold for threshold in profile.thresholds]),
        curves=operating_curves(predictions),
    )


def _looser(before: ProfileRates, after: ProfileRates) -> Iterator[str]:
    if after.alpha_block > before.alpha_block:
        yield f"the promised false-block rate is {after.alpha_block:.2%} instead of {before.alpha_block:.2%}"
    if after.missed > before.missed + NOTICED:
        yield f"{after.missed:.1%} of the smallest damage is missed instead of {before.missed:.1%}"
    yield from _fewer(before.caught, after.caught)
    for old, new in zip(before.thresholds, after.thresholds, strict=True):
        if new.miss.value > old.miss.value + NOTICED:
            yield (
                f"damage of {new.level:.0%} or more is below the severity threshold in {new.miss.value:.1%} of the "
                f"cases instead of {old.miss.value:.1%}"
            )


def _fewer(before: Sequence[Caught], after: Sequence[Caught]) -> Iterator[str]:
    old = {each.operator: each.rate for each in before}
    for each in after:
        rate = old.get(each.operator)
        if rate is not None and each.rate.value < rate.value - NOTICED and each.rate.value < rate.low:
            yield f"{each.operator}: {each.rate.value:.1%} blocked instead of {rate.value:.1%}"
