"""Measures the false-block rate on goldens that were not used for fitting, drawn at random.

usage: promise.py [SEED] [DRAWS]

Each draw fits a profile on five sixths of the shipped goldens, drawn at random, and gates one random harmless variant
of each other golden at several promised rates. Fewer goldens would be pooled with the shipped profile, which was
fitted on all of them. The meaning model was not trained on any of them. Each seed is a new experiment; the scheduled
run uses the week number.
"""

import os
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))
sys.path.insert(0, str(Path(__file__).parents[1] / "step_equivalence"))

from accuracy import table
from fit_profile import CORPORA as CALIBRATED
from fit_profile import calibration_goldens

from wfgate.calibration import Corpus, Golden, Plan, calibrate_corpus
from wfgate.calibration.clustered import clustered_rate
from wfgate.calibration.perturb import RECORDED
from wfgate.calibration.plan import PlannedVariant
from wfgate.decide import Assessor, Pair, Policy, Rate
from wfgate.errors import PerturbationRejected
from wfgate.language import load_embedder, load_meaning_model
from wfgate.run import Gate

RATES = (0.01, 0.02, 0.05)
"""Promised false-block rates. They also cover the review rate: a review at a rate is a block at that rate."""
HARMLESS = (
    ("description", 0.1),
    ("description", 0.3),
    ("description", 0.5),
    ("description", 1.0),
    ("regenerated", 1.0),
    ("rewritten", 1.0),
)


def promise(seed: int = 0, draws: int = 4) -> list[tuple[str, ...]]:
    """Return a row per promised rate: what was gated, the block rate with its interval, the promised rate."""
    assessor = Assessor(load_embedder(), load_meaning_model())
    corpus = calibration_goldens(CALIBRATED)
    blocked: dict[float, list[bool]] = {rate: [] for rate in RATES}
    goldens: list[str] = []
    for draw in range(draws):
        rng = random.Random(f"{seed}|{draw}")
        mixed = rng.sample(corpus.goldens, len(corpus.goldens))
        most = len(mixed) * 5 // 6
        fitted = replace(corpus, goldens=tuple(sorted(mixed[:most], key=lambda golden: golden.id)))
        profile = calibrate_corpus(Corpus(fitted.goldens), assessor, _plan(), tool="promise").profile
        pairs = list(_harmless(mixed[most:], rng))
        goldens += [pair.id for pair in pairs]
        for rate in RATES:
            gate = Gate(assessor, profile, Policy(alpha_block=rate, alpha_review=max(rate, 0.05)))
            blocked[rate] += [gate.decide(pair).verdict == "block" for pair in pairs]
    return [
        _row(rate, rated, f"seed {seed}: {draws} draws")
        for rate, found in blocked.items()
        if (rated := clustered_rate(found, goldens))
    ]


def _row(rate: float, measured: Rate, drawn: str) -> tuple[str, ...]:
    what = f"fresh goldens blocked at {rate:.0%} ({drawn}, {measured.goldens} goldens, {measured.variants:,} pairs)"
    kept = "kept" if measured.low <= rate else "BROKEN"
    return what, f"{measured.value:.2%} ({measured.low:.2%}-{measured.high:.2%}): {kept}", f"<= {rate:.0%}"


def _plan() -> Plan:
    return Plan(jobs=os.cpu_count() or 1, pooled=False)


def _harmless(goldens: list[Golden], rng: random.Random) -> Iterator[Pair]:
    """Yield each golden that has a harmless variant, with a randomly drawn one."""
    for golden in goldens:
        for operator, severity in rng.sample(HARMLESS, len(HARMLESS)):
            recorded = RECORDED.get(operator)
            repeat = rng.randrange(1_000 if recorded is None else len(recorded.workflows(golden)) or 1)
            planned = PlannedVariant(operator, severity, reworded=False, repeat=repeat)
            try:
                variant = planned.make(golden, 0).workflow
            except PerturbationRejected:
                continue
            yield Pair(golden.id, (golden.workflow,), variant)
            break


if __name__ == "__main__":
    found = promise(*(int(given) for given in sys.argv[1:3]))
    table(("what", "measured", "target"), found)
    sys.exit(any("BROKEN" in row[1] for row in found))
