"""From scored variants to a profile, every rate out of sample."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from wfgate.calibration.cross_fit import cross_fit
from wfgate.calibration.curves import operating_curves, reliability
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.models import LEVELS, Models, block_model, degradation_model, severity_model
from wfgate.calibration.null import benign_null
from wfgate.calibration.rates import (
    by_corpus,
    catches,
    cheapest_cut,
    degradation_accuracy,
    goldens_needed,
    promise,
    thresholds,
    validity,
)
from wfgate.calibration.sample import Sample
from wfgate.calibration.trajectories import sensitivities, trajectories
from wfgate.errors import CalibrationError
from wfgate.evidence.gather import EVIDENCE
from wfgate.profile.null import NullTail
from wfgate.profile.profile import Origin, Pooling, Profile


class Fitted(NamedTuple):
    """A profile, and what it says about each variant out of sample."""

    profile: Profile
    held_out: HeldOut


def fit_profile(
    sample: Sample, origin: Origin, alphas: tuple[float, float], corpora: Mapping[str, str] | None = None
) -> Fitted:
    """Fit everything the gate needs.

    Models are fitted on all goldens; the null that p-values rest on, the margins of severity and every rate come
    from models that did not see the golden in question (cross-fitting by golden, `FOLDS` folds; rates nested, so
    that the null did not see it either).

    Args:
        sample: The scored variants.
        origin: Where they come from, recorded.
        alphas: Promised false-block and false-review rates.
        corpora: The corpus of each golden, by id; rates are stated for each.

    Raises:
        CalibrationError: If the corpus is too small for the promise.
    """
    _require_enough(sample, min(alphas))
    held_out = cross_fit(sample)
    everything = sample.everything
    models = Models(
        block=block_model(sample, everything),
        null=NullTail.of(held_out.null),
        evidence_nulls=evidence_nulls(sample),
        severity=severity_model(sample, everything).model_copy(update={"margins": held_out.margins()}),
        degradation=degradation_model(sample, everything),
        cuts=tuple(cheapest_cut(held_out, level) for level in LEVELS),
    )
    return measured_profile(models, held_out, origin, alphas, corpora=corpora)


def measured_profile(
    models: Models,
    held_out: HeldOut,
    origin: Origin,
    alphas: tuple[float, float],
    *,
    corpora: Mapping[str, str] | None = None,
    pooling: Pooling | None = None,
) -> Fitted:
    """Return models together with what was measured of them out of sample."""
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
        severity_coverage=held_out.rate(held_out.sample.damaged, held_out.covered),
        thresholds=thresholds(held_out, models.cuts),
        catches=catches(held_out, alphas[0]),
        validity=validity(held_out),
        operating_curves=operating_curves(held_out),
        reliability=reliability(held_out),
        by_corpus=by_corpus(held_out, corpora or {}, alphas[0]),
        trajectories=points,
        sensitivities=sensitivities(points),
    )
    return Fitted(profile, held_out)


def evidence_nulls(sample: Sample) -> dict[str, NullTail]:
    """Return the null of each piece of evidence; values are rounded up, so p-values err on the quiet side."""
    nulls = {}
    for piece, values in zip(EVIDENCE, sample.evidence[sample.null].T, strict=True):
        null = benign_null(np.ceil(values * 100 - 1e-9) / 100, sample.clusters(sample.null))
        last = np.flatnonzero(np.diff(null.scores, append=-np.inf))  # of equal values the last has the whole tail
        nulls[piece.id] = NullTail(
            scores=tuple(np.round(null.scores[last], 2).tolist()),
            tail=tuple(np.round(null.tail[last], 6).tolist()),
            goldens=null.goldens,
            mass=null.mass,
        )
    return nulls


def _require_enough(sample: Sample, alpha: float) -> None:
    have = len(np.unique(sample.clusters(sample.null)))
    need = goldens_needed(alpha)
    if have < need:
        raise CalibrationError(
            f"{have} goldens with recorded rewordings; a false-block rate of {alpha:.2%} needs at least {need}",
            fix="add a corpus with recorded rewordings (the project ships some), or promise less (--alpha-block)",
        )
