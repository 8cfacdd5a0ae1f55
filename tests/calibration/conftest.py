"""Small corpora, rows made without any workflow, and one real calibration that is over in seconds."""

import json
from pathlib import Path

import numpy as np
import pytest

from wfgate.calibration import PERTURBATIONS, Plan, calibrate, read_corpus
from wfgate.calibration.fit import fit_profile
from wfgate.calibration.perturb.base import affected_count
from wfgate.calibration.sample import ScoredVariants
from wfgate.calibration.score_table import ScoreRow
from wfgate.decide import EVIDENCE, Assessor, CorpusSummary, ProfileOrigin, Signature
from wfgate.language import StaticEmbedder, load_meaning_model

CORPORA = Path(__file__).parents[2] / "calibration" / "corpora"

ORIGIN = ProfileOrigin(
    tool="test",
    signature=Signature(embedder="none", meaning_model="none", metrics=("chain-f1/1",)),
    seed=0,
    corpus=CorpusSummary(fingerprint="f", goldens=1, with_rewordings=1, variants=1),
)
QUICK_ALPHAS = (0.3, 0.6)
QUICK_GOLDENS = 5
FEW_GOLDENS, FEW_STEPS = 16, 5


@pytest.fixture(scope="session")
def corpora():
    return [CORPORA / "worfbench", CORPORA / "ops"]


@pytest.fixture(scope="session")
def corpus(corpora):
    return read_corpus(corpora)


@pytest.fixture(scope="session")
def assessor():
    return Assessor(StaticEmbedder(), load_meaning_model())


@pytest.fixture(scope="session")
def quick_plan():
    def plan(**settings):
        return Plan(**{"sample": QUICK_GOLDENS, "alphas": QUICK_ALPHAS, "pooled": False, **settings})

    return plan


@pytest.fixture(scope="session")
def few(tmp_path_factory):
    """A corpus of few small goldens with recorded texts: it is read, and its variants are scored, at once."""
    folder = tmp_path_factory.mktemp("few")
    lines = {
        name: (CORPORA / "worfbench" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        for name in ("goldens", "variants")
    }
    records = {name: {json.loads(line)["id"]: line for line in of} for name, of in lines.items()}
    small = [id_ for id_, line in records["variants"].items() if len(json.loads(line)["paraphrase_a"]) == FEW_STEPS]
    chosen = small[:FEW_GOLDENS]
    for name, of in records.items():
        (folder / f"{name}.jsonl").write_text("".join(of[id_] + "\n" for id_ in chosen), encoding="utf-8")
    return [folder]


@pytest.fixture(scope="session")
def quick(few, assessor, quick_plan, tmp_path_factory):
    """A finished calibration of a few goldens, and the score table it left."""
    scores = tmp_path_factory.mktemp("quick") / "scores.db"
    return calibrate(few, assessor, quick_plan(scores=scores), tool="test"), scores


@pytest.fixture(scope="session")
def rows_of():
    """Make score rows of goldens that never were: benign ones near 0, degraded ones further off the worse."""

    def make(goldens, seed=0, steps=10):
        rng = np.random.default_rng(seed)
        rows = []
        for number in range(goldens):
            for operator, perturbation in PERTURBATIONS.items():
                for severity in perturbation.severities:
                    for repeat in range(2 if operator == "description" else 1):
                        damage = 0.0 if perturbation.label == "benign" else severity
                        evidence = {
                            piece.id: round(float(rng.exponential(0.1) + damage * (steps if piece.count else 1)), 6)
                            for piece in EVIDENCE
                        }
                        evidence["affected-share"] = min(1.0, evidence["affected-share"])
                        # of both styles of candidates (decide/profile/classes.py)
                        evidence["reworded-share"] = severity if operator == "description" else float(number % 2)
                        evidence["short-names"] = 0.0
                        rows.append(
                            ScoreRow(
                                key=f"{number}|{operator}|{severity}|{repeat}",
                                golden=f"golden {number}",
                                operator=operator,
                                severity=severity,
                                reworded=False,
                                repeat=repeat,
                                steps=steps,
                                affected=affected_count(severity, steps),
                                metrics={"chain-f1": round(1 - damage, 6), "bleu": None},
                                evidence=evidence,
                            )
                        )
        return rows

    return make


@pytest.fixture(scope="session")
def origin():
    return ORIGIN


@pytest.fixture(scope="session")
def fit():
    def fitted(rows, alphas=(0.05, 0.1), **given):
        return fit_profile(ScoredVariants.of(rows), ORIGIN, alphas, **given).profile

    return fitted


@pytest.fixture
def write_lines(tmp_path):
    def write(*records, name="corpus.jsonl"):
        path = tmp_path / name
        lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    return write
