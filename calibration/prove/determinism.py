"""How far the logits of the meaning model differ elsewhere, against half of the last decimal that they are rounded to.

usage: determinism.py [STEPS]

Its logits before they are rounded, for recorded rewordings and drifts: in batches of other sizes and orders, with two
threads, and with the network as it is written instead of optimised, which adds the same numbers up in another order,
as another processor would.
"""

import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from wfgate.alignment.meaning import StepModel, same_words, step_model
from wfgate.calibration.corpus import read_corpus

CORPORA = Path(__file__).parents[1] / "corpora"
STEPS = 400
"""Changed steps that are judged, unless told otherwise."""
EXACT = 15
"""Decimals that no rounding reaches."""
SIZES = (1, 160, 2048)
"""Tokens in one call of the network: a pair, about five, about sixty."""

Floats = NDArray[np.float64]
Texts = tuple[str, str]


def rows(steps: int = STEPS) -> list[tuple[str, str, str]]:
    """Return what was looked at, what was measured, and the target."""
    pairs = changed_steps(steps)
    usual = logits(pairs)
    batches = max(difference(usual, logits(pairs, size)) for size in SIZES)
    order = random.Random(0).sample(range(len(pairs)), len(pairs))
    batches = max(batches, difference(usual[order], logits([pairs[place] for place in order])))
    threads = difference(usual, logits(pairs, threads=2))
    written = logits(pairs, optimised=False)
    turned = int((np.round(usual, 2) != np.round(written, 2)).sum())
    target = "<= 0.005"
    return [
        (
            f"logits of {len(pairs)} changed steps, other batches and orders: largest difference",
            f"{batches:.1g}",
            target,
        ),
        ("the same, two threads", f"{threads:.1g}", target),
        (
            "the same, sums in another order; differing once rounded to 0.01",
            f"{difference(usual, written):.1g}; {turned}",
            target,
        ),
    ]


def changed_steps(count: int) -> list[Texts]:
    """Return steps and what became of them, rewordings and drifts mixed, always the same ones."""
    found: dict[Texts, None] = {}
    for golden in read_corpus([CORPORA / "steps", CORPORA / "worfbench"]).goldens:
        names = [task.statement for task in golden.workflow.tasks]
        for texts in golden.texts.rewordings:
            found |= dict.fromkeys(zip(names, texts, strict=True))
        found |= {(names[drift.step], drift.text): None for drift in golden.texts.drifts}
    differing = [pair for pair in found if not same_words(*pair)]
    return random.Random(0).sample(differing, min(count, len(differing)))


def logits(pairs: Sequence[Texts], size: int | None = None, *, threads: int = 1, optimised: bool = True) -> Floats:
    """Return the logits of pairs, not rounded.

    Args:
        pairs: The texts.
        size: Tokens in one call of the network; as the package has it where None.
        threads: Threads of one call.
        optimised: Whether the network is rewritten for this processor, as the package has it.
    """
    judge = StepModel()
    with exact(size), patch.object(onnxruntime, "InferenceSession", _session(threads, optimised=optimised)):
        return np.array([judgement.logit for judgement in judge.compare(pairs)])


@contextmanager
def exact(size: int | None = None) -> Iterator[None]:
    """Have nothing rounded, and that many tokens in one call of the network."""
    changes: dict[str, Any] = {"_DIGITS": EXACT} | ({"_AT_ONCE": size} if size else {})
    with patch.multiple(step_model, **changes):
        yield


def _session(threads: int, *, optimised: bool) -> object:
    made = onnxruntime.InferenceSession

    def session(weights: bytes, options: onnxruntime.SessionOptions, **rest: object) -> object:
        options.intra_op_num_threads = threads
        if not optimised:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        return made(weights, options, **rest)

    return session


def difference(first: Floats, second: Floats) -> float:
    """Return the largest difference."""
    return float(np.abs(first - second).max())


def main() -> None:
    """Print the rows as a Markdown table."""
    print("| what | measured | target |\n| --- | --- | --- |")
    for row in rows(int(sys.argv[1]) if len(sys.argv) > 1 else STEPS):
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
