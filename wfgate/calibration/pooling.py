"""Fits a profile for a small corpus: its null distribution is pooled with that of a base profile.

A few goldens are not enough for a false-block rate of 1 %. So the models are those of the base profile. In the pooled
null distribution, each golden of the small corpus has weight 1. The goldens of the base profile share the rest of a
total weight of 1.5 / alpha. So the weight of the base profile falls, down to 0, as the corpus grows.

A candidate is not blocked at alpha if rewordings with a total weight of about half a golden have the same or a higher
nonconformity score. All rewordings of one golden of the corpus are more than enough.

Why 1.5: the smallest total weight that can reach alpha is 1 / alpha - 1. With this weight, a candidate is blocked only
if its score is above the score of every rewording. Then one outlier among thousands of rewordings prevents all blocks.
Measured on goldens of neither corpus: with 1 / alpha - 1, 30 % of the variants with missing steps are blocked; with
1.5 / alpha, 100 % of these variants are blocked, and 0.5 % of the rewordings. Rewritten candidates with another
structure may use half of the rate only (`RECUT_LEVELS` in `decide/profile/classes.py`), which doubles the weight in
their cell.

This is conformal prediction with fixed weights. The error rate exceeds alpha by at most the weighted distance between
the rewordings of the base profile and the rewordings of the corpus (Barber, Candes, Ramdas & Tibshirani 2023, Annals
of Statistics 51, theorem 2). This distance is unknown. So the rate is also measured on the corpus: each golden is
tested with a null distribution that excludes this golden.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from wfgate.calibration.clustered import Mask
from wfgate.calibration.fit import Fitted, evidence_nulls, measured_profile
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import Models
from wfgate.calibration.null import benign_nulls
from wfgate.calibration.rates import goldens_needed
from wfgate.calibration.sample import ScoredVariants
from wfgate.calibration.severity import covers
from wfgate.decide import (
    CELLS,
    RECUT,
    SHORT,
    BenignNull,
    BenignNulls,
    NullTail,
    NullTails,
    Pooling,
    Profile,
    ProfileOrigin,
    SeverityModel,
    estimates,
    memberships,
    references,
)
from wfgate.errors import CalibrationError

LEAST_GOLDENS = 5
"""Minimum number of goldens of the corpus; fewer are not enough to measure a rate."""
ROOM = 1.5
"""Mass of the pooled null distribution, in units of 1 / alpha goldens."""
HALVED = 2.0
"""How much larger it is for rewritten candidates with another structure, which may use half of the rate."""


def pooled_profile(
    sample: ScoredVariants,
    base: Profile,
    origin: ProfileOrigin,
    alphas: tuple[float, float],
    short: Collection[str] = (),
) -> Fitted:
    """Fit a pooled profile for a small corpus.

    Args:
        sample: Scored variants of the corpus.
        base: Base profile: a profile of a larger corpus with the same signature. The pooled profile uses its models.
        origin: Tool, signature, seed and corpus, recorded in the profile.
        alphas: Promised false-block and false-review rates.
        short: Ids of the goldens with short step names, for the rates of this class.

    Raises:
        CalibrationError: If there are fewer than `LEAST_GOLDENS` goldens, or if the base profile has too few goldens
            for the promised rates too.
        ProfileMismatchError: If the base profile has another signature.
    """
    base.require(origin.signature)
    require_poolable(len(sample.names), base, min(alphas))
    needed = ROOM / min(alphas)
    needed_of = [needed * (HALVED if name == RECUT[-1] else 1.0) for name in CELLS]
    scores = base.block.scores(sample.features)
    base_scorer = base.scorer
    base_nulls = base_scorer.nulls

    has_short = SHORT in base_nulls.used
    weights = references(sample.features, short=has_short)
    belongs = memberships(sample.features, short=has_short)

    def own_nulls(among: Mask) -> BenignNulls:
        members = sample.null & among
        return benign_nulls(scores[members], sample.golden[members], weights[members], belongs[members])

    def nulls_of(among: Mask) -> BenignNulls:
        cells = zip(own_nulls(among).cells, base_nulls.cells, needed_of, strict=True)
        return BenignNulls(tuple(pooled(own, base, mass) if base.mass else base for own, base, mass in cells))

    p_values = np.ones(len(sample))
    for golden in range(len(sample.names)):
        left_out = sample.golden == golden
        p_values[left_out] = nulls_of(~left_out).p_values(scores[left_out], sample.features[left_out])
    severities = estimates(sample.features)
    held_out = HeldOut(
        sample=sample,
        scores=scores,
        p_values=p_values,
        severities=severities,
        covered=covers(severities, base.severity.margins, sample.severity),
        kinds=base.degradation.shares(sample.features),
    )
    nulls = evidence_nulls(sample)
    models = Models(
        block=base.block,
        null=NullTails.of(nulls_of(sample.everything)),
        evidence_nulls={
            name: NullTail.of(pooled(nulls[name].build(), tail.build(), needed))
            for name, tail in base.evidence_nulls.items()
        },
        severity=SeverityModel(margins=_wider(base.severity.margins, held_out)),
        degradation=base.degradation,
        cuts=tuple(threshold.threshold for threshold in base.thresholds),
    )
    base_p_values = base_scorer.p_values(sample.features)
    pooling = Pooling(
        goldens=len(np.unique(sample.golden[sample.null])),
        base_goldens=base_nulls.smaller.goldens,
        base_weight=round(
            max(
                base_weight(own, base, mass)
                for own, base, mass in zip(
                    own_nulls(sample.everything).cells, base_nulls.cells, needed_of, strict=True
                )
                if base.mass
            ),
            6,
        ),
        base_corpus=base.corpus.fingerprint,
        base_false_block=held_out.rate(sample.null, base_p_values <= alphas[0]),
        base_agreement=round(float(np.mean(_levels(p_values, alphas) == _levels(base_p_values, alphas))), 6),
    )
    return measured_profile(models, held_out, origin, alphas, short=short, pooling=pooling)


def _levels(p_values: NDArray[np.float64], alphas: tuple[float, float]) -> NDArray[np.int64]:
    """Return what the p-value of each variant leads to: 2 block, 1 review, 0 pass; shape (variants,)."""
    block, review = alphas
    return (p_values <= block).astype(np.int64) + (p_values <= review)


def pooled(own: BenignNull, base: BenignNull, needed: float) -> BenignNull:
    """Return the pooled null distribution. The base is weighted so that the total weight is `needed` goldens."""
    weight = base_weight(own, base, needed)
    scores = np.concatenate([own.scores, base.scores])
    shares = np.concatenate([np.diff(own.tail, prepend=0.0), weight * np.diff(base.tail, prepend=0.0)])
    order = np.argsort(-scores, kind="stable")
    mass = own.mass + weight * base.mass
    return BenignNull(scores[order], np.cumsum(shares[order]), own.goldens + base.goldens, mass)


def base_weight(own: BenignNull, base: BenignNull, needed: float) -> float:
    """Return the weight of one golden of the base profile, in [0, 1]."""
    return min(1.0, max(0.0, needed - own.mass) / base.mass)


def _wider(margins: tuple[float, ...], held_out: HeldOut) -> tuple[float, ...]:
    """Return for each bin the larger of two margins: that of the base profile, and that of the corpus.

    The margin of the corpus is the one that covers 90 % of the damaged variants of the corpus.
    """
    return tuple(max(pair) for pair in zip(margins, held_out.margins(fresh=0), strict=True))


def is_few(goldens: int, alpha: float) -> bool:
    """Return whether a corpus with this number of goldens with rewordings should be pooled with a base profile."""
    return goldens < goldens_needed(alpha / (ROOM * HALVED))


def require_poolable(goldens: int, base: Profile, alpha: float) -> None:
    """Raise an error if the goldens cannot be pooled with a base profile; called before the scoring starts.

    Raises:
        CalibrationError: If there are fewer than `LEAST_GOLDENS` goldens, or if the base profile has too few goldens
            for alpha too.
    """
    if goldens < LEAST_GOLDENS:
        raise CalibrationError(
            f"{goldens} usable golden{'s' * (goldens != 1)}; at least {LEAST_GOLDENS} are needed",
            fix="add approved workflows; until then gate without --profile: the shipped profile needs no goldens",
        )
    smaller = base.scorer.nulls.smaller
    if smaller.mass < 1 / alpha - 1:
        raise CalibrationError(
            f"the base profile has {smaller.goldens} goldens, too few for a false-block rate of {alpha:.2%}",
            fix="use a larger base profile, or raise --alpha-block",
        )
