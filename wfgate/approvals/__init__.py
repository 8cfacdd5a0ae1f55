"""The baseline: approved references (goldens as files), approvals, pending candidates, the pre-deploy check."""

from wfgate.base.door import door

__getattr__, __dir__ = door(
    __name__,
    {
        "accepted": "with_acceptances",
        "approvals": "Signer approvals_file last_approval standing unapproved",
        "attestation": "MAX_AGE is_statement read_statement verify",
        "deployment": "STRICT expected_digests inputs_of predeploy",
        "forge.acceptances": "Acceptances read_acceptances",
        "forge.api": "RefusedError github_api gitlab_api",
        "forge.github": "github_acceptances pull_number",
        "forge.gitlab": "gitlab_acceptances",
        "owners": "OwnedRevision",
        "pending": "Pending pending_candidates",
        "provenance": "Repository",
        "references": "Entry entries variants_of",
        "reports.baseline": (
            "approved_text defects_text not_approved nothing_to_approve pending_record pending_text ready_text "
            "review_summary verified_text"
        ),
        "reports.review": "difference_text keys_text review_text",
        "signing": "build_server refuse_in_ci signer",
        "writing": "Approved approve approved_as defects read_entry required_reason",
    },
)
