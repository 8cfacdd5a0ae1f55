"""Filling the score table: every planned variant that is not in it yet, wherever there is somebody to score it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from wfgate.calibration.executors import Executor, LocalExecutor
from wfgate.calibration.plan import PlannedVariant, keyed_variants, planned_variants
from wfgate.calibration.score_table import ScoreRow, ScoreTable
from wfgate.errors import PerturbationRejected
from wfgate.evidence.assess import Assessor
from wfgate.perturb import Golden, Variant

Progress = Callable[[int, int], None]
"""Called with the variants done and the variants planned."""

DECIMALS = 9
"""Scores are rounded to this many decimals, well inside what float32 vectors can promise."""
CELLS = 1_000_000
"""Pairs of a golden's and a variant's step that are in memory together, about 40 bytes each."""


@dataclass(frozen=True)
class Chunk:
    """The variants of one golden that are still to be scored, by their key."""

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
    """Score every planned variant that the table does not hold; read the rows by their `planned_keys`.

    Variants are planned golden by golden while others are scored, so that memory does not grow with their number. One
    process writes; a golden's variants are one transaction, so a kill loses at most the goldens in flight.

    Args:
        goldens: The corpus.
        assessor: Compares and scores.
        table: Where scores are kept.
        seed: Decides every random choice.
        executor: Where the work is done; in this process where None.
        progress: Told how far it is.

    Returns:
        How many variants were scored now.

    Raises:
        CalibrationError: If the table cannot be written, or those who score are lost.
    """
    planned = sum(1 for golden in goldens for _ in planned_variants(golden))
    done = fresh = 0

    def waiting() -> Iterator[Chunk]:
        nonlocal done
        signature = assessor.identity
        for golden in goldens:
            variants = keyed_variants(golden, seed, signature)
            known = table.known(variants)
            done += len(known)
            left = {key: variant for key, variant in variants.items() if key not in known}
            if left:
                yield Chunk(golden, left, seed)

    with closing((executor or LocalExecutor()).run(_score_chunk, waiting(), assessor)) as results:
        for rows in results:
            table.add(rows)
            fresh += len(rows)
            done += len(rows)
            if progress:
                progress(done, planned)
    return fresh


def _score_chunk(chunk: Chunk, assessor: Assessor) -> list[ScoreRow]:
    waiting = iter(chunk.variants.items())
    at_once = max(1, CELLS // chunk.golden.n**2)
    rows: list[ScoreRow] = []
    while some := dict(islice(waiting, at_once)):
        rows += _score(chunk.golden, some, chunk.seed, assessor)
    return rows


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
            made[key] = plan.make(golden, seed)
        except PerturbationRejected as reason:
            rows[key] = replace(rows[key], rejected=reason.message)
    assessed = assessor.assess_all(golden.workflow, [variant.workflow for variant in made.values()])
    for (key, variant), found in zip(made.items(), assessed, strict=True):
        rows[key] = replace(
            rows[key],
            affected=len(variant.affected),
            metrics={s.metric: None if s.value is None else round(s.value, DECIMALS) for s in found.scores},
            evidence={name: round(value, DECIMALS) for name, value in found.evidence.items()},
        )
    return list(rows.values())
