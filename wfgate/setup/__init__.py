"""The set-up of a project: creates the first files, and finds problems."""

from wfgate.setup.doctor import Complaint, diagnose
from wfgate.setup.scaffold import CI_SYSTEMS, NO_COMMIT, REGRESSED, example_files, installed_ref, scaffold

__all__ = [
    "CI_SYSTEMS",
    "NO_COMMIT",
    "REGRESSED",
    "Complaint",
    "diagnose",
    "example_files",
    "installed_ref",
    "scaffold",
]
