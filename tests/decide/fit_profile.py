"""The profile of these tests: fitted on a few goldens with a shortened plan. `python fit_profile.py` renews it."""

from pathlib import Path

from wfgate.calibration import Plan, calibrate, scoring
from wfgate.decide import Assessor
from wfgate.language import StaticEmbedder, load_meaning_model

CORPORA = Path(__file__).parents[2] / "calibration" / "corpora"
GOLDENS = 80
FILE = Path(__file__).with_name("profile.json")
PLANNED = scoring.planned_variants


def shortened(golden):
    """Plan all rewordings and only the mildest and the worst damage."""
    for planned in PLANNED(golden):
        if planned.operator == "description" or (planned.severity in {0.1, 0.5} and planned.reworded):
            yield planned


def fitted():
    """Return the profile; takes ten minutes of processor time."""
    scoring.planned_variants = shortened
    try:
        plan = Plan(sample=GOLDENS, alphas=(0.05, 0.1))
        assessor = Assessor(StaticEmbedder(), load_meaning_model())
        return calibrate([CORPORA / "worfbench", CORPORA / "ops"], assessor, plan, tool="test").profile
    finally:
        scoring.planned_variants = PLANNED


if __name__ == "__main__":
    fitted().save(FILE)
