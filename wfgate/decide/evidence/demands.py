"""Counts that people can check: which demands (steps) of the golden the candidate does not meet."""

from wfgate.compare import Comparison
from wfgate.model import Frozen


class Demands(Frozen):
    """How many demands of a golden, its steps, a candidate does not meet, and how many steps moved or are new.

    A demand is gone, doubtful, altered, merged or kept.

    Attributes:
        total: Number of golden steps.
        gone: Steps that no step of the candidate carries, or whose meaning changed significantly (WR106).
        doubtful: Other steps of which at most one in ten harmlessly rewritten ones looks like this.
        altered: Other steps that the candidate contradicts explicitly, or that lost a number.
        merged: Other steps without a candidate step of their own: merged steps cannot be run, repeated or approved
            alone, even if their words are all there.
        moved: Steps with another place in the order.
        added: Steps of the candidate whose work the golden does not demand.
    """

    total: int
    gone: int = 0
    doubtful: int = 0
    altered: int = 0
    merged: int = 0
    moved: int = 0
    added: int = 0

    @classmethod
    def of(cls, comparison: Comparison) -> "Demands":
        """Return the counts of a comparison."""
        fates = comparison.fates
        return cls(
            total=len(fates),
            gone=sum(fate.is_gone for fate in fates),
            doubtful=sum(fate.is_doubtful for fate in fates),
            altered=sum(fate.is_altered for fate in fates),
            merged=sum(fate.is_only_merged for fate in fates),
            moved=sum(fate.is_reordered for fate in fates),
            added=sum(step.is_new for step in comparison.additions),
        )

    @property
    def share(self) -> float:
        """The affected share of the golden's steps, in [0, 1].

        A doubtful step counts half. The largest of three counts (demands not met, moved steps, added steps) counts,
        because the same step may be in each of them.
        """
        unmet = self.gone + self.doubtful / 2 + self.altered + self.merged
        return min(1.0, max(unmet, self.moved, self.added) / self.total) if self.total else 0.0
