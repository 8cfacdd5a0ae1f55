"""Prints the verdicts of the whole gate, with its findings, on damaged goldens of the part "dev".

`decision.py` judges harmful candidates by the p-value alone; here the findings count, too. An exchanged order, for
example, contradicts a dependency in whatever words. Default policy and profile, without critical steps. The
texts are those of the calibration, so the rates of the p-value are a little optimistic: the default profile was fitted
on these goldens.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
from accuracy import table, verdict_cells

from wfgate.calibration import PERTURBATIONS, Golden
from wfgate.decide import Pair
from wfgate.errors import PerturbationRejected
from wfgate.model import Workflow
from wfgate.run import Config, load_gate

sys.path.insert(0, str(Path(__file__).parents[1] / "step_equivalence"))

from fit_profile import CORPORA, calibration_goldens

EVERY = 12
"""Every which golden is judged; each takes about six seconds."""
DAMAGE = {
    "substituted": (">= 90 % blocked", ">= 60 % blocked"),
    "drift": (">= 75 % blocked", ">= 45 % blocked"),
    "vague": (">= 95 % blocked", ">= 70 % blocked"),
    "missing": ("-", ">= 90 % blocked"),
    "compressed": ("-", ">= 85 % blocked"),
    "reordered": ("-", ">= 70 % flagged"),
    "rewired": ("-", ">= 50 % flagged"),
    "extra": ("-", ">= 50 % flagged"),
}
"""Operators with what is wanted, other steps verbatim and reworded."""
HALF = ("missing", "compressed")
LOW, HIGH, SEED = 0.1, 0.5, 3


def whole_gate() -> None:
    """Print the verdicts by kind of damage and style."""
    gate = load_gate(Config(), date.min)
    goldens = [_plain(each) for each in calibration_goldens(CORPORA).goldens if each.texts.rewordings][::EVERY]
    verdicts: dict[tuple[str, str], Counter[str]] = {}
    wanted: dict[tuple[str, str], str] = {}
    for golden in goldens:
        for style, base in (("verbatim", golden), ("reworded", golden.reworded(golden.texts.rewordings[0]))):
            for title, want, candidate in _candidates(golden, base, style):
                verdict = gate.decide(Pair(golden.id, (golden.workflow,), candidate)).verdict
                verdicts.setdefault((title, style), Counter())[verdict] += 1
                wanted[title, style] = want
    print(f"## The whole gate on damaged workflows, {len(goldens)} goldens, default profile\n")
    rows = [(f"{key[0]}, {key[1]}", *verdict_cells(found), wanted[key]) for key, found in sorted(verdicts.items())]
    table(("candidate", "pass", "review", "block", "inconclusive", "wanted"), rows)


def _plain(golden: Golden) -> Golden:
    """Return the golden without critical steps, which block alone."""
    tasks = tuple(task.model_copy(update={"critical": False}) for task in golden.workflow.tasks)
    return replace(golden, workflow=golden.workflow.model_copy(update={"tasks": tasks}))


def _candidates(golden: Golden, base: Golden, style: str) -> Iterator[tuple[str, str, Workflow]]:
    """Yield title, what is wanted, and the candidate."""
    if base is not golden:
        yield "harmless", "<= 1.5 % blocked", base.workflow
    for operator, (verbatim, reworded) in DAMAGE.items():
        for size in (LOW, *([HIGH] if operator in HALF else [])):
            try:
                found = PERTURBATIONS[operator].perturb(base, size, np.random.default_rng(SEED))
            except PerturbationRejected:
                continue
            share = "half of the steps" if size == HIGH else "one step in ten"
            target = "none passes" if size == HIGH else verbatim if style == "verbatim" else reworded
            yield f"{operator}, {share}", target, found.workflow


if __name__ == "__main__":
    whole_gate()
