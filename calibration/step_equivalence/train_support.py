"""Trains the support model: does a window of the candidate meet the demand of a golden step?

The network, its start weights and its environment are those of `train.py`; the pairs are those of `support.py`. Run::

    .venv-train/bin/python calibration/step_equivalence/train_support.py --out .bench/support

After each epoch the network is measured on the part "dev" (see `support.py`): the score of a workflow is the logit of
its weakest golden step, from texts alone. Training can be interrupted and resumes after the last complete epoch. An
epoch has about 21,000 pairs and takes ten minutes on two idle cores.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from data import KINDS
from network import Network
from numpy.typing import NDArray
from support import Pair, epoch, goldens, regenerations, window
from tokenizers import Tokenizer
from train import BATCH, DEEPER, PEAK, WARM, WEIGHT_DECAY, batches, binary, depth_of, loss_of, tensors, tokenizer

LEAST_RATE = 0.02
"""Factor of the learning rate at the end."""
BLOCKED = (0.01, 0.05, 0.1)
"""Shares of accepted workflows at or below the threshold for which the share of refused ones is printed."""


def encoded(found: Sequence[Pair], by: Tokenizer) -> list[tuple[list[int], list[int], int]]:
    """Return token ids, segments and the label of each pair."""
    read = by.encode_batch([(pair.golden, pair.window) for pair in found])
    return [(item.ids, item.type_ids, KINDS.index(pair.kind)) for item, pair in zip(read, found, strict=True)]


def fit(out: Path, epochs: int, seed: int) -> Network:
    """Train, or resume after the last epoch in the folder."""
    torch.manual_seed(seed)
    model = Network.fresh()
    model.bert.embeddings.word_embeddings.weight.requires_grad = False
    groups: defaultdict[tuple[int, bool], list[torch.Tensor]] = defaultdict(list)
    for name, value in model.named_parameters():
        if value.requires_grad:
            groups[depth_of(name), value.ndim > 1].append(value)
    trained = [value for group in groups.values() for value in group]
    optimizer = torch.optim.AdamW(
        [
            {"params": group, "lr": PEAK * DEEPER**depth, "weight_decay": WEIGHT_DECAY * matrices}
            for (depth, matrices), group in groups.items()
        ]
    )
    steps = epochs * len(epoch(0, seed)) // BATCH
    warm = int(WARM * steps)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: step / warm if step < warm else max(LEAST_RATE, (steps - step) / (steps - warm))
    )
    by, first, saved = tokenizer(), 0, out / "epoch.pt"
    if saved.exists():
        state = torch.load(saved, weights_only=True)
        first = state.pop("epoch")
        for name, part in (("model", model), ("optimizer", optimizer), ("schedule", schedule)):
            part.load_state_dict(state[name])
    for number in range(first, epochs):
        model.train()
        for batch in batches(encoded(epoch(number, seed), by), random.Random(f"{seed}-{number}-batches")):
            inputs, labels = tensors(batch)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits, _ = model(**inputs)
            loss = loss_of(logits.float(), labels)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
        torch.save({**state, "epoch": number + 1}, saved.with_suffix(".new"))
        saved.with_suffix(".new").replace(saved)
        print(f"after {number + 1} epochs: {measured(model, by)}", flush=True)
    return model


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
    torch.save(fit(given.out, given.epochs, given.seed).state_dict(), given.out / "model.pt")


if __name__ == "__main__":
    main()
