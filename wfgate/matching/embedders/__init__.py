"""Texts to vectors: the shipped static embedder, and heavier ones behind extras."""

from wfgate.matching.embedders.base import Embedder, MatchingParameters, Vectors
from wfgate.matching.embedders.static import StaticEmbedder

__all__ = ["Embedder", "MatchingParameters", "StaticEmbedder", "Vectors"]
