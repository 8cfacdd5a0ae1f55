"""Which findings are reasons: those whose differences no finding with a smaller rank claims."""

from collections.abc import Sequence

from wfgate.checks import CHECKS, Finding
from wfgate.checks.base import Claim


def claimants(findings: Sequence[Finding]) -> dict[str, Finding]:
    """Return the finding that claims all differences of another one, by the fingerprint of that other one.

    A missing step claims the values that it had. Of findings that claim the same, the one with the smallest rank wins.
    """
    first: dict[Claim, Finding] = {}
    for finding in sorted(findings, key=lambda finding: CHECKS[finding.id].rank):
        for claim in finding.claims:
            first.setdefault(claim, finding)
    found = {}
    for finding in findings:
        ranks = [CHECKS[first[claim].id].rank for claim in finding.claims]
        if ranks and max(ranks) < CHECKS[finding.id].rank:
            found[finding.fingerprint] = first[finding.claims[0]]
    return found


def unclaimed(findings: Sequence[Finding], listed_before: Sequence[Finding] = ()) -> list[Finding]:
    """Return the findings to report as reasons, the main one first.

    Proofs and errors come first, facts before estimates, causes before consequences (`Check.rank`). A finding that
    claims another one is as grave as this one.

    Args:
        findings: The findings.
        listed_before: Findings that are reasons already.
    """
    claimed = claimants([*listed_before, *findings])
    grave = {one.fingerprint for one in findings if one.weight == "proof" or one.severity == "error"}
    grave |= {claimant.fingerprint for other, claimant in claimed.items() if other in grave}

    def gravity(finding: Finding) -> tuple[bool, float, int]:
        estimated = finding.wording is not None and not finding.exact
        p_value = finding.wording.p_value if finding.wording and estimated else None
        return finding.fingerprint not in grave, p_value or 0.0, CHECKS[finding.id].rank

    return sorted((one for one in findings if one.fingerprint not in claimed), key=gravity)
