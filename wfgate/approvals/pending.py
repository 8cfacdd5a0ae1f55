"""Candidates that do not pass and wait for an approval."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wfgate.approvals.references import Entry, entries
from wfgate.decide import CaseResult
from wfgate.run import Gate


@dataclass(frozen=True)
class Pending:
    """A candidate that does not pass: somebody must fix or approve it.

    Attributes:
        entry: The candidate and its references.
        case: The result of the gate.
    """

    entry: Entry
    case: CaseResult

    @property
    def new(self) -> bool:
        """Whether the workflow of the candidate has no reference yet."""
        return not self.entry.references


def pending_candidates(candidates: Sequence[Path], reference: Path, gate: Gate) -> list[Pending]:
    """Return the candidates that do not pass, in the given order; files that are references are skipped.

    Args:
        candidates: Files, or folders of them.
        reference: The folder of references, or one reference.
        gate: The gate.
    """
    results = (
        Pending(entry, gate.decide(entry.pair()))
        for entry in entries(candidates, reference, gate.formats)
        if not entry.adopted
    )
    return [result for result in results if result.case.verdict != "pass"]
