"""Fit the default profile, each golden judged by a network that did not see it (see `held_out.py`)."""

import os
from pathlib import Path

from held_out import HeldOutEquivalence

from wfgate import __version__
from wfgate.calibration import Assessor, Plan, calibrate
from wfgate.matching.embedders import load_embedder
from wfgate.report.calibration import calibration_markdown

ROOT = Path(__file__).parents[2]
CORPORA = [ROOT / "calibration" / "corpora" / name for name in ("worfbench", "ops", "steps")]
TARGET = ROOT / "wfgate" / "data" / "profiles" / "default.json"
REPORT = ROOT / ".bench" / "default" / "calibration.md"
SAMPLE = 480


def fit(equivalence: HeldOutEquivalence) -> None:
    """Calibrate, write the profile and its report."""
    plan = Plan(sample=SAMPLE, jobs=os.cpu_count() or 1)
    found = calibrate(CORPORA, Assessor(load_embedder(), equivalence), plan, tool=__version__)
    found.profile.save(TARGET)
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(calibration_markdown(found.profile, found.corpus.refused), encoding="utf-8")
    print(f"{TARGET.relative_to(ROOT)}: {found.profile.corpus.goldens} goldens; report: {REPORT.relative_to(ROOT)}")


if __name__ == "__main__":
    fit(HeldOutEquivalence())
