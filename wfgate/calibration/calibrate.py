"""Calibration from corpus to profile."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from wfgate.calibration.corpus import Corpus, read_corpus
from wfgate.calibration.executors import DEFAULT_EXECUTOR, load_executor
from wfgate.calibration.fit import fit_profile
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.judge import calibrated_judge
from wfgate.calibration.misses import Miss, misses
from wfgate.calibration.plan import planned_keys
from wfgate.calibration.pooling import is_few, pooled_profile, require_poolable
from wfgate.calibration.sample import Sample
from wfgate.calibration.score_table import ScoreTable
from wfgate.calibration.scoring import Progress, score_corpus
from wfgate.evidence.assess import Assessor
from wfgate.profile.judge import PassedExam
from wfgate.profile.profile import CorpusSummary, Origin, Profile, default_profile

DEFAULT_ALPHAS = (0.01, 0.05)
"""Promised false-block and false-review rates."""


@dataclass(frozen=True)
class Plan:
    """How to calibrate.

    Attributes:
        seed: Decides every random choice.
        alphas: Promised false-block and false-review rates.
        sample: Use at most this many goldens.
        scores: Score table to continue; kept in memory where None.
        jobs: Processes to use on this machine.
        base: Profile to pool with where there are too few goldens for the promise; the shipped one where None.
        expires: Last day on which the profile may be used; None for ever.
        executor: Where variants are scored: "local", or "dask://HOST:PORT" of a scheduler.
        exam: The exam that the assessor's judge passed; None where nobody showed a certificate.

    Raises:
        ConfigError: If there is no such executor, or its extra is not installed.
    """

    seed: int = 0
    alphas: tuple[float, float] = DEFAULT_ALPHAS
    sample: int | None = None
    scores: Path | None = None
    jobs: int = 1
    base: Profile | None = None
    expires: date | None = None
    executor: str = DEFAULT_EXECUTOR
    exam: PassedExam | None = None

    def __post_init__(self) -> None:
        load_executor(self.executor)  # a typo shows before anything is done


@dataclass(frozen=True)
class Calibration:
    """What a calibration produced.

    Attributes:
        profile: The fitted profile.
        corpus: What it was fitted on.
        scored: Variants scored in this run; the rest was in the score table already.
        held_out: What it says about each variant out of sample.
        misses: Examples of damage that gets through.
    """

    profile: Profile
    corpus: Corpus
    scored: int
    held_out: HeldOut
    misses: tuple[Miss, ...]


def calibrate(
    paths: Sequence[Path], assessor: Assessor, plan: Plan, *, tool: str, progress: Progress | None = None
) -> Calibration:
    """Perturb, score and fit.

    Args:
        paths: Corpora (see `read_corpus`).
        assessor: Embedder and metrics.
        plan: How to calibrate.
        tool: Version of wfgate, recorded in the profile.
        progress: Told how far scoring is.

    Raises:
        CalibrationError: If the corpus or the score table cannot be used, or is too small for the promise, or if the
            executor fails.
    """
    corpus = read_corpus(paths)
    if plan.sample is not None:
        corpus = corpus.sample(plan.sample)
    return calibrate_corpus(corpus, assessor, plan, tool=tool, progress=progress)


def calibrate_corpus(
    corpus: Corpus, assessor: Assessor, plan: Plan, *, tool: str, progress: Progress | None = None
) -> Calibration:
    """Do the same with a corpus that was read already, all of it."""
    with_rewordings = sum(1 for golden in corpus.goldens if golden.texts.rewordings)
    base = None
    if is_few(with_rewordings, min(plan.alphas)):
        base = plan.base or default_profile()
        base.require(assessor.signature)
        require_poolable(len(corpus.goldens), base, min(plan.alphas))
    with ScoreTable(plan.scores or ":memory:") as table:
        executor = load_executor(plan.executor, plan.jobs)
        fresh = score_corpus(corpus.goldens, assessor, table, seed=plan.seed, executor=executor, progress=progress)
        keys = planned_keys(corpus.goldens, plan.seed, assessor.identity)
        sample = Sample.of(table.rows(keys))
    summary = CorpusSummary(
        fingerprint=corpus.fingerprint,
        goldens=len(corpus.goldens),
        with_rewordings=with_rewordings,
        variants=len(sample),
        rejected=tuple((operator, reason, count) for (operator, reason), count in sorted(sample.rejected.items())),
        refused_records=len(corpus.refused),
    )
    origin = Origin(tool=tool, signature=assessor.signature, seed=plan.seed, corpus=summary, expires=plan.expires)
    if base is None:
        profile, held_out = fit_profile(sample, origin, plan.alphas, corpus.names)
    else:
        profile, held_out = pooled_profile(sample, base, origin, plan.alphas)
    if assessor.judge is not None:
        judge = calibrated_judge(assessor.judge, sample, corpus.goldens, assessor, plan.seed, plan.exam)
        profile = profile.model_copy(update={"judge": judge})
    goldens = {golden.id: golden for golden in corpus.goldens}
    missed = misses(held_out, goldens, plan.seed, plan.alphas[0])
    return Calibration(profile, corpus, fresh, held_out, missed)
