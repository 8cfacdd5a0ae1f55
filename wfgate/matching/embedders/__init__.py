"""Texts to vectors: the shipped static embedder, and heavier ones behind extras."""

from wfgate.matching.embedders.base import Embedder, MatchingParameters, Vectors
from wfgate.matching.embedders.cache import CachedEmbedder
from wfgate.matching.embedders.static import StaticEmbedder

__all__ = ["CachedEmbedder", "Embedder", "MatchingParameters", "StaticEmbedder", "Vectors"]
