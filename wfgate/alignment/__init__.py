"""Alignment of the steps of a golden and a candidate, by text similarity, structure and a meaning model."""

from wfgate.alignment.align import ALIGNMENT_VERSION, compare, compare_all
from wfgate.alignment.alignment import Alignment, Match, Merge, Split
from wfgate.alignment.comparison import Comparison
from wfgate.alignment.contract import Contract
from wfgate.alignment.embedders import Embedder, StaticEmbedder
from wfgate.alignment.fate import Addition, Fate, State, positions
from wfgate.alignment.meaning import MeaningModel
from wfgate.alignment.supports import Support

__all__ = [
    "ALIGNMENT_VERSION",
    "Addition",
    "Alignment",
    "Comparison",
    "Contract",
    "Embedder",
    "Fate",
    "Match",
    "MeaningModel",
    "Merge",
    "Split",
    "State",
    "StaticEmbedder",
    "Support",
    "compare",
    "compare_all",
    "positions",
]
