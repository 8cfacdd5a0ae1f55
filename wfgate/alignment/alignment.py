"""Which step of the candidate is which step of the golden, in positions."""

from wfgate.model.workflow import Frozen


class Match(Frozen):
    """One golden step and the candidate step that is it; similarity in [0, 1]."""

    golden: int
    candidate: int
    similarity: float


class Merge(Frozen):
    """Several golden steps squeezed into one candidate step."""

    golden: tuple[int, ...]
    candidate: int


class Split(Frozen):
    """One golden step spread over several candidate steps."""

    golden: int
    candidate: tuple[int, ...]


class Alignment(Frozen):
    """The one-to-one matches, and the n:1 and 1:n relations that explain what is left over.

    A merge lists every golden step it covers, its one-to-one partner included; likewise a split.
    """

    matches: tuple[Match, ...]
    merges: tuple[Merge, ...] = ()
    splits: tuple[Split, ...] = ()
