"""Fits the shipped profiles on the goldens that the meaning model was not trained on (part "dev" of `pairs.py`).

usage: fit_profile.py [SCORES]    (SCORES keeps the scored variants)
"""

import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pairs import lines, part

from wfgate import __version__
from wfgate.base import write_atomically
from wfgate.calibration import Corpus, Plan, calibrate_corpus, calibration_markdown, read_corpus
from wfgate.decide import DEFAULT_PROFILE, SHIPPED_PROFILES, Assessor
from wfgate.language import load_embedder
from wfgate.language.meaning.cached import CachedMeaningModel
from wfgate.language.meaning.step_model import StepModel

ROOT = Path(__file__).parents[2]
CORPORA = [ROOT / "calibration" / "corpora" / name for name in ("worfbench", "ops", "steps", "regenerations", "dev")]
TARGET = ROOT / "wfgate" / "data" / "profiles"
REPORTS = ROOT / "calibration" / "profiles"


MEASURED = [ROOT / "calibration" / "corpora" / "dev" / name for name in ("conditions.jsonl", "runbooks.jsonl")]
"""Goldens with conditions, and runbooks: they only measure. Independent steps of a runbook stand in some order, and a
condition is drawn in several ways, so that accepted ones differ in structure more often than others. With these 40 in
the null distribution, 19 % instead of 51 % of the workflows with an exchanged order in other words are reviewed."""


def calibration_goldens(paths: Sequence[Path]) -> Corpus:
    """Return the goldens with recorded texts that the meaning model was not trained on, without those that measure."""
    measuring = {record["id"] for path in MEASURED for record in lines(path)}
    return read_corpus(paths).where(
        lambda golden: (
            part(golden.id) == "dev"
            and golden.id not in measuring
            and bool(golden.texts.rewordings or golden.accepted)
        )
    )


def fit(scores: Path) -> None:
    """Calibrate, write the shipped profiles and the report of each."""
    corpus = calibration_goldens(CORPORA)
    plan = Plan(jobs=os.cpu_count() or 1, pooled=False, scores=scores)
    for name in SHIPPED_PROFILES:
        kept = corpus if name == DEFAULT_PROFILE else _only_reworded(corpus)
        assessor = Assessor(load_embedder(), CachedMeaningModel(StepModel()))
        found = calibrate_corpus(kept, assessor, plan, tool=__version__)
        found.profile.save(TARGET / f"{name}.json")
        report = calibration_markdown(found.profile, kept.refused, found.misses)
        write_atomically(REPORTS / f"{name}.md", report.replace(f"{ROOT}/", ""))
        print(f"{name}: {found.profile.corpus.goldens} goldens")
    record(TARGET)


def _only_reworded(corpus: Corpus) -> Corpus:
    """Return the goldens with recorded rewordings, without workflows that were written anew."""
    reworded = corpus.where(lambda golden: bool(golden.texts.rewordings))
    return replace(reworded, goldens=tuple(replace(each, accepted=(), refused=()) for each in reworded.goldens))


def record(folder: Path) -> None:
    """Write the provenance of the profiles with their hashes, which are checked when a profile is loaded."""
    digests = {
        f"{name}.json": hashlib.sha256((folder / f"{name}.json").read_bytes()).hexdigest() for name in SHIPPED_PROFILES
    }
    said = {"id": "profiles", "method": str(Path(__file__).relative_to(ROOT)), "sha256": digests}
    write_atomically(folder / "provenance.json", json.dumps(said, indent=2) + "\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        fit(Path(sys.argv[1]) if sys.argv[1:] else Path(folder) / "scores.sqlite")
