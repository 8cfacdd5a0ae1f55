"""Sets a project up: its first files, and the diagnosis of its set-up."""

from wfgate.setup.doctor import Complaint, diagnose
from wfgate.setup.scaffold import CI_SYSTEMS, scaffold

__all__ = ["CI_SYSTEMS", "Complaint", "diagnose", "scaffold"]
