"""Evidence: numbers about a comparison. The calibration fits its models to them; the gate decides with them."""

from wfgate.alignment import State
from wfgate.alignment.fate import IN_DOUBT
from wfgate.evidence.assess import Assessment, Assessor, Signature
from wfgate.evidence.demands import Demands
from wfgate.evidence.features import feature_vector
from wfgate.evidence.gather import EVIDENCE, gather, median_words
from wfgate.evidence.steps import StepState, step_states

__all__ = [
    "EVIDENCE",
    "IN_DOUBT",
    "Assessment",
    "Assessor",
    "Demands",
    "Signature",
    "State",
    "StepState",
    "feature_vector",
    "gather",
    "median_words",
    "step_states",
]
