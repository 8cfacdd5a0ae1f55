"""The baseline: approved references (goldens as files), approvals, pending candidates, the pre-deploy check."""

from wfgate.baseline.approvals import Approval, Signer, approvals_file, last_approval, standing, unapproved
from wfgate.baseline.approve import Approved, approve, approved_as, defects, read_entry, required_reason
from wfgate.baseline.attestation import MAX_AGE, Statement, read_statement, verify
from wfgate.baseline.pending import Pending, pending_candidates
from wfgate.baseline.predeploy import STRICT, Ready, expected_digests, inputs_of, predeploy
from wfgate.baseline.provenance import Repository
from wfgate.baseline.references import Entry, entries, sha256_of

__all__ = [
    "MAX_AGE",
    "STRICT",
    "Approval",
    "Approved",
    "Entry",
    "Pending",
    "Ready",
    "Repository",
    "Signer",
    "Statement",
    "approvals_file",
    "approve",
    "approved_as",
    "defects",
    "entries",
    "expected_digests",
    "inputs_of",
    "last_approval",
    "pending_candidates",
    "predeploy",
    "read_entry",
    "read_statement",
    "required_reason",
    "sha256_of",
    "standing",
    "unapproved",
    "verify",
]
