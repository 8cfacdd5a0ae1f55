"""The baseline: approved references, who approved them, what waits for approval, and the check before a deployment."""

from wfgate.baseline.approvals import Approval, Signer, approvals_file, last_approval, standing, unapproved
from wfgate.baseline.approve import Approved, approve, defects
from wfgate.baseline.attestation import Statement, read_statement, verify
from wfgate.baseline.predeploy import STRICT, Ready, predeploy
from wfgate.baseline.references import Entry, entries, sha256_of
from wfgate.baseline.waiting import Waiting, waiting

__all__ = [
    "STRICT",
    "Approval",
    "Approved",
    "Entry",
    "Ready",
    "Signer",
    "Statement",
    "Waiting",
    "approvals_file",
    "approve",
    "defects",
    "entries",
    "last_approval",
    "predeploy",
    "read_statement",
    "sha256_of",
    "standing",
    "unapproved",
    "verify",
    "waiting",
]
