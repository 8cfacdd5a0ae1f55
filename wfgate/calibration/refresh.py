"""A profile against the one it is to replace: what it catches, what it blocks falsely, and where it is looser."""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from wfgate.calibration.curves import operating_curves
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import LEVELS
from wfgate.calibration.rates import hardest, thresholds
from wfgate.calibration.sample import OPERATORS, Sample
from wfgate.calibration.severity import covers
from wfgate.model.workflow import Frozen
from wfgate.profile.curves import OperatingCurve
from wfgate.profile.profile import Profile
from wfgate.profile.rates import Rate, SeverityThreshold

NOTICED = 0.005
"""A rate that rises by less is no change: half a percent."""


class Caught(Frozen):
    """How often the smallest damage of one operator is blocked."""

    operator: str
    rate: Rate


class Side(Frozen):
    """A profile, measured on the goldens of today.

    Attributes:
        tool: Version of wfgate that fitted it.
        corpus: Fingerprint of what it was fitted on.
        goldens: Goldens its null rests on.
        alpha_block: Promised false-block rate.
        false_block: Rewordings blocked.
        missed: Smallest damage that is not blocked, every operator weighing the same.
        caught: By operator.
        thresholds: For each severity level.
        curves: What is caught at which false-block rate.
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
    """What a refresh changes.

    Attributes:
        format: Version of the schema.
        before: The profile in use; None where its numbers are others, so that nothing can be compared.
        after: The refitted one, out of sample by golden.
        looser: In what respects the gate would get looser, in words; empty if it does not.
    """

    format: Literal["wfgate.refresh/1"] = "wfgate.refresh/1"
    before: Side | None
    after: Side
    looser: tuple[str, ...]


def compare_profiles(before: Profile, after: Profile, held_out: HeldOut) -> Refresh:
    """Compare a refitted profile with the one in use, both on the goldens of today.

    The one in use may have been fitted on some of them, which flatters it; the refitted one is judged out of sample.

    Args:
        before: The profile in use.
        after: The refitted one.
        held_out: What the refitted one says about each variant out of sample.
    """
    new = _side(after, held_out)
    if before.signature != after.signature:
        said = "the profile in use was fitted with other numbers, so nobody can tell whether this one is looser"
        return Refresh(before=None, after=new, looser=(said,))
    old = _side(before, judged_by(before, held_out.sample))
    return Refresh(before=old, after=new, looser=tuple(_looser(old, new)))


def judged_by(profile: Profile, sample: Sample) -> HeldOut:
    """Return what a fitted profile says about variants."""
    scores = profile.block.score(sample.features)
    severities = profile.severity.point(sample.features)
    return HeldOut(
        sample=sample,
        scores=scores,
        p_values=profile.null.build().p_values(scores),
        severities=severities,
        covered=covers(severities, profile.severity.margins, sample.severity),
        kinds=profile.degradation.shares(sample.features),
    )


def _side(profile: Profile, judged: HeldOut) -> Side:
    alpha = profile.promise.alpha_block
    blocked = judged.p_values <= alpha
    hard = hardest(judged.sample, LEVELS[0])
    caught = tuple(
        Caught(operator=operator, rate=judged.rate(members, blocked))
        for operator in OPERATORS
        if (members := hard & judged.sample.made_by(operator)).any()
    )
    return Side(
        tool=profile.tool,
        corpus=profile.corpus.fingerprint,
        goldens=profile.null.goldens,
        alpha_block=alpha,
        false_block=judged.rate(judged.sample.null, blocked),
        missed=round(float(np.mean([1 - each.rate.value for each in caught])) if caught else 0.0, 6),
        caught=caught,
        thresholds=thresholds(judged, [threshold.threshold for threshold in profile.thresholds]),
        curves=operating_curves(judged),
    )


def _looser(before: Side, after: Side) -> Iterator[str]:
    if after.alpha_block > before.alpha_block:
        yield f"it promises {after.alpha_block:.2%} false blocks instead of {before.alpha_block:.2%}"
    if after.missed > before.missed + NOTICED:
        yield f"{after.missed:.1%} of the smallest damage is missed instead of {before.missed:.1%}"
    yield from _fewer(before.caught, after.caught)
    for old, new in zip(before.thresholds, after.thresholds, strict=True):
        if new.miss.value > old.miss.value + NOTICED:
            yield (
                f"damage of {new.level:.0%} and more is taken for less in {new.miss.value:.1%} of the cases "
                f"instead of {old.miss.value:.1%}"
            )


def _fewer(before: Sequence[Caught], after: Sequence[Caught]) -> Iterator[str]:
    old = {each.operator: each.rate for each in before}
    for each in after:
        was = old.get(each.operator)
        if was is not None and each.rate.value < was.value - NOTICED and each.rate.value < was.low:
            yield f"{each.operator}: {each.rate.value:.1%} caught instead of {was.value:.1%}"
