"""Prints what the decision blocks and flags on goldens that trained nothing (part "dev"), harmless and harmful.

All figures are out of sample by golden: models and null distributions without the golden (cross-fitting). Harmless
candidates are judged by the whole verdict without critical steps, harmful ones by the p-value alone, so findings that
block without statistics come on top. "Verbatim": all other steps as in the golden; "reworded": all of them in other
words. Rates are means over goldens with 95 % intervals (Clopper-Pearson, n = number of goldens).
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
from accuracy import table

from wfgate.calibration import Plan, calibrate_corpus
from wfgate.calibration.clustered import Mask
from wfgate.calibration.held_out import HeldOut
from wfgate.calibration.rates import MOSTLY
from wfgate.calibration.sample import ScoredVariants
from wfgate.decide import EVIDENCE, Assessor, Rate
from wfgate.language import load_embedder
from wfgate.language.meaning.cached import CachedMeaningModel
from wfgate.language.meaning.step_model import StepModel

sys.path.insert(0, str(Path(__file__).parents[1] / "step_equivalence"))

from fit_profile import CORPORA, calibration_goldens

ALPHAS = (0.01, 0.05)
LOW, HIGH = 0.1, 0.5
"""Severities: one step in ten, half of the steps."""
TARGETS = {
    ("substituted", False): ">= 70 % blocked",
    ("drift", False): ">= 60 % blocked",
    ("vague", False): ">= 90 % blocked",
    ("substituted", True): ">= 25 % blocked",
    ("drift", True): ">= 25 % blocked",
    ("vague", True): ">= 35 % blocked",
}
DAMAGE = ("substituted", "drift", "vague", "missing", "compressed", "reordered", "rewired", "extra")
HALF = ("missing", "compressed", "substituted", "drift")


def decision(scores: Path | None = None) -> None:
    """Print the tables.

    Args:
        scores: A score table that keeps the scored variants; None scores all of them again (some minutes).
    """
    held_out = held_out_of(scores)
    print(f"## Decision on {len(held_out.sample.names)} goldens that trained nothing\n")
    rows = [
        _row(held_out, title, members, target, whole=True) for title, members, target in _harmless(held_out.sample)
    ]
    table(("harmless", "blocked", "reviewed or blocked", "wanted", "goldens, variants"), rows)
    print()
    rows = [_row(held_out, *given) for given in _harmful(held_out.sample)]
    table(("harmful", "blocked", "reviewed or blocked", "wanted", "goldens, variants"), rows)


@cache
def held_out_of(scores: Path | None) -> HeldOut:
    """Return the out-of-sample predictions for all variants of the goldens of the shipped profile."""
    corpus = calibration_goldens(CORPORA)
    assessor = Assessor(load_embedder(), CachedMeaningModel(StepModel()))
    with tempfile.TemporaryDirectory() as folder:
        plan = Plan(jobs=os.cpu_count() or 1, pooled=False, scores=scores or Path(folder) / "scores.sqlite")
        return calibrate_corpus(corpus, assessor, plan, tool="bench").held_out


def _harmless(sample: ScoredVariants) -> Iterator[tuple[str, Mask, str]]:
    reworded = sample.made_by("description")
    yield "reworded, one step to all", reworded, "<= 1.5 % blocked"
    yield "reworded, all steps", reworded & (sample.nominal == 1), "-"
    yield "reworded, short step names", reworded & _short(sample), "<= 4 % blocked"
    yield "written anew and accepted", sample.made_by("rewritten"), "<= 6 % blocked"
    yield "edited by hand and accepted", sample.made_by("edited"), "<= 5 % blocked"
    yield "relisted, or with other ids", sample.made_by("relisted", "renamed-ids"), "0 % blocked"


def _harmful(sample: ScoredVariants) -> Iterator[tuple[str, Mask, str]]:
    short = _short(sample)
    for operator in DAMAGE:
        for reworded in (False, True):
            members = sample.made_by(operator) & (sample.reworded == reworded) & (sample.nominal == LOW)
            style = "reworded" if reworded else "verbatim"
            yield f"{operator}, one step in ten, {style}", members, TARGETS.get((operator, reworded), "-")
            if operator == "drift":
                yield f"{operator}, short step names, {style}", members & short, "-"
    for operator in HALF:
        for reworded in (False, True):
            members = sample.made_by(operator) & (sample.reworded == reworded) & (sample.nominal == HIGH)
            style = "reworded" if reworded else "verbatim"
            wanted = "none passes" if operator in {"missing", "compressed"} else "-"
            yield f"{operator}, half of the steps, {style}", members, wanted
    yield "written anew and refused", sample.made_by("refused"), "-"
    yield "edited by hand and refused", sample.made_by("misedited"), "-"


def _short(sample: ScoredVariants) -> Mask:
    """Return the variants of goldens with short step names."""
    column = [piece.id for piece in EVIDENCE].index("short-names")
    return np.asarray(sample.evidence[:, column] > MOSTLY, dtype=bool)


def _row(held_out: HeldOut, title: str, members: Mask, target: str, *, whole: bool = False) -> tuple[str, ...]:
    p_values = np.minimum(held_out.p_values, held_out.sample.rules[:, 0]) if whole else held_out.p_values
    rates = [held_out.rate(members, p_values <= alpha) for alpha in ALPHAS]
    return (title, *map(_cell, rates), target, f"{rates[0].goldens}, {rates[0].variants}")


def _cell(rate: Rate) -> str:
    return f"{rate.value:.1%} ({rate.low:.0%}-{rate.high:.0%})" if rate.variants else "-"


if __name__ == "__main__":
    decision(Path(sys.argv[1]) if sys.argv[1:] else None)
