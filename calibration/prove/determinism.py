"""Measures how much the logits of the meaning model depend on their order, threads and the order of summation.

usage: determinism.py [STEPS]

The logits of recorded rewordings and drifts are compared before rounding: in another order, with two threads, and
without graph optimisation, which changes the order of summation in single precision as another processor would. The
target of the latter is half of the rounding step: differences below it rarely survive the rounding.
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from wfgate.calibration import read_corpus
from wfgate.language import same_words
from wfgate.language.meaning import step_model
from wfgate.language.meaning.step_model import StepModel

CORPORA = Path(__file__).parents[1] / "corpora"
STEPS = 400
"""Default number of changed steps."""
DECIMALS = 2
"""Decimals to which the meaning model rounds logits."""
EXACT = 15
"""Decimals that switch the rounding off."""

Floats = NDArray[np.float64]
Texts = tuple[str, str]


def rows(steps: int = STEPS) -> list[tuple[str, str, str]]:
    """Return the rows of the table: what, measured, target."""
    pairs = changed_steps(steps)
    usual = logits(pairs)
    order = random.Random(0).sample(range(len(pairs)), len(pairs))
    orders = difference(usual[order], logits([pairs[place] for place in order]))
    threads = difference(usual, logits(pairs, threads=2))
    written = logits(pairs, optimised=False)
    turned = int((np.round(usual, DECIMALS) != np.round(written, DECIMALS)).sum())
    return [
        (f"logits of {len(pairs)} changed steps in another order: largest difference", f"{orders:.1g}", "0"),
        ("the same, two threads", f"{threads:.1g}", "0"),
        (
            f"the same, sums in another order; logits that differ after rounding to {DECIMALS} decimals",
            f"{difference(usual, written):.1g}; {turned}",
            f"<= {0.5 * 10**-DECIMALS:g}",
        ),
    ]


def changed_steps(count: int) -> list[Texts]:
    """Return pairs of a step and its rewording or drift, mixed, the same ones in each run."""
    found: dict[Texts, None] = {}
    for golden in read_corpus([CORPORA / "steps", CORPORA / "worfbench"]).goldens:
        names = [task.statement for task in golden.workflow.tasks]
        for texts in golden.texts.rewordings:
            found |= dict.fromkeys(zip(names, texts, strict=True))
        found |= {(names[drift.step], drift.text): None for drift in golden.texts.drifts}
    differing = [pair for pair in found if not same_words(*pair)]
    return random.Random(0).sample(differing, min(count, len(differing)))


def logits(pairs: Sequence[Texts], *, threads: int = 1, optimised: bool = True) -> Floats:
    """Return the logits of pairs, not rounded.

    Args:
        pairs: The texts.
        threads: Number of threads.
        optimised: Whether the graph of the network is optimised for this processor, as in the package.
    """
    model = StepModel()
    opened = patch.object(onnxruntime, "InferenceSession", _session(threads, optimised=optimised))
    with patch.object(step_model, "_DIGITS", EXACT), opened:
        return np.array([score.logit for score in model.compare(pairs)])


def _session(threads: int, *, optimised: bool) -> object:
    made = onnxruntime.InferenceSession

    def session(weights: bytes, options: onnxruntime.SessionOptions, **rest: object) -> object:
        options.intra_op_num_threads = threads
        if not optimised:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        return made(weights, options, **rest)

    return session


def difference(first: Floats, second: Floats) -> float:
    """Return the largest absolute difference."""
    return float(np.abs(first - second).max())


def main() -> None:
    """Print the rows as a Markdown table."""
    print("| what | measured | target |\n| --- | --- | --- |")
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS):
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
