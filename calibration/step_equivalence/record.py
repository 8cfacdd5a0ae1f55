"""Ask the networks of the folds, once, whatever the default profile and the benchmarks ask, and keep it.

usage: record.py FOLD_FOLDER...    (as export.py left them, in the order of the folds)
"""

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "bench"))

import accuracy
import meaning
from fit_profile import fit
from held_out import RECORDED, HeldOutEquivalence, write_record


def main() -> None:
    """Measure everything with the networks; write the record and the profile."""
    parts = Path(tempfile.mkdtemp())
    try:
        equivalence = HeldOutEquivalence([Path(folder) for folder in sys.argv[1:]], parts)
        fit(equivalence)
        meaning.per_step(equivalence)
        meaning.per_workflow(equivalence)
        accuracy.regenerations(equivalence)
        print(f"{write_record(parts, RECORDED):,} judgements in {RECORDED.name}")
    finally:
        shutil.rmtree(parts)


if __name__ == "__main__":
    main()
