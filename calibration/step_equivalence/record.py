"""Computes and records all logits of the fold networks that the default profile and the benchmarks need.

usage: record.py FOLD_FOLDER...    (written by export.py, in the order of the folds)
"""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import accuracy
import meaning
from fit_profile import fit
from held_out import RECORDED, HeldOutMeaningModel, write_record


def main() -> None:
    """Run all benchmarks with the networks; write the record and the profile."""
    parts = Path(tempfile.mkdtemp())
    try:
        meaning_model = HeldOutMeaningModel([Path(folder) for folder in sys.argv[1:]], parts)
        fit(meaning_model)
        meaning.per_step(meaning_model)
        meaning.per_workflow(meaning_model)
        accuracy.regenerations(meaning_model)
        print(f"{write_record(parts, RECORDED):,} logits in {RECORDED.name}")
    finally:
        shutil.rmtree(parts)


if __name__ == "__main__":
    main()
