"""Which step of the candidate is which step of the golden."""

from wfgate.matching.align import ALIGNMENT_VERSION, compare
from wfgate.matching.alignment import Alignment, Comparison, Match, Merge, Split
from wfgate.matching.embedders import Embedder, StaticEmbedder

__all__ = [
    "ALIGNMENT_VERSION",
    "Alignment",
    "Comparison",
    "Embedder",
    "Match",
    "Merge",
    "Split",
    "StaticEmbedder",
    "compare",
]
