"""Fits a profile on scored variants. Every rate in the profile is measured out of sample."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np

from wfgate.calibration.cross_fit import cross_fit
from wfgate.calibration.curves import operating_curves, reliability
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import LEVELS, Models, block_models, degradation_model
from wfgate.calibration.null import benign_null
from wfgate.calibration.rates import (
    by_corpus,
    catches,
    cheapest_cut,
    degradation_accuracy,
    goldens_needed,
    harmless,
    promise,
    thresholds,
    validity,
)
from wfgate.calibration.sample import ScoredVariants
from wfgate.calibration.severity import is_close
from wfgate.calibration.trajectories import sensitivities, trajectories
from wfgate.decide import CELLS, EVIDENCE, NullTail, NullTails, Pooling, Profile, ProfileOrigin, SeverityModel
from wfgate.errors import CalibrationError


class Fitted(NamedTuple):
    """A profile with its out-of-sample predictions for each variant."""

    profile: Profile
    held_out: HeldOut


def fit_profile(
    sample: ScoredVariants,
    origin: ProfileOrigin,
    alphas: tuple[float, float],
    corpora: Mapping[str, str] | None = None,
    short: Collection[str] = (),
) -> Fitted:
    """Fit a profile.

    The models in the profile are fitted on all goldens. The null distribution, the margins of the severity interval
    and all rates are computed by cross-fitting by golden with `FOLDS` folds: the scores of a golden's variants come
    from models that were not fitted on this golden. Rates use nested cross-fitting, so that the null distribution
    excludes the golden too.

    Args:
        sample: The scored variants.
        origin: Tool, signature, seed and corpus, recorded in the profile.
        alphas: Promised false-block and false-review rates.
        corpora: Name of the corpus of each golden, by id of the golden, for rates per corpus.
        short: Ids of the goldens with short step names, for the rates of this class.

    Raises:
        CalibrationError: If the corpus is too small for the promised rates.
    """
    _require_enough(sample, min(alphas))
    held_out = cross_fit(sample)
    everything = sample.everything
    models = Models(
        block=block_models(sample, everything),
        null=NullTails.of(held_out.null),
        evidence_nulls=evidence_nulls(sample),
        severity=SeverityModel(margins=held_out.margins()),
        degradation=degradation_model(sample, everything),
        cuts=tuple(cheapest_cut(held_out, level) for level in LEVELS),
    )
    return measured_profile(models, held_out, origin, alphas, corpora=corpora, short=short)


def measured_profile(
    models: Models,
    held_out: HeldOut,
    origin: ProfileOrigin,
    alphas: tuple[float, float],
    *,
    corpora: Mapping[str, str] | None = None,
    short: Collection[str] = (),
    pooling: Pooling | None = None,
) -> Fitted:
    """Return the profile that contains fitted models and their out-of-sample rates."""
    damaged = held_out.sample.damaged
    close = is_close(held_out.severities, held_out.sample.severity)
    points = trajectories(held_out.sample)
    profile = Profile(
        **dict(origin),
        pooling=pooling,
        promise=promise(held_out, alphas),
        block=models.block,
        null=models.null,
        evidence_nulls=models.evidence_nulls,
        severity=models.severity,
        degradation=models.degradation,
        degradation_accuracy=degradation_accuracy(held_out),
        severity_coverage=held_out.rate(damaged, held_out.covered),
        severity_close=held_out.rate(damaged, close),
        severity_close_shown=held_out.rate(damaged & (held_out.p_values <= alphas[1]), close),
        thresholds=thresholds(held_out, models.cuts),
        catches=catches(held_out, alphas[0]),
        validity=validity(held_out),
        operating_curves=operating_curves(held_out),
        reliability=reliability(held_out),
        harmless=harmless(held_out, alphas, short),
        by_corpus=by_corpus(held_out, corpora or {}, alphas[0]),
        trajectories=points,
        sensitivities=sensitivities(points),
    )
    return Fitted(profile, held_out)


def evidence_nulls(sample: ScoredVariants) -> dict[str, NullTail]:
    """Return the null distribution of each kind of evidence.

    Evidence values are rounded up, which makes p-values larger and never smaller.
    """
    nulls = {}
    for evidence, values in zip(EVIDENCE, sample.evidence[sample.null].T, strict=True):
        null = benign_null(np.ceil(values * 100 - 1e-9) / 100, sample.clusters(sample.null))
        last = np.flatnonzero(np.diff(null.scores, append=-np.inf))  # of equal values, the last has the whole tail
        nulls[evidence.id] = NullTail(
            scores=tuple(np.round(null.scores[last], 2).tolist()),
            tail=tuple(np.round(null.tail[last], 6).tolist()),
            goldens=null.goldens,
            mass=null.mass,
        )
    return nulls


def _require_enough(sample: ScoredVariants, alpha: float) -> None:
    have = sample.nulls(np.zeros((len(sample), len(CELLS))), sample.everything).smaller.goldens
    need = goldens_needed(alpha)
    if have < need:
        raise CalibrationError(
            f"{have} goldens with recorded rewordings; a false-block rate of {alpha:.2%} needs at least {need}",
            fix="add a corpus with recorded rewordings (wfgate's repository has some), or raise --alpha-block",
        )
