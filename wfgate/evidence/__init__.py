"""Evidence: numbers about a comparison. The calibration fits its models to them; the gate decides with them."""

from wfgate.evidence.assess import Assessment, Assessor, Signature
from wfgate.evidence.demands import Demands
from wfgate.evidence.features import feature_vector
from wfgate.evidence.gather import EVIDENCE, gather

__all__ = ["EVIDENCE", "Assessment", "Assessor", "Demands", "Signature", "feature_vector", "gather"]
