"""Reasons for the verdict on a case, as values. Reporters turn these values into text."""

from typing import Literal, Self

from wfgate.model import Frozen, Mention, Place, place_in, read
from wfgate.rules import Finding, Waived

GateRule = Literal[
    "critical",
    "critical-unsure",
    "reader-warning",
    "called-file",
    "language",
    "statistics",
    "undecided",
    "judge",
    "quotes",
    "not-compared",
]
"""Rules of reasons without a finding: a lost critical step whose check is switched off, a critical step that may
not be kept, a warning of the reader that only the candidate has, a changed local file that the candidate calls,
changed texts in another language, the p-value, a case that the statistics cannot decide, the grade of the judge (a
language model), its quotes, and a case that was not compared."""


class Reason(Frozen):
    """One reason for the verdict on a case.

    Attributes:
        rule: Id of the check whose finding is the reason, or a `GateRule`.
        message: One sentence.
        mentions: Where the message names steps; empty in a result that was recorded without them.
        golden: Position in the golden.
        candidate: Position in the candidate.
        golden_value: The value in the golden, if exactly one value changed; else None.
        candidate_value: The value in the candidate, if exactly one value changed; else None.
        fingerprint: Fingerprint of the finding; None for a `GateRule`.
        waiver: The waiver that covers the finding.
        lost_critical: Whether the candidate lacks a critical step, merged it or changed its meaning: a further
            reference without the step never makes it free.
    """

    rule: str
    message: str
    mentions: tuple[Mention, ...] = ()
    golden: Place | None = None
    candidate: Place | None = None
    golden_value: str | None = None
    candidate_value: str | None = None
    fingerprint: str | None = None
    waiver: Waived | None = None
    lost_critical: bool = False

    def __str__(self) -> str:
        """Return the message."""
        return self.message

    @property
    def place(self) -> Place | None:
        """The position in the candidate; the position in the golden if there is none in the candidate."""
        return self.candidate or self.golden

    @classmethod
    def by_rule(cls, rule: GateRule, message: str) -> Self:
        """Return a reason that comes from a `GateRule` and not from a finding; names in the message may be marked."""
        text, mentions = read(message)
        return cls(rule=rule, message=text, mentions=mentions, lost_critical=rule == "critical")

    @classmethod
    def of(
        cls, finding: Finding, golden: str, candidate: str, message: str | None = None, *, lost_critical: bool = False
    ) -> Self:
        """Return a finding as a reason.

        Args:
            finding: The finding.
            golden: Name of the golden.
            candidate: Name of the candidate.
            message: Message of the reason, in which names may be marked; None uses the message of the finding.
            lost_critical: Whether a critical step is lost; also set if the finding says that one is missing.
        """
        text, mentions = (finding.message, finding.mentions) if message is None else read(message)
        return cls(
            rule=finding.id,
            message=text,
            mentions=mentions,
            golden=place_in(golden, finding.golden_location),
            candidate=place_in(candidate, finding.location),
            golden_value=finding.golden_value,
            candidate_value=finding.candidate_value,
            fingerprint=finding.fingerprint,
            waiver=finding.waived,
            lost_critical=lost_critical or finding.lost_critical,
        )
