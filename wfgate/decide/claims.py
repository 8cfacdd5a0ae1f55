"""Which findings are reasons: those whose differences no graver finding, and none with a smaller rank, explains."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from wfgate.rules import CHECKS, Claim, Finding, Kind, Weight

_WEIGHTS: tuple[Weight, ...] = get_args(Weight)
"""Gravest first."""
_WORD = re.compile(r"\w+|[^\w\s'\"`]")
"""A word or sign of a value; quotes depend on the format."""
_STATES: dict[Kind, frozenset[Kind]] = {
    "guard": frozenset({"guard", "course"}),
    "outcome": frozenset({"outcome", "course"}),
    "loop": frozenset({"loop"}),
}
"""Which findings say the change of a value as written, by what the value is about."""
_COMPARED = 200
"""Most findings on one step that are compared with one another."""


def claimants(findings: Sequence[Finding]) -> dict[str, Finding]:
    """Return the finding that claims all differences of another one, by the fingerprint of that other one.

    A missing step claims the values that it had. Of findings that claim the same, the one with the smallest rank wins.
    Of two rules that say the same change of a step, link or file, the graver finding claims the other; so one change
    of a value that conditions, outcomes or loops state is one reason.
    """
    first: dict[Claim, Finding] = {}
    for finding in sorted(findings, key=lambda finding: CHECKS[finding.id].rank):
        for claim in finding.claims:
            first.setdefault(claim, finding)
    claimed = {}
    for finding in findings:
        ranks = [CHECKS[first[claim].id].rank for claim in finding.claims]
        if ranks and max(ranks) < CHECKS[finding.id].rank:
            claimed[finding.fingerprint] = first[finding.claims[0]]
    return dict(_repeated([one for one in findings if one.fingerprint not in claimed])) | claimed


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


@dataclass(frozen=True)
class _Change:
    """What a finding says that changed: the changed words of the golden and of the candidate, each as one text."""

    finding: Finding
    words: tuple[frozenset[str], frozenset[str]]

    @classmethod
    def of(cls, finding: Finding) -> "_Change":
        values = [{value} for value in (finding.golden_value, finding.candidate_value)]
        if finding.wording is not None:
            sides = finding.wording.golden, finding.wording.candidate
            values = [{segment for segment, changed in side if changed} for side in sides]
        words = ({" ".join(["", *_WORD.findall(value), ""]) for value in side if value} for side in values)
        golden, candidate = (frozenset(side - {"  "}) for side in words)
        return cls(finding, (golden, candidate))

    @property
    def is_written(self) -> bool:
        """Whether it is a value as written that links or loops state, too."""
        return self.finding.about in _STATES and CHECKS[self.finding.id].about == "value" and any(self.words)

    @property
    def places(self) -> tuple[str, ...]:
        """Where it is: ids of steps, or empty for the file; and the names of steps that a change of course tells."""
        one = self.finding
        steps = one.golden_steps or one.candidate_steps or ("",)
        if one.about == "course":
            return (*steps, *map(_name, one.tasks))
        targets = (one.golden_value, one.candidate_value) if self.is_written and one.about == "guard" else ()
        return (*steps, *(_name(value) for value in targets if value))

    @property
    def order(self) -> tuple[int, int, int, str]:
        """The graver ones first; of equally grave ones those that say more."""
        rank, said = CHECKS[self.finding.id].rank, sum(map(len, (text for side in self.words for text in side)))
        return _WEIGHTS.index(self.finding.weight), rank, -said, self.finding.fingerprint

    def claims(self, other: "_Change") -> bool:
        """Return whether it says the change that another finding on the same step, link or file says."""
        one, two = self.finding, other.finding
        if other.is_written and not self.is_written:
            return one.about in _STATES[two.about] or self._says_all(other)
        if self.is_written and not other.is_written and one.about == two.about != "guard":
            return True  # the value says more than "is repeated" or "runs after a failure"
        if one.id == two.id and "text" not in (one.about, two.about):
            return False  # equal values of two keys
        if "text" in (one.about, two.about):
            return self._says_all(other)
        return self.words == other.words and any(self.words)

    def _says_all(self, other: "_Change") -> bool:
        sides = zip(self.words, other.words, strict=True)
        return any(other.words) and all(any(text in whole for whole in ours) for ours, said in sides for text in said)


def _name(step: str) -> str:
    """Return the place of what names a step, as a condition's target in the file does; no id is written so."""
    return f"\0{step}"


def _repeated(findings: Sequence[Finding]) -> Iterator[tuple[str, Finding]]:
    """Yield the fingerprint of each finding that says a change again, with the finding that says it, too.

    A sentence around the steps repeats the value of a step, if it quotes it. Cost: quadratic in the findings of one
    step, up to 200.
    """
    at: defaultdict[str, list[_Change]] = defaultdict(list)
    changes = [_Change.of(one) for one in findings if one.weight != "note" and not one.pre_existing]
    for change in sorted(changes, key=lambda change: change.order):
        one = change.finding
        near = [other for place in change.places for other in at[place]]
        if "" in change.places and one.about in ("text", "guard"):
            near = [other for others in at.values() for other in others]
        claimant = next((other for other in near[:_COMPARED] if other.claims(change)), None)
        if claimant is None:
            for place in dict.fromkeys(change.places):
                at[place].append(change)
        else:
            yield one.fingerprint, claimant.finding
