"""From perturbed goldens to thresholds with stated error rates."""

from wfgate.calibration.calibrate import Calibration, Plan, calibrate, calibrate_corpus
from wfgate.calibration.corpus import Corpus, read_corpus
from wfgate.calibration.misses import Miss
from wfgate.calibration.refresh import Refresh, compare_profiles

__all__ = [
    "Calibration",
    "Corpus",
    "Miss",
    "Plan",
    "Refresh",
    "calibrate",
    "calibrate_corpus",
    "compare_profiles",
    "read_corpus",
]
