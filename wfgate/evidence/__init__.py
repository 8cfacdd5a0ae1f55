"""Evidence: the features of a comparison that calibration fits and the gate decides on."""

from wfgate.evidence.assess import Assessment, Assessor, Signature
from wfgate.evidence.features import feature_vector
from wfgate.evidence.gather import EVIDENCE, gather

__all__ = ["EVIDENCE", "Assessment", "Assessor", "Signature", "feature_vector", "gather"]
