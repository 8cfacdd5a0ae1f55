"""Filling the score table: every planned variant that is not in it yet, on all cores."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, replace
from itertools import islice

from wfgate.calibration.assess import Assessor
from wfgate.calibration.plan import PlannedVariant, planned_variants
from wfgate.calibration.score_table import ScoreRow, ScoreTable
from wfgate.calibration.workers import worker_pool
from wfgate.errors import PerturbationRejected
from wfgate.perturb import Golden

Progress = Callable[[int, int], None]
"""Called with the variants done and the variants planned."""

DECIMALS = 9
"""Scores are rounded to this many decimals, well inside what float32 vectors can promise."""


@dataclass(frozen=True)
class Chunk:
    """The variants of one golden that are still to be scored."""

    golden: Golden
    variants: tuple[PlannedVariant, ...]
    seed: int


def score_corpus(
    goldens: Sequence[Golden],
    assessor: Assessor,
    table: ScoreTable,
    *,
    seed: int,
    jobs: int = 1,
    progress: Progress | None = None,
) -> tuple[list[str], int]:
    """Score every planned variant that the table does not hold.

    One process writes; a golden's variants are one transaction, so a kill loses at most the goldens in flight.

    Args:
        goldens: The corpus.
        assessor: Compares and scores.
        table: Where scores are kept.
        seed: Decides every random choice.
        jobs: Processes to use; 1 works in this one.
        progress: Told how far it is.

    Returns:
        The keys of all planned variants in a fixed order (read the rows by them), and how many were scored now.
    """
    signature = assessor.signature.model_dump_json()
    keys: list[str] = []
    chunks: list[Chunk] = []
    for golden in goldens:
        planned = {variant.key(golden, seed, signature): variant for variant in planned_variants(golden)}
        keys += planned
        known = table.known(planned)
        fresh = tuple(variant for key, variant in planned.items() if key not in known)
        if fresh:
            chunks.append(Chunk(golden, fresh, seed))
    fresh_total = sum(len(chunk.variants) for chunk in chunks)
    done = len(keys) - fresh_total
    for rows in _scored(chunks, assessor, jobs):
        table.add(rows)
        done += len(rows)
        if progress:
            progress(done, len(keys))
    return keys, fresh_total


def _scored(chunks: Sequence[Chunk], assessor: Assessor, jobs: int) -> Iterator[list[ScoreRow]]:
    if jobs <= 1 or len(chunks) <= 1:
        for chunk in chunks:
            yield _score_chunk(chunk, assessor)
        return
    with worker_pool(jobs, _start_worker, (assessor,)) as pool:
        waiting = iter(chunks)
        running: set[Future[list[ScoreRow]]] = {pool.submit(_work, chunk) for chunk in islice(waiting, jobs * 4)}
        while running:
            finished, running = wait(running, return_when=FIRST_COMPLETED)
            running |= {pool.submit(_work, chunk) for chunk in islice(waiting, len(finished))}
            for future in finished:
                yield future.result()


_worker: list[Assessor] = []


def _start_worker(assessor: Assessor) -> None:
    _worker[:] = [assessor]


def _work(chunk: Chunk) -> list[ScoreRow]:
    return _score_chunk(chunk, _worker[0])


def _score_chunk(chunk: Chunk, assessor: Assessor) -> list[ScoreRow]:
    signature = assessor.signature.model_dump_json()
    return [_score(chunk.golden, variant, chunk.seed, signature, assessor) for variant in chunk.variants]


def _score(golden: Golden, planned: PlannedVariant, seed: int, signature: str, assessor: Assessor) -> ScoreRow:
    row = ScoreRow(
        key=planned.key(golden, seed, signature),
        golden=golden.id,
        operator=planned.operator,
        severity=planned.severity,
        reworded=planned.reworded,
        repeat=planned.repeat,
        steps=golden.n,
    )
    try:
        variant = planned.make(golden, seed)
    except PerturbationRejected as reason:
        return replace(row, rejected=reason.message)
    found = assessor.assess(golden.workflow, variant.workflow)
    return replace(
        row,
        affected=len(variant.affected),
        metrics={s.metric: None if s.value is None else round(s.value, DECIMALS) for s in found.scores},
        evidence={name: round(value, DECIMALS) for name, value in found.evidence.items()},
    )
