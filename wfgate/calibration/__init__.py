"""Calibration: fits a profile with stated error rates on variants of goldens.

A golden is an approved workflow. An operator (perturbation) changes a golden into a variant: harmless (a rewording,
for example) or damaged (a missing step, for example).
"""

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
