"""From score rows to a profile, every rate out of sample."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from wfgate.calibration.assess import Signature
from wfgate.calibration.block_model import BlockModel, fit_block_model
from wfgate.calibration.clustered import BenignNull, Floats, Rate, clustered_rate
from wfgate.calibration.degradation import DEGRADATIONS, DegradationModel, fit_degradation, kind_of
from wfgate.calibration.evidence import EVIDENCE
from wfgate.calibration.features import feature_matrix
from wfgate.calibration.profile import (
    Catch,
    CorpusSummary,
    NullTail,
    Profile,
    Promise,
    SeverityThreshold,
)
from wfgate.calibration.score_table import ScoreRow
from wfgate.calibration.severity import SeverityModel, conformal_margins, fit_severity
from wfgate.calibration.trajectories import sensitivities, trajectories
from wfgate.errors import CalibrationError
from wfgate.perturb import PERTURBATIONS

FOLDS = 5
LEVELS = (0.1, 0.3, 0.5)

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Sample:
    """Rows that have a variant, as arrays."""

    rows: tuple[ScoreRow, ...]

    @cached_property
    def features(self) -> Floats:
        """Shape (n, n_evidence)."""
        return feature_matrix(self.rows)

    @cached_property
    def goldens(self) -> NDArray[np.str_]:
        """The golden of each row."""
        return np.array([row.golden for row in self.rows], dtype=np.str_)

    @cached_property
    def folds(self) -> NDArray[np.int_]:
        """The fold of each row; a golden's rows share one, decided by the hash of its id."""
        return np.array([fold_of(row.golden) for row in self.rows], dtype=np.int_)

    @cached_property
    def severity(self) -> Floats:
        """True share of steps affected, 0 for benign variants."""
        shares = [0.0 if _benign(row) else min(1.0, _steps_hit(row) / row.steps) for row in self.rows]
        return np.array(shares, dtype=np.float64)

    @cached_property
    def degraded(self) -> Floats:
        """1 for a regression, 0 for a benign variant."""
        return np.array([0.0 if _benign(row) else 1.0 for row in self.rows])

    def where(self, test: Callable[[ScoreRow], bool]) -> Mask:
        """Return which rows pass a test."""
        return np.array([test(row) for row in self.rows], dtype=bool)

    @cached_property
    def damaged(self) -> Mask:
        """The regressions: intervals are stated for damage, benign zeros would flatter them."""
        return np.asarray(self.degraded == 1.0, dtype=bool)

    @cached_property
    def null(self) -> Mask:
        """The rewordings, from one step to all: what the false-block rate is promised for."""
        return self.where(lambda row: row.operator == "description")


def fold_of(golden: str) -> int:
    """Return the fold of a golden, by the hash of its id."""
    return int.from_bytes(hashlib.sha256(golden.encode("utf-8", "surrogatepass")).digest()[:8]) % FOLDS


def fit_profile(
    rows: Sequence[ScoreRow],
    *,
    signature: Signature,
    seed: int,
    corpus: CorpusSummary,
    alphas: tuple[float, float],
    tool: str,
) -> Profile:
    """Fit everything the gate needs.

    Models are fitted on all goldens; the null that p-values rest on, the margins of severity and every rate come
    from models that did not see the golden in question (cross-fitting by golden, `FOLDS` folds; rates nested, so
    that the null did not see it either).

    Args:
        rows: The score table.
        signature: What produced the scores.
        seed: Recorded in the profile.
        corpus: Recorded in the profile.
        alphas: Promised false-block and false-review rates.
        tool: Version of wfgate, recorded.

    Raises:
        CalibrationError: If the corpus is too small for the promise.
    """
    sample = Sample(tuple(row for row in rows if row.rejected is None))
    _require_enough(sample, min(alphas))
    held_out = CrossFit(sample)
    null = BenignNull.of(held_out.scores[sample.null], list(sample.goldens[sample.null]))
    severity = _severity_model(sample, np.ones(len(sample.rows), dtype=bool))
    margins = conformal_margins(
        held_out.severities[sample.damaged], sample.severity[sample.damaged], list(sample.goldens[sample.damaged])
    )
    points = trajectories(sample.rows)
    return Profile(
        tool=tool,
        signature=signature,
        seed=seed,
        corpus=corpus,
        promise=Promise(
            alpha_block=alphas[0],
            alpha_review=alphas[1],
            false_block=held_out.rate(sample.null, held_out.p_values <= alphas[0]),
            false_review=held_out.rate(sample.null, held_out.p_values <= alphas[1]),
        ),
        block=_block_model(sample, np.ones(len(sample.rows), dtype=bool)),
        null=NullTail(
            scores=tuple(np.round(null.scores, 6).tolist()),
            tail=tuple(np.round(null.tail, 9).tolist()),
            goldens=null.goldens,
        ),
        evidence_nulls=_evidence_nulls(sample),
        severity=severity.model_copy(update={"margins": margins}),
        degradation=_degradation_model(sample, np.ones(len(sample.rows), dtype=bool)),
        degradation_accuracy=held_out.degradation_accuracy(),
        severity_coverage=held_out.coverage(),
        thresholds=tuple(_threshold(sample, held_out, level) for level in LEVELS),
        catches=_catches(sample, held_out, alphas[0]),
        trajectories=points,
        sensitivities=sensitivities(points),
    )


class CrossFit:
    """What models say about goldens that they did not see.

    Attributes:
        scores: Nonconformity scores, shape (n_rows,).
        severities: Estimated severities, likewise.
        p_values: P-values against a null that did not see the golden either, likewise.
    """

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self.scores = np.zeros(len(sample.rows))
        self.severities = np.zeros(len(sample.rows))
        self.p_values = np.ones(len(sample.rows))
        for fold in range(FOLDS):
            held = sample.folds == fold
            self.scores[held] = _block_model(sample, ~held).score(sample.features[held])
            self.severities[held] = _severity_model(sample, ~held).point(sample.features[held])
            self.p_values[held] = self._nested_p_values(fold)

    def _nested_p_values(self, fold: int) -> Floats:
        """P-values of one fold, against a null cross-fitted among the other folds."""
        sample = self.sample
        held = sample.folds == fold
        scores = np.zeros(len(sample.rows))
        for other in range(FOLDS):
            inner = sample.folds == other
            if other != fold:
                scores[inner] = _block_model(sample, ~held & ~inner).score(sample.features[inner])
        reference = sample.null & ~held
        null = BenignNull.of(scores[reference], list(sample.goldens[reference]))
        mine = _block_model(sample, ~held).score(sample.features[held])
        return np.array([null.p_value(float(score)) for score in mine])

    def rate(self, members: Mask, hits: Mask) -> Rate:
        """Return the rate of hits among members, by golden."""
        found = clustered_rate(hits[members], list(self.sample.goldens[members]))
        return found or Rate(value=0.0, low=0.0, high=1.0, goldens=0, variants=0)

    def coverage(self) -> Rate:
        """Return how often the severity interval covers, margins fitted on the other folds."""
        sample = self.sample
        covered = np.zeros(len(sample.rows), dtype=bool)
        for fold in range(FOLDS):
            held = sample.folds == fold
            known = ~held & sample.damaged
            margins = conformal_margins(self.severities[known], sample.severity[known], list(sample.goldens[known]))
            model = _severity_model(sample, ~held).model_copy(update={"margins": margins})
            for row in np.flatnonzero(held):
                estimate = model.estimate(sample.features[row])
                covered[row] = estimate.low - 1e-4 <= sample.severity[row] <= estimate.high + 1e-4
        return self.rate(sample.damaged, covered)

    def degradation_accuracy(self) -> Rate:
        """Return how often the most probable kind is the true one."""
        sample = self.sample
        known = sample.where(lambda row: kind_of(row.operator) is not None)
        kinds = list(DEGRADATIONS)
        right = np.zeros(len(sample.rows), dtype=bool)
        for fold in range(FOLDS):
            held = sample.folds == fold
            model = _degradation_model(sample, ~held)
            for row in np.flatnonzero(held & known):
                best = model.probabilities(sample.features[row])[0].type
                right[row] = kinds.index(best) == kind_of(sample.rows[row].operator)
        return self.rate(known, right)


def _evidence_nulls(sample: Sample) -> dict[str, NullTail]:
    """Return the null of each piece of evidence; values are rounded up, so p-values err on the quiet side."""
    nulls = {}
    rows = [row for row, member in zip(sample.rows, sample.null, strict=True) if member]
    for piece in EVIDENCE:
        values = np.ceil(np.array([row.evidence[piece.id] for row in rows]) * 100 - 1e-9) / 100
        null = BenignNull.of(values, [row.golden for row in rows])
        last = np.flatnonzero(np.diff(null.scores, append=-np.inf))  # of equal values the last has the whole tail
        nulls[piece.id] = NullTail(
            scores=tuple(np.round(null.scores[last], 2).tolist()),
            tail=tuple(np.round(null.tail[last], 6).tolist()),
            goldens=null.goldens,
        )
    return nulls


def _block_model(sample: Sample, among: Mask) -> BlockModel:
    """Fit on rewordings against the smallest damage: the hard end of both classes."""
    smallest = sample.where(lambda row: not _benign(row) and row.severity == LEVELS[0])
    used = among & (sample.null | smallest)
    return fit_block_model(sample.features[used], sample.degraded[used], list(sample.goldens[used]))


def _severity_model(sample: Sample, among: Mask) -> SeverityModel:
    return fit_severity(sample.features[among], sample.severity[among], list(sample.goldens[among]))


def _degradation_model(sample: Sample, among: Mask) -> DegradationModel:
    used = among & sample.where(lambda row: kind_of(row.operator) is not None)
    kinds = [kind_of(row.operator) or 0 for row, member in zip(sample.rows, used, strict=True) if member]
    return fit_degradation(sample.features[used], kinds, list(sample.goldens[used]))


def _threshold(sample: Sample, held_out: CrossFit, level: float) -> SeverityThreshold:
    bad = sample.severity >= level - 1e-9
    lesser = ~bad
    candidates = np.unique(np.round(held_out.severities, 3))
    candidates = candidates[candidates > 0]
    over = [(held_out.severities[lesser] >= t).mean() for t in candidates]
    under = [(held_out.severities[bad] < t).mean() for t in candidates]
    threshold = float(candidates[int(np.argmin(np.add(over, under)))]) if len(candidates) else 1.0
    above = held_out.severities >= threshold
    return SeverityThreshold(
        level=level,
        threshold=threshold,
        false_block=held_out.rate(sample.null, above),
        over_call=held_out.rate(lesser, above),
        miss=held_out.rate(bad, ~above),
    )


def _catches(sample: Sample, held_out: CrossFit, alpha: float) -> tuple[Catch, ...]:
    found = []
    blocked = held_out.p_values <= alpha
    for operator in PERTURBATIONS:
        settings = sorted({(row.reworded, row.severity) for row in sample.rows if row.operator == operator})
        for reworded, severity in settings:
            members = np.array(
                [(row.operator, row.reworded, row.severity) == (operator, reworded, severity) for row in sample.rows]
            )
            rate = held_out.rate(members, blocked)
            found.append(Catch(operator=operator, severity=severity, reworded=reworded, rate=rate))
    return tuple(found)


def _require_enough(sample: Sample, alpha: float) -> None:
    have = len(set(sample.goldens[sample.null]))
    # The rates are measured on one fold against a null of the others: those alone must reach p = alpha.
    need = int(np.ceil(round((1 / alpha - 1) * FOLDS / (FOLDS - 1), 6)))
    if have < need:
        raise CalibrationError(
            f"{have} goldens with recorded rewordings; a false-block rate of {alpha:.2%} needs at least {need}",
            fix="add a corpus with recorded rewordings (the project ships some), or promise less (--alpha-block)",
        )


def _benign(row: ScoreRow) -> bool:
    return PERTURBATIONS[row.operator].label == "benign"


def _steps_hit(row: ScoreRow) -> int:
    """Return k = ceil(p * n), what the operator was asked for."""
    return int(np.ceil(round(row.severity * row.steps, 9)))
