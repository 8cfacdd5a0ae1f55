"""From scored variants to a profile, every rate out of sample."""

from collections.abc import Mapping

import numpy as np

from wfgate.calibration.assess import Signature
from wfgate.calibration.clustered import BenignNull, Floats, Rate
from wfgate.calibration.cross_fit import CrossFit
from wfgate.calibration.evidence import EVIDENCE
from wfgate.calibration.models import KINDS, LEVELS, block_model, degradation_model, severity_model
from wfgate.calibration.profile import Catch, CorpusSummary, NullTail, Profile, Promise, SeverityThreshold
from wfgate.calibration.sample import Sample
from wfgate.calibration.trajectories import sensitivities, trajectories
from wfgate.calibration.validity import by_corpus, goldens_needed, operating_curves, reliability, validity
from wfgate.errors import CalibrationError


def fit_profile(
    sample: Sample,
    *,
    signature: Signature,
    seed: int,
    corpus: CorpusSummary,
    alphas: tuple[float, float],
    tool: str,
    corpora: Mapping[str, str] | None = None,
) -> Profile:
    """Fit everything the gate needs.

    Models are fitted on all goldens; the null that p-values rest on, the margins of severity and every rate come
    from models that did not see the golden in question (cross-fitting by golden, `FOLDS` folds; rates nested, so
    that the null did not see it either).

    Args:
        sample: The scored variants.
        signature: What produced the scores.
        seed: Recorded in the profile.
        corpus: Recorded in the profile.
        alphas: Promised false-block and false-review rates.
        tool: Version of wfgate, recorded.
        corpora: The corpus of each golden, by id; rates are stated for each.

    Raises:
        CalibrationError: If the corpus is too small for the promise.
    """
    _require_enough(sample, min(alphas))
    held_out = CrossFit(sample)
    everything = sample.everything
    points = trajectories(sample)
    return Profile(
        tool=tool,
        signature=signature,
        seed=seed,
        corpus=corpus,
        promise=promise(held_out, alphas),
        block=block_model(sample, everything),
        null=NullTail.of(held_out.null),
        evidence_nulls=evidence_nulls(sample),
        severity=severity_model(sample, everything).model_copy(update={"margins": held_out.margins(everything)}),
        degradation=degradation_model(sample, everything),
        degradation_accuracy=degradation_accuracy(held_out),
        severity_coverage=held_out.rate(sample.damaged, held_out.covered),
        thresholds=tuple(_threshold(held_out, level) for level in LEVELS),
        catches=catches(held_out, alphas[0]),
        validity=validity(held_out),
        operating_curves=operating_curves(held_out),
        reliability=reliability(held_out),
        by_corpus=by_corpus(held_out, corpora or {}, alphas[0]),
        trajectories=points,
        sensitivities=sensitivities(points),
    )


def promise(held_out: CrossFit, alphas: tuple[float, float]) -> Promise:
    """Return what is promised about rewordings, and what was measured."""
    block, review = (held_out.rate(held_out.sample.null, held_out.p_values <= alpha) for alpha in alphas)
    return Promise(alpha_block=alphas[0], alpha_review=alphas[1], false_block=block, false_review=review)


def degradation_accuracy(held_out: CrossFit) -> Rate:
    """Return how often the most probable kind of damage is the true one."""
    truth = KINDS[held_out.sample.operator]
    return held_out.rate(truth >= 0, held_out.kinds.argmax(axis=1) == truth)


def evidence_nulls(sample: Sample) -> dict[str, NullTail]:
    """Return the null of each piece of evidence; values are rounded up, so p-values err on the quiet side."""
    nulls = {}
    for piece, values in zip(EVIDENCE, sample.evidence[sample.null].T, strict=True):
        null = BenignNull.of(np.ceil(values * 100 - 1e-9) / 100, sample.clusters(sample.null))
        last = np.flatnonzero(np.diff(null.scores, append=-np.inf))  # of equal values the last has the whole tail
        nulls[piece.id] = NullTail(
            scores=tuple(np.round(null.scores[last], 2).tolist()),
            tail=tuple(np.round(null.tail[last], 6).tolist()),
            goldens=null.goldens,
            mass=null.mass,
        )
    return nulls


def catches(held_out: CrossFit, alpha: float) -> tuple[Catch, ...]:
    """Return how many variants of each kind are blocked."""
    blocked = held_out.p_values <= alpha
    return tuple(
        Catch(operator=operator, severity=severity, reworded=reworded, rate=held_out.rate(members, blocked))
        for (operator, reworded, severity), members in held_out.sample.settings()
    )


def _threshold(held_out: CrossFit, level: float) -> SeverityThreshold:
    sample = held_out.sample
    bad = sample.severity >= level - 1e-9
    found = np.round(held_out.severities, 3)
    candidates = np.unique(found[found > 0])
    over = _share_at_or_above(held_out.severities[~bad], candidates)
    under = 1 - _share_at_or_above(held_out.severities[bad], candidates)
    threshold = float(candidates[int(np.argmin(over + under))]) if len(candidates) else 1.0
    above = held_out.severities >= threshold
    return SeverityThreshold(
        level=level,
        threshold=threshold,
        false_block=held_out.rate(sample.null, above),
        over_call=held_out.rate(~bad, above),
        miss=held_out.rate(bad, ~above),
    )


def _share_at_or_above(values: Floats, thresholds: Floats) -> Floats:
    """Return the share of values at or above each threshold."""
    below = np.searchsorted(np.sort(values), thresholds, side="left")
    return np.asarray(1 - below / max(len(values), 1), dtype=np.float64)


def _require_enough(sample: Sample, alpha: float) -> None:
    have = len(np.unique(sample.clusters(sample.null)))
    need = goldens_needed(alpha)
    if have < need:
        raise CalibrationError(
            f"{have} goldens with recorded rewordings; a false-block rate of {alpha:.2%} needs at least {need}",
            fix="add a corpus with recorded rewordings (the project ships some), or promise less (--alpha-block)",
        )
