"""Setting a project up: the files that it starts with, and what is wrong with the set-up that it has."""

from wfgate.setup.doctor import Complaint, diagnose
from wfgate.setup.scaffold import CI_SYSTEMS, scaffold

__all__ = ["CI_SYSTEMS", "Complaint", "diagnose", "scaffold"]
