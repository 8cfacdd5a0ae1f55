"""Fits the default profile with held-out meaning models (see `held_out.py`)."""

import hashlib
import json
import os
from pathlib import Path

from held_out import HeldOutMeaningModel

from wfgate import __version__
from wfgate.alignment.embedders import load_embedder
from wfgate.calibration import Plan, calibrate_corpus
from wfgate.evidence import Assessor
from wfgate.report.calibration import calibration_markdown
from wfgate.store import write_atomically

ROOT = Path(__file__).parents[2]
CORPORA = [ROOT / "calibration" / "corpora" / name for name in ("worfbench", "ops", "steps")]
TARGET = ROOT / "wfgate" / "data" / "profiles" / "default.json"
REPORT = ROOT / "calibration" / "profiles" / "default.md"


def fit(meaning_model: HeldOutMeaningModel) -> None:
    """Calibrate, write the profile and its report."""
    corpus = meaning_model.corpus(CORPORA)
    plan = Plan(jobs=os.cpu_count() or 1)
    found = calibrate_corpus(corpus, Assessor(load_embedder(), meaning_model), plan, tool=__version__)
    found.profile.save(TARGET)
    record(TARGET)
    write_atomically(REPORT, calibration_markdown(found.profile, corpus.refused, found.misses))
    print(f"{TARGET.relative_to(ROOT)}: {found.profile.corpus.goldens} goldens; report: {REPORT.relative_to(ROOT)}")


def record(profile: Path) -> None:
    """Write the provenance of a profile with its hash, which is checked when the profile is loaded."""
    digest = hashlib.sha256(profile.read_bytes()).hexdigest()
    said = {"id": profile.stem, "method": str(Path(__file__).relative_to(ROOT)), "sha256": {profile.name: digest}}
    write_atomically(profile.with_name("provenance.json"), json.dumps(said, indent=2) + "\n")


if __name__ == "__main__":
    fit(HeldOutMeaningModel())
