"""What the comparison of two workflows shows, as numbers: read by calibration and by the gate."""

from wfgate.evidence.assess import Assessment, Assessor, Signature
from wfgate.evidence.features import feature_vector
from wfgate.evidence.gather import EVIDENCE, gather

__all__ = ["EVIDENCE", "Assessment", "Assessor", "Signature", "feature_vector", "gather"]
