"""The alignment as an immutable value. Steps are given by their positions."""

from collections import defaultdict

from wfgate.model import Frozen


class Match(Frozen):
    """A golden step and its candidate step; `similarity` is in [0, 1]."""

    golden: int
    candidate: int
    similarity: float


class Merge(Frozen):
    """Several golden steps merged into one candidate step."""

    golden: tuple[int, ...]
    candidate: int


class Split(Frozen):
    """One golden step split into several candidate steps."""

    golden: int
    candidate: tuple[int, ...]


class Alignment(Frozen):
    """The one-to-one matches, and the merges (n:1) and splits (1:n) of the remaining steps.

    A merge lists all golden steps that the candidate step covers, including the matched golden step. A split lists all
    candidate steps that cover the golden step, including the matched candidate step.
    """

    matches: tuple[Match, ...]
    merges: tuple[Merge, ...] = ()
    splits: tuple[Split, ...] = ()

    def partners(self) -> dict[int, frozenset[int]]:
        """Return the candidate steps that each golden step is matched, merged or split into; others are left out."""
        partners: defaultdict[int, set[int]] = defaultdict(set)
        for match in self.matches:
            partners[match.golden].add(match.candidate)
        for merge in self.merges:
            for step in merge.golden:
                partners[step].add(merge.candidate)
        for split in self.splits:
            partners[split.golden].update(split.candidate)
        return {step: frozenset(steps) for step, steps in partners.items()}

    @property
    def exchanged(self) -> "Alignment":
        """The same alignment with golden and candidate exchanged: merges become splits."""
        return Alignment(
            matches=tuple(
                Match(golden=match.candidate, candidate=match.golden, similarity=match.similarity)
                for match in self.matches
            ),
            merges=tuple(Merge(golden=split.candidate, candidate=split.golden) for split in self.splits),
            splits=tuple(Split(golden=merge.candidate, candidate=merge.golden) for merge in self.merges),
        )
