"""Which step of the candidate is which step of the golden."""

from wfgate.matching.align import compare
from wfgate.matching.alignment import Alignment, Comparison, Match, Merge, Split
from wfgate.matching.embedders import Embedder, StaticEmbedder

__all__ = ["Alignment", "Comparison", "Embedder", "Match", "Merge", "Split", "StaticEmbedder", "compare"]
