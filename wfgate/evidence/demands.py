"""Counts that people can check: which demands (steps) of the golden the candidate does not meet."""

from collections.abc import Collection, Mapping

from wfgate.alignment import Comparison
from wfgate.checks.relative.meaning import significant_steps
from wfgate.model.workflow import Frozen


class Demands(Frozen):
    """How many demands of a golden, its steps, a candidate does not meet, and how many steps moved or are new.

    A demand is gone, doubtful, altered or kept.

    Attributes:
        total: Number of golden steps.
        gone: Steps that no step of the candidate carries, or whose meaning changed significantly (WR106).
        doubtful: Other steps of which at most one in ten harmlessly rewritten ones looks like this.
        altered: Other steps that the candidate contradicts explicitly, or that lost a number.
        moved: Steps with another place in the order.
        added: Steps of the candidate whose work the golden does not demand.
    """

    total: int
    gone: int = 0
    doubtful: int = 0
    altered: int = 0
    moved: int = 0
    added: int = 0

    @classmethod
    def of(cls, evidence: Mapping[str, float], total: int) -> "Demands":
        """Return the counts that the evidence of a comparison contains, for a golden with `total` steps."""
        gone, doubtful, altered, moved, added = (
            round(evidence[f"{name}-share"] * total) for name in ("gone", "doubtful", "altered", "order", "new")
        )
        return cls(total=total, gone=gone, doubtful=doubtful, altered=altered, moved=moved, added=added)

    @property
    def share(self) -> float:
        """The affected share of the golden's steps, in [0, 1].

        A doubtful step counts half. The largest of three counts (demands not met, moved steps, added steps) counts,
        because the same step may be in each of them.
        """
        unmet = self.gone + self.doubtful / 2 + self.altered
        return min(1.0, max(unmet, self.moved, self.added) / self.total) if self.total else 0.0


def demand_shares(comparison: Comparison, missing: Collection[int], altered: Collection[int]) -> dict[str, float]:
    """Return the shares of golden steps that are gone, doubtful and altered, as evidence; a step counts once.

    Optional steps are neither gone nor doubtful.

    Args:
        comparison: The aligned pair.
        missing: Golden steps that no step of the candidate carries.
        altered: Golden steps that are contradicted, or that lost a number.
    """
    free = comparison.left_out
    gone = {*missing, *significant_steps(comparison)} - free
    doubtful = {support.golden for support in comparison.supports if support.doubted} - gone - free
    n = max(comparison.golden_graph.n, 1)
    return {
        "gone-share": len(gone) / n,
        "doubtful-share": len(doubtful) / n,
        "altered-share": len({*altered} - gone - doubtful) / n,
    }
