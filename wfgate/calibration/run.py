"""The complete calibration, from corpus to profile."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from wfgate.base import stage
from wfgate.calibration.corpus import Corpus, read_corpus
from wfgate.calibration.fit import fit_profile
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.judge import calibrated_judge
from wfgate.calibration.misses import Miss, misses
from wfgate.calibration.plan import planned_keys
from wfgate.calibration.pooling import LEAST_GOLDENS, is_few, pooled_profile, require_poolable
from wfgate.calibration.rates import goldens_needed
from wfgate.calibration.sample import ScoredVariants
from wfgate.calibration.score_table import ScoreTable
from wfgate.calibration.scoring import Progress, score_corpus
from wfgate.decide import (
    SHORT_NAME,
    Assessor,
    CalibratedRange,
    CorpusSummary,
    PassedExam,
    Profile,
    ProfileOrigin,
    default_profile,
    median_words,
)
from wfgate.errors import CalibrationError, ProfileMismatchError
from wfgate.read import DETECTED, Formats
from wfgate.run import DEFAULT_EXECUTOR, load_executor

DEFAULT_ALPHAS = (0.01, 0.05)
"""Promised false-block and false-review rates."""


@dataclass(frozen=True)
class Plan:
    """Settings of a calibration.

    Attributes:
        seed: Seed of all random choices.
        alphas: Promised false-block and false-review rates.
        sample: Maximum number of goldens; None for all.
        scores: Score table file. Stored scores are used again, new scores are added. None keeps the table in memory.
        jobs: Number of processes on this machine.
        base: Base profile to pool with if there are too few goldens for the promised rates; None uses the shipped
            profile.
        pooled: Whether few goldens are pooled with a base profile.
        expires: Last day on which the profile may be used; None for no limit.
        executor: Where variants are scored: "local", or "dask://HOST:PORT" of a scheduler.
        exam: The exam that the judge (a language model that grades) passed; None if there is no certificate.

    Raises:
        ConfigError: If the executor is unknown, or its extra (optional package) is not installed.
    """

    seed: int = 0
    alphas: tuple[float, float] = DEFAULT_ALPHAS
    sample: int | None = None
    scores: Path | None = None
    jobs: int = 1
    base: Profile | None = None
    pooled: bool = True
    expires: date | None = None
    executor: str = DEFAULT_EXECUTOR
    exam: PassedExam | None = None

    def __post_init__(self) -> None:
        load_executor(self.executor)  # report a wrong executor before any work is done


@dataclass(frozen=True)
class Calibration:
    """The result of a calibration.

    Attributes:
        profile: The fitted profile.
        corpus: The corpus that the profile was fitted on.
        scored: Number of variants that were scored in this run; all other variants were in the score table already.
        held_out: Out-of-sample predictions for each variant.
        misses: Examples of damage that is not blocked.
    """

    profile: Profile
    corpus: Corpus
    scored: int
    held_out: HeldOut
    misses: tuple[Miss, ...]


def calibrate(
    paths: Sequence[Path],
    assessor: Assessor,
    plan: Plan,
    *,
    tool: str,
    progress: Progress | None = None,
    formats: Formats = DETECTED,
) -> Calibration:
    """Read corpora, score perturbed variants and fit a profile.

    Args:
        paths: Corpora (see `read_corpus`).
        assessor: The embedder, the meaning model, the metrics and the judge.
        plan: Settings of the calibration.
        tool: Version of wfgate, recorded in the profile.
        progress: Called with the number of scored and planned variants.
        formats: Format ids by pattern of file names; the content of all other files decides.

    Raises:
        CalibrationError: If the corpus or the score table cannot be used, if the corpus is too small for the promised
            rates, or if the executor fails.
    """
    corpus = read_corpus(paths, formats)
    if plan.sample is not None:
        corpus = corpus.sample(plan.sample)
    return calibrate_corpus(corpus, assessor, plan, tool=tool, progress=progress)


def calibrate_corpus(
    corpus: Corpus, assessor: Assessor, plan: Plan, *, tool: str, progress: Progress | None = None
) -> Calibration:
    """Calibrate on a corpus that has been read already; `plan.sample` has no effect."""
    with_rewordings = sum(1 for golden in corpus.goldens if golden.texts.rewordings or golden.accepted)
    base = _base_profile(plan, len(corpus.goldens), with_rewordings, assessor)
    with ScoreTable(plan.scores or ":memory:") as table:
        executor = load_executor(plan.executor, plan.jobs)
        fresh = score_corpus(corpus.goldens, assessor, table, seed=plan.seed, executor=executor, progress=progress)
        with stage("score table"):
            keys = planned_keys(corpus.goldens, plan.seed, assessor.identity)
            sample = ScoredVariants.of(table.rows(keys))
    known = [golden for golden in corpus.goldens if golden.texts.rewordings or golden.accepted] or corpus.goldens
    bounds = CalibratedRange.of([golden.workflow for golden in known])
    if base is not None and base.corpus.range is not None:
        bounds = bounds.joined(base.corpus.range)
    short = {golden.id for golden in corpus.goldens if median_words(golden.workflow) <= SHORT_NAME}
    summary = CorpusSummary(
        fingerprint=corpus.fingerprint,
        goldens=len(corpus.goldens),
        with_rewordings=with_rewordings,
        variants=len(sample),
        rejected=tuple((operator, reason, count) for (operator, reason), count in sorted(sample.rejected.items())),
        refused_records=len(corpus.refused),
        range=bounds,
    )
    origin = ProfileOrigin(
        tool=tool, signature=assessor.signature, seed=plan.seed, corpus=summary, expires=plan.expires
    )
    with stage("fit"):
        if base is None:
            profile, held_out = fit_profile(sample, origin, plan.alphas, corpus.names, short)
        else:
            profile, held_out = pooled_profile(sample, base, origin, plan.alphas, short)
    if assessor.judge is not None:
        judge = calibrated_judge(assessor.judge, sample, corpus.goldens, assessor, plan.seed, plan.exam)
        profile = profile.model_copy(update={"judge": judge})
    goldens = {golden.id: golden for golden in corpus.goldens}
    with stage("misses"):
        missed = misses(held_out, goldens, plan.seed, plan.alphas[0])
    return Calibration(profile, corpus, fresh, held_out, missed)


def _base_profile(plan: Plan, goldens: int, with_rewordings: int, assessor: Assessor) -> Profile | None:
    """Return the profile to pool with; None if there are enough goldens.

    The shipped profile fits only the shipped models. With others, goldens that are few but reach the promised rates
    are not pooled.

    Args:
        plan: Settings of the calibration.
        goldens: Number of goldens.
        with_rewordings: Number of goldens with recorded rewordings or accepted regenerations.
        assessor: The embedder, the meaning model and the metrics.

    Raises:
        CalibrationError: If there are too few goldens, or the base profile has another signature.
    """
    alpha = min(plan.alphas)
    if not plan.pooled or not is_few(with_rewordings, alpha):
        return None
    base = plan.base or default_profile()
    require_poolable(goldens, base, alpha)
    try:
        base.require(assessor.signature)
    except ProfileMismatchError as error:
        needed = goldens_needed(alpha)
        if plan.base is None and with_rewordings >= needed:
            return None
        there = f"{with_rewordings} of {goldens} goldens have recorded rewordings"
        raise CalibrationError(
            f"{there}, too few for a rate of {alpha:.2%} ({needed} are needed), and they cannot be pooled with the "
            f"{'given' if plan.base else 'shipped'} base profile: {error.message}",
            fix="make a base profile with the same options (in the checkout of wfgate: `wfgate calibrate "
            "calibration/corpora/ops calibration/corpora/worfbench --output base.json ...`) and give it with --base"
            + _reachable(with_rewordings),
        ) from error
    return base


def _reachable(with_rewordings: int) -> str:
    """Return the advice to promise the smallest rate that this number of goldens reaches; empty if there is none."""
    if with_rewordings < LEAST_GOLDENS:
        return ""
    percent = next(percent for percent in range(1, 100) if goldens_needed(percent / 100) <= with_rewordings)
    return f"; or promise less: --alpha-block {percent / 100:g} --alpha-review {percent / 100:g}"
