"""Trains the support model: does a window of the candidate meet the demand of a golden step?

The network, its start weights and its environment are those of `train.py`; the pairs are those of `support.py`. Run::

    .venv-train/bin/python calibration/step_equivalence/train_support.py --out .bench/support

After each epoch the network is measured on the part "dev" (see `support.py`): the score of a workflow is the logit of
its weakest golden step, from texts alone. Training can be interrupted and resumes after the last complete epoch. An
epoch has about 21,000 pairs and takes ten minutes on two idle cores.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from data import KINDS
from network import Network
from numpy.typing import NDArray
from support import Pair, epoch, goldens, regenerations, window
from tokenizers import Tokenizer
from train import Encoded, binary, fit, tensors, tokenizer

LEAST_RATE = 0.02
"""Factor of the learning rate at the end."""
BLOCKED = (0.01, 0.05, 0.1)
"""Shares of accepted workflows at or below the threshold for which the share of refused ones is printed."""


def encoded(found: Sequence[Pair], by: Tokenizer) -> list[Encoded]:
    """Return token ids, segments and the label of each pair."""
    read = by.encode_batch([(pair.golden, pair.window) for pair in found])
    return [(item.ids, item.type_ids, KINDS.index(pair.kind)) for item, pair in zip(read, found, strict=True)]


@torch.inference_mode()
def scores(model: Network, found: Sequence[Pair], by: Tokenizer) -> NDArray[np.float64]:
    """Return the logit of "the demand is met" of each pair."""
    model.eval()
    read = encoded(found, by)
    result = np.zeros(len(read))
    order = sorted(range(len(read)), key=lambda place: len(read[place][0]))
    for start in range(0, len(order), 64):
        places = order[start : start + 64]
        inputs, _ = tensors([read[place] for place in places])
        result[places] = binary(model(**inputs)[0]).numpy()
    return result


def measured(model: Network, by: Tokenizer) -> str:
    """Return how well the weakest step tells accepted from refused workflows of the part "dev"."""
    found = regenerations("dev")
    pairs, owners = [], []
    for owner, one in enumerate(found):
        names = [step["name"] for step in one["steps"]]
        steps = goldens()[one["golden"]]["steps"]
        pairs += [Pair(golden, window(golden, names), KINDS[0]) for golden in steps]
        owners += [owner] * len(steps)
    weakest = np.full(len(found), np.inf)
    np.minimum.at(weakest, owners, scores(model, pairs, by))
    refused = np.array([one["label"] == "reject" for one in found])
    accepted = np.sort(weakest[~refused])
    said = [f"AUC {auc(accepted, weakest[refused]):.3f}"]
    for brief in ("dropped", "changed"):
        chosen = refused & np.array([one["brief"] == brief for one in found])
        said.append(f"{brief} {auc(accepted, weakest[chosen]):.3f}")
    for share in BLOCKED:
        threshold = accepted[max(int(share * len(accepted)) - 1, 0)]
        said.append(f"{(weakest[refused] <= threshold).mean():.0%} at {share:.0%}")
    return f"{len(accepted)} accepted, {refused.sum()} refused: {', '.join(said)}"


def auc(accepted: NDArray[np.float64], refused: NDArray[np.float64]) -> float:
    """Return the probability that an accepted workflow has a higher score than a refused one."""
    higher = accepted[:, None] > refused[None, :]
    return float((higher + 0.5 * (accepted[:, None] == refused[None, :])).mean())


def main() -> None:
    """Train, and save the weights."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    by = tokenizer()
    model = fit(
        lambda number: encoded(epoch(number, given.seed), by),
        given.out,
        given.epochs,
        given.seed,
        least_rate=LEAST_RATE,
        after=lambda network, done: print(f"after {done} epochs: {measured(network, by)}", flush=True),
    )
    torch.save(model.state_dict(), given.out / "model.pt")


if __name__ == "__main__":
    main()
