"""A profile for few goldens: what is known of many others, held against one's own.

A handful of goldens cannot promise 1 % by themselves. So the models stay those of a base profile, and the null is
pooled: every rewording of one's own counts in full, those of the base together no more than fills 1.5 / alpha goldens.
Nothing is blocked at alpha that looks no worse than all rewordings of one golden of one's own, or than half a golden's
worth of both together. The more goldens of one's own, the less the base counts, until it counts for nothing.

Why half a golden's worth: with 1 / alpha - 1 goldens, the fewest that can promise alpha, only what looks worse than
every single rewording is blocked, and one odd rewording among thousands makes the gate blind. Measured on goldens that
neither knew: 30 % of missing steps are blocked with 1 / alpha - 1, 100 % with 1.5 / alpha, and 0.5 % of rewordings.

This is conformal prediction with fixed weights: its error exceeds alpha by at most the weighted distance between the
base's rewordings and one's own (Barber, Candes, Ramdas & Tibshirani 2023, Annals of Statistics 51, theorem 2), which
nobody knows. So the rate is measured, too: on one's own rewordings, each golden left out of the null in turn.
"""

import numpy as np

from wfgate.calibration.clustered import Mask
from wfgate.calibration.fit import Fitted, evidence_nulls, measured_profile
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import Models
from wfgate.calibration.null import benign_null
from wfgate.calibration.rates import goldens_needed
from wfgate.calibration.sample import Sample
from wfgate.calibration.severity import covers
from wfgate.errors import CalibrationError
from wfgate.profile.null import BenignNull, NullTail
from wfgate.profile.profile import Origin, Pooling, Profile

LEAST_GOLDENS = 5
"""Goldens of one's own below which there is nothing to measure."""
ROOM = 1.5
"""How many times 1 / alpha goldens the pooled null weighs."""


def pooled_profile(sample: Sample, base: Profile, origin: Origin, alphas: tuple[float, float]) -> Fitted:
    """Fit a profile for few goldens.

    Args:
        sample: Scored variants of one's own goldens.
        base: A profile that was fitted on many others, with the same numbers; the models are its own.
        origin: Recorded in the profile.
        alphas: Promised false-block and false-review rates.

    Raises:
        CalibrationError: If there are fewer than `LEAST_GOLDENS` goldens, or the base cannot promise this either.
        ProfileMismatchError: If the base was fitted with other numbers.
    """
    base.require(origin.signature)
    require_poolable(len(sample.names), base, min(alphas))
    needed = ROOM / min(alphas)
    scores = base.block.score(sample.features)
    theirs = base.null.build()

    def null_of(members: Mask) -> BenignNull:
        return pooled(benign_null(scores[members], sample.clusters(members)), theirs, needed)

    p_values = np.ones(len(sample))
    for golden in range(len(sample.names)):
        mine = sample.golden == golden
        p_values[mine] = null_of(sample.null & ~mine).p_values(scores[mine])
    severities = base.severity.point(sample.features)
    held_out = HeldOut(
        sample=sample,
        scores=scores,
        p_values=p_values,
        severities=severities,
        covered=covers(severities, base.severity.margins, sample.severity),
        kinds=base.degradation.shares(sample.features),
    )
    own = held_out.null
    nulls = evidence_nulls(sample)
    models = Models(
        block=base.block,
        null=NullTail.of(null_of(sample.null)),
        evidence_nulls={
            name: NullTail.of(pooled(nulls[name].build(), tail.build(), needed))
            for name, tail in base.evidence_nulls.items()
        },
        severity=base.severity.model_copy(update={"margins": _wider(base.severity.margins, held_out)}),
        degradation=base.degradation,
        cuts=tuple(threshold.threshold for threshold in base.thresholds),
    )
    pooling = Pooling(
        goldens=own.goldens,
        base_goldens=theirs.goldens,
        base_weight=round(base_weight(own, theirs, needed), 6),
        base_corpus=base.corpus.fingerprint,
        base_false_block=held_out.rate(sample.null, theirs.p_values(scores) <= alphas[0]),
    )
    return measured_profile(models, held_out, origin, alphas, pooling=pooling)


def pooled(own: BenignNull, base: BenignNull, needed: float) -> BenignNull:
    """Return the null of one's own rewordings and of as much of the base as fills the mass that is needed."""
    weight = base_weight(own, base, needed)
    scores = np.concatenate([own.scores, base.scores])
    shares = np.concatenate([np.diff(own.tail, prepend=0.0), weight * np.diff(base.tail, prepend=0.0)])
    order = np.argsort(-scores, kind="stable")
    mass = own.mass + weight * base.mass
    return BenignNull(scores[order], np.cumsum(shares[order]), own.goldens + base.goldens, mass)


def base_weight(own: BenignNull, base: BenignNull, needed: float) -> float:
    """Return what one golden of the base counts for, in [0, 1]."""
    return min(1.0, max(0.0, needed - own.mass) / base.mass)


def _wider(margins: tuple[float, ...], held_out: HeldOut) -> tuple[float, ...]:
    """Return for each bin the base's margin, or what covers nine tenths of one's own damage if that is more."""
    return tuple(max(pair) for pair in zip(margins, held_out.margins(fresh=0), strict=True))


def is_few(goldens: int, alpha: float) -> bool:
    """Return whether so many goldens with rewordings had better be pooled."""
    return goldens < goldens_needed(alpha / ROOM)


def require_poolable(goldens: int, base: Profile, alpha: float) -> None:
    """Refuse what cannot be pooled, before anything is scored.

    Raises:
        CalibrationError: If there are fewer than `LEAST_GOLDENS` goldens, or the base cannot promise alpha either.
    """
    if goldens < LEAST_GOLDENS:
        raise CalibrationError(
            f"{goldens} usable golden{'s' * (goldens != 1)}; at least {LEAST_GOLDENS} are needed",
            fix="add approved workflows, or gate with the shipped profile until there are some",
        )
    if base.null.mass < 1 / alpha - 1:
        raise CalibrationError(
            f"the base profile rests on {base.null.goldens} goldens and cannot promise {alpha:.2%} either",
            fix="pool with a larger one, or promise less (--alpha-block)",
        )
