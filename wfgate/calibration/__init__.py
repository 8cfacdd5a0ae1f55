"""From perturbed goldens to thresholds with stated error rates."""

from wfgate.calibration.assess import Assessment, Assessor, Signature
from wfgate.calibration.calibrate import Calibration, Plan, calibrate, calibrate_corpus
from wfgate.calibration.corpus import Corpus, read_corpus
from wfgate.calibration.degradation import Degradation
from wfgate.calibration.evidence import EVIDENCE, gather
from wfgate.calibration.features import feature_vector
from wfgate.calibration.misses import Miss
from wfgate.calibration.profile import Profile, default_profile, load_profile, shipped_profile
from wfgate.calibration.rates import Promise
from wfgate.calibration.refresh import Refresh, compare_profiles
from wfgate.calibration.severity import SeverityEstimate

__all__ = [
    "EVIDENCE",
    "Assessment",
    "Assessor",
    "Calibration",
    "Corpus",
    "Degradation",
    "Miss",
    "Plan",
    "Profile",
    "Promise",
    "Refresh",
    "SeverityEstimate",
    "Signature",
    "calibrate",
    "calibrate_corpus",
    "compare_profiles",
    "default_profile",
    "feature_vector",
    "gather",
    "load_profile",
    "read_corpus",
    "shipped_profile",
]
