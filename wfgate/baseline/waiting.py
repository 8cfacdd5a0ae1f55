"""What waits for somebody's decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wfgate.baseline.references import Entry, entries
from wfgate.gating import CaseResult, Gate


@dataclass(frozen=True)
class Waiting:
    """A candidate that is no pass: it is to be mended, or approved.

    Attributes:
        entry: The candidate and its references.
        case: What the gate says about it.
    """

    entry: Entry
    case: CaseResult

    @property
    def new(self) -> bool:
        """Whether its workflow has no reference yet."""
        return not self.entry.references


def waiting(candidates: Sequence[Path], reference: Path, gate: Gate) -> list[Waiting]:
    """Return the candidates that do not pass, in the order given; what is a reference itself waits for nothing.

    Args:
        candidates: Files, or folders of them.
        reference: The folder of references, or one of them.
        gate: What judges.
    """
    judged = (
        Waiting(entry, gate.decide(entry.pair())) for entry in entries(candidates, reference) if not entry.adopted
    )
    return [found for found in judged if found.case.verdict != "pass"]
