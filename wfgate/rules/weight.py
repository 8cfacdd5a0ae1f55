"""How much a finding weighs. Nothing else combines what a check says with policy, contract and waivers."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from wfgate.rules.base import Severity, Waived, Weight

Waive = Callable[[str, str], Waived | None]
"""Returns the waiver of a finding, by check id and fingerprint; None if there is none."""


def no_waiver(check: str, fingerprint: str) -> Waived | None:
    """Return None: no finding is waived."""
    del check, fingerprint
    return None


@dataclass(frozen=True)
class Terms:
    """What a policy says about the findings of a case.

    Attributes:
        levels: Severity by check id. It replaces the severity of all findings of that check, except of differences
            that are free or have no effect.
        critical: Ids of the critical steps of the golden.
        small: Whether the golden is too small for statistics, so that only findings decide.
        waived: Returns the waiver of a finding.
    """

    levels: Mapping[str, Severity] = field(default_factory=dict)
    critical: frozenset[str] = frozenset()
    small: bool = False
    waived: Waive = no_waiver


@dataclass(frozen=True)
class Grounds:
    """What determines the weight of a finding.

    Attributes:
        severity: Severity that the check gives it.
        policy: Severity that the policy gives all findings of the check; None if it says nothing.
        new: Whether the golden does not have it already.
        free: Whether the contract or a further reference allows the difference, or it has no effect.
        relative: Whether it is a difference between golden and candidate, not a defect of the candidate alone.
        proven: Whether no harmless rewording can cause it.
        exact: Whether two texts contradict each other explicitly.
        confirmed: Whether the meaning model doubts the step that words contradict, too.
        textual: Whether it is about a changed text.
        replaced: Whether it is about a missing step that an added one may replace.
        changes_step: Whether it says that a golden step became another step.
        kept: Whether the candidate has all its golden steps in the same words, so that no match is a guess.
        critical: Whether one of its golden steps is critical.
        small: Whether the golden is too small for statistics.
    """

    severity: Severity
    policy: Severity | None = None
    new: bool = True
    free: bool = False
    relative: bool = True
    proven: bool = False
    exact: bool = False
    confirmed: bool = False
    textual: bool = False
    replaced: bool = False
    changes_step: bool = False
    kept: bool = False
    critical: bool = False
    small: bool = False

    @property
    def level(self) -> Severity:
        """The severity that reports show."""
        return "info" if self.free else self.policy or self.severity


def weigh(grounds: Grounds, *, waived: bool = False) -> Weight:
    """Return the weight of a finding.

    *Proof* (blocks): an error that no rewording explains, which is a new defect or a proven change; in a golden that
    is too small for statistics also one that is about no text and no replaced step; an error that contradicts
    explicitly, if the meaning model doubts the step, too. Of a critical step also an error that contradicts
    explicitly, and every difference that is about no text if the candidate has the step in the same words.
    *Contradiction* (review): a proven change of level "warning", an exact contradiction, or a new defect of level
    "warning" of a critical step. *Estimate*: any other difference; the p-value decides. *Note*: information, what the
    golden has too, what is waived, and any other new defect of level "warning".

    Args:
        grounds: What determines the weight.
        waived: Whether a waiver accepts the finding.
    """
    if waived or not grounds.new or grounds.level == "info":
        return "note"
    proven = grounds.proven or not grounds.relative
    certain = not grounds.textual and not grounds.replaced
    if grounds.level == "error" and (proven or (grounds.small and certain)):
        return "proof"
    if not grounds.relative:
        return "contradiction" if grounds.critical else "note"
    known = not grounds.textual and (grounds.changes_step or grounds.kept)
    if grounds.exact and grounds.level == "error" and (grounds.critical or grounds.confirmed):
        return "proof"
    if grounds.critical and known:
        return "proof"
    return "contradiction" if proven or grounds.exact else "estimate"
