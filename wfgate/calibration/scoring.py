"""Scores the planned variants that are not in the score table yet."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from wfgate.base import STOPWATCH, stage
from wfgate.calibration.perturb.base import Golden, Variant
from wfgate.calibration.plan import PlannedVariant, keyed_variants, planned_variants
from wfgate.calibration.score_table import UNTESTED, ScoreRow, ScoreTable
from wfgate.decide import Assessor, rule_p_values
from wfgate.errors import PerturbationRejected
from wfgate.run import Executor, LocalExecutor

Progress = Callable[[int, int], None]
"""Called with the number of scored variants and the number of planned variants."""

DECIMALS = 9
"""Decimals to which scores are rounded."""
CELLS = 1_000_000
"""Maximum number of pairs of golden and variant steps in memory at a time, about 40 bytes each."""


@dataclass(frozen=True)
class Chunk:
    """The variants of one golden that are not scored yet, by key."""

    golden: Golden
    variants: Mapping[str, PlannedVariant]
    seed: int


def score_corpus(
    goldens: Sequence[Golden],
    assessor: Assessor,
    table: ScoreTable,
    *,
    seed: int,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> int:
    """Score every planned variant that is not in the table. To read the rows, use `planned_keys`.

    The variants of a golden are planned when the golden is scored, so memory does not grow with the number of
    variants. One process writes the table, with one transaction per golden. So an interruption loses only the goldens
    in progress.

    Args:
        goldens: The corpus.
        assessor: Compares and scores.
        table: The score table.
        seed: Seed of all random choices.
        executor: Where the variants are scored; None scores in this process.
        progress: Called with the number of scored and planned variants.

    Returns:
        The number of variants scored in this run.

    Raises:
        CalibrationError: If the table cannot be written, or the workers are lost.
    """
    planned = sum(1 for golden in goldens for _ in planned_variants(golden))
    done = fresh = 0

    def waiting() -> Iterator[Chunk]:
        nonlocal done
        signature = assessor.identity
        for golden in goldens:
            with stage("score table"):
                variants = keyed_variants(golden, seed, signature)
                scored = table.known(variants)
            done += len(scored)
            missing = {key: variant for key, variant in variants.items() if key not in scored}
            if missing:
                yield Chunk(golden, missing, seed)

    with closing((executor or LocalExecutor()).run(_score_chunk, waiting(), assessor)) as results:
        for rows, seconds in results:
            STOPWATCH.add(seconds)
            with stage("score table"):
                table.add(rows)
            fresh += len(rows)
            done += len(rows)
            if progress:
                progress(done, planned)
    return fresh


def _score_chunk(chunk: Chunk, assessor: Assessor) -> tuple[list[ScoreRow], dict[str, float]]:
    """Return the rows, and the processor seconds by stage of this process since the last chunk."""
    variants = iter(chunk.variants.items())
    batch_size = max(1, CELLS // chunk.golden.n**2)
    rows: list[ScoreRow] = []
    while batch := dict(islice(variants, batch_size)):
        rows += _score(chunk.golden, batch, chunk.seed, assessor)
    return rows, STOPWATCH.take()


def _score(golden: Golden, planned: Mapping[str, PlannedVariant], seed: int, assessor: Assessor) -> list[ScoreRow]:
    rows: dict[str, ScoreRow] = {}
    made: dict[str, Variant] = {}
    for key, plan in planned.items():
        rows[key] = ScoreRow(
            key=key,
            golden=golden.id,
            operator=plan.operator,
            severity=plan.severity,
            reworded=plan.reworded,
            repeat=plan.repeat,
            steps=golden.n,
        )
        try:
            with stage("perturbation"):
                made[key] = plan.make(golden, seed)
        except PerturbationRejected as reason:
            rows[key] = replace(rows[key], rejected=reason.message)
    assessed = assessor.assess_all(golden.workflow, [variant.workflow for variant in made.values()])
    for (key, variant), assessment in zip(made.items(), assessed, strict=True):
        rows[key] = replace(
            rows[key],
            affected=len(variant.affected),
            metrics={s.metric: None if s.value is None else round(s.value, DECIMALS) for s in assessment.scores},
            evidence={name: round(value, DECIMALS) for name, value in assessment.evidence.items()},
            rules=rule_p_values(assessment.comparison) if planned[key].benign else UNTESTED,
        )
    return list(rows.values())
