"""Waivers (`wfgate-waivers.toml`): findings that are accepted until a date, by fingerprint, with reason and owner."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import ClassVar

from pydantic import Field

from wfgate.base import Registry, table
from wfgate.model import Frozen
from wfgate.rules import CHECKS, Check, Finding, Severity, Waive, Waived, fingerprint_of


class WaiverExpired(Check):
    """A waiver has expired.

    What it does:
        Reports a waiver in `wfgate-waivers.toml` whose `expires` date is past. The waiver has no effect any more. This
        finding is about the run, not about a workflow; its level cannot be set.

    Why it matters:
        The waived finding was accepted for a limited time. This time is over, so the waived finding affects the
        verdict again.

    Golden:
        ``expires = 2027-01-31`` on 2027-01-31 or earlier

    Candidate:
        ``expires = 2027-01-31`` on 2027-02-01

    How to fix:
        Fix the defect and delete the waiver; or review the waived finding again and set a later date.
    """

    id: ClassVar[str] = "WP001"
    defect: ClassVar[str] = "waiver-expired"
    severity: ClassVar[Severity] = "warning"


class WaiverUnused(Check):
    """A waiver matches no finding of the run.

    What it does:
        Reports a waiver that has not expired and whose fingerprint matches no finding. A waiver for one case is
        compared with the findings of this case, other waivers with the findings of all cases. Waivers for cases that
        did not run are not reported. This finding is about the run, not about a workflow; its level cannot be set.

    Why it matters:
        The defect is fixed, or the waiver never matched. If the waiver stays in the file, it hides the defect when the
        defect comes back.

    Golden:
        ``fingerprint = "58f420240909b1bc"``, and a finding of the run with this fingerprint

    Candidate:
        ``fingerprint = "58f420240909b1bc"``, and no finding of the run with this fingerprint

    How to fix:
        Delete the waiver, or replace its fingerprint by the one in the report (`wfgate gate --verbose`).
    """

    id: ClassVar[str] = "WP002"
    defect: ClassVar[str] = "waiver-unused"
    severity: ClassVar[Severity] = "warning"


WAIVERS_FILE = "wfgate-waivers.toml"
RUN_CHECKS: Registry[Check] = Registry(
    "check",
    table(
        "wfgate.decide",
        {
            "WP001": ("waivers:WaiverExpired", "A waiver has expired."),
            "WP002": ("waivers:WaiverUnused", "A waiver matches no finding of the run."),
        },
    ),
)
"""Checks of the run itself, not of a workflow."""


class Waiver(Frozen):
    """A finding that is accepted until a date.

    Attributes:
        fingerprint: Fingerprint of the finding, as in the reports.
        reason: Why the finding is acceptable.
        owner: The person or team responsible for the waiver.
        expires: The last day on which the waiver is valid.
        case: The case to which the waiver is limited; None for all cases.
    """

    fingerprint: str = Field(pattern=r"^[0-9a-f]{16}$")
    reason: str = Field(min_length=1, pattern=r"\S")
    owner: str = Field(min_length=1, pattern=r"\S")
    expires: date
    case: str | None = None

    def covers(self, case: str, check: str, fingerprint: str) -> bool:
        """Return whether the waiver matches this finding of this case, expired or not."""
        named = self.case is None or self.case == case
        return named and self.fingerprint == fingerprint and CHECKS[check].waivable


class WaiverFile(Frozen):
    """The content of a waiver file.

    Attributes:
        waiver: The waivers.
    """

    waiver: tuple[Waiver, ...] = ()


class Waivers:
    """The waivers of a run.

    Args:
        waivers: All waivers, expired ones too.
        today: The day of the run.
        source: The waiver file, for messages.
    """

    def __init__(self, waivers: Iterable[Waiver] = (), today: date = date.min, source: str = WAIVERS_FILE) -> None:
        self.waivers = tuple(waivers)
        self.today = today
        self.source = source
        self._valid = [waiver for waiver in self.waivers if waiver.expires >= today]

    def of(self, case: str) -> Waive:
        """Return the waivers of a case as a function of check id and fingerprint."""

        def waived(check: str, fingerprint: str) -> Waived | None:
            waiver = next((one for one in self._valid if one.covers(case, check, fingerprint)), None)
            if waiver is None:
                return None
            return Waived(reason=waiver.reason, owner=waiver.owner, expires=waiver.expires)

        return waived

    def findings(self, cases: Iterable[tuple[str, Sequence[Finding]]]) -> tuple[Finding, ...]:
        """Return the findings about waivers: first the expired waivers, then the unused waivers.

        Args:
            cases: Ids and findings of all cases of the run.
        """
        return (*self.expired(), *self.unused(cases)) if self.waivers else ()

    def expired(self) -> tuple[Finding, ...]:
        """Return a finding for each expired waiver."""
        return tuple(
            self._finding(WaiverExpired(), waiver, f"expired on {waiver.expires}")
            for waiver in self.waivers
            if waiver.expires < self.today
        )

    def unused(self, cases: Iterable[tuple[str, Sequence[Finding]]]) -> tuple[Finding, ...]:
        """Return a finding for each unexpired waiver that matches no finding.

        A waiver for one case is reported only if the case is in the run.

        Args:
            cases: Ids and findings of all cases of the run.
        """
        ran, used = set(), set()
        for case, findings in cases:
            ran.add(case)
            used |= {
                waiver
                for finding in findings
                for waiver in self._valid
                if waiver.covers(case, finding.id, finding.fingerprint)
            }
        return tuple(
            self._finding(WaiverUnused(), waiver, "matches no finding")
            for waiver in self._valid
            if waiver not in used and (waiver.case is None or waiver.case in ran)
        )

    def _finding(self, check: Check, waiver: Waiver, what: str) -> Finding:
        where = f" of case '{waiver.case}'" if waiver.case else ""
        return Finding(
            id=check.id,
            defect=check.defect,
            severity=check.severity,
            message=f"{self.source}: the waiver {waiver.fingerprint}{where} ({waiver.owner}) {what}",
            fingerprint=fingerprint_of(check.id, waiver.fingerprint, str(waiver.case)),
        )
