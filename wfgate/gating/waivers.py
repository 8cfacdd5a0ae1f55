"""`wfgate-waivers.toml`: findings that the team accepts, by fingerprint, each with reason, owner and expiry."""

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import ClassVar

from pydantic import Field, ValidationError

from wfgate.checks import Check, Finding, Severity
from wfgate.checks.base import Waived, fingerprint_of
from wfgate.errors import ConfigError
from wfgate.gating.config import read_toml
from wfgate.gating.revision import Revision
from wfgate.model.workflow import Frozen
from wfgate.registry import Registry

FILE_NAME = "wfgate-waivers.toml"
NEVER = frozenset({"WF001"})
"""Findings that cannot be waived: what could not be read was not judged."""


class WaiverExpired(Check):
    """A waiver whose last day is over.

    What it does:
        Reports a waiver in `wfgate-waivers.toml` with a day behind `expires` that is past. It waives nothing any more.
        It is a finding about the run, not about a workflow; its level cannot be set.

    Why it matters:
        Somebody accepted a defect for a while, and the while is over: what it waived decides again.

    Golden:
        ``expires = 2027-01-31`` on any day up to this one

    Candidate:
        ``expires = 2027-01-31`` on 2027-02-01

    How to fix:
        Mend what it waived and delete it; or look at it again, and set a later day with a reason that still holds.
    """

    id: ClassVar[str] = "WP001"
    defect: ClassVar[str] = "waiver-expired"
    severity: ClassVar[Severity] = "warning"


class WaiverUnused(Check):
    """A waiver that no finding of the run needs.

    What it does:
        Reports a valid waiver whose fingerprint no finding of its case (or of any case) has. One for a case that did
        not run is left alone. It is a finding about the run, not about a workflow; its level cannot be set.

    Why it matters:
        What it waived is mended, or it never waived what somebody meant. Left there, it would let the same defect
        pass when it comes back.

    Golden:
        ``fingerprint = "58f420240909b1bc"``, and a finding of the run with this fingerprint

    Candidate:
        ``fingerprint = "58f420240909b1bc"``, and no finding with it

    How to fix:
        Delete it; or copy the fingerprint anew from the report (`wfgate gate --verbose`).
    """

    id: ClassVar[str] = "WP002"
    defect: ClassVar[str] = "waiver-unused"
    severity: ClassVar[Severity] = "warning"


RUN_CHECKS: Registry[Check] = Registry("check", (WaiverExpired(), WaiverUnused()))
"""The checks of a run itself: nothing in a workflow causes their findings."""


class Waiver(Frozen):
    """A finding that the team accepts for a while.

    Attributes:
        fingerprint: Of the finding, as the reports print it.
        reason: Why it is acceptable.
        owner: Who answers for it.
        expires: The last day on which it holds.
        case: The one case for which it holds; all cases with the finding by default.
    """

    fingerprint: str = Field(pattern=r"^[0-9a-f]{16}$")
    reason: str = Field(min_length=1, pattern=r"\S")
    owner: str = Field(min_length=1, pattern=r"\S")
    expires: date
    case: str | None = None

    def covers(self, case: str, finding: Finding) -> bool:
        """Return whether it is about this finding of this case, expired or not."""
        named = self.case is None or self.case == case
        return named and self.fingerprint == finding.fingerprint and finding.id not in NEVER


class WaiverFile(Frozen):
    """All waivers.

    Attributes:
        waiver: The waivers, as written.
    """

    waiver: tuple[Waiver, ...] = ()


class Waivers:
    """The waivers of a run, on the day on which it runs.

    Args:
        waivers: All of them, expired ones too.
        today: The day.
        source: The file, for messages.
    """

    def __init__(self, waivers: Iterable[Waiver] = (), today: date = date.min, source: str = FILE_NAME) -> None:
        self.waivers = tuple(waivers)
        self.today = today
        self.source = source
        self._valid = [waiver for waiver in self.waivers if waiver.expires >= today]

    def applied(self, case: str, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return the findings, those that are waived marked; none is left out, and none changes its severity."""
        if not self._valid:
            return tuple(findings)
        return tuple(self._marked(case, finding) for finding in findings)

    def _marked(self, case: str, finding: Finding) -> Finding:
        waiver = next((waiver for waiver in self._valid if waiver.covers(case, finding)), None)
        if waiver is None:
            return finding
        waived = Waived(reason=waiver.reason, owner=waiver.owner, expires=waiver.expires)
        return finding.model_copy(update={"waived": waived})

    def findings(self, cases: Iterable[tuple[str, Sequence[Finding]]]) -> tuple[Finding, ...]:
        """Return what is wrong with the waivers themselves: expired ones, then those that no finding needs.

        Args:
            cases: Ids and findings of all cases of the run.
        """
        return (*self.expired(), *self.unused(cases)) if self.waivers else ()

    def expired(self) -> tuple[Finding, ...]:
        """Return a finding for each waiver whose last day is over."""
        return tuple(
            self._finding(WaiverExpired(), waiver, f"expired on {waiver.expires}")
            for waiver in self.waivers
            if waiver.expires < self.today
        )

    def unused(self, cases: Iterable[tuple[str, Sequence[Finding]]]) -> tuple[Finding, ...]:
        """Return a finding for each valid waiver that no finding needs.

        A waiver for one case is unused only in a run that has the case.

        Args:
            cases: Ids and findings of all cases of the run.
        """
        ran, used = set(), set()
        for case, findings in cases:
            ran.add(case)
            used |= {waiver for finding in findings for waiver in self._valid if waiver.covers(case, finding)}
        return tuple(
            self._finding(WaiverUnused(), waiver, "waives nothing: no such finding")
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


def find_waivers(folder: Path, base: Revision | None = None) -> Path | None:
    """Return the waivers' file in a folder or the nearest one above it; None where there is none."""
    for place in (folder, *folder.resolve().parents):
        path = place / FILE_NAME
        if path.is_file() if base is None else base.read(path) is not None:
            return path
    return None


def load_waivers(path: Path, base: Revision | None = None) -> tuple[Waiver, ...]:
    """Read waivers.

    Raises:
        ConfigError: If the file is missing or broken, or one of its waivers lacks something or is named twice.
    """
    table = read_toml(path, base)
    try:
        waivers = WaiverFile.model_validate(table).waiver
    except ValidationError as error:
        first = error.errors()[0]
        parts = [str(part + 1) if isinstance(part, int) else part for part in first["loc"]]
        said = "unknown key" if first["type"] == "extra_forbidden" else first["msg"]
        raise ConfigError(
            f"{path}: {' '.join(parts)}: {said}",
            fix="each [[waiver]] has fingerprint (16 hex digits), reason, owner, expires (a date), and may have case",
        ) from None
    seen: set[tuple[str, str | None]] = set()
    for waiver in waivers:
        if (waiver.fingerprint, waiver.case) in seen:
            raise ConfigError(f"{path}: {waiver.fingerprint} is waived twice", fix="keep one of the two")
        seen.add((waiver.fingerprint, waiver.case))
    return waivers
