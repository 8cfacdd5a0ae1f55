"""Writes the shipped network as a folder for `train.py`, so that it can teach a smaller one.

usage: restore.py wfgate/data/step_equivalence MINILM OUT

MINILM is the folder of the encoder's published weights, for its configuration. Weights are read from the 8-bit
integers, so each differs from the trained one by at most half a step of its scale.
"""

import sys
from pathlib import Path

import onnx
import torch
from network import Network
from numpy.typing import NDArray
from onnx.numpy_helper import to_array

_PRODUCT = "MatMulInteger"
_QUANTIZED = "_quantized"


def weights(path: Path) -> dict[str, NDArray]:
    """Return the weights of the graph by the names of the network's parameters."""
    graph = onnx.load(str(path)).graph
    values = {each.name: to_array(each) for each in graph.initializer}
    found = {}
    for name, value in values.items():
        if name.removesuffix(_QUANTIZED).endswith((".weight", ".bias")):
            found[name.removesuffix(_QUANTIZED)] = _real(name, values) if name.endswith(_QUANTIZED) else value
    for node in graph.node:
        if node.op_type == _PRODUCT:
            module = node.output[0].removeprefix("/").rpartition("/")[0].replace("/", ".")
            found[f"{module}.weight"] = _real(node.input[1], values).T
    return found


def _real(name: str, values: dict[str, NDArray]) -> NDArray:
    base = name.removesuffix(_QUANTIZED)
    return (values[name].astype("float32") - values[f"{base}_zero_point"].astype("float32")) * values[f"{base}_scale"]


def main() -> None:
    """Write the network, its configuration and its tokenizer."""
    shipped, encoder, out = map(Path, sys.argv[1:])
    out.mkdir(parents=True, exist_ok=True)
    model = Network.fresh(encoder)
    state = {name: torch.tensor(value) for name, value in weights(shipped / "model.onnx").items()}
    missing, unknown = model.load_state_dict(state, strict=False)
    if missing or unknown:
        raise SystemExit(f"the graph does not have {missing}, and has {unknown}")
    model.save(out)
    (out / "tokenizer.json").write_text((shipped / "tokenizer.json").read_text("utf-8"), encoding="utf-8")


if __name__ == "__main__":
    main()
