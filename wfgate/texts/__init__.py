"""Detection of explicit contradictions between texts: opposites, categories, numbers, bounds, negations, names."""

from wfgate.texts.contradiction import Contradiction, contradictions, disagreements, other_topics

__all__ = ["Contradiction", "contradictions", "disagreements", "other_topics"]
