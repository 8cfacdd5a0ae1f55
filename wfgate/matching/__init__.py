"""Which step of the candidate is which step of the golden."""

from wfgate.matching.align import ALIGNMENT_VERSION, compare, compare_all
from wfgate.matching.alignment import Alignment, Match, Merge, Split
from wfgate.matching.comparison import Comparison
from wfgate.matching.embedders import Embedder, StaticEmbedder
from wfgate.matching.equivalence import Equivalence
from wfgate.matching.meaning import StepMeaning

__all__ = [
    "ALIGNMENT_VERSION",
    "Alignment",
    "Comparison",
    "Embedder",
    "Equivalence",
    "Match",
    "Merge",
    "Split",
    "StaticEmbedder",
    "StepMeaning",
    "compare",
    "compare_all",
]
